"""A simulated run of several agents, recorded through the client as it happens."""

from __future__ import annotations

import time
from collections.abc import Callable

from korg_tui.recorder.client import RecorderClient
from korg_tui.recorder.simulation.stage import Stage
from korg_tui.recorder.simulation.story import ACTOR, Run, run

__all__ = ["ACTOR", "SECONDS", "simulate"]

SECONDS = 66.0
"""How long the run is."""


def simulate(
    to: RecorderClient | str,
    *,
    speed: float = 1.0,
    sleep: Callable[[float], None] = time.sleep,
    rewind: bool = True,
) -> Run:
    """Play the run into a ledger server, by its address or through a client of it. Returns what became of it,
    when all of it has been taken, or a minute after its end.

    At `speed` 1 it takes `SECONDS`. It makes the same events in the same order every time, whatever `sleep`
    does and however fast the server is. With `rewind` it rewinds the ledger half-way to one of its own
    events: others should not write to the same ledger meanwhile.
    """
    client = RecorderClient(to, actor=ACTOR) if isinstance(to, str) else to
    try:
        done = Run(rewinds=rewind)
        stage = Stage(sleep, speed)
        stage.play(run(stage, client, done))
        done.taken = client.flush(60)
        done.seconds = stage.now
        return done
    finally:
        if client is not to:
            client.close()

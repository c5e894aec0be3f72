"""A simulated run of several agents, posted through the client."""

from __future__ import annotations

from korg_tui.recorder.simulation.simulation import ACTOR, SECONDS, simulate

__all__ = ["ACTOR", "SECONDS", "simulate"]

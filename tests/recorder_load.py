"""Clients that post to a recorder until it is killed, and what must be in its store afterwards."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from pathlib import Path
from typing import Any

from korg_tui.recorder.store import Store
from recording import DEADLINE, Process, ask, call


def stored(folder: Path) -> list[dict[str, Any]]:
    """What the store holds when it is opened: the seqs ascend from 1, and the chain holds."""
    store = Store(folder)
    try:
        with store.view() as view:
            events = [json.loads(line) for line in b"".join(view.pieces()).splitlines()]
    finally:
        store.close()
    assert [event["seq_id"] for event in events] == list(range(1, len(events) + 1))
    links = ["0" * 64, *(event["entry_hash"] for event in events)]
    assert [event["prev_hash"] for event in events] == links[:-1]
    return events


class Load:
    """Clients that post one after the other, each on a connection of its own, until nobody answers."""

    def __init__(self, server: Process, clients: int, run: int, enough: int) -> None:
        self.server = server
        self.told: dict[int, str] = {}
        """The acknowledged seqs, and who was told."""
        self.refused: list[int] = []
        self.enough = threading.Event()
        self._enough = enough
        self._threads = [
            threading.Thread(target=self._post, args=(f"{run}.{client}",)) for client in range(clients)
        ]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        assert self.enough.wait(DEADLINE)
        return self

    def __exit__(self, *error: object) -> None:
        self.server.kill()
        for thread in self._threads:
            thread.join()

    def _post(self, who: str) -> None:
        connection = self.server.connect()
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            for n in range(1_000_000):
                name = f"{who}.{n}"
                body = call("Bash", args={"who": name, "text": "x" * (n % 3 * 700)})
                answer = ask(connection, "POST", "/api/agent/tool-call", body)
                if answer.status == 200:
                    self.told[answer.json()["seq_id"]] = name
                else:
                    self.refused.append(answer.status)
                if len(self.told) >= self._enough:
                    self.enough.set()


def check(folder: Path, told: dict[int, str]) -> None:
    """Everything that was acknowledged is there, under its seq, and its blobs are."""
    events = stored(folder)
    who = {event["seq_id"]: event["event"]["args"]["who"] for event in events}
    assert {seq: who.get(seq) for seq in told} == told
    for event in events:
        for ref in event["event"]["payload_refs"]:
            assert (folder / "blobs" / ref["sha256"][:2] / ref["sha256"]).stat().st_size == ref["size_bytes"]

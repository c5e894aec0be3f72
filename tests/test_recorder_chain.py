"""The hashes of a store: what was recorded fits them, however it is spelled; what was altered does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from korg_tui.recorder.store import Store
from korg_tui.recorder.store.calls import Call
from korg_tui.recorder.store.chain import first_altered
from recording import call, process

VALUES: list[Any] = [
    {"b": 1, "a": {"d": [], "c": None}},
    "é \u2028 \U0001f600 \x7f \x1b </script>",
    [1e16, 1e-7, 0.1, -0.0, 2**53, 10**30],
    "\ud800 alone",
]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A store of one event for each value, and one after a rewind."""
    store = Store(tmp_path)
    for value in VALUES:
        store.append([Call("agent:x@1", "Read", {"v": value}, {}, True, 1, None)])
    store.append([Call("agent:x@1", "Read", {}, {}, True, 1, None)])
    store.rewind(len(VALUES), "human:dusk", "")
    store.close()
    return store.path


def test_what_was_recorded_fits(ledger: Path) -> None:
    assert first_altered(ledger, len(VALUES) + 1) is None


@pytest.mark.parametrize("seq", range(1, len(VALUES) + 2))
def test_the_first_event_that_was_altered_is_found(ledger: Path, seq: int) -> None:
    lines = ledger.read_bytes().splitlines(keepends=True)
    for each in (seq, len(lines)):
        lines[each - 1] = lines[each - 1].replace(b'"tier":"', b'"tier":"_')
    ledger.write_bytes(b"".join(lines))
    assert first_altered(ledger, len(lines)) == seq
    assert first_altered(ledger, seq - 1) is None


def test_an_event_that_was_altered_is_named_and_recording_goes_on(tmp_path: Path) -> None:
    with process(tmp_path / ".korg") as server:
        for _ in range(3):
            server.post(call())
        server.end()
    path = tmp_path / ".korg" / "korg-tui.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"success":true', b'"success":false')
    path.write_bytes(b"".join(lines))
    with process(tmp_path / ".korg") as server:
        assert server.popen.stderr is not None
        assert server.popen.stderr.readline() == (
            f"korg-tui: {path}: event 2 does not fit its hash: it was altered after it was recorded; "
            "compare it with a copy\n"
        )
        assert server.post(call()).json() == {"seq_id": 4}
        assert server.end() == (0, "")

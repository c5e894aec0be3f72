"""Our own server, followed over HTTP: what it says in its header is believed, and is enough."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from korg_tui.causal import Journal
from korg_tui.formats import decode
from korg_tui.sources import Grew, State
from korg_tui.sources.http.source import HttpSource
from recording import Recording, call, recording
from running_ledger import contents, kinds


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".korg"


class Reader:
    def __init__(self, url: str) -> None:
        self.source = HttpSource(url, environment={})
        self.journal = Journal(self.source.name)
        self.take(self.source.start())

    def take(self, facts) -> list[str]:
        taken = list(facts)
        for fact in taken:
            self.journal.apply(fact)
        return kinds(taken)

    def bodies(self) -> list[bytes]:
        (ledger,) = self.journal.ledgers
        rows = range(len(ledger))
        return [self.source.read(ledger.offset[row], ledger.length[row], ledger.epoch) for row in rows]


def stored(folder: Path) -> list[str]:
    return contents((folder / "korg-tui.jsonl").read_bytes().splitlines())


def post(server: Recording, count: int) -> None:
    for _ in range(count):
        assert server.post(call("Read", 1)).status == 200


def test_growth_a_rewind_and_a_restart(folder):
    with recording(folder) as server:
        server.post(call("user_prompt", args={"prompt": "go"}))
        post(server, 119)
        reader = Reader(server.url)
        assert contents(reader.bodies()) == stored(folder)
        assert reader.take(reader.source.poll()) == []
        post(server, 110)
        assert reader.take(reader.source.poll()) == ["Grew"]
        assert contents(reader.bodies()) == stored(folder)
        assert server.rewind(100, rewound_by="human:dusk", reason="a test").status == 200
        post(server, 5)
        assert reader.take(reader.source.poll()) == ["Replaced"]
        assert contents(reader.bodies()) == stored(folder)
        (ledger,) = reader.journal.ledgers
        assert [each.event.seq for each in ledger.gone] == list(range(101, 231))
        assert len(reader.source.read(*_place(ledger.gone[0]))) > 0
    assert reader.take(reader.source.poll()) == ["offline"]
    reader.source.close()
    with recording(folder) as server:
        again = Reader(server.url)
        assert contents(again.bodies()) == stored(folder)
        assert again.take(again.source.poll()) == []
        again.source.close()


def _place(gone) -> tuple[int, int, int]:
    return gone.event.offset, gone.event.length, gone.epoch


def test_blobs(folder):
    long = "x" * 5_000
    with recording(folder) as server:
        server.post(call("user_prompt", args={"prompt": long}))
        reader = Reader(server.url)
        (sha,) = decode(reader.bodies()[0], 0).blobs
        found = reader.source.blobs.find(sha)
        assert (found.state, hashlib.sha256(found.read()).hexdigest()) == ("present", sha)
        assert reader.source.blobs.find("0" * 64).state == "missing"
        reader.source.close()


def test_a_recorder_that_cannot_write_says_so_to_its_readers(folder, monkeypatch):
    with recording(folder) as server:
        server.post(call("user_prompt", args={"prompt": "go"}))
        reader = Reader(server.url)
        server.recorder.trouble = "nothing was written: no space left on device; make room"
        (told,) = reader.source.poll()
        assert isinstance(told, State) and told.state == "warned"
        assert told.text.startswith(f"{server.url} records nothing now: nothing was written: no space")
        assert told.text.endswith("what it had acknowledged is there")
        assert reader.source.poll() == []
        server.post(call("Read", 1))
        grew, told = reader.source.poll()
        assert isinstance(grew, Grew) and isinstance(told, State) and told.state == "back"
        reader.source.close()

"""Every example ledger beside the checkout reads the same over HTTP as from its file, when there are any."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from korg_tui.event import Event
from korg_tui.sources import FileSource, Grew, SourceError
from running_ledger import Following
from wire_server import WireServer

EXAMPLES = Path(__file__).parents[2] / "shared" / "ledgers"
FILES = sorted(path for path in EXAMPLES.rglob("*.json*") if path.is_file()) if EXAMPLES.is_dir() else []
REWOUND = sorted(path for path in FILES if path.parent.name == "rewound" and path.name.startswith("rewind-"))


def lines(path: Path) -> list[bytes]:
    """The events of a file, one a line; none when it is no ledger, or has numbers that come twice."""
    source = FileSource(path)
    try:
        facts = list(source.start())
    except SourceError:
        return []
    records = [record for fact in facts if isinstance(fact, Grew) for record in fact.records]
    seqs = [record.seq for record in records if isinstance(record, Event)]
    found = [source.read(record.offset, record.length) for record in records]
    source.close()
    one_run = len(set(seqs)) == len(found)
    return [json.dumps(json.loads(raw)).encode() for raw in found] if one_run else []


def known(following: Following) -> list[tuple[int, str]]:
    return list(zip(following.seqs, following.contents(), strict=True))


def expected(found: list[bytes]) -> list[tuple[int, str]]:
    records = [json.loads(line) for line in found]
    pairs = [
        (record.get("seq_id", record.get("seq")), json.dumps(record, sort_keys=True)) for record in records
    ]
    return sorted(pairs)


if FILES:

    def test_an_example_is_the_same_over_http() -> None:
        with WireServer() as server:
            read = 0
            for path in FILES:
                server.lines = lines(path)
                following = Following(server)
                assert known(following) == expected(server.lines), path.name
                assert following.poll() == []
                following.source.close()
                read += bool(server.lines)
            assert read > 50

    @pytest.mark.parametrize("own", [False, True])
    def test_rewinds_that_were_recorded_are_seen(own: bool) -> None:
        stages = [lines(path) for path in REWOUND]
        with WireServer() as server:
            server.own = own
            server.lines = stages[0]
            following = Following(server)
            for stage in stages[1:]:
                server.lines = stage
                server.generation += 1
                following.poll()
                assert known(following) == expected(stage)
            assert following.ledger.generation == 3
            following.source.close()

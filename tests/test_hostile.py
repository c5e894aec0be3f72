"""The hostile ledger attacks as it should, and is a ledger all the same: nothing tries in vain."""

from __future__ import annotations

from pathlib import Path

from hostile import ATTACKS, FORBIDDEN, NUMBERS, got_through, hostile, write_hostile, write_hostile_names
from korg_tui.causal import Journal
from korg_tui.event import Event, Malformed
from korg_tui.sources import BlobStore, FileSource, Grew


def test_every_forbidden_thing_is_tried_and_found() -> None:
    raw = b"".join(attack.encode("utf-8", "surrogatepass") for attack in ATTACKS.values())
    assert got_through(raw + b"\x9b66;6H\xff") == list(FORBIDDEN)
    assert got_through("␛[2J sub 2 ╯ é 👩‍👩‍👧".encode() + b"\x1b[0m\r\n") == []


def test_it_is_read_whole_and_its_attacks_are_events(tmp_path: Path) -> None:
    source = FileSource(write_hostile(tmp_path))
    records = [record for fact in source.start() if isinstance(fact, Grew) for record in fact.records]
    source.close()
    events = [record for record in records if isinstance(record, Event)]
    assert len(events) == 13 * len(ATTACKS) + len(NUMBERS) + 3
    assert sum(isinstance(record, Malformed) for record in records) > len(ATTACKS)
    assert {attack for attack in ATTACKS.values() if attack} <= {event.tool for event in events}
    journal = Journal("hostile")
    journal.apply(Grew(tuple(records)))
    (ledger,) = journal.ledgers
    assert len(ledger) == len(records)
    assert len(ledger.lanes) > len(ATTACKS)


def test_its_blobs_are_true_and_its_names_can_be_opened(tmp_path: Path) -> None:
    ledger = write_hostile(tmp_path)
    source = FileSource(ledger)
    events = [record for fact in source.start() if isinstance(fact, Grew) for record in fact.records]
    source.close()
    store = BlobStore(ledger, environment={})
    named = {sha for event in events if isinstance(event, Event) for sha in event.blobs}
    assert {store.find(sha).state for sha in named} == {"present"}
    assert len(named) == len(ATTACKS)
    names = write_hostile_names(tmp_path / "names")
    assert any("[@click=app.quit]" in path.name for path in names)
    assert all(path.read_bytes() for path in names)


def test_it_is_the_same_every_time() -> None:
    assert hostile() == hostile()

"""The chain of a ledger that is read from its source and followed through whatever happens to it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from builders import Book, chained, lines
from korg_tui.causal import Journal, Ledger
from korg_tui.event import Event
from korg_tui.formats import decode
from korg_tui.reading import Reading
from korg_tui.sources import BodyGone, FileSource, Filled, Grew, Holes, Replaced
from korg_tui.trust import Chain, LedgerChain, Standing

Record = dict[str, Any]


def records(count: int = 8, word: str = "a") -> list[Record]:
    book = Book()
    ask = book.prompt("go")
    for number in range(count - 1):
        book.tool("Read", ask, args={"file_path": f"{word}{number}.py"}, duration_ms=3)
    book.records[0]["event"]["duration_ms"] = 3
    return chained(book.records)


def rechained(made: Iterable[Record]) -> list[Record]:
    """The same events, one after the other in this order."""
    places = ("entry_hash", "prev_hash")
    return chained({name: value for name, value in each.items() if name not in places} for each in made)


class Followed:
    """A file, and the chain of the first ledger in it."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        path.write_bytes(content)
        self.source = FileSource(path)
        self.reading = Reading.of(self.source)
        for fact in self.source.start():
            self.reading.apply(fact)
        self.chain = self.chain_of(0)

    def chain_of(self, number: int, **more: Any) -> LedgerChain:
        ledger = self.reading.journal.ledgers[number]
        return LedgerChain(ledger, self.reading.bodies(ledger), **more)

    def write(self, content: bytes, mode: str = "wb") -> None:
        with self.path.open(mode) as file:
            file.write(content)
        for fact in self.source.poll():
            self.reading.apply(fact)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


def faults(found: Standing) -> list[tuple[int | None, str]]:
    return [(fault.seq, fault.kind) for fault in found.faults]


def deep(made: list[Record], place: int, levels: int = 250) -> list[Record]:
    """The same, with an event that nests so deep."""
    inner: list[Any] = []
    for _ in range(levels):
        inner = [inner]
    changed = [*made]
    changed[place] = {**made[place], "args": inner}
    return rechained(changed)


@pytest.mark.parametrize("levels", [250, 100_000])
def test_links_are_followed_across_a_line_that_nests_too_deep(path: Path, levels: int):
    content = lines(deep(records(), 3)).replace(b"[" * 251, b"[" * levels).replace(b"]" * 251, b"]" * levels)
    found = Followed(path, content).chain.whole()
    assert (found.verdict, found.events, faults(found)) == ("intact", 7, [])
    assert ["nested too deep to be read" in each.text and each.grave for each in found.findings] == [True]


def test_a_link_that_misses_a_line_that_nests_too_deep_is_broken(path: Path):
    made = deep(records(), 3)
    made[3] = {**made[3], "entry_hash": "a" * 64}
    found = Followed(path, lines(made)).chain.whole()
    assert (found.verdict, faults(found)) == ("broken", [(5, "link")])
    made[3] = {**deep(records(), 3)[3], "prev_hash": "a" * 64}
    found = Followed(path, lines(made)).chain.whole()
    assert (found.verdict, faults(found)) == ("broken", [(5, "link")])


@pytest.mark.parametrize("container", ["lines", "array", "crlf", "wrapper"])
def test_every_container_is_checked(path: Path, container: str):
    made = records(200)
    written = {
        "lines": lines(made),
        "crlf": lines(made).replace(b"\n", b"\r\n"),
        "array": json.dumps(made, indent=2).encode(),
        "wrapper": json.dumps({"claim": "x", "events": made}).encode(),
    }
    found = Followed(path, written[container]).chain.whole()
    assert (found.verdict, found.events, found.verified_to) == ("intact", 200, 200)


def test_a_batch_is_bounded_and_what_is_pending_is_known(path: Path):
    chain = Followed(path, lines(records(10))).chain
    assert chain.pending == 10
    batch = chain.batch(4)
    assert batch is not None
    assert len(batch) == 4
    batch.check()
    assert chain.standing.verdict == "empty"
    chain.absorb(batch)
    assert (chain.pending, chain.standing.verified_to) == (6, 4)
    small = chain.batch(100, 1)
    assert small is not None
    assert len(small) == 1
    assert chain.whole().verified_to == 10
    assert chain.batch() is None
    assert chain.pending == 0


def test_a_ledger_that_grows_is_checked_from_where_it_was(path: Path):
    made = records(8)
    followed = Followed(path, lines(made[:5]))
    assert followed.chain.whole().verified_to == 5
    followed.write(lines(made[5:]), "ab")
    assert followed.chain.pending == 3
    assert followed.chain.whole().verified_to == 8


def test_what_was_changed_in_place_is_looked_at_again(path: Path):
    made = records(8)
    followed = Followed(path, lines(made))
    assert followed.chain.whole().verdict == "intact"
    followed.write(lines([*made[:3], {**made[3], "schema_version": "9"}, *made[4:]]))
    found = followed.chain.whole()
    assert (found.verdict, faults(found), found.events) == ("broken", [(4, "content")], 8)


def test_a_rewind_and_what_follows_it(path: Path):
    followed = Followed(path, lines(records(8)))
    assert followed.chain.whole().events == 8
    kept = records(8)[:3]
    other = rechained([*kept, *records(6, "b")[3:]])
    followed.write(lines(kept))
    assert followed.chain.whole().events == 3
    followed.write(lines(other))
    found = followed.chain.whole()
    assert (found.verdict, found.events, found.tip) == ("intact", 6, other[-1]["entry_hash"])


def test_what_was_found_before_a_replacement_is_not_taken_in_after_it(path: Path):
    followed = Followed(path, lines(records(8)))
    batch = followed.chain.batch()
    assert batch is not None
    batch.check()
    made = records(4, "b")
    followed.write(lines(made))
    assert followed.chain.pending == 4
    followed.chain.absorb(batch)
    assert followed.chain.standing.events == 0
    assert followed.chain.whole().tip == made[-1]["entry_hash"]


def test_an_unchecked_batch_says_nothing(path: Path):
    chain = Followed(path, lines(records(3))).chain
    batch = chain.batch()
    assert batch is not None
    chain.absorb(batch)
    assert chain.pending == 3


def test_a_late_line_stands_where_it_was_written(path: Path):
    made = records(8)
    late = rechained(made[number] for number in (0, 1, 3, 4, 2, 5))
    followed = Followed(path, lines(late))
    found = followed.chain.whole()
    assert (found.verdict, found.events, found.tip) == ("intact", 6, late[-1]["entry_hash"])
    later = rechained([*late, made[7]])
    followed.write(lines(later[-1:]), "ab")
    assert followed.chain.pending == 1
    assert followed.chain.whole().verdict == "intact"


def test_a_late_line_that_comes_while_somebody_looks(path: Path):
    made = records(8)
    order = (0, 1, 2, 3, 5, 4, 6)
    late = rechained(made[number] for number in order)
    followed = Followed(path, lines(late[:5]))
    assert followed.chain.whole().events == 5
    for each in late[5:]:
        followed.write(lines([each]), "ab")
        assert followed.chain.pending == 1
        assert followed.chain.whole().verdict == "intact"


def test_segments_of_a_file_are_chains_of_their_own(path: Path):
    followed = Followed(path, lines(records(5)) + lines(records(3, "b")))
    assert [followed.chain_of(number).whole().events for number in (0, 1)] == [5, 3]
    assert [followed.chain_of(number).whole().verdict for number in (0, 1)] == ["intact", "intact"]


def test_malformed_lines_are_told_and_a_torn_end_is_no_event(path: Path):
    raw = lines(records(5))
    path.write_bytes(raw + b'{"seq_id": 6, "tool_na')
    reading = Reading.of(FileSource(path)).complete()
    (ledger,) = reading.journal.ledgers
    found = LedgerChain(ledger, reading.bodies(ledger)).whole()
    assert (found.verdict, found.events, found.findings) == ("intact", 5, ())
    assert "the last line is torn: it is no event" in found.notes
    found = Followed(path, raw + b'{"seq_id": 6, "tool_na\n').chain.whole()
    assert [(each.seq, each.offset, each.grave) for each in found.findings] == [(None, len(raw), True)]
    middle = lines(records(5)[:2]) + b"{oops}\n" + lines(records(5)[2:])
    assert Followed(path, middle).chain.whole().verified_to == 5


def test_blank_lines_and_comments_stand_between_records(path: Path):
    made = records(6)
    raw = b"// a comment\n" + lines(made[:3]) + b"\n\n// " + b"x" * 900 + b"\n" + lines(made[3:])
    assert Followed(path, raw).chain.whole().verified_to == 6


def test_bytes_that_are_gone_are_remembered_and_never_raised(path: Path):
    followed = Followed(path, lines(records(6)))
    ledger = followed.reading.journal.ledgers[0]
    missing = ledger.offset[2]

    def read(offset: int, length: int) -> bytes:
        if offset <= missing < offset + length:
            raise BodyGone("gone")
        return followed.source.read(offset, length)

    found = LedgerChain(ledger, read).whole()
    assert (found.verdict, found.events, found.verified_to, found.faults) == ("intact", 5, 2, ())
    assert any("could not be read again" in note for note in found.notes)


def test_the_key_and_since_are_passed_on(path: Path):
    followed = Followed(path, lines(records(6)))
    assert faults(followed.chain_of(0, key=b"k").whole()) == [(1, "content")]
    assert followed.chain_of(0, since=4).whole().events == 3


# what servers do


class Served:
    """The facts of a server: records lie where they were given, not in the order of their numbers."""

    def __init__(self, count: int) -> None:
        self.raws = {each["seq_id"]: json.dumps(each).encode() for each in records(count)}
        self.journal = Journal("server")
        self.spool = b""
        self.ledger: Ledger = self.journal.ledgers[0]
        self.chain = LedgerChain(self.ledger, self.read)

    def read(self, offset: int, length: int) -> bytes:
        return self.spool[offset : offset + length]

    def events(self, *seqs: int) -> tuple[Event, ...]:
        made = []
        for seq in seqs:
            event = decode(self.raws[seq], len(self.spool))
            assert isinstance(event, Event)
            made.append(event)
            self.spool += self.raws[seq]
        return tuple(made)


def test_a_hole_is_unknown_until_it_is_filled():
    served = Served(12)
    served.journal.apply(Grew(served.events(1, 2, 3, 8, 9)))
    served.journal.apply(Holes(((4, 7),)))
    found = served.chain.whole()
    assert (found.verdict, found.events, found.verified_to, found.faults) == ("intact", 5, 3, ())
    served.journal.apply(Grew(served.events(10)))
    assert served.chain.whole().events == 6
    served.journal.apply(Filled(served.events(4, 5)))
    served.journal.apply(Holes(((6, 7),)))
    assert served.chain.whole().verified_to == 5
    served.journal.apply(Filled(served.events(6, 7)))
    served.journal.apply(Holes(()))
    found = served.chain.whole()
    assert (found.verdict, found.events, found.verified_to) == ("intact", 10, 10)
    assert not any("hole" in note for note in found.notes)
    assert served.chain.pending == 0


def test_only_what_stands_behind_a_filled_hole_is_looked_at_again():
    served = Served(60)
    served.journal.apply(Grew(served.events(*range(1, 41), *range(51, 61))))
    served.journal.apply(Holes(((41, 50),)))
    while (batch := served.chain.batch(10)) is not None:
        batch.check()
        served.chain.absorb(batch)
    served.journal.apply(Filled(served.events(*range(41, 51))))
    served.journal.apply(Holes(()))
    assert served.chain.pending == 20
    assert served.chain.whole().verified_to == 60


def test_a_server_that_was_rewound_is_looked_at_again():
    served = Served(9)
    served.journal.apply(Grew(served.events(1, 2, 3, 4)))
    assert served.chain.whole().verified_to == 4
    offset = served.ledger.offset[2]
    served.journal.apply(Replaced(offset, served.events(3), 1))
    assert served.chain.whole().events == 3


def test_going_back_far_finds_a_place_to_go_on_from(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("korg_tui.trust.ledger_chain._EVERY", 20)
    served = Served(200)
    served.journal.apply(Grew(served.events(*range(1, 101), *range(111, 201))))
    served.journal.apply(Holes(((101, 110),)))
    while (batch := served.chain.batch(4)) is not None:
        batch.check()
        served.chain.absorb(batch)
    assert len(served.chain._marks) < 20
    served.journal.apply(Filled(served.events(*range(101, 111))))
    served.journal.apply(Holes(()))
    assert 100 <= served.chain.pending <= 121
    assert served.chain.whole().verified_to == 200


def test_guests_are_left_to_their_own_ledger():
    book = Book()
    ask = book.prompt("go")
    think = book.infer(ask)
    book.spawn(think, "look")
    served = Served(1)
    served.raws = {each["seq_id"]: json.dumps(each).encode() for each in chained(book.records)}
    served.journal.apply(Grew(served.events(1, 2, 3)))
    assert served.chain.whole().verified_to == 3
    own = Book(now_ms=book.now_ms + 60_000)
    own.infer(own.prompt("look"))
    origin = served.ledger.adopt("agent-x", 3)
    assert origin is not None
    guest = Journal("agent-x")
    guest.apply(Grew(tuple(own.events())))
    states = [guest.ledgers[0].pointer_at(row) for row in (0, 1)]
    for count, judged in enumerate(zip(own.events(), states, strict=True), 4):
        served.ledger.welcome(origin, [judged])
        assert len(served.ledger) == count
        assert served.chain.pending == 0
        found = served.chain.whole()
        assert (found.verdict, found.events) == ("intact", 3)
    assert LedgerChain(served.ledger, served.read).whole() == found


def test_a_whole_ledger_says_the_same_as_its_chain(path: Path):
    made = records(300)
    made[100] = {**made[100], "schema_version": "7"}
    del made[200]
    chain, offset = Chain(), 0
    for each in made:
        raw = json.dumps(each, separators=(",", ":")).encode()
        chain.add(raw, each["seq_id"], offset)
        offset += len(raw) + 1
    assert Followed(path, lines(made)).chain.whole() == chain.standing


# samples

LEDGERS = Path(__file__).parents[2] / "shared" / "ledgers"

UNCHAINED = ("hand/", "claude-code_legacy-flat/", "claude-code_migrated/claude-events")
FLOATS = ("55550000", "korgex_multiagent", "all-event-types", "stream-json_p", "stream-json_s")
BROKEN = {"tampered-content": (2, "content"), "tampered-deletion": (3, "link"), "tampered.": (4, "content")}

if LEDGERS.is_dir():

    def expected(name: str, keyed: bool) -> str:
        if name.startswith(UNCHAINED):
            return "unchained"
        if "hmac" in name and not keyed:
            return "needs_key"
        if any(word in name for word in BROKEN):
            return "broken"
        if "migrated" not in name and any(word in name for word in FLOATS):
            return "unverifiable"
        if name.endswith(("empty.jsonl", "edge_cases.jsonl")):
            return "empty"
        return "window" if name == "stream-json_long/journal.wire.ndjson" else "intact"

    PATHS = [
        path
        for path in sorted(LEDGERS.rglob("*.json*"))
        if path.name not in ("conformance.json", "anchors.jsonl") and "looprig" not in path.parts
    ]

    @pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(LEDGERS)))
    def test_every_sample_has_its_verdict(path: Path):
        name = str(path.relative_to(LEDGERS))
        keys = (b"korg-conformance-key", None) if "hmac" in name else (None,)
        reading = Reading.of(FileSource(path)).complete()
        for ledger in reading.journal.ledgers:
            for key in keys:
                found = LedgerChain(ledger, reading.bodies(ledger), key=key).whole()
                assert found.verdict == expected(name, key is not None)
                assert found.misfits == (found.events if found.verdict == "needs_key" else 0)
                for word, fault in BROKEN.items():
                    if word in name:
                        assert faults(found) == [fault]

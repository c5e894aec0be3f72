"""Families: a sub-agent that keeps a ledger of its own is a lane of the session that started it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import HUMAN, START_MS, Book
from korg_tui.causal import Ledger, links, rewind
from korg_tui.families import Families
from korg_tui.reading import Reading
from korg_tui.sources import CaughtUp, FileSource, Grew, Opened
from korg_tui.views import Spine
from shapes import rewound

HOST, ONE, TWO = "agent:coder#parent", "agent:coder#agent-one", "agent:coder#agent-two"
RETURNED = {"output": "Two callers pass it.\nagentId: one (send a message to go on)\n<usage>12</usage>"}


def parent(*, names: str = "one", until: int = 5) -> Book:
    """Asked, thought, sent a sub-agent, and thought again about what it said."""
    book = Book(step_ms=10_000)
    ask = book.prompt("Find the callers", by=HUMAN)
    think = book.infer(ask, by=HOST)
    book.tool("Read", think, by=HOST)
    result = {"output": f"Two callers.\nagentId: {names} (send a message to go on)\n<usage>12</usage>"}
    book.spawn(think, "Look for callers", by=HOST, result=result)
    book.infer(think, by=HOST)
    del book.records[until:]
    book.top = until
    return book


def child(by: str = ONE, events: int = 4) -> Book:
    """Its numbers begin at 1 like those of the parent; its times lie before the call that returned."""
    book = Book(step_ms=2_000, now_ms=START_MS + 21_000)
    ask = book.prompt("Look for callers", by=by)
    think = book.infer(ask, by=by)
    book.tool("Grep", think, by=by)
    book.infer(think, by=by)
    del book.records[events:]
    book.top = events
    return book


class Folder:
    """Ledgers in a folder, read, and followed by asking."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.readings: dict[str, Reading] = {}
        self.families = Families()

    def write(self, name: str, book: Book) -> None:
        (self.path / f"{name}.jsonl").write_bytes(book.nested())

    def read(self, *names: str) -> Families:
        """Begin to read these ledgers, one after the other."""
        for name in names:
            reading = Reading.of(FileSource(self.path / f"{name}.jsonl", wait=True))
            self.readings[name] = reading
            for fact in reading.source.start():
                self.families.changed(reading, reading.apply(fact))
        return self.families

    def poll(self) -> None:
        """Take in what changed in any of them."""
        for reading in self.readings.values():
            for fact in reading.source.poll():
                self.families.changed(reading, reading.apply(fact))

    def ledger(self, name: str) -> Ledger:
        return self.readings[name].journal.ledgers[0]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def named(ledger: Ledger, seqs: Any) -> list[str]:
    """Events as people name them: `2`, or `one:3` for those of a sub-agent's ledger."""
    found = []
    for seq in seqs:
        name, number = ledger.address(seq)
        short = Path(name).stem.removeprefix("agent-")
        found.append(str(number) if name == ledger.name else f"{short}:{number}")
    return found


def rows(ledger: Ledger) -> list[str]:
    return named(ledger, ledger.seq)


def lanes(ledger: Ledger) -> list[tuple[list[str], list[str], list[str]]]:
    """Each lane: its events, where it forks, and the calls that started it."""
    started = links(ledger, 0)
    seq = ledger.seq
    return [
        (
            named(ledger, [seq[row] for row in lane.rows]),
            named(ledger, [seq[lane.fork]] if lane.fork is not None else []),
            named(ledger, [seq[link.call] for link in started.get(lane.id, ()) if link.certain]),
        )
        for lane in ledger.lanes
    ]


def test_its_events_stand_where_they_happened_and_are_a_linked_lane(folder: Folder) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    ledger = folder.ledger("parent")
    assert rows(ledger) == ["1", "2", "3", "one:1", "one:2", "one:3", "one:4", "4", "5"]
    main, sub = lanes(ledger)
    assert main == (["1", "2", "3", "4", "5"], [], [])
    assert sub == (["one:1", "one:2", "one:3", "one:4"], ["2"], ["4"])
    (started,) = links(ledger, 0)[1]
    assert (started.basis, started.certain) == ("declared", True)
    assert len(ledger.sessions) == 1
    assert (ledger.sessions[0].total_events, ledger.sessions[0].last_seq) == (9, 5)
    assert folder.ledger("agent-one").host is ledger
    spine = Spine(ledger, 0)
    shown = [spine.line(index).number for index in range(len(spine))]
    assert shown == ["1", "2", "3", ":1", ":2", ":3", ":4", "4", "5"]
    assert spine.number_cells == 2


@pytest.mark.parametrize("order", [("parent", "agent-one"), ("agent-one", "parent")])
def test_it_does_not_matter_which_ledger_is_read_first(folder: Folder, order: tuple[str, str]) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child())
    folder.read(*order)
    assert rows(folder.ledger("parent")) == ["1", "2", "3", "one:1", "one:2", "one:3", "one:4", "4", "5"]


@pytest.mark.parametrize(
    ("target", "invalidated", "rules"),
    [
        (
            "2",
            ["3", "one:1", "one:2", "one:3", "one:4", "4", "5"],
            {"one:1": [1, 3], "4": [1, 2], "5": [1, 2, 4]},
        ),
        ("3", ["5"], {"5": [2]}),
        ("one:2", ["one:3", "one:4", "4", "5"], {"one:3": [1], "4": [2], "5": [4]}),
        ("one:4", ["4", "5"], {"4": [2], "5": [4]}),
        ("4", ["5"], {"5": [2]}),
        ("5", [], {}),
    ],
)
def test_a_rewind_reaches_across_the_two_ledgers(
    folder: Folder, target: str, invalidated: list[str], rules: dict[str, list[int]]
) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    ledger = folder.ledger("parent")
    seq = ledger.seq[rows(ledger).index(target)]
    found = rewind(ledger, seq)
    assert named(ledger, found.invalidated) == invalidated
    for event, expected in rules.items():
        assert list(found.rules(ledger.seq[rows(ledger).index(event)])) == expected
    assert found.state(seq) == "kept"


def test_it_is_a_ledger_of_its_own_until_the_call_is_written(folder: Folder) -> None:
    folder.write("parent", parent(until=3))
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    assert (rows(folder.ledger("parent")), folder.ledger("agent-one").host) == (["1", "2", "3"], None)
    folder.write("parent", parent())
    folder.poll()
    assert rows(folder.ledger("parent")) == ["1", "2", "3", "one:1", "one:2", "one:3", "one:4", "4", "5"]


def test_what_it_does_after_the_call_had_returned_comes_after_it(folder: Folder) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child(events=3))
    folder.read("parent", "agent-one")
    more = child(events=3)
    more.now_ms = START_MS + 60_000
    more.infer(2, by=ONE)
    folder.write("agent-one", more)
    folder.poll()
    ledger = folder.ledger("parent")
    assert rows(ledger) == ["1", "2", "3", "one:1", "one:2", "one:3", "4", "5", "one:4"]
    assert named(ledger, rewind(ledger, ledger.seq[8]).invalidated) == []
    grown = parent()
    grown.infer(5, by=HOST)
    folder.write("parent", grown)
    folder.poll()
    assert rows(ledger)[-2:] == ["one:4", "6"]
    assert ledger.row_of(6) == 9


def test_a_ledger_without_times_stands_whole_before_the_call(folder: Folder) -> None:
    (folder.path / "parent.jsonl").write_bytes(parent().flat())
    (folder.path / "agent-one.jsonl").write_bytes(child().flat())
    folder.read("parent", "agent-one")
    assert rows(folder.ledger("parent")) == ["1", "2", "3", "one:1", "one:2", "one:3", "one:4", "4", "5"]


def test_clocks_of_a_backfill_do_not_move_it_behind_the_call(folder: Folder) -> None:
    late = child()
    for record in late.records:
        record["event"]["timestamp"] = "2027-01-01T00:00:00Z"
    folder.write("parent", parent())
    folder.write("agent-one", late)
    folder.read("parent", "agent-one")
    assert rows(folder.ledger("parent")) == ["1", "2", "3", "one:1", "one:2", "one:3", "one:4", "4", "5"]


def test_a_sub_agent_of_a_sub_agent_joins_the_same_session(folder: Folder) -> None:
    inner = Book(step_ms=500, now_ms=START_MS + 24_000)
    inner.infer(inner.prompt("Deeper", by=TWO), by=TWO)
    middle = child(events=2)
    middle.spawn(2, "Deeper", by=ONE, result={"output": "Nothing.\nagentId: two"})
    folder.write("parent", parent())
    folder.write("agent-one", middle)
    folder.write("agent-two", inner)
    expected = ["1", "2", "3", "one:1", "one:2", "two:1", "two:2", "one:3", "4", "5"]
    for order in (("parent", "agent-one", "agent-two"), ("agent-two", "agent-one", "parent")):
        again = Folder(folder.path)
        again.read(*order)
        ledger = again.ledger("parent")
        assert rows(ledger) == expected
        assert [lane[2] for lane in lanes(ledger)] == [[], ["4"], ["one:3"]]
        deepest = ledger.seq[expected.index("two:2")]
        assert named(ledger, rewind(ledger, deepest).invalidated) == ["one:3", "4", "5"]


def test_one_that_is_rewound_takes_those_along_whom_it_had_brought(folder: Folder) -> None:
    inner = Book(step_ms=500, now_ms=START_MS + 24_000)
    inner.infer(inner.prompt("Deeper", by=TWO), by=TWO)
    middle = child(events=2)
    middle.spawn(2, "Deeper", by=ONE, result={"output": "Nothing.\nagentId: two"})
    folder.write("parent", parent())
    folder.write("agent-one", middle)
    folder.write("agent-two", inner)
    folder.read("parent", "agent-one", "agent-two")
    ledger = folder.ledger("parent")
    folder.write("agent-one", child(events=1))
    folder.poll()
    assert rows(ledger) == ["1", "2", "3", "one:1", "4", "5"]
    assert folder.ledger("agent-two").host is None
    folder.write("agent-one", middle)
    folder.poll()
    assert rows(ledger) == ["1", "2", "3", "one:1", "one:2", "two:1", "two:2", "one:3", "4", "5"]
    assert [lane[1] for lane in lanes(ledger)] == [[], ["2"], ["one:2"]]


def test_two_calls_of_one_sub_agent_are_both_linked(folder: Folder) -> None:
    host = parent()
    host.spawn(5, "Once more", by=HOST, result=RETURNED)
    folder.write("parent", host)
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    assert lanes(folder.ledger("parent"))[1][2] == ["4", "6"]


def test_a_rewind_of_the_parent_before_the_call_makes_it_a_ledger_of_its_own_again(folder: Folder) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    ledger = folder.ledger("parent")
    folder.write("parent", parent(until=3))
    folder.poll()
    assert (rows(ledger), folder.ledger("agent-one").host) == (["1", "2", "3"], None)
    assert [gone.event.seq for gone in ledger.gone] == [4, 5]
    folder.write("parent", parent())
    folder.poll()
    assert rows(ledger) == ["1", "2", "3", "one:1", "one:2", "one:3", "one:4", "4", "5"]


def test_a_rewind_of_the_parent_behind_the_call_keeps_it(folder: Folder) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    folder.write("parent", parent(until=4))
    folder.poll()
    assert rows(folder.ledger("parent")) == ["1", "2", "3", "one:1", "one:2", "one:3", "one:4", "4"]


@pytest.mark.parametrize("name", ["parent", "agent-one"])
def test_an_event_altered_under_its_hash_lets_no_guest_go(folder: Folder, name: str) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    before = rows(folder.ledger("parent"))
    path = folder.path / f"{name}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"tool_name":"llm_inference"', b'"tool_name":"mlm_inference"')
    path.write_bytes(b"".join(lines))
    folder.poll()
    host = folder.ledger("parent")
    assert rows(host) == before
    tools = [host.tool_at(row) for row in range(len(host))]
    assert tools.count("mlm_inference") == 1


def test_a_rewind_of_its_own_ledger_is_followed(folder: Folder) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    folder.write("agent-one", child(events=2))
    folder.poll()
    assert rows(folder.ledger("parent")) == ["1", "2", "3", "one:1", "one:2", "4", "5"]


def test_bodies_are_read_from_the_ledger_that_holds_them(folder: Folder) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    ledger, reading = folder.ledger("parent"), folder.readings["parent"]
    actors = {}
    for row in range(len(ledger)):
        body = reading.body(ledger, row)
        assert body is not None
        actors[rows(ledger)[row]] = body.record["event"]["source_agent"]
    assert (actors["one:2"], actors["2"]) == (ONE, HOST)


@pytest.mark.parametrize("identity", ["one", "parent", "../one", "two\\nagentId: nobody"])
def test_a_name_that_leads_nowhere_leaves_all_as_it_is(folder: Folder, identity: str) -> None:
    folder.write("agent-one", parent(names=identity))
    folder.read("agent-one")
    assert rows(folder.ledger("agent-one")) == ["1", "2", "3", "4", "5"]


def test_two_that_name_each_other_do_not_go_in_circles(folder: Folder) -> None:
    folder.write("agent-one", parent(names="two"))
    folder.write("agent-two", parent(names="one"))
    folder.read("agent-one", "agent-two")
    hosts = [folder.ledger(name).host for name in ("agent-one", "agent-two")]
    assert [host is None for host in hosts].count(True) == 1


def test_a_call_that_hangs_from_nothing_takes_nobody_in(folder: Folder) -> None:
    host = Book()
    host.spawn(None, "Look", by=HOST, result=RETURNED)
    folder.write("parent", host)
    folder.write("agent-one", child())
    folder.read("parent", "agent-one")
    assert (rows(folder.ledger("parent")), folder.ledger("agent-one").host) == (["1"], None)


def test_ledgers_that_are_named_and_not_open_can_be_asked_for(folder: Folder) -> None:
    folder.write("parent", parent())
    folder.read("parent")
    assert folder.families.missing() == [folder.path / "agent-one.jsonl"]
    folder.write("agent-one", child())
    folder.read("agent-one")
    assert folder.families.missing() == []


# --- one ledger or two: the same lanes, links and sets


def one_ledger(turns: list[str]) -> Book:
    """A parent and a sub-agent in one ledger, as SPEC §2b has it; `turns` says who acts when."""
    book = Book(step_ms=1_000)
    ask = book.prompt("Find the callers", by=HUMAN)
    fork = host = book.infer(ask, by=HOST)
    sub = book.prompt("Look for callers", fork, by=ONE)
    for turn in turns:
        match turn:
            case "host tool":
                book.tool("Read", host, by=HOST)
            case "sub tool":
                book.tool("Grep", sub, by=ONE)
            case "sub":
                sub = book.infer(sub, by=ONE)
    book.spawn(fork, "Look for callers", by=HOST, result=RETURNED)
    host = book.infer(fork, by=HOST)
    book.tool("Edit", host, by=HOST)
    book.infer(host, by=HOST)
    return book


def split(book: Book) -> tuple[Book, Book, dict[int, str]]:
    """The same events in two ledgers, each with numbers of its own; and what each is then called."""
    host, sub, names, numbers = Book(), Book(), {}, {}
    for record in book.records:
        inner, seq = record["event"], record["seq_id"]
        mine = sub if inner["source_agent"] == ONE else host
        number = numbers[seq] = len(mine.records) + 1
        names[seq] = f"one:{number}" if mine is sub else str(number)
        pointer = record["metadata"].get("triggered_by")
        known = None if mine is sub and number == 1 else numbers.get(pointer)
        metadata = {**record["metadata"], "triggered_by": known}
        mine.records.append({**record, "seq_id": number, "metadata": metadata})
    return host, sub, names


def joined(path: Path, host: Book, sub: Book) -> Ledger:
    families, readings = Families(), []
    for name, book in (("parent", host), ("agent-one", sub)):
        reading = Reading.of(FileSource(path / f"{name}.jsonl"))
        for fact in (Opened("lines"), Grew(tuple(book.events())), CaughtUp()):
            families.changed(reading, reading.apply(fact))
        readings.append(reading)
    return readings[0].journal.ledgers[0]


@settings(max_examples=60, deadline=None)
@given(turns=st.lists(st.sampled_from(("host tool", "sub tool", "sub")), max_size=10))
def test_one_ledger_or_two_make_the_same_model(turns: list[str]) -> None:
    book = one_ledger(turns)
    whole = Reading.of(FileSource(Path("whole.jsonl")))
    whole.apply(Grew(tuple(book.events())))
    single = whole.journal.ledgers[0]
    host, sub, names = split(book)
    joint = joined(Path("somewhere"), host, sub)
    assert rows(joint) == [names[seq] for seq in single.seq]
    assert [lane[0] for lane in lanes(joint)] == [
        [names[single.seq[row]] for row in lane.rows] for lane in single.lanes
    ]
    for seq in single.seq:
        key = joint.seq[rows(joint).index(names[seq])]
        here, there = rewound(single, seq), rewound(joint, key)
        for name in ("invalidated", "possible", "unknown", "independent"):
            assert named(joint, there[name]) == [names[each] for each in here[name]]
        ours = {names[each]: found for each, found in here["rules"].items()}
        assert dict(zip(named(joint, there["rules"]), there["rules"].values(), strict=True)) == ours
        chains = {
            names[each]: [(rule, names[step]) for rule, step in chain] for each, chain in here["why"].items()
        }
        assert {
            named(joint, [each])[0]: [(rule, named(joint, [step])[0]) for rule, step in chain]
            for each, chain in there["why"].items()
        } == chains


def test_what_comes_at_the_end_moves_no_row(folder: Folder) -> None:
    folder.write("parent", parent())
    folder.write("agent-one", child(events=3))
    folder.read("parent", "agent-one")
    ledger = folder.ledger("parent")
    revision, touched = ledger.revision, ledger.touched
    more = child(events=3)
    more.now_ms = START_MS + 60_000
    more.infer(2, by=ONE)
    folder.write("agent-one", more)
    folder.poll()
    assert (ledger.revision, ledger.touched) == (revision, touched + 1)

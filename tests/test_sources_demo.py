"""The demo: a conforming ledger with one dead pointer, which grows by the clock it is given."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from builders import FixedClock, canonical, events_of
from demo_recording import recording, write
from korg_tui.event import Event, Kind
from korg_tui.sources import BlobStore, BodyGone, CaughtUp, DemoSource, Fact, Grew, Opened, State
from reference import Reading, read


def played(source: DemoSource) -> list[Event]:
    return grown(list(source.start()))


def grown(facts: list[Fact]) -> list[Event]:
    return [record for fact in facts if isinstance(fact, Grew) for record in fact.records]


def whole() -> list[Event]:
    return played(DemoSource(whole=True))


def reading() -> Reading:
    return read(whole())


def raw_records() -> list[dict[str, Any]]:
    source = DemoSource(whole=True)
    return [json.loads(source.read(event.offset, event.length)) for event in played(source)]


# --- the recording


def test_the_package_holds_what_the_recording_says(tmp_path: Path) -> None:
    write(tmp_path)
    folder = DemoSource().path.parent
    made = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert made == {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    for name in made:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_the_formats_read_it_as_the_plain_reading_does() -> None:
    plain = events_of(recording().book.nested())
    for event, expected in zip(whole(), plain, strict=True):
        for name in (
            "seq",
            "kind",
            "tool",
            "actor",
            "parent",
            "success",
            "time_ms",
            "prompt",
            "offset",
            "length",
        ):
            assert getattr(event, name) == getattr(expected, name), name


def test_it_is_a_story_worth_looking_at() -> None:
    it = reading()
    assert 60 <= len(it.agent) <= 90
    assert [session["status"] for session in it.sessions.values()] == ["complete", "partial", "complete"]
    parents = [lane["parent"] for lane in it.lanes]
    assert parents == [None, 0, 0, 2, None, 0, None]
    kinds = {event.kind for event in whole()}
    assert kinds == set(Kind) - {Kind.MALFORMED, Kind.GAP}
    assert all(event.duration_ms is not None for event in it.agent.values())
    times = [event.time_ms for event in whole()]
    assert times == sorted(times)


def test_one_pointer_is_dead_because_a_full_queue_dropped_its_parent() -> None:
    states = {seq: state for seq, state in reading().pointers.items() if state not in ("ok", "root")}
    assert states == {28: "dead"}
    assert 27 not in {event.seq for event in whole()}


def test_one_call_failed_and_its_retry_depends_on_it() -> None:
    it = reading()
    (failed,) = (seq for seq, event in it.agent.items() if event.success is False)
    retry = next(
        record["seq_id"]
        for record in raw_records()
        if record["seq_id"] > failed and "tests/test_invoice.py" in str(record["event"].get("args"))
    )
    found = it.rewind(failed)
    assert retry in found["invalidated"]
    assert found["independent"]


def test_every_sub_agent_is_linked_and_the_background_one_just_possibly() -> None:
    links = {lane["id"]: lane["links"] for lane in reading().lanes if lane["parent"] is not None}
    certain = {lane: [link["certain"] for link in found] for lane, found in links.items()}
    assert certain == {1: [True], 2: [True], 3: [True], 5: [False]}


def test_the_chain_is_intact() -> None:
    previous = "0" * 64
    for record in raw_records():
        said = {key: value for key, value in record.items() if key != "entry_hash"}
        assert record["prev_hash"] == previous
        previous = record["entry_hash"]
        assert previous == hashlib.sha256(canonical(said)).hexdigest()


def test_large_values_and_only_those_are_blobs_and_every_blob_is_there() -> None:
    store = BlobStore(DemoSource().path, environment={})
    named = [sha for event in whole() for sha in event.blobs]
    assert len(named) == len(set(named)) == 2
    for sha in named:
        found = store.find(sha)
        assert found.state == "present"
        assert hashlib.sha256(found.read()).hexdigest() == sha
        assert found.size > 1024
    for record in raw_records():
        for part in ("args", "result"):
            for value in record["event"].get(part, {}).values():
                inline = value.encode() if isinstance(value, str) else canonical(value)
                assert len(inline) <= 1024


# --- the source


def test_two_thirds_are_there_at_the_start() -> None:
    facts = list(DemoSource(clock=FixedClock()).start())
    assert [type(fact) for fact in facts] == [Opened, Grew, CaughtUp]
    assert len(grown(facts)) == round(len(whole()) * 2 / 3)


def test_the_rest_comes_as_time_passes_and_then_it_says_that_it_is_over() -> None:
    clock = FixedClock()
    source = DemoSource(clock=clock)
    seen, said = played(source), []
    assert source.poll() == []
    assert source.poll_after
    for _ in range(200):
        clock.move(0.5)
        facts = source.poll()
        assert len(grown(facts)) <= 4
        seen += grown(facts)
        said += [fact for fact in facts if isinstance(fact, State)]
    assert seen == whole()
    assert [state.state for state in said] == ["ended"]
    assert source.poll_after is None


def test_speed_is_how_much_faster_it_plays() -> None:
    counts = []
    for speed, seconds in ((1.0, 10.0), (10.0, 1.0)):
        clock = FixedClock()
        source = DemoSource(speed=speed, clock=clock)
        played(source)
        clock.move(seconds)
        counts.append(len(grown(source.poll())))
    assert counts[0] == counts[1] > 0


def test_the_whole_of_it_at_once_leaves_nothing_to_wait_for() -> None:
    source = DemoSource(whole=True)
    assert len(played(source)) == len(recording().book.records)
    assert source.poll_after is None
    assert source.poll() == []
    assert source.finish() == []


def test_a_place_outside_the_recording_has_no_body() -> None:
    with pytest.raises(BodyGone):
        DemoSource().read(10**9, 5)

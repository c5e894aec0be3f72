"""Following a ledger over HTTP through whatever happens to it (LEDGERS, HTTP; CAUSALITY §8; SPEC §8.5.1)."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from korg_tui.event import Malformed
from korg_tui.sources import BodyGone, Grew, Holes, Opened, Replaced
from running_ledger import Following, Running, contents, kinds, seqs
from wire_server import WireServer


@pytest.fixture
def server():
    with WireServer() as running:
        yield running


@pytest.fixture
def ledger(server):
    return Running(server)


@pytest.fixture
def follow(server):
    opened: list[Following] = []

    def begin(**more) -> Following:
        opened.append(Following(server, **more))
        return opened[-1]

    yield begin
    for following in opened:
        following.source.close()


def test_a_window_that_holds_the_whole_ledger_is_all_that_is_asked_for(server, ledger, follow):
    ledger.add(40)
    following = follow()
    assert kinds(following.first) == ["Opened", "Grew", "CaughtUp"]
    assert following.first[0] == Opened("wire", (("total", "40"),))
    assert following.contents() == contents(ledger.lines)
    assert server.asked == ["/api/journal"]


def test_an_empty_ledger(ledger, follow):
    following = follow()
    assert kinds(following.first) == ["Opened", "CaughtUp"]
    ledger.add(2)
    assert kinds(following.poll()) == ["Grew"]


def test_a_long_ledger_is_read_whole_at_first(server, ledger, follow):
    ledger.add(250)
    following = follow()
    assert following.contents() == contents(ledger.lines)
    assert server.asked == ["/api/journal", "/api/capabilities"]
    assert "Progress" in kinds(following.first)


def test_growth(server, ledger, follow):
    ledger.add(3)
    following = follow()
    assert following.poll() == []
    ledger.add(2)
    (grew,) = following.poll()
    assert seqs(grew) == [4, 5]
    assert following.poll() == []
    assert server.count("/api/capabilities") == 0


def test_a_window_that_goes_on_exactly_where_the_last_one_ended_lacks_nothing(server, ledger, follow):
    ledger.add(10)
    following = follow()
    ledger.add(100)
    assert kinds(following.poll()) == ["Grew"]
    assert server.count("/api/capabilities") == 0
    assert following.contents() == contents(ledger.lines)


def test_a_burst_between_two_looks_ends_complete(server, ledger, follow):
    ledger.add(60)
    following = follow()
    ledger.add(500)
    assert kinds(following.poll()) == ["Grew"]
    assert following.contents() == contents(ledger.lines)
    assert following.holes == []


def test_the_whole_ledger_is_asked_for_seldom(server, ledger, follow):
    ledger.add(200)
    following = follow()
    ledger.add(300)
    assert kinds(following.poll()) == ["Grew", "Holes"]
    assert following.holes == [(201, 400)]
    for _ in range(8):
        assert following.poll() == []
    assert server.count("/api/capabilities") == 1
    assert kinds(following.poll()) == ["Filled", "Holes"]
    assert following.holes == []
    assert following.contents() == contents(ledger.lines)
    assert server.count("/api/capabilities") == 2


def test_a_server_that_takes_long_for_the_whole_ledger_is_asked_for_it_even_less_often(
    server, ledger, follow
):
    ledger.add(200)
    following = follow()
    whole = following.source._window._whole
    list(whole.ask())
    asked, now = whole._web.receive, following.clock

    def slowly(path, **more):
        now.seconds += 7
        return asked(path, **more)

    whole._web.receive = slowly
    list(whole.ask())
    now.seconds += 34
    assert not whole.due
    now.seconds += 1
    assert whole.due


def test_while_something_is_missing_the_whole_ledger_is_asked_for_in_growing_pauses(server, ledger, follow):
    ledger.add(450)
    following = follow()
    server.capabilities = "none"
    ledger.write(1_000, "Read", 448)
    ledger.add(300)
    asked = []
    for _ in range(300):
        before = server.count("/api/capabilities")
        following.poll()
        if server.count("/api/capabilities") > before:
            asked.append(following.clock())
    assert asked == [10, 20, 40, 80, 140, 200, 260]
    server.capabilities = "whole"
    following.poll(after=20)
    assert following.holes == []
    assert following.contents() == contents(ledger.lines)


def test_without_the_whole_ledger_a_hole_is_named_and_filled_as_far_as_children_go(server, ledger, follow):
    server.capabilities = "none"
    ledger.add(60)
    following = follow()
    ledger.add(500)
    facts = following.poll()
    assert kinds(facts)[0] == "Grew"
    assert following.holes
    assert following.holes[0][0] >= 61
    assert following.holes[-1][1] <= 460
    looks = 1
    while following.holes:
        looks += 1
        following.poll()
    assert following.contents() == contents(ledger.lines)
    asked = server.count("/api/journal?triggered_by")
    assert 100 <= asked <= 200
    assert looks >= asked / 10, "a few requests a look"


def test_a_hole_costs_no_more_than_two_hundred_requests(server, ledger, follow):
    server.capabilities = "none"
    ledger.add(60)
    following = follow()
    ledger.add(1_200)
    for _ in range(40):
        following.poll()
    assert server.count("/api/journal?triggered_by") == 200
    first, last = following.holes[0][0], following.holes[-1][1]
    assert 61 < first < last <= 1_160
    known = dict(zip(following.seqs, following.contents(), strict=True))
    assert all(known[seq] == each for seq, each in enumerate(contents(ledger.lines), 1) if seq in known)


def test_a_hole_at_the_beginning_is_looked_for_among_the_children_of_what_the_window_names(
    server, ledger, follow
):
    server.capabilities = "none"
    ledger.add(150)
    following = follow(wait=True)
    assert following.holes == [(1, 50)]
    ledger.write(151, "Read", 48)
    following.poll()
    ledger.write(152, "Read", 48)
    assert kinds(following.poll()) == ["Grew"]
    assert following.holes == [(1, 50)]
    assert server.count("/api/journal?triggered_by") < 20


def test_who_reads_once_gets_all_that_can_be_had(server, ledger, follow):
    server.capabilities = "none"
    ledger.add(150)
    following = follow()
    assert kinds(following.first)[-1] == "CaughtUp"
    missing = set(range(1, 151)) - set(following.seqs)
    assert missing == {seq for first, last in following.holes for seq in range(first, last + 1)}
    assert missing


def test_numbers_that_nobody_gives_do_not_exist(server, ledger, follow):
    ledger.add(120)
    ledger.write(200, "Read", 118)
    ledger.add(4)
    following = follow()
    assert following.holes == []
    ledger.write(300, "Read", 118)
    assert kinds(following.poll()) == ["Grew"]
    assert following.holes == []


def test_dead_numbers_within_a_hole_are_no_hole_once_nothing_is_missing(server, ledger, follow):
    server.capabilities = "none"
    ledger.add(40)
    following = follow()
    ledger.write(58, "llm_inference", 38)
    ledger.add(102)
    following.poll()
    assert following.holes == []
    assert following.contents() == contents(ledger.lines)


def test_a_server_that_counts_more_than_it_lists_is_asked_once(server, ledger, follow):
    server.capabilities = "none"
    ledger.add(30)
    journal = server.journal
    server.journal = lambda asked: journal(asked).replace(b"events: ", b"events: 1")
    following = follow()
    assert following.seqs == list(range(1, 31))
    assert following.holes == []
    for _ in range(5):
        following.poll()
    assert server.count("/api/capabilities") == 1


# rewinds


@pytest.mark.parametrize("sealed", [True, False])
def test_a_rewind_within_the_window(server, ledger, follow, sealed):
    ledger.add(50)
    following = follow()
    dropped = following.bodies()[40:]
    ledger.rewind(40, sealed=sealed)
    (replaced,) = following.poll()
    assert isinstance(replaced, Replaced)
    assert seqs(replaced) == ([41] if sealed else [])
    assert following.contents() == contents(ledger.lines)
    gone = following.ledger.gone
    assert [each.event.seq for each in gone] == list(range(41, 51))
    assert [
        following.source.read(each.event.offset, each.event.length, each.epoch) for each in gone
    ] == dropped
    assert following.ledger.generation == 1


def test_numbers_are_used_again(ledger, follow):
    ledger.add(50)
    following = follow()
    ledger.rewind(40)
    ledger.add(20)
    assert kinds(following.poll()) == ["Replaced"]
    assert following.contents() == contents(ledger.lines)
    assert len(following.ledger.gone) == 10


def test_a_rewind_to_nothing(ledger, follow):
    ledger.add(30)
    following = follow()
    ledger.rewind(0, sealed=False)
    assert kinds(following.poll()) == ["Replaced"]
    assert following.seqs == []
    ledger.add(3)
    assert kinds(following.poll()) == ["Grew"]
    assert following.contents() == contents(ledger.lines)


def test_a_rewind_of_which_the_window_shows_nothing_that_stood(server, ledger, follow):
    ledger.add(250)
    following = follow()
    ledger.rewind(200)
    ledger.add(120)
    following.poll(after=20)
    assert following.contents() == contents(ledger.lines)
    assert [each.event.seq for each in following.ledger.gone] == list(range(201, 251))
    assert following.ledger.generation == 1


def test_a_rewind_and_more_than_a_window_since(server, ledger, follow):
    ledger.add(250)
    following = follow()
    ledger.rewind(200)
    ledger.add(400)
    following.poll(after=20)
    assert following.contents() == contents(ledger.lines)
    assert [each.event.seq for each in following.ledger.gone] == list(range(201, 251))


def test_a_rewind_and_exactly_as_many_since(server, ledger, follow):
    ledger.add(200)
    following = follow()
    ledger.rewind(150)
    ledger.add(149)
    assert ledger.last == 300
    following.poll(after=20)
    assert following.contents() == contents(ledger.lines)


@pytest.mark.parametrize("grown", [119, 149, 400])
def test_a_rewind_is_found_among_children_too(server, ledger, follow, grown):
    server.capabilities = "none"
    ledger.add(90)
    following = follow()
    ledger.rewind(70)
    ledger.add(grown)
    for _ in range(30):
        following.poll()
    known = dict(zip(following.seqs, following.contents(), strict=True))
    now = dict(enumerate(contents(ledger.lines), 1))
    assert {seq for seq in known if known[seq] != now[seq]} == set()
    assert [each.event.seq for each in following.ledger.gone if each.event.seq > 90] == []
    missing = set(now) - set(known)
    assert missing <= {seq for first, last in following.holes for seq in range(first, last + 1)}


def test_the_old_tail_returns(server, ledger, follow):
    ledger.add(50)
    following = follow()
    before = list(ledger.lines)
    ledger.rewind(40)
    following.poll()
    server.lines = before
    assert kinds(following.poll()) == ["Replaced"]
    assert following.contents() == contents(before)
    assert [each.event.seq for each in following.ledger.gone][-1] == 41


@pytest.mark.parametrize("size", [20, 50, 300])
def test_another_ledger_behind_the_same_address(server, ledger, follow, size):
    ledger.add(250)
    following = follow()
    server.goes()
    following.poll()
    Running(server, "another").add(size)
    server.comes()
    assert kinds(following.poll(after=20))[:2] == ["back", "Replaced"]
    assert following.contents() == contents(server.lines)
    assert len(following.ledger.gone) == 250


def test_a_rewind_over_what_was_filled(server, ledger, follow):
    ledger.add(200)
    following = follow()
    ledger.add(300)
    following.poll()
    following.poll(after=20)
    ledger.rewind(300)
    following.poll()
    following.poll(after=20)
    assert following.contents() == contents(ledger.lines)
    assert len(following.ledger.gone) == 200


def test_content_is_compared_where_there_are_no_hashes(server, follow):
    ledger = Running(server, chained=False)
    ledger.add(250)
    following = follow()
    assert following.contents() == contents(ledger.lines)
    ledger.rewind(200, sealed=False)
    ledger.add(40)
    following.poll()
    assert following.contents() == contents(ledger.lines)
    assert len(following.ledger.gone) == 50


# single records


def test_an_event_that_cannot_be_read_is_marked_and_the_rest_goes_on(server, ledger, follow):
    ledger.add(3)
    following = follow()
    server.lines = [*ledger.lines, b'{"seq_id": 4}', b'{"what": "is this"}']
    (grew,) = following.poll()
    assert [isinstance(record, Malformed) for record in grew.records] == [True, True]
    assert following.poll() == []
    server.lines.append(server.lines[0].replace(b'"seq_id": 1', b'"seq_id": 5'))
    (grew,) = following.poll()
    assert seqs(grew) == [5]


def test_what_this_program_fails_on_is_marked_and_the_rest_goes_on(ledger, follow, monkeypatch):
    from korg_tui.sources.http import wire

    decode = wire.decode

    def fails(raw: bytes, offset: int):
        if json.loads(raw)["seq_id"] == 2:
            raise RuntimeError("a fault")
        return decode(raw, offset)

    monkeypatch.setattr(wire, "decode", fails)
    ledger.add(3)
    following = follow()
    (grew,) = (fact for fact in following.first if isinstance(fact, Grew))
    assert seqs(grew) == [1, "this program failed on this event (RuntimeError: a fault)", 3]
    assert following.poll() == []


def test_a_seq_that_comes_twice_in_one_answer_is_marked(server, ledger, follow):
    ledger.add(2)
    server.lines = [*ledger.lines, ledger.lines[0]]
    following = follow()
    (grew,) = (fact for fact in following.first if isinstance(fact, Grew))
    assert seqs(grew) == [1, 2, "the server gave seq 1 twice in one answer"]


# our own server


def test_our_own_server_is_asked_for_what_is_new(server, ledger, follow):
    server.own = True
    ledger.add(250)
    following = follow()
    assert following.contents() == contents(ledger.lines)
    ledger.add(500)
    assert kinds(following.poll()) == ["Grew"]
    assert following.contents() == contents(ledger.lines)
    assert following.poll() == []
    assert following.poll() == []
    assert server.count("/api/capabilities") == 0
    assert server.asked[-1] == "/api/journal?after=750&limit=5000"
    assert "if-none-match" in server.headers[-1]


def test_our_own_server_gives_page_by_page(server, ledger, follow, monkeypatch):
    monkeypatch.setattr("korg_tui.sources.http.pages.PAGE", 40)
    server.own = True
    ledger.add(250)
    following = follow()
    assert following.contents() == contents(ledger.lines)
    assert server.count("/api/journal?") == 7


@pytest.mark.parametrize("to", [0, 5, 150, 240, 249])
def test_our_own_server_says_that_it_was_rewound(server, ledger, follow, to):
    server.own = True
    ledger.add(250)
    following = follow()
    ledger.rewind(to)
    ledger.add(3)
    following.poll()
    assert following.contents() == contents(ledger.lines)
    assert len(following.ledger.gone) == 250 - to


def test_our_own_server_with_another_store(server, ledger, follow):
    server.own = True
    ledger.add(50)
    following = follow()
    Running(server, "another").add(80)
    server.store = "there"
    following.poll()
    assert following.contents() == contents(server.lines)


def test_a_store_that_changed_without_a_word_is_noticed_by_its_tip(server, ledger, follow):
    server.own = True
    ledger.add(50)
    following = follow()
    Running(server, "another").add(50)
    following.poll()
    assert following.contents() == contents(server.lines)


@pytest.mark.parametrize("to", [0, 20, 39])
def test_a_store_that_was_cut_without_a_word_is_believed_when_it_says_so_twice(server, ledger, follow, to):
    server.own = True
    ledger.add(40)
    following = follow()
    server.lines = ledger.lines[:to]
    assert following.poll() == []
    assert kinds(following.poll()) == ["Replaced"]
    assert following.contents() == contents(server.lines)
    assert [each.event.seq for each in following.ledger.gone] == list(range(to + 1, 41))
    assert following.poll() == []


def test_one_answer_that_ends_before_what_is_known_is_not_believed(server, ledger, follow):
    server.own = True
    ledger.add(40)
    following = follow()
    whole, server.lines = ledger.lines, ledger.lines[:20]
    assert following.poll() == []
    server.lines = whole
    assert following.poll() == []
    server.lines = ledger.lines[:20]
    assert following.poll() == []


def test_a_store_that_was_cut_and_written_on_is_noticed_by_its_chain(server, ledger, follow):
    server.own = True
    ledger.add(40)
    following = follow()
    ledger.rewind(20, sealed=False)
    server.generation -= 1
    ledger.add(30)
    following.poll()
    assert following.contents() == contents(ledger.lines)
    assert [each.event.seq for each in following.ledger.gone] == list(range(21, 41))


def test_our_own_server_with_more_than_can_be_compared(server, ledger, follow, monkeypatch):
    server.own = True
    ledger.add(50)
    following = follow()
    monkeypatch.setattr("korg_tui.sources.http.pages.LARGEST", 10_000)
    ledger.rewind(40)
    assert kinds(following.poll()) == ["warned"]
    assert len(following.seqs) == 50


def test_what_was_added_somewhere_is_looked_for_where_numbers_are_free(server, ledger, follow):
    server.capabilities = "none"
    ledger.add(40)
    ledger.write(45, "llm_inference", 38)
    ledger.add(4)
    following = follow()
    late = ledger.lines[40]
    ledger.lines.remove(late)
    following = follow()
    assert following.holes == []
    ledger.add(70)
    following.poll()
    ledger.lines.insert(40, late)
    following.poll()
    assert following.holes == []
    assert following.contents() == contents(ledger.lines)


def test_servers_of_both_kinds_behind_one_address(server, ledger, follow):
    server.capabilities = "none"
    ledger.add(150)
    following = follow(wait=True)
    assert following.holes
    server.own = True
    following.poll()
    assert following.holes == []
    assert following.contents() == contents(ledger.lines)
    server.own = False
    ledger.add(5)
    assert kinds(following.poll()) == ["Grew"]
    assert following.contents() == contents(ledger.lines)


# bodies


def test_room_of_dropped_events_is_given_back_at_last(server, ledger, follow):
    ledger.add(50)
    following = follow()
    following.source._records._spare = 1_000
    epoch = following.ledger.epoch
    for _ in range(12):
        ledger.rewind(30)
        ledger.add(19)
        following.poll()
        assert following.contents() == contents(ledger.lines)
    oldest = following.ledger.gone[0]
    assert oldest.epoch == epoch
    with pytest.raises(BodyGone, match="replaced too much"):
        following.source.read(oldest.event.offset, oldest.event.length, oldest.epoch)


def test_after_closing_bodies_are_gone(ledger, follow):
    ledger.add(3)
    following = follow()
    following.source.close()
    with pytest.raises(BodyGone):
        following.bodies()
    assert following.source.poll() == []


# any sequence of events

steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 30)),
        st.tuples(st.just("burst"), st.integers(90, 260)),
        st.tuples(st.just("rewind"), st.integers(0, 100)),
        st.tuples(st.just("silent"), st.integers(0, 100)),
        st.tuples(st.just("return"), st.just(0)),
        st.tuples(st.just("another"), st.integers(0, 150)),
        st.tuples(st.just("look"), st.sampled_from([1, 1, 11, 61])),
        st.tuples(st.just("whole"), st.sampled_from(["whole", "none", "old", "garbage"])),
    ),
    max_size=14,
)


def look(following: Following, after: float) -> None:
    """A look, after which nothing is said to be gone that is there."""
    before = len(following.ledger.gone)
    following.poll(after)
    ledger = following.ledger
    there = {(ledger.seq[row], ledger.columns.digest[row]) for row in following.rows}
    gone = {(each.event.seq, each.event.digest) for each in ledger.gone[before:]}
    assert not there & gone
    assert following.seqs == sorted(set(following.seqs))


def play(
    server: WireServer, ledger: Running, following: Following, todo: list[tuple[str, int | str]]
) -> None:
    tail: list[bytes] = []
    for what, how in todo:
        match what, how:
            case (("add" | "burst"), int()):
                ledger.add(how)
            case (("rewind" | "silent"), int()):
                tail = list(ledger.lines)
                ledger.rewind(ledger.last * how // 100, sealed=what == "rewind")
            case "return", _:
                server.lines, tail = tail or server.lines, []
                server.generation += 1
            case "another", int():
                ledger.name += "'"
                server.lines = []
                server.store += "'"
                ledger.add(how)
            case "look", int():
                look(following, how)
            case "whole", str():
                server.capabilities = how
                server.old = list(server.lines)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(todo=steps, own=st.booleans(), start=st.integers(0, 150))
def test_whatever_happens_the_end_is_the_ledger_as_it_is(server, todo, own, start):
    server.capabilities, server.own = "whole", own
    ledger = Running(server)
    ledger.add(start)
    following = Following(server, wait=True)
    try:
        play(server, ledger, following, todo)
        server.capabilities = "whole"
        following.settle()
        assert following.contents() == contents(server.lines)
        assert following.holes == []
        every = [row for row in range(len(following.ledger)) if following.ledger.seq_at(row) is None]
        assert every == []
    finally:
        following.source.close()


growth = st.lists(st.tuples(st.integers(1, 260), st.booleans()), max_size=6)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(grown=growth)
def test_without_the_whole_ledger_all_is_known_or_named_as_missing(server, grown):
    server.capabilities, server.own = "none", False
    ledger = Running(server)
    ledger.add(30)
    following = Following(server, wait=True)
    try:
        for count, look in grown:
            ledger.add(count)
            if look:
                following.poll()
        following.poll()
        now = dict(enumerate(contents(ledger.lines), 1))
        known = dict(zip(following.seqs, following.contents(), strict=True))
        assert known.items() <= now.items()
        missing = {seq for first, last in following.holes for seq in range(first, last + 1)}
        assert set(now) - set(known) == missing
    finally:
        following.source.close()


def test_holes_are_reported_only_when_they_change(server, ledger, follow):
    server.capabilities = "none"
    ledger.add(60)
    following = follow()
    ledger.add(1_200)
    reported = [fact for _ in range(60) for fact in following.poll() if isinstance(fact, Holes)]
    assert len(reported) == len(set(reported))
    assert following.poll() == []

"""How a source over HTTP is doing, in words, on both screens and at every width."""

from __future__ import annotations

import pytest

from builders import START_MS, Book, FixedClock
from korg_tui.formats import decode
from korg_tui.sources import Filled, Holes
from korg_tui.widgets.chrome import Line
from stage import MemorySource, app_over, keys

NAME = "http://127.0.0.1:8080"
AWAY = f"{NAME} cannot be reached (connection refused); what was read stays, and it is asked again"
NONSENSE = f"{NAME} gives no journal (it answers with HTML); what was read stays, and it is asked again"
SENSELESS = "makes no sense since 14:00:00: it answers with HTML; the last good state stays"
FOLDER = "logs: not read: a.jsonl (no permission to read it)"


def a_loop(rounds: int = 4) -> Book:
    book = Book()
    think = book.prompt("go on")
    for _ in range(rounds):
        think = book.infer(think)
    return book


def status(pilot) -> str:
    return str(pilot.app.screen.status.render())


def drawn(pilot) -> list[str]:
    lines = pilot.app.screen.lines
    return [lines.draw(index, lines.row_width).text.rstrip() for index in range(lines.count)]


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (80, "FOLLOW · offline 12 s: connection refused; asking again · 5 events · 0 failed"),
        (120, "FOLLOW · offline 12 s: connection refused; asking again · 5 events · 1 agent · 0 failed"),
    ],
)
async def test_a_server_that_cannot_be_reached_says_for_how_long(width, words):
    clock = FixedClock(START_MS + 12_000)
    source = MemorySource(a_loop(), NAME)
    async with app_over(source, clock=clock).run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        source.says("offline", AWAY, at_ms=START_MS)
        await pilot.pause()
        assert status(pilot).startswith(words)
        clock.move(51)
        pilot.app.screen._grow_older()
        assert " offline 1 m: connection refused" in status(pilot)
        await keys(pilot, "escape", "g")
        assert drawn(pilot)[0].startswith("▸- offline ")
        assert "7.0.0.1:8080 offline 1 m: connection refused; asking again" in drawn(pilot)[0]
        clock.move(60)
        pilot.app.screen._grow_older()
        assert "offline 2 m: connection refused" in drawn(pilot)[0]
        source.says("back", f"{NAME} is back, and is followed again", at_ms=START_MS + 130_000)
        await pilot.pause()
        assert len(drawn(pilot)) == 1
        await keys(pilot, "enter")
        assert "FOLLOW · back since 14:02:10 · 5 events" in status(pilot)
        clock.move(16)
        pilot.app.screen._grow_older()
        assert "back since 14:02:10" in status(pilot)
        clock.move(1)
        pilot.app.screen._grow_older()
        assert status(pilot).startswith("FOLLOW · 5 events · ")
        assert status(pilot).rstrip().endswith("0.0.1:8080")


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (80, "FOLLOW · makes no sense since 14:00:00: it answers with HTML"),
        (140, f"FOLLOW · {SENSELESS} · 5 events"),
    ],
)
async def test_answers_that_make_no_sense_leave_the_last_good_state(width, words):
    source = MemorySource(a_loop(), NAME)
    async with app_over(source).run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        source.says("warned", NONSENSE, at_ms=START_MS)
        await pilot.pause()
        assert status(pilot).startswith(words)
        await keys(pilot, "escape", "g")
        assert drawn(pilot)[0].startswith("▸- warned ")
        told = pilot.app.screen.query_one("#told").plain or drawn(pilot)[0]
        assert told.endswith(f"127.0.0.1:8080 {SENSELESS}")


async def test_what_a_folder_warns_of_is_said_as_it_says_it():
    source = MemorySource(a_loop(), "logs")
    async with app_over(source).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        source.says("warned", FOLDER, at_ms=START_MS)
        await pilot.pause()
        assert "not read: a.jsonl (no permission to read it)" in status(pilot)


async def test_a_session_that_ends_before_a_hole_says_where_newer_events_are():
    book = a_loop(9)
    lines = book.nested().splitlines(keepends=True)
    source = MemorySource(b"".join(lines[:3]), NAME)
    async with app_over(source).run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        assert status(pilot).startswith("FOLLOW · 3 events")
        source.append(b"".join(lines[6:]))
        source.post(Holes(((4, 6),)))
        await pilot.pause()
        assert status(pilot).startswith("FOLLOW · newer events in session 7 · 3 events · 3 events not loaded")
        await keys(pilot, ":", "7", "enter")
        await pilot.pause()
        assert pilot.app.screen.spine.session.seq == 7
        assert "newer events" not in status(pilot)
        await keys(pilot, ":", "1", "enter")
        await pilot.pause()
        end = len(source.epochs[-1])
        source.epochs[-1] += b"".join(lines[3:6])
        records = []
        for line in lines[3:6]:
            records.append(decode(line.rstrip(b"\n"), end))
            end += len(line)
        source.post(Filled(tuple(records)))
        source.post(Holes(()))
        await pilot.pause()
        assert "newer events" not in status(pilot)
        assert " · 10 events · " in status(pilot)


@pytest.mark.parametrize("width", [80, 120])
async def test_events_that_were_not_loaded_are_counted_until_they_are(width):
    book = Book()
    think = book.infer(book.prompt("go on"))
    for _ in range(7):
        book.tool("Read", think)
    book.infer(think)
    lines = book.nested().splitlines(keepends=True)
    source = MemorySource(b"".join([*lines[:3], *lines[7:]]), NAME)
    async with app_over(source).run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        source.post(Holes(((4, 7),)))
        await pilot.pause()
        assert " events · 4 events not loaded · " in status(pilot)
        view = pilot.app.screen.view
        row = " ".join(view.draw(3, view.row_width).text.split())
        assert row == "· │ … gap events 4–7 not loaded (4)"
        await keys(pilot, "g", "j", "j", "j")
        assert pilot.app.screen.query_one("#crumbs", Line).plain.endswith(" › events 4–7 not loaded (4)")
        await keys(pilot, "escape")
        assert "4 not loaded · go on" in drawn(pilot)[0]
        end = len(source.epochs[-1])
        source.epochs[-1] += b"".join(lines[3:7])
        records = []
        for line in lines[3:7]:
            records.append(decode(line.rstrip(b"\n"), end))
            end += len(line)
        source.post(Filled(tuple(records)))
        source.post(Holes(()))
        await pilot.pause()
        assert "not loaded" not in drawn(pilot)[0]
        await keys(pilot, "enter")
        assert status(pilot) == "where you were: 3 · G: the end"
        await keys(pilot, "G")
        assert "not loaded" not in status(pilot)
        assert " · 10 events · " in status(pilot)


async def test_a_reason_stands_before_its_path_and_addresses_are_short_in_the_crumbs():
    source = MemorySource(a_loop(), NAME)
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        path = "/var/lib/agents/project/.korg/korg-tui.jsonl"
        source.says("warned", f"{NAME} records nothing now: {path}: no space left; what it had is there")
        await pilot.pause()
        words = "FOLLOW · records nothing now: …/korg-tui.jsonl: no space left · 0 failed"
        assert status(pilot).startswith(words)
        assert pilot.app.screen.query_one("#crumbs", Line).plain.startswith("127.0.0.1:8080 › session 1")

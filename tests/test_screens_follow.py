"""The follow contract: what comes in never moves the reader, and what happened to the ledger is said."""

from __future__ import annotations

import pytest
from textual.events import MouseScrollUp

from builders import MAIN, START_MS, Book
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.spine import SpineView
from stage import MemorySource, app_over, keys, wheel


def a_loop(rounds: int) -> Book:
    """One lane of so many rounds: a prompt, then an inference and a call each."""
    book = Book()
    think = book.prompt("go on")
    for number in range(rounds):
        think = book.infer(think)
        book.tool("Bash", think, args={"command": f"step {number}"})
    return book


def grow(source: MemorySource, rounds: int) -> None:
    """The ledger gets longer by whole rounds."""
    have = source.epochs[-1].count(b"\n")
    source.append(a_loop((have - 1) // 2 + rounds).nested()[len(source.epochs[-1]) :])


def status(pilot) -> str:
    return pilot.app.screen.status.plain


def place(pilot) -> tuple[int, int]:
    """The seq under the cursor, and the first row that is seen."""
    view = pilot.app.screen.view
    return pilot.app.screen.ledger.seq[pilot.app.screen.row], round(view.scroll_y)


async def test_follow_pause_and_resume_as_a_sequence_of_messages():
    source = MemorySource(a_loop(30))
    said: list[str] = []

    def hear(message: object) -> None:
        if isinstance(message, SpineView.FollowChanged):
            said.append("FOLLOW" if message.following else f"PAUSED +{message.behind}")
        elif isinstance(message, LineList.Moved):
            said.append(f"row {message.index}")

    async with app_over(source).run_test(size=(100, 24), message_hook=hear) as pilot:
        await pilot.pause()
        assert list(dict.fromkeys(said)) == ["row 60", "FOLLOW"]
        said.clear()
        grow(source, 2)
        await pilot.pause()
        await keys(pilot, "k", "k")
        grow(source, 1)
        await pilot.pause()
        grow(source, 2)
        await pilot.pause()
        await keys(pilot, "F")
        grow(source, 1)
        await pilot.pause()
    assert list(dict.fromkeys(said)) == [
        "row 64", "row 63", "PAUSED +0", "row 62", "PAUSED +2", "PAUSED +6", "row 70", "FOLLOW", "row 72",
    ]  # fmt: skip


async def test_new_rows_move_neither_cursor_nor_page_fold_filter_or_sideways_place():
    source = MemorySource(a_loop(40))
    async with app_over(source).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        assert status(pilot).startswith("FOLLOW · 81 events")
        await keys(pilot, "g", "pagedown", ">", "h")
        before, hidden, shift = place(pilot), pilot.app.screen.view.count, pilot.app.screen.view.shift
        grow(source, 3)
        await pilot.pause()
        assert place(pilot) == before
        assert pilot.app.screen.view.shift == shift
        assert pilot.app.screen.view.count == hidden + 6
        assert status(pilot).startswith("PAUSED +6 · 87 events")
        await keys(pilot, "f", *"is:failed", "enter")
        grow(source, 1)
        await pilot.pause()
        assert pilot.app.screen.view.count == 0
        assert status(pilot).startswith("PAUSED +8")
        await keys(pilot, "escape", "G")
        assert status(pilot).startswith("FOLLOW · 89 events")


async def test_new_rows_do_not_scroll_the_details():
    source = MemorySource(a_loop(10))
    async with app_over(source).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", "enter", "pagedown")
        details = pilot.app.screen.details
        before = (details.cursor, round(details.scroll_y))
        assert before[0] > 0
        text = list(details.plain)
        grow(source, 2)
        await pilot.pause()
        assert list(details.plain) != text
        assert (details.cursor, round(details.scroll_y)) == before
        await keys(pilot, "escape", "j")
        assert (details.cursor, round(details.scroll_y)) == (0, 0)


async def test_the_wheel_looks_back_and_pauses():
    source = MemorySource(a_loop(40))
    async with app_over(source).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        pilot.app.screen.view.post_message(wheel(MouseScrollUp))
        await pilot.pause()
        seen = place(pilot)
        grow(source, 2)
        await pilot.pause()
        assert place(pilot) == seen
        assert status(pilot).startswith("PAUSED +4")


async def test_a_source_that_has_ended_is_not_followed():
    async with app_over(MemorySource(a_loop(2), state="ended")).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        assert status(pilot).startswith("ENDED · 5 events")
        await keys(pilot, "F")
        assert status(pilot) == "the source has ended: nothing new will come"


async def test_a_source_that_is_gone_says_so_and_comes_back():
    source = MemorySource(a_loop(2))
    async with app_over(source).run_test(size=(140, 24)) as pilot:
        await pilot.pause()
        source.says("gone", ".korg/journal.jsonl is gone", at_ms=START_MS)
        await pilot.pause()
        gone = " is gone since 14:00:00; waiting for it to come back"
        assert status(pilot).startswith(f"FOLLOW ·{gone.replace(' is', '')} · 5 events")
        await keys(pilot, "escape")
        assert gone in pilot.app.screen.lines.draw(0, 138).text
        await keys(pilot, "down", "enter")
        source.says("back", ".korg/journal.jsonl is back, and is followed again", at_ms=START_MS + 61_000)
        await pilot.pause()
        assert status(pilot).startswith("FOLLOW · back since 14:01:01 · 5 events")
        assert status(pilot).endswith("· .korg/journal.jsonl")


LONG_NAME = "/home/dusk/work/a/rather/long/path/to/a/project/.korg/journal.jsonl"


@pytest.mark.parametrize(
    ("state", "text", "words"),
    [
        ("gone", "is gone", "gone since 14:00:00; waiting for it to come back"),
        ("waiting", "is not there yet", "not there yet"),
        ("live", "", " events · 1 agent"),
    ],
)
async def test_how_a_source_is_doing_is_seen_whole_at_80_columns(state, text, words):
    source = MemorySource(a_loop(20), LONG_NAME)
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        source.says(state, f"{LONG_NAME} {text}", at_ms=START_MS)
        await pilot.pause()
        for before in ("FOLLOW", "PAUSED +128"):
            seen = str(pilot.app.screen.status.render())
            assert seen.startswith(f"{before} · ")
            assert words in seen
            await keys(pilot, "k")
            grow(source, 64)
            await pilot.pause()


async def test_a_source_that_fails_says_all_of_it_on_the_list():
    source = MemorySource(a_loop(2), LONG_NAME)
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        why = "the device reports an error; try again, or give another ledger"
        source.says("failed", f"{LONG_NAME}: {why}")
        await keys(pilot, "escape", "g")
        await pilot.pause()
        row = pilot.app.screen.lines.draw(0, 80).text.rstrip()
        assert row == "▸- failed    …/a/project: the device reports an error; try again, or give anoth…"
        told = pilot.app.screen.query_one("#told")
        assert told.plain == f"{LONG_NAME}: {why}"
        assert told.size.height == 2
        await keys(pilot, "j")
        assert not told.display


async def test_a_rewind_under_the_reader_is_told_and_the_reader_stays_near():
    source = MemorySource(a_loop(10))
    async with app_over(source).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, *":9", "enter")
        shorter = Book()
        shorter.records = a_loop(10).records[:15]
        shorter.governance(
            "LedgerRewind", 15, seq=16, target_seq_id=15, invalidated_through=21, rewound_by="human:dusk"
        )
        source.becomes(shorter)
        await pilot.pause()
        told = "rewound to 15 by human:dusk: 6 dropped; the rules would have kept 0 of them"
        await keys(pilot, "j", "k", "?", "escape")
        notices = pilot.app.screen.query_one("#notices")
        assert notices.plain == f"{told} · a: seen"
        assert place(pilot)[0] == 9
        assert pilot.app.screen.view.count == 16
        source.becomes(a_loop(1))
        await pilot.pause()
        assert notices.plain.startswith("rewound to 3: ")
        assert notices.plain.endswith("(and 1 earlier) · a: seen")
        await keys(pilot, "a")
        assert not notices.display
        await keys(pilot, "a")
        assert status(pilot) == "dismissed 19 events that a rewind had dropped"
        await keys(pilot, "a")
        assert status(pilot) == "there is no notice, and nothing dropped"


async def test_a_rewind_is_told_on_the_list_too():
    source = MemorySource(a_loop(10))
    async with app_over(source).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, "escape")
        source.becomes(a_loop(7))
        await pilot.pause()
        told = ".korg/journal.jsonl: rewound to 15: 6 dropped; the rules would have kept 0 of them · a: seen"
        assert pilot.app.screen.query_one("#notices").plain == told
        await keys(pilot, "a")
        assert not pilot.app.screen.query_one("#notices").display


async def test_a_rewind_that_drops_the_row_under_the_cursor_leaves_it_on_the_nearest_one():
    source = MemorySource(a_loop(10))
    async with app_over(source).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, "k")
        shorter = Book()
        shorter.records = a_loop(10).records[:12]
        source.becomes(shorter)
        await pilot.pause()
        assert place(pilot)[0] == 12
        assert len(pilot.app.screen.ledger.gone) == 9
        text = "\n".join(pilot.app.screen.details.plain)
        assert "gone: 9 events that a rewind dropped" in text
        assert "step 9" in text


@pytest.mark.parametrize("previewing", [False, True])
async def test_another_shorter_ledger_in_its_place_is_shown_instead(previewing):
    source = MemorySource(a_loop(10))
    async with app_over(source).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, *("k", "r") if previewing else "G")
        other = Book()
        other.infer(other.prompt("something else"))
        source.becomes(other)
        await pilot.pause()
        assert pilot.app.screen.view.count == 2
        assert place(pilot)[0] in (1, 2)
        assert pilot.app.screen.query_one("#notices").plain.startswith(
            "another ledger is there now: none of the 21 events of the old one is in it"
        )


async def test_a_covered_list_is_left_alone_until_it_is_seen_again():
    source = MemorySource(a_loop(1))
    async with app_over(source).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        covered = pilot.app.screen_stack[-2]
        shown = covered.lines.rows
        grow(source, 1)
        await pilot.pause()
        assert covered.lines.rows is shown
        await keys(pilot, "escape")
        assert pilot.app.screen is covered
        assert [row.events for row in covered.lines.rows] == [5]


async def test_a_ledger_that_is_emptied_under_the_reader_and_filled_again():
    source = MemorySource(a_loop(10))
    async with app_over(source).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, "k", "r")
        source.becomes(b"")
        await pilot.pause()
        assert pilot.app.screen.view.count == 0
        assert not pilot.app.screen.previewing
        await keys(pilot, *":3", "enter")
        assert status(pilot) == "3 is not in this ledger; it has no events"
        await keys(pilot, "j", "e", "z", "h", "enter", "G", "F")
        source.becomes(a_loop(2))
        await pilot.pause()
        assert pilot.app.screen.view.count == 5
        await keys(pilot, "escape")
        assert "go on" in pilot.app.screen.lines.draw(0, 100).text


async def test_what_came_in_is_found_by_the_search_that_runs_on():
    source = MemorySource(a_loop(3))
    async with app_over(source).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, "slash", *"step", "enter")
        await pilot.app.workers.wait_for_complete()
        assert len(pilot.app.screen.hits) == 3
        grow(source, 2)
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        assert len(pilot.app.screen.hits) == 5


async def test_sessions_that_begin_while_the_list_is_open_do_not_move_its_cursor():
    book = a_loop(1)
    source = MemorySource(book)
    async with app_over(source).run_test(size=(100, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "escape")
        longer = a_loop(1)
        longer.prompt("another thing")
        longer.infer(4, by=MAIN)
        source.append(longer.nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        rows = pilot.app.screen.lines.rows
        assert [row.prompt for row in rows] == ["another thing", "go on"]
        assert pilot.app.screen.lines.row.prompt == "go on"

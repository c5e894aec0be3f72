"""The rewind preview, driven by keys: the sets of CAUSALITY §7 as rows, bar and pane show them."""

from __future__ import annotations

from builders import Book
from korg_tui.widgets.chrome import Bar
from stage import MemorySource, app_over, keys, story, worked_example

SECTION_7 = {
    1: "2:1 3:1,3 4:1,3 5:1,3 6:1,2 7:1,4",
    2: "3:1,3 4:1,3 5:1,3 6:1,2 7:1,4",
    3: "4:1,3 5:1,3 6:2 7:1,4",
    4: "5:1 6:2 7:1,4",
    5: "6:2 7:1,4",
    6: "7:1,2",
    7: "",
}
"""The table of CAUSALITY §7."""


def bar(pilot) -> str:
    return pilot.app.screen.query_one(Bar).plain


def rows(pilot) -> list[str]:
    view = pilot.app.screen.view
    return [view.draw(index, view.row_width).text.rstrip() for index in range(view.count)]


def pane(pilot) -> str:
    return "\n".join(pilot.app.screen.details.plain)


def shown_rules(pilot) -> str:
    """What the rows say: `6:2 7:1,4`."""
    screen = pilot.app.screen
    states = {
        line.seq: screen.view.states(line.row) for line in map(screen.spine.line, range(screen.view.count))
    }
    return " ".join(
        f"{seq}:{','.join(map(str, state.rules))}"
        for seq, state in states.items()
        if state.fate == "invalidated"
    )


async def stand(pilot, seq: int) -> None:
    pilot.app.screen.go_to_seq(seq)
    await pilot.pause()


async def test_arrow_keys_move_n_and_the_rows_follow_the_table_of_section_7():
    async with app_over(worked_example()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", "r")
        seen = {}
        for _ in range(7):
            seen[pilot.app.screen.preview.target] = shown_rules(pilot)
            await keys(pilot, "down")
        assert seen == SECTION_7
        assert pilot.app.screen.status.plain == "there is no later event"
        await keys(pilot, "up", "up")
        assert bar(pilot).startswith("Keep ≤ 5 · 2 invalid (1 tool call, 1 inference) · 0 possible")
        assert bar(pilot).endswith("undoing nothing on disk")


async def test_rows_carry_a_sign_and_words_and_the_cursor_can_look_around():
    async with app_over(worked_example()).run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        await stand(pilot, 5)
        await keys(pilot, "r")
        drawn = rows(pilot)
        assert "↺ Read" in drawn[4]
        assert drawn[4].endswith("rewind to here")
        assert "╳ Agent" in drawn[5]
        assert "rule 2    result of sub 2" in drawn[5]
        assert "╳ llm_inference" in drawn[6]
        assert "rules 1 4 it read what 6 returned" in drawn[6]
        await keys(pilot, "j", "j")
        assert pilot.app.screen.preview.target == 5
        assert pilot.app.screen.row == 6


async def test_why_tells_the_chain_of_reasons_and_escape_goes_back_step_by_step():
    async with app_over(worked_example()).run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        await stand(pilot, 5)
        await keys(pilot, "r", "w")
        assert pilot.app.screen.status.plain == "the rewind does not drop this row"
        await keys(pilot, "j", "j", "w")
        assert "why a rewind to 5 drops it" in pane(pilot)
        assert "rule 4    7 read the result of 6, the Agent call" in pane(pilot)
        await keys(pilot, "escape")
        assert "why" not in pane(pilot)
        assert pilot.app.screen.previewing
        await keys(pilot, "escape")
        assert not pilot.app.screen.previewing
        assert not pilot.app.screen.query_one(Bar).display
        assert pilot.app.screen.view.states is None


async def test_a_preview_ends_when_its_event_is_there_without_what_it_was_taken_from():
    book, roots = Book(), Book()
    book.tool("Bash", book.infer(book.prompt("go")))
    for words in ("one", "two", "three"):
        roots.prompt(words)
    source = MemorySource(book)
    async with app_over(source).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "R")
        assert pilot.app.screen.preview.target == 2
        source.becomes(roots)
        await pilot.pause()
        assert pilot.app.screen.preview is None
        assert "reading" not in pane(pilot)


async def test_a_rewind_to_before_a_failure_lists_what_stays_undone():
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "g", "e", "R")
        assert pilot.app.screen.preview.target == 2
        assert bar(pilot).startswith("Keep ≤ 2 (before 3) · 18 invalid (")
        shown = pane(pilot)
        assert "src/dates.py" in shown
        assert "pytest tests/test_dates.py" in shown
        assert "pytest -q" in shown
        assert "WebFetch" in shown
        assert "session 23 3 independent" in shown
        assert "lane 2 sub   4 invalid" in shown


async def test_scope_shows_plain_truncation_too():
    book = Book()
    ask = book.prompt("go")
    book.infer(ask)
    other = book.prompt("meanwhile", by="human:dawn")
    book.infer(other, by="agent:clerk@2")
    async with app_over(book).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", "G", "r")
        assert "2 independent, 2 of them in 1 other session" in bar(pilot)
        await keys(pilot, "s")
        assert bar(pilot).startswith("Truncate to ≤ 2: 2 dropped")
        await keys(pilot, "s")
        assert bar(pilot).startswith("Keep ≤ 2 · 0 invalid")


async def test_what_has_no_causes_cannot_be_a_target():
    book = Book()
    ask = book.prompt("go")
    book.governance("LeaseAcquired", ask)
    async with app_over(book).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "r")
        assert not pilot.app.screen.previewing
        assert pilot.app.screen.status.plain == "a rewind goes to an agent event; this row is none"
        await keys(pilot, "g", "R")
        assert "nothing lies before it" in pilot.app.screen.status.plain


async def test_a_preview_follows_a_ledger_that_grows():
    async with app_over(worked_example()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await stand(pilot, 6)
        await keys(pilot, "R", "w")
        assert "why a rewind to 2 drops it" in pane(pilot)
        longer = worked_example()
        longer.infer(7, by="agent:main")
        source = pilot.app.readings[0].source
        source.append(longer.nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        assert bar(pilot).startswith("Keep ≤ 2 (before 6) · 6 invalid")
        assert "why a rewind to 2 drops it" in pane(pilot)


async def test_a_fold_says_what_becomes_of_the_rows_that_it_hides():
    async with app_over(worked_example()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "g", *["j"] * 4, "r", "z")
        (folded,) = (row for row in rows(pilot) if " 3 " in row[:5])
        assert "↺ 5 is in here" in folded
        await keys(pilot, "z")
        (folded,) = (row for row in rows(pilot) if " 2 " in row[:5])
        assert "↺ 5 is in here · ╳ 1 of 4 goes" in folded


async def test_a_fold_from_which_nothing_goes_says_so():
    async with app_over(worked_example()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "r", "z")
        (folded,) = (row for row in rows(pilot) if " 3 " in row[:5])
        assert "0 of 2 go" in folded

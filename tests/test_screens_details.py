"""Reading the details: folding, searching, opening, and staying where one reads while a ledger grows."""

from __future__ import annotations

from pathlib import Path

from textual.color import Color

from builders import Book
from korg_tui.screens import previewing
from korg_tui.views import Opens, at_once, syntax
from korg_tui.widgets.details import Details
from korg_tui.widgets.looks import look_style
from stage import MemorySource, app_over, keys

TOOLS = (Path(__file__).parent / "ledgers" / "tools.jsonl").read_bytes()


def typed(words: str) -> list[str]:
    return ["space" if letter == " " else letter for letter in words]


def details(pilot) -> Details:
    return pilot.app.screen.details


def here(pilot) -> str:
    """The row of the details under the cursor."""
    pane = details(pilot)
    return pane.plain[pane.cursor].strip()


def status(pilot) -> str:
    return pilot.app.screen.status.plain


async def reading(pilot, seq: int) -> None:
    """Go to an event, and give the keys to its details."""
    await pilot.pause()
    await keys(pilot, ":", *str(seq), "enter", "enter")


async def test_json_folds_and_is_searched():
    async with app_over(MemorySource(TOOLS)).run_test(size=(120, 40)) as pilot:
        await reading(pilot, 9)
        await keys(pilot, "h")
        assert status(pilot) == "nothing folds here"
        await keys(pilot, "slash", *typed('"total"'), "enter", "h")
        assert here(pilot) == '"total": 260,'
        assert status(pilot) == "nothing folds here", "all of it never folds"
        await keys(pilot, "slash", *typed("4137"), "enter")
        assert here(pilot) == '"id": 4137,'
        assert status(pilot) == "hit 1 of 2"
        await keys(pilot, "h")
        assert here(pilot).startswith('▸ { 3 members: "id": 4137, "title": "Leap day')
        await keys(pilot, "h")
        assert here(pilot) == "▸ items 100 to 199"
        await keys(pilot, "enter")
        assert here(pilot) == "▾ items 100 to 199"
        await keys(pilot, "l")
        assert status(pilot) == "nothing is folded here"
        await keys(pilot, "n")
        assert here(pilot) == '"id": 4137,'
        await keys(pilot, "n")
        assert "4137" in here(pilot), "the raw record has it, too"
        await keys(pilot, "n")
        assert status(pilot) == "hit 1 of 2, from the beginning again"
        await keys(pilot, "N")
        assert status(pilot) == "hit 2 of 2, from the end again"
        await keys(pilot, "slash", *typed("nowhere"), "enter")
        assert status(pilot) == "nothing here has “nowhere”"
        await keys(pilot, "escape")
        assert details(pilot).searched == ""
        assert details(pilot).has_focus
        await keys(pilot, "escape")
        assert not details(pilot).has_focus


async def test_a_click_folds_and_a_line_that_opens_something_says_so(monkeypatch):
    opened = []
    monkeypatch.setattr(Details, "post_message", _noting(opened, Details.post_message))
    async with app_over(MemorySource(TOOLS)).run_test(size=(120, 40)) as pilot:
        await reading(pilot, 9)
        pane = details(pilot)
        assert_letters_can_be_told_apart(pane)
        row = next(index for index, text in enumerate(pane.plain) if text.startswith('▸ "tickets"'))
        await pilot.click(Details, offset=(4, row - round(pane.scroll_y)))
        await pilot.pause()
        assert here(pilot) == '▾ "tickets": ['
        assert "▸ items 100 to 199" in "\n".join(pane.plain)
        await keys(pilot, "escape")
        await reading(pilot, 11)
        await keys(pilot, "slash", *typed("PNG image"), "enter", "enter")
        assert opened == [Opens("value", "/result/1/source/data")]


def _noting(opened: list[Opens], post):
    def note(self, message) -> bool:
        if isinstance(message, Details.Opened):
            opened.append(message.opens)
            return True
        return post(self, message)

    return note


async def test_what_is_read_stays_in_place_while_the_ledger_grows():
    book = Book()
    ask = book.prompt()
    think = book.infer(ask, result={"text": "\n".join(f"line {number}" for number in range(100))})
    book.tool("Read", think)
    source = MemorySource(book)
    async with app_over(source).run_test(size=(120, 40)) as pilot:
        await reading(pilot, think)
        await keys(pilot, "slash", *typed("line 50"), "enter", "j")
        pane = details(pilot)
        before = here(pilot), pane.cursor - round(pane.scroll_y)
        assert before[0] == "line 51"
        later = Book(first=4)
        later.tool("Read", think)
        later.tool("Read", think)
        source.append(later.nested())
        await pilot.pause()
        assert "3 events: 3 tool calls" in "\n".join(pane.plain)
        assert (here(pilot), pane.cursor - round(pane.scroll_y)) == before
        assert pane.hits == 2, "in the text and in the raw record"


def assert_letters_can_be_told_apart(pane: Details) -> None:
    """Colours that hide what they colour are not taken."""
    hidden = look_style(pane, "output on-#14161b #14161b")
    assert hidden.color != hidden.bgcolor
    assert Color.from_rich_color(look_style(pane, "output #15171c").color).brightness > 0.5
    shown = look_style(pane, "output on-#ff0000 #000000")
    assert (shown.color.name, shown.bgcolor.name) == ("#000000", "#ff0000")
    assert look_style(pane, "no-such-look").color is None


async def test_a_key_waits_neither_for_colours_nor_for_a_long_record(monkeypatch):
    monkeypatch.setattr(previewing, "at_once", at_once)
    monkeypatch.setattr(previewing, "RECORD", 16_000)
    monkeypatch.setattr(syntax, "_ready", {})
    book = Book()
    think = book.infer(book.prompt("go"))
    code = "".join(f"{number}\tdef f(): return 1\n" for number in range(1, 40))
    book.tool("Read", think, args={"file_path": "a.py"}, result=code)
    book.tool("Read", think, args={"file_path": "b.c"}, result="1\tint f() { return 1; }\n" * 1000)
    async with app_over(MemorySource(book)).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        screen, shown = pilot.app.screen, []
        show = screen.details.show
        monkeypatch.setattr(screen.details, "show", lambda sections: (shown.append(sections), show(sections)))
        await keys(pilot, ":", "3", "enter")
        await pilot.app.workers.wait_for_complete()
        plain, coloured = shown
        assert [line.text for line in lines_in(plain)] == [line.text for line in lines_in(coloured)]
        assert not looks_in(plain) & {"keyword", "defined"} and looks_in(coloured) >= {"keyword", "defined"}
        shown.clear()
        await keys(pilot, "j")
        await pilot.app.workers.wait_for_complete()
        assert [section.title for section in shown[0]] == ["reading this event …"]
        assert looks_in(shown[1]) >= {"keyword", "defined"}
        shown.clear()
        await keys(pilot, "k")
        await pilot.app.workers.wait_for_complete()
        assert "keyword" in looks_in(shown[0]), "by now the lexer is loaded"
        assert len(shown) == 1


def lines_in(sections) -> list:
    return [line for section in sections for line in section.lines]


def looks_in(sections) -> set[str]:
    return {span.name for line in lines_in(sections) for span in line.spans}

"""The Markdown report: readable, and inert in the hands of a real Markdown reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from builders import Book
from exporting import SECRET, exported, reading_of, told_book
from korg_tui.export.markdown import code, fence
from korg_tui.reading import Reading
from korg_tui.views import parse_query

OF_OURS = {"heading", "paragraph", "bullet_list", "list_item", "blockquote", "fence", "inline", "text",
           "code_inline", "softbreak"}  # fmt: skip


@pytest.fixture
def told(tmp_path: Path) -> Reading:
    return reading_of(tmp_path / "told.jsonl", told_book())


def tokens(text: str) -> list[Token]:
    """All tokens of a text, as a reader with every extension takes it."""
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": True, "typographer": False})
    return [each for token in parser.parse(text) for each in (token, *(token.children or ()))]


def kinds(text: str) -> set[str]:
    return {each.type.removesuffix("_open").removesuffix("_close") for each in tokens(text)}


def test_it_tells_the_session_its_lanes_its_failures_and_every_step(told: Reading) -> None:
    text = exported(told, "markdown").text
    assert kinds(text) <= OF_OURS
    for said in (
        "# `told.jsonl`", "## Session 1", "> `fix <b>the</b> bug in ~/work/a.py`",
        "- 8 events, 1 failed, 0 dead pointers",
        "- lane 2 `sub`: 3 events, from lane 1 at 2, started by 6 (certain, by prompt)", "### Failures",
        "#### 8 `Bash` ✗ failed", "tool call · lane 1 `main` · after 7 · 2026-03-02T14:00:07.000Z · 40 ms",
        "#### 9 `EffectStarted`",
    ):  # fmt: skip
        assert f"{said}\n" in text, said
    assert "```` text" not in text
    assert "````text\n``` x\n````" in text, "a fence is longer than any in the text"


def test_a_preview_goes_in_front_where_it_is_asked_for(told: Reading) -> None:
    text = exported(told, "markdown", rewind_to=5).text
    assert text.index("## Rewind preview to 5") < text.index("## Session 1")
    assert "Keep ≤ 5 · 3 invalid" in text


def test_it_is_redacted_unless_it_is_told_not_to_be_and_says_so(told: Reading) -> None:
    redacted, plain = exported(told, "markdown").text, exported(told, "markdown", redact=False).text
    assert (SECRET in redacted, "hunter2" in redacted, "/home/dusk" in redacted) == (False, False, False)
    assert "- redacted: secrets are replaced by `[REDACTED]`" in redacted
    assert SECRET in plain
    assert "- not redacted: it may hold secrets" in plain


def test_a_filter_chooses_steps(told: Reading) -> None:
    text = exported(told, "markdown", meant=parse_query("is:failed")).text
    assert [line for line in text.splitlines() if line.startswith("#### ")] == ["#### 8 `Bash` ✗ failed"]


@pytest.mark.parametrize(
    "attack",
    ["<img src=x onerror=alert(1)>", "![x](http://pwned.example)", "[x](javascript:1)",
     "http://pwned.example", "www.pwned.example", "<http://pwned.example>", "`", "``` ```` ``", "x`", "`x",
     "a\n\n<script>", "| a | b |",
     "&lt;", "\\`<b>", " ", "", "# x", "~~~", "[^1]", "- [ ] x", "me@pwned.example"],
)  # fmt: skip
def test_text_can_only_be_code(attack: str, tmp_path: Path) -> None:
    for text in (f"> {code(attack)}", f"# {code(attack)} x", f"- {code(attack)}, more"):
        assert kinds(text) <= OF_OURS, text
    assert kinds("\n".join(fence([attack.replace("\n", " ")]))) == {"fence"}
    book = Book()
    ask = book.prompt(attack, by=f"human:{attack}")
    book.tool(attack, ask, by=attack, args={attack: attack}, result=attack)
    reading = reading_of(tmp_path / "[x](y) <b>.jsonl", book)
    assert kinds(exported(reading, "markdown", rewind_to=1).text) <= OF_OURS


def test_a_code_span_shows_its_text_as_it_is() -> None:
    for text in ("plain", "with ` one", "`both`", "``", "a `` b ` c"):
        (span,) = [each for each in tokens(code(text)) if each.type == "code_inline"]
        assert span.content == text

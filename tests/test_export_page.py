"""The web page: one file that fetches nothing, runs nothing of the ledger's, and thinks for nobody."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from builders import Book
from exporting import SECRET, exported, ledger_of, page_data, reading_of, told_book
from korg_tui.causal import Rewind, rewind
from korg_tui.event import Kind
from korg_tui.export import fates, page
from korg_tui.reading import Reading
from korg_tui.views import Preview, parse_query


@pytest.fixture
def told(tmp_path: Path) -> Reading:
    return reading_of(tmp_path / "told.jsonl", told_book())


class Elements(HTMLParser):
    """The elements of a page, with their attributes and the text inside."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {}
        self._open = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        self.inside.setdefault(self._open, []).append(data)
        if data.strip():
            self._open = ""


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_its_policy_allows_its_own_script_and_style_and_nothing_else(told: Reading) -> None:
    html = exported(told, "html").text
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {digest(style)}",
        f"script-src {digest(script)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_it_names_nothing_to_fetch_and_no_handler(told: Reading) -> None:
    elements = Elements(exported(told, "html").text).found
    names = {tag for tag, _ in elements}
    assert not names & {"img", "link", "iframe", "object", "embed", "audio", "video", "form", "base"}
    attributes = {name for _, attributes in elements for name in attributes}
    assert not attributes & {"src", "href", "style", "srcset", "action"}
    assert not [name for name in attributes if name.startswith("on")]


def test_the_script_puts_text_in_as_text_and_asks_nobody() -> None:
    script = page._part("page.js")
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch(",
                 "XMLHttpRequest", "import(", "localStorage", "parent", "triggered"):  # fmt: skip
        assert word not in script, word


def test_ledger_text_cannot_leave_its_block(tmp_path: Path) -> None:
    book = Book()
    attack = "</script><script>alert(1)</script><!-- <b>&amp; \u2028 \u2029 {script} {data} {title}"
    book.tool(attack, book.prompt(attack), args={"command": attack}, result=attack)
    reading = reading_of(tmp_path / "{title} {script} <b>.jsonl", book)
    html = exported(reading, "html").text
    (block,) = re.findall(r'id="data">(.*?)</script>', html, re.S)
    assert block.isascii()
    assert not set(block) & set("<>&")
    assert html.count("<script") == 2
    assert "<title>{title} {script} &lt;b&gt;.jsonl</title>" in html
    rows = page_data(html)["rows"]
    assert "</script><script>alert(1)</script>" in rows[0]["text"]


Told = list[tuple[str, list[int]]]
"""Fate and rules, row by row."""


def fates_of(found: Rewind, reading: Reading, rows: list[int], *, rules: bool = True) -> Told:
    ledger = ledger_of(reading)
    told: Told = []
    for row in rows:
        agent = Kind(ledger.kind[row]).agent
        seq = ledger.seq[row]
        told.append((found.state(seq), list(found.rules(seq)) if rules else []) if agent else ("kept", []))
    return told


def unpack(data: dict, runs: str) -> Told:
    """What the page makes of packed runs."""
    told: Told = []
    for run in runs.split(",") if runs else ():
        number, _, count = run.partition("*")
        fate, rules = data["states"][int(number)]
        told += [(fate, rules)] * int(count or 1)
    return told


def test_every_rewind_is_told_as_it_is_computed(told: Reading) -> None:
    data = page_data(exported(told, "html").text)
    ledger = ledger_of(told)
    for row in range(8):
        found = rewind(ledger, ledger.seq[row])
        expected = fates_of(found, told, list(range(row + 1, 9)))
        assert unpack(data, data["rewinds"][row]) == expected
    assert data["rewinds"][8] == "", "a governance event cannot be kept"
    assert (data["counts"][4], data["counts"][8]) == ([3, 0, 0, 0], None)


def test_the_counts_of_a_preview_are_those_of_the_ledger_whatever_the_page_shows(told: Reading) -> None:
    filtered = page_data(exported(told, "html", meant=parse_query("is:failed"), rewind_to=5).text)
    seqs = [row["seq"] for row in filtered["rows"]]
    assert filtered["counts"][seqs.index("2")] == [6, 0, 0, 0]
    assert filtered["asked"]["counts"] == [3, 0, 0, 0]
    found = Preview(ledger_of(told), rewind(ledger_of(told), 5))
    assert filtered["asked"]["bar"] == found.bar
    assert filtered["asked"]["bar"].startswith("Keep ≤ 5 · 3 invalid")


def test_a_preview_counts_the_independent_events_of_other_sessions(tmp_path: Path) -> None:
    book = Book()
    first = book.infer(book.prompt())
    book.infer(book.prompt())
    reading = reading_of(tmp_path / "two.jsonl", book)
    data = page_data(exported(reading, "html").text)
    ledger = ledger_of(reading)
    for row in range(len(ledger)):
        events, sessions = data["others"][row]
        there = f", {events} of them in {sessions} other session"
        assert (there in Preview(ledger, rewind(ledger, ledger.seq[row])).bar) == bool(events)
    assert data["others"][ledger.row_of(first) or 0] == [2, 1]


def test_a_row_says_what_it_answers_to_a_filter(told: Reading) -> None:
    data = page_data(exported(told, "html").text)
    ledger, read = ledger_of(told), told.bodies(ledger_of(told))
    for key, values in data["filter"].items():
        for value in values:
            query = parse_query(f"{key}:{value}", read)
            expected = [row for row in range(9) if query(ledger, row)]
            word = f"{key}:{value}"
            found = [number for number, row in enumerate(data["rows"]) if word in data["facts"][row["facts"]]]
            assert found == expected, word
    read_call = data["rows"][4]
    assert (read_call["ms"], read_call["paths"]) == (200, ["~/work/a.py"])
    assert data["agents"][read_call["agent"]] == ledger.actor_at(4)
    assert data["lanes"]["1"][2:] == [2, 1]


def test_beyond_a_bound_it_tells_fates_without_rules_then_only_what_was_asked_for(
    told: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ledger_of(told)
    for module in (fates, page):
        monkeypatch.setattr(module, "RULES_AT_MOST", 3)
    out = exported(told, "html", rewind_to=5)
    data = page_data(out.text)
    later = list(range(5, 9))
    assert unpack(data, data["rewinds"][4]) == fates_of(rewind(ledger, 5), told, later, rules=False)
    assert "the rules of previews: there are more than 3 rows" in out.said.left_out
    for module in (fates, page):
        monkeypatch.setattr(module, "FATES_AT_MOST", 3)
    out = exported(told, "html", rewind_to=5)
    data = page_data(out.text)
    assert data["rewinds"] == []
    assert unpack(data, data["asked"]["runs"]) == fates_of(rewind(ledger, 5), told, later)
    assert data["asked"]["words"][0].endswith("result of sub 2")
    assert "Left out: previews other than the one asked for: there are more than 3 rows." in data["notes"]


def test_rows_have_rails_details_and_somewhere_to_go(told: Reading) -> None:
    data = page_data(exported(told, "html").text)
    rows = data["rows"]
    assert [row.get("seq") for row in rows] == [str(seq) for seq in range(1, 10)]
    assert rows[0]["dot"] == [0, 4, "spine"]
    assert rows[7]["marks"] == ["failed"]
    assert data["lanes"]["1"][1] == "started by 6 (certain, by prompt)"
    links = [line for _, kind, lines in rows[5]["details"] if kind == "causes" for line in lines]
    assert (links[0][0], links[0][3]) == ("cause", 1)


def test_it_is_redacted_unless_it_is_told_not_to_be_and_says_so(told: Reading) -> None:
    out = exported(told, "html")
    assert (SECRET in out.text, "hunter2" in out.text, "/home/dusk" in out.text) == (False, False, False)
    assert out.said.redacted == 2
    assert page_data(out.text)["notes"][0] == (
        "Redacted: 2 values replaced by [REDACTED], known forms of home folders by ~; credentials in "
        "addresses and in KEY=value may be left."
    )
    plain = exported(told, "html", redact=False)
    assert SECRET in plain.text
    assert page_data(plain.text)["notes"][0] == "Not redacted: it may hold secrets."


def test_a_filter_keeps_what_led_there_dimmed(told: Reading) -> None:
    data = page_data(exported(told, "html", meant=parse_query("is:failed")).text)
    assert [(row["seq"], row.get("dim", False)) for row in data["rows"]] == [
        ("1", True), ("2", True), ("6", True), ("7", True), ("8", False)
    ]  # fmt: skip
    assert "Filtered: 1 row of 9, and what led there." in data["notes"]


def test_a_page_has_a_bound_and_says_so(told: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "ROWS_AT_MOST", 6)
    monkeypatch.setattr(page, "DETAILS_AT_MOST", 10)
    data = page_data(exported(told, "html", rewind_to=5).text)
    assert [bool(row["details"]) for row in data["rows"]] == [True, *[False] * 5]
    assert data["counts"][1] == [6, 0, 0, 0], "those of the ledger, though the page ends at 6"
    assert "Left out: rows after the first 6 of 9 (a session or a filter shows others)." in data["notes"]
    assert "Left out: details after the first 10 characters." in data["notes"]


def test_long_values_say_that_they_go_on(tmp_path: Path) -> None:
    book = Book()
    book.tool("Read", book.prompt(), args={"n": list(range(1_000))}, result="x\n" * 1_000)
    html = exported(reading_of(tmp_path / "long.jsonl", book), "html").text
    last = {title: lines[-1][1] for title, _, lines in page_data(html)["rows"][1]["details"]}
    assert last["arguments"] == "… more, not shown"
    assert "more" in last["result"]

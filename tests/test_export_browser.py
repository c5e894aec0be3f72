"""The web page in a real browser: it says nothing on the console, asks for nothing, and shows what `rewind`
computes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from exporting import exported, ledger_of, reading_of, told_book
from hostile import write_hostile
from korg_tui.causal import rewind
from korg_tui.reading import Reading
from korg_tui.views import parse_query

pytestmark = pytest.mark.slow

SHARED = Path(__file__).parents[2] / "shared" / "ledgers"
NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--dns-prefetch-disable",
    "--virtual-time-budget=5000", "--enable-logging=stderr",
)  # fmt: skip
PATIENCE = 120


class Rows(HTMLParser):
    """The rows of the page as it stands after its script has run, and the text of elements by their id."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[dict[str, str]] = []
        self.text: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if attributes.get("role") == "option":
            self.rows.append(attributes)
        if tag not in ("meta", "input", "br"):
            self._open.append(attributes.get("id", ""))

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        for name in filter(None, self._open):
            self.text[name] = self.text.get(name, "") + data


@dataclass(frozen=True)
class Visit:
    """One page, opened."""

    page: Rows
    console: list[str]
    asked: list[str]
    """What the page asked for, but for itself."""


def visit(path: Path, hash: str, folder: Path) -> Visit:  # noqa: A002
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    assert browser, "these tests need Chromium: apt-get install chromium"
    log = folder / "net.json"
    done = subprocess.run(
        [browser, *QUIET, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", "--dump-dom",
         f"{path.as_uri()}{hash}"],
        capture_output=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    console = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if "CONSOLE" in line]
    return Visit(Rows(done.stdout.decode()), console, asked_by_a_page(json.loads(log.read_text("utf-8"))))


def asked_by_a_page(log: dict[str, Any]) -> list[str]:
    """The addresses that a page asked for. The browser itself, which looks for updates, is no origin."""
    started = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    requests = [each["params"] for each in log["events"] if each["type"] == started and "params" in each]
    return [each["url"] for each in requests if each.get("initiator") not in (None, "not an origin")]


def saved(reading: Reading, folder: Path, **more: Any) -> Path:
    path = folder / "page.html"
    path.write_bytes(exported(reading, "html", **more).raw)
    return path


def told(reading: Reading, target: int) -> dict[str, tuple[str, str]]:
    """What `rewind` says of each event: fate and rules by seq."""
    ledger = ledger_of(reading)
    found = rewind(ledger, target)
    return {
        str(ledger.seq[row]): (found.state(ledger.seq[row]), " ".join(map(str, found.rules(ledger.seq[row]))))
        for row in range(len(ledger))
        if ledger.kind_at(row).agent
    }


def shown(page: Rows) -> dict[str, tuple[str, str]]:
    return {row["data-seq"]: (row["data-fate"], row["data-rules"]) for row in page.rows}


def test_what_is_looked_for_would_be_found(tmp_path: Path) -> None:
    path = tmp_path / "loud.html"
    script = '<script>console.log("loud"); fetch("http://b.example/")</script>'
    path.write_text(f'<img src="http://pwned.example/x">{script}')
    seen = visit(path, "", tmp_path)
    assert set(seen.asked) == {"http://pwned.example/x", "http://b.example/"}
    assert any("loud" in line for line in seen.console)


def test_it_is_quiet_and_previews_what_rewind_lists(tmp_path: Path) -> None:
    reading = reading_of(tmp_path / "told.jsonl", told_book())
    path = saved(reading, tmp_path)
    seen = visit(path, "#rewind=5&seq=8", tmp_path)
    assert (seen.console, seen.asked) == ([], [])
    expected = told(reading, 5)
    assert {seq: each for seq, each in shown(seen.page).items() if seq in expected} == expected
    assert seen.page.text["bar"] == (
        "Keep ≤ 5 · 3 invalid · 0 possible · 0 unknown · 0 independent · undoing nothing on disk"
    )
    assert "8 Bash" in seen.page.text["details"]
    assert [row["data-seq"] for row in seen.page.rows if row["aria-selected"] == "true"] == ["8"]


def test_a_filter_in_the_address_hides_the_rest(tmp_path: Path) -> None:
    path = saved(reading_of(tmp_path / "told.jsonl", told_book()), tmp_path)
    page = visit(path, "#filter=is:failed", tmp_path).page
    assert [row["data-seq"] for row in page.rows if "hidden" not in row] == ["8"]
    assert page.text["bar"] == "1 of 9 rows fit the filter"
    dropped = visit(path, "#rewind=5&filter=is:dropped%20-tool:Bash", tmp_path).page
    assert [row["data-seq"] for row in dropped.rows if "hidden" not in row] == ["6", "7"]


FILTERS = {
    "tool:read agent:sub": ["5"],
    "path:a.py": ["5"],
    "ms:>=200": ["5", "6"],
    "seq:3..5 -kind:prompt": ["4", "5"],
    "kind:call": ["5", "6", "8"],
    "has:path": ["5"],
    "lane:2 is:sub": ["3", "4", "5"],
    '"<script>alert(1)"': ["8"],
}
WRONG = {
    "since:10m": "not a filter of this page: since:10m; it knows tool: agent: kind:",
    "is:odd": "not a filter of this page: is:odd; is: takes failed, ok,",
    "is:dropped": "not a filter of this page: is:dropped works in a preview, after r",
    "ms:x": "not a filter of this page: ms:x is no number",
}


def test_filters_mean_what_they_mean_to_the_commands_or_are_refused(tmp_path: Path) -> None:
    reading = reading_of(tmp_path / "told.jsonl", told_book())
    path = saved(reading, tmp_path)
    ledger = ledger_of(reading)
    html = path.read_text("utf-8")
    asked = json.dumps([*FILTERS, *WRONG]).replace("<", "\\u003c")
    script = f"""<script>for (const query of {asked}) {{
      by("filter").value = query;
      by("filter").dispatchEvent(new Event("input"));
      const seqs = elements.filter((made) => !made.hidden).map((made) => made.dataset.seq);
      const answer = JSON.stringify([query, seqs, by("bar").textContent]);
      document.body.append(element("p", `answer ${{answer}} `, "x"));
    }}</script>"""
    copy = tmp_path / "asked.html"
    copy.write_text(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html) + script, "utf-8")
    told_by = {query: (seqs, bar) for query, seqs, bar in answers_in(copy, tmp_path)}
    for query, seqs in FILTERS.items():
        meant = parse_query(query, reading.bodies(ledger))
        assert [str(ledger.seq[row]) for row in range(9) if meant(ledger, row)] == seqs, query
        assert told_by[query] == (seqs, f"{len(seqs)} of 9 rows fit the filter")
    for query, words in WRONG.items():
        assert told_by[query][1].startswith(words), query


def answers_in(path: Path, folder: Path) -> list[tuple[str, list[str], str]]:
    texts: list[str] = []

    class Texts(HTMLParser):
        def handle_data(self, data: str) -> None:
            texts.append(data)

    browser = next(filter(None, map(shutil.which, NAMES)), None)
    assert browser
    done = subprocess.run(
        [browser, *QUIET, f"--user-data-dir={folder / 'profile'}", "--dump-dom", path.as_uri()],
        capture_output=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    Texts().feed(done.stdout.decode())
    return [json.loads(text.removeprefix("answer ")) for text in texts if text.startswith("answer ")]


def test_a_preview_counts_what_the_page_does_not_show(tmp_path: Path) -> None:
    reading = reading_of(tmp_path / "told.jsonl", told_book())
    page = visit(saved(reading, tmp_path, meant=parse_query("is:failed")), "#rewind=2", tmp_path).page
    assert page.text["bar"] == (
        "Keep ≤ 2 · 6 invalid · 0 possible · 0 unknown · 0 independent · undoing nothing on disk"
        " · 3 of these not on this page"
    )
    assert "6 of the later events, 3 of them not on this page: r shows which" in page.text["details"]
    page = visit(saved(reading, tmp_path), "#rewind=9", tmp_path).page
    assert page.text["bar"] == "no rewind to 9: no agent event"


def test_it_opens_with_the_preview_that_was_asked_for(tmp_path: Path) -> None:
    path = saved(reading_of(tmp_path / "told.jsonl", told_book()), tmp_path, rewind_to=5)
    page = visit(path, "", tmp_path).page
    assert shown(page)["6"] == ("invalidated", "2")
    assert "result of sub 2" in page.text["row5"]
    assert "rewind preview of" in page.text["details"]


def pressed(path: Path, keys: str, folder: Path) -> Rows:
    """The page after these keys, pressed by a script that its policy would not let in."""
    html = path.read_text("utf-8")
    press = 'document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));'
    script = f"<script>for (const key of {json.dumps(keys.split())}) {press}</script>"
    open_page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html) + script
    copy = folder / "pressed.html"
    copy.write_text(open_page, "utf-8")
    return visit(copy, "", folder).page


def chosen(page: Rows) -> list[str]:
    return [row["data-seq"] for row in page.rows if row["aria-selected"] == "true"]


def test_its_keys_do_what_they_say(tmp_path: Path) -> None:
    path = saved(reading_of(tmp_path / "told.jsonl", told_book()), tmp_path)
    page = pressed(path, "j j j j r j", tmp_path)
    assert chosen(page) == ["6"]
    assert page.text["bar"].startswith("Keep ≤ 5 · 3 invalid")
    assert page.text["row5"].endswith("╳ goes rule 2")
    page = pressed(path, "G k r Escape k e", tmp_path)
    assert chosen(page) == ["8"]
    assert page.text["bar"] == "9 rows"
    assert chosen(pressed(path, "G g / j", tmp_path)) == ["1"], "what is typed into the filter moves nothing"
    assert chosen(pressed(path, "PageDown PageUp j k E G e", tmp_path)) == ["9"]


def test_a_hostile_ledger_does_nothing(tmp_path: Path) -> None:
    reading = reading_of(write_hostile(tmp_path))
    seen = visit(saved(reading, tmp_path), "#seq=20", tmp_path)
    assert (seen.console, seen.asked) == ([], [])
    assert len(seen.page.rows) == len(ledger_of(reading))


if SHARED.is_dir():

    def test_a_ledger_of_a_real_producer(tmp_path: Path) -> None:
        reading = reading_of(SHARED / "stream-json_parallel" / ".korg" / "capability_journal.json")
        seen = visit(saved(reading, tmp_path), "#rewind=9", tmp_path)
        assert (seen.console, seen.asked) == ([], [])
        assert shown(seen.page) == told(reading, 9)

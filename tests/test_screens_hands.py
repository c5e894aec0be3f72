"""What is at hand: bookmarks, the place one comes back to, labels, panes, the bell, and exports as a form."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from builders import Book, FixedClock
from korg_tui.export import written_whole
from korg_tui.reading import Reading
from korg_tui.remembered import Bookmark, Remembered
from korg_tui.screens.files import file_stem, free_name, target_of
from korg_tui.screens.labelling import LETTERS, labels_for
from korg_tui.sources import FileSource
from korg_tui.views import bookmark
from korg_tui.widgets.bookmarks import BookmarkRow
from stage import MemorySource, app_over, keys, resized, story, worked_example

LEDGER = ".korg/journal.jsonl"


async def opened(pilot):
    """The story's first session."""
    await pilot.pause()
    await keys(pilot, "G", "enter")
    return pilot.app.screen


async def test_a_row_is_marked_listed_gone_to_and_forgotten():
    kept = Remembered(None)
    async with app_over(story(), remembered=kept).run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        await keys(pilot, *":3", "enter", "m")
        assert screen.status.plain == "marked 3 · ': 1 bookmark here"
        strip = screen.view.render_line(screen.view.cursor - screen.view.scroll_offset.y)
        assert "3◆" in strip.text and "failed" in strip.text and "bookmark" in strip.text
        assert list(screen.minimap.marks.bookmark) == [2]
        await keys(pilot, *":9", "enter", "m", "'")
        rows = pilot.app.screen.lines.rows
        assert [row.mark and row.mark.seq for row in rows] == [None, 3, 9]
        assert pilot.app.screen.status.plain == "2 bookmarks · 2 in ledgers that are open"
        await keys(pilot, "g", "enter")
        assert pilot.app.screen is screen
        assert screen.ledger.seq[screen.row] == 3
        await keys(pilot, "'", "m")
        assert pilot.app.screen.status.plain == "3 is not marked any more"
        await keys(pilot, "escape")
        assert [each.seq for each in kept.bookmarks()] == [9]
        assert sorted(screen.view.bookmarks) == [8]
        await keys(pilot, "m", "m")
        assert screen.status.plain == "3 is not marked any more · ': 1 bookmark here"


async def test_a_bookmark_says_what_became_of_its_event():
    source, kept = MemorySource(story()), Remembered(None)
    async with app_over(source, remembered=kept).run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        await keys(pilot, *":19", "enter", "m", *":3", "enter", "m")
        book = story()
        book.records = book.records[:10]
        source.becomes(book)
        await pilot.pause()
        assert sorted(screen.view.bookmarks) == [2]
        await keys(pilot, "'", "G", "enter")
        listed = pilot.app.screen
        assert listed.lines.row == BookmarkRow(
            f"-:{LEDGER}",
            kept.bookmarks()[0],
            "19 is gone from its ledger (it was stall.verdict): a rewind took it away",
            "0 s ago",
        )
        assert listed.status.plain.startswith("19 is gone from its ledger")


async def test_the_ledger_of_a_bookmark_is_opened_for_it(tmp_path: Path):
    path = tmp_path / "other.jsonl"
    path.write_bytes(worked_example().nested())
    source, kept = FileSource(path), Remembered(None)
    reading = Reading.of(source).complete()
    kept.toggle(bookmark(reading, reading.journal.ledgers[0], 4, "Read src/parser.py", 0))
    kept.toggle(Bookmark(str(tmp_path / "gone.jsonl"), 1))
    async with app_over(story(), remembered=kept).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "'", "g", "enter")
        assert pilot.app.screen.status.plain == f"reading {tmp_path / 'gone.jsonl'} …"
        await keys(pilot, "j", "enter")
        assert pilot.app.screen.ledger.name == str(path)
        assert pilot.app.screen.ledger.seq[pilot.app.screen.row] == 5


async def test_one_comes_back_to_where_one_was_unless_something_new_came():
    source = MemorySource(story())
    async with app_over(source).run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await keys(pilot, *":7", "enter", "escape", "enter")
        screen = pilot.app.screen
        assert screen.ledger.seq[screen.row] == 7
        assert screen.status.plain == "where you were: 7 · G: the end"
        await keys(pilot, "escape")
        book = story()
        book.tool("Bash", 20, args={"command": "git push"})
        source.append(book.nested()[len(source.epochs[-1]) :])
        await keys(pilot, "enter")
        screen = pilot.app.screen
        assert screen.view.following
        assert screen.status.plain == "new events came since you were at 7 · bksp: there"
        await keys(pilot, "backspace")
        assert screen.ledger.seq[screen.row] == 7


def test_labels_are_letters_and_none_begins_another():
    assert labels_for(3) == ["a", "s", "d"]
    many = labels_for(60)
    assert len(set(many)) == 60 and {len(label) for label in many} == {2}
    assert len(set(LETTERS)) == 26


async def test_a_label_goes_to_its_row_and_anything_else_stays():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await keys(pilot, "g", ";")
        assert screen.view.render_line(2).text.startswith("d")
        await keys(pilot, "d")
        assert screen.ledger.seq[screen.row] == 3
        assert not screen.view.labels
        await keys(pilot, ";", "1")
        assert screen.status.plain == "no row has these letters"
        await keys(pilot, ";", "escape", "u")
        assert screen.ledger.seq[screen.row] == 3
        await keys(pilot, "backspace")
        assert screen.ledger.seq[screen.row] == 1
        await keys(pilot, "escape", ";", "s")
        assert pilot.app.screen.lines.cursor == 1


async def test_panes_are_resized_by_keys_and_by_the_mouse_and_remembered():
    kept = Remembered(None)
    async with app_over(story(), remembered=kept).run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        before = screen.details.outer_size.width
        await keys(pilot, "+")
        share = kept.panes()["wide"]
        assert screen.details.outer_size.width == 120 * share // 100 > before
        await keys(pilot, *"++++++++++++")
        assert screen.status.plain == "the spine needs what is left"
        assert screen.view.size.width >= 38
        await keys(pilot, "=")
        assert screen.details.outer_size.width == before and kept.panes() == {}
        await pilot.mouse_down(offset=(screen.details.region.x, 10))
        await pilot.hover(offset=(80, 10))
        await pilot.mouse_up(offset=(80, 10))
        assert screen.details.outer_size.width == 39
        assert kept.panes() == {"wide": 33}
        await resized(pilot, 80, 24)
        await keys(pilot, "-")
        assert kept.panes().keys() == {"wide", "narrow"}
        assert screen.details.outer_size.height >= 4


async def test_the_bell_rings_once_for_a_burst_of_failures_and_only_when_asked_for():
    source, clock = MemorySource(story()), FixedClock()
    app = app_over(source, clock=clock)
    rang: list[int] = []
    app.bell = lambda: rang.append(1)
    book = story()

    async def fails(pilot) -> None:
        for _ in range(2):
            book.tool("Bash", 20, args={"command": "make"}, success=False)
            source.append(book.nested()[len(source.epochs[-1]) :])
        await pilot.pause()

    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await fails(pilot)
        assert rang == []
        await keys(pilot, "b", "G")
        await fails(pilot)
        assert rang == [1]
        clock.now_ms += 10_000
        await keys(pilot, "g")
        await fails(pilot)
        assert rang == [1]
        await keys(pilot, "G")
        await fails(pilot)
        assert rang == [1, 1]
        assert screen.view.following


# files


def test_a_name_for_a_file_is_harmless_and_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert file_stem("../../etc/passwd", "a b\x1b[2J") == "etc-passwd-a-b-2J"
    assert file_stem("\u202e", "") == "korg"
    assert free_name("a", ".json") == "a.json"
    (tmp_path / "a.json").touch()
    assert free_name("a", ".json") == "a-2.json"


def test_what_cannot_be_a_file_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert target_of("~/a.json") == tmp_path / "a.json"
    for text, why in (
        ("", "no file was named"),
        (str(tmp_path), "is a folder"),
        (str(tmp_path / "no" / "a"), "there is no folder"),
        ("/dev/null", "is no ordinary file"),
        (str(tmp_path / "a\nb"), "signs that cannot be seen"),
        (str(tmp_path / "\ud800"), "signs that cannot be seen"),
        ("~nobody-of-that-name/a", "there is no such home folder"),
    ):
        with pytest.raises(OSError, match=why):
            target_of(text)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text("before")
    with pytest.raises(ZeroDivisionError), written_whole(path) as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert path.read_text() == "before"
    with written_whole(path) as file:
        file.write(b"whole")
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


# exports


async def test_a_session_is_exported_from_the_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await keys(pilot, "x")
        form = pilot.app.screen
        assert [row.name for row in form.lines.rows] == ["what", "format", "secrets", "file", ""]
        assert form.lines.rows[0].value == "this session, 20 events"
        await keys(pilot, "enter")
        assert form.lines.rows[0].value == "the whole ledger, 3 sessions"
        await keys(pilot, "left", "G", "enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert form.said[0].startswith("wrote journal-session-1.json: 20 rows as a JSON document, ")
        document = json.loads((tmp_path / "journal-session-1.json").read_text())
        assert len(document["events"]) == 20
        await keys(pilot, "x")
        again = "it is in journal-session-1.json already; this would be journal-session-1-2.json: x again"
        assert form.said[0].startswith(again)
        await keys(pilot, "up", "enter", *"out.ndjson", "enter", "x")
        await pilot.app.workers.wait_for_complete()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["journal-session-1.json", "out.ndjson"]
        await keys(pilot, "x")
        assert "out.ndjson is there, " in form.said[0] and "x again writes it all the same" in form.said[0]
        await keys(pilot, "escape")
        assert pilot.app.screen is not form


async def test_what_is_exported_is_what_is_seen_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await keys(pilot, "f", *"is:failed", "enter", "x")
        form = pilot.app.screen
        assert form.lines.rows[0].value == "what the filter shows: is:failed"
        await keys(pilot, "g", "right", "right")
        assert form.lines.rows[0].value == "the whole ledger, 3 sessions"
        await keys(pilot, "j", "j", "space")
        assert form.redacts
        assert form.lines.rows[2].value == "taken out, and home folders become ~"
        await keys(pilot, "escape", "escape", *":16", "enter", "r", "x")
        assert pilot.app.screen.lines.rows[0].value == "the rewind preview to 16, with its session"
        await keys(pilot, "x")
        await pilot.app.workers.wait_for_complete()
        document = json.loads((tmp_path / "journal-rewind-16.json").read_text())
        assert document["rewind"]["target"] == 16


async def test_a_list_of_events_is_exported_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "f", *"tool:Bash", "enter", "x", "x")
        await pilot.app.workers.wait_for_complete()
        (file,) = tmp_path.iterdir()
        assert len(json.loads(file.read_text())["events"]) == 2


async def test_what_was_chosen_is_exported_as_the_ledger_stands_now_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    source = MemorySource(story(), "/a/live.jsonl")
    async with app_over(source).run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await keys(pilot, *":16", "enter", "r", "x")
        source.becomes(Book())
        await pilot.pause()
        form = pilot.app.screen
        await keys(pilot, "x")
        await pilot.app.workers.wait_for_complete()
        assert form.said[0] == "not written: the ledger has changed since: leave, and choose it again"
        await keys(pilot, "g", "right", "x")
        assert form.said[0] == "not written: this session is gone from its ledger: leave, and choose another"
        assert list(tmp_path.iterdir()) == []
        source.becomes(worked_example())
        await pilot.pause()
        await keys(pilot, "x")
        await pilot.app.workers.wait_for_complete()
        (file,) = tmp_path.iterdir()
        assert len(json.loads(file.read_text())["events"]) == 7


async def test_an_export_that_is_stopped_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await keys(pilot, "x")
        form = pilot.app.screen

        def write(path, wanted, form_, redact, stop):
            stop.wait(20)
            return type(form)._write(form, path, wanted, form_, redact, stop)

        form._write = write
        await keys(pilot, "x")
        assert form.status.plain.startswith("writing · esc stops it")
        assert form.busy
        await keys(pilot, "escape")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert form.said[0] == "stopped: nothing was written"
        assert list(tmp_path.iterdir()) == []


# copies


async def test_what_is_too_long_for_a_terminal_is_offered_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    book = story()
    long = book.tool("Bash", 20, args={"command": "x" * 100_000})
    async with app_over(book).run_test(size=(120, 40)) as pilot:
        sent: list[str] = []
        pilot.app.copy_to_clipboard = sent.append
        await pilot.pause()
        await keys(pilot, "enter", *f":{long}", "enter", "y", "y", "y")
        screen = pilot.app.screen
        assert sent == [f"korg://local/event/{long}", str(long)]
        asked = str(screen.query_one("#ask-label").render())
        assert asked == "100.0 KB is more than terminals take: write it to"
        await keys(pilot, "enter")
        assert (tmp_path / "korg-command.txt").read_text() == "x" * 100_000
        assert screen.status.plain == "the command, 100.0 KB, is in korg-command.txt"
        await keys(pilot, "g", "y", *f":{long}", "enter", "y", "y", "y")
        assert screen.query_one("#ask-input").value == "korg-command-2.txt"


async def test_the_preview_offers_its_report_first_and_the_details_their_line():
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        sent: list[str] = []
        pilot.app.copy_to_clipboard = sent.append
        screen = await opened(pilot)
        await keys(pilot, *":16", "enter", "r", "y")
        assert sent[-1].startswith("rewind preview of .korg/journal.jsonl to 16\nKeep ≤ 16")
        assert "the report" in screen.status.plain
        assert "sent to the terminal's clipboard · y: the address" in screen.status.plain
        await keys(pilot, "y")
        assert sent[-1] == "korg://local/event/16"
        await keys(pilot, "escape", *":3", "enter", "tab", "j", "y")
        assert sent[-1] in [line.strip() for line in screen.details.plain]
        await keys(pilot, "escape", "escape", "y", "y")
        assert sent[-2:] == [LEDGER, "korg://local/session/1"]


async def test_what_takes_long_is_said_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("korg_tui.screens.asking.LONG", 0)
    go_on = threading.Event()
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        plan = screen._plan
        screen._plan = lambda *asked: (go_on.wait(20), plan(*asked))[1]
        await keys(pilot, *":16", "enter", "r")
        assert screen.status.plain == "counting what the rewind carries away … esc stops it"
        await keys(pilot, "escape")
        assert screen.status.plain == "stopped"
        go_on.set()
        await pilot.app.workers.wait_for_complete()
        assert not screen.previewing
        await keys(pilot, "r")
        await pilot.app.workers.wait_for_complete()
        assert screen.previewing


async def test_a_format_that_is_refused_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    records = [json.loads(line) for line in worked_example().nested().splitlines()]
    for record in records:
        del record["event"]["timestamp"], record["metadata"]["emitted_at"]
    timeless = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    async with app_over(timeless).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "x", "g", "j", "left", "x")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        form = pilot.app.screen
        assert form.form.name == "otlp"
        assert form.said[0].startswith("not written: ") and "time" in form.said[0]
        assert list(tmp_path.iterdir()) == []

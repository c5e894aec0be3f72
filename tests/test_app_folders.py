"""Folders on the screen: waited for, filled while somebody looks, and where nothing was named at all."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import Book
from korg_tui import app as korg_app
from korg_tui import opening
from korg_tui.app import HUNG_UP, KorgApp
from korg_tui.config import Settings
from korg_tui.messages import Choice, Looked
from korg_tui.screens import KorgScreen, LedgersScreen, SessionScreen
from korg_tui.screens import base as screens_base
from korg_tui.sources import Pool, SourceError, StdinSource, open_sources
from korg_tui.sources.http.source import HttpSource
from korg_tui.views import session_book
from stage import MemorySource, app_over, keys, worked_example

PATIENCE = 20.0


async def until(pilot, met: Callable[[], object]) -> None:
    """Let the screen work until this is so."""
    deadline = time.monotonic() + PATIENCE
    while not met():
        assert time.monotonic() < deadline, "it never came to be so"
        await pilot.pause(0.02)
    await pilot.pause()


def drawn(pilot) -> list[str]:
    lines = pilot.app.screen.lines
    return [lines.draw(index, lines.row_width).text.rstrip() for index in range(lines.count)]


def ledger(prompt: str) -> bytes:
    book = Book()
    book.prompt(prompt)
    return book.nested()


async def test_a_folder_that_is_not_there_yet_fills_while_somebody_looks(tmp_path):
    folder = tmp_path / "work"
    app = KorgApp(open_sources([str(folder)], wait=True), settings=Settings(utc=True))
    async with app.run_test(size=(160, 24)) as pilot:
        await until(pilot, lambda: any("waiting" in row for row in drawn(pilot)))
        (row,) = drawn(pilot)
        assert row.endswith(f"{folder} is not there yet; it is read as soon as it appears")
        folder.mkdir()
        await until(pilot, lambda: "no ledger in it yet; it is watched" in drawn(pilot)[0])
        (folder / "one.jsonl").write_bytes(ledger("first"))
        await until(pilot, lambda: isinstance(app.screen, SessionScreen))
        await keys(pilot, "escape")
        (folder / "deep").mkdir()
        (folder / "deep" / "two.jsonl").write_bytes(ledger("second"))
        await until(pilot, lambda: len(drawn(pilot)) == 2)
        assert sorted(row.split()[-1] for row in drawn(pilot)) == ["first", "second"]
        assert all(name in "\n".join(drawn(pilot)) for name in ("one.jsonl", "deep/two.jsonl"))
        assert isinstance(app.screen, LedgersScreen)
        (folder / "one.jsonl").unlink()
        await until(pilot, lambda: any(" - gone" in row for row in drawn(pilot)))
        assert len(drawn(pilot)) == 3


async def test_an_empty_screen_keeps_looking_and_opens_what_appears(tmp_path, monkeypatch):
    monkeypatch.setattr(korg_app, "LOOKING_SECONDS", 0.05)
    path = tmp_path / "journal.jsonl"

    def look() -> Looked:
        if path.exists():
            choice = Choice(f"reading {path} (of this folder)")
            return Looked(open_sources([str(path)], wait=True), "", choice)
        return Looked([], f"{path}: not there yet")

    app = KorgApp([], looked="nowhere", look=look, settings=Settings(utc=True))
    async with app.run_test(size=(160, 24)) as pilot:
        await until(pilot, lambda: app.looked.endswith("not there yet"))
        shown = str(app.screen.query_one("#nothing").render())
        assert "not there yet" in shown
        assert "Looks again every 2 s, and opens what appears." in shown
        path.write_bytes(worked_example().nested())
        await until(pilot, lambda: isinstance(app.screen, SessionScreen))
        await until(pilot, lambda: app.screen.remark == f"reading {path} (of this folder)")
        await keys(pilot, "escape")
        assert app.screen.remark == f"reading {path} (of this folder)"
        assert len(app.readings) == 1


CHOICE = Choice("reading .korg (of this folder)")
INSTEAD = Choice("KORG_URL=http://a:1: no answer; reading .korg (of this folder) instead", instead=True)


async def test_what_was_chosen_where_nothing_was_named_is_said_until_the_next_command():
    async with app_over(worked_example(), worked_example(), choice=CHOICE).run_test() as pilot:
        await pilot.pause()
        assert isinstance(pilot.app.screen, LedgersScreen)
        assert pilot.app.screen.status.plain == "reading .korg (of this folder)"
        await keys(pilot, "j")
        assert pilot.app.screen.status.plain.startswith("2 sessions in 2 ledgers")


async def test_the_session_that_opens_at_once_says_what_was_chosen_for_a_while(monkeypatch):
    monkeypatch.setattr(screens_base, "REMARK_SECONDS", 0.05 - len(CHOICE.words) / 10)
    said: list[str] = []
    say = KorgScreen.say
    monkeypatch.setattr(KorgScreen, "say", lambda screen, text: (said.append(text), say(screen, text)))
    async with app_over(worked_example(), choice=CHOICE).run_test() as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await until(pilot, lambda: said == [CHOICE.words, CHOICE.words])
        await until(pilot, lambda: pilot.app.screen.status.plain.startswith("FOLLOW"))


async def test_what_was_named_and_does_not_work_is_said_until_it_is_seen():
    async with app_over(worked_example(), choice=INSTEAD).run_test() as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await until(pilot, lambda: bool(pilot.app.screen.notices))
        assert pilot.app.screen.query_one("#notices").plain == f"{INSTEAD.words} · a: seen"
        await keys(pilot, "a")
        assert not pilot.app.screen.query_one("#notices").display
        await keys(pilot, "escape")
        assert pilot.app.screen.notices == []


def test_what_is_said_of_a_choice(tmp_path, monkeypatch):
    (tmp_path / ".korg").mkdir()
    (tmp_path / ".korg" / "mine").write_bytes(worked_example().nested())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KORG_JOURNAL_PATH", raising=False)
    here = f"reading {tmp_path}/.korg (of this folder)"
    assert opening.look().choice == Choice(here)
    monkeypatch.setenv("KORG_JOURNAL_PATH", str(tmp_path / "other"))
    monkeypatch.setenv("KORG_URL", "http://me:secret@a:x")
    missed = f"KORG_JOURNAL_PATH={tmp_path}/other: not there; KORG_URL=a:x: not an address"
    assert opening.look().choice == Choice(f"{missed}; {here} instead", instead=True)


def test_what_is_found_but_cannot_be_opened_is_a_place_where_was_looked(tmp_path, monkeypatch):
    secret = tmp_path / "key.pem"
    secret.write_bytes(b"-----BEGIN\n")
    monkeypatch.setenv("KORG_JOURNAL_PATH", str(secret))
    looked = opening.look()
    assert looked.sources == []
    assert f"{secret}: not a ledger" in looked.where.splitlines()[-1]


async def test_only_what_changed_is_counted_anew(monkeypatch):
    counted: list[str] = []
    real = session_book.session_rows

    def count(ledger, **options):
        counted.append(ledger.name)
        return real(ledger, **options)

    monkeypatch.setattr(session_book, "session_rows", count)
    book = worked_example()
    sources = [MemorySource(book, f"{number}.jsonl") for number in range(30)]
    async with app_over(*sources).run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: sum(" complete " in row for row in drawn(pilot)) == 30)
        assert set(counted) == {source.name for source in sources}
        await until(pilot, lambda: sum(" ✓ intact " in row for row in drawn(pilot)) == 30)
        await until(pilot, lambda: not pilot.app._watching.vigil.news)
        await pilot.pause()
        counted.clear()
        before = len(book.nested())
        book.tool("Bash", 2, success=False)
        sources[7].append(book.nested()[before:])
        await until(pilot, lambda: counted)
        assert set(counted) == {"7.jsonl"}
        await pilot.app.workers.wait_for_complete()
        await until(pilot, lambda: not pilot.app._watching.vigil.news)
        await pilot.pause()
        counted.clear()
        await keys(pilot, "j", "s", "G", "k")
        assert counted == []


def test_sources_of_any_sort_at_once_none_twice(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(worked_example().nested())
    (tmp_path / "link").symlink_to(path)
    for name in "xy":
        os.mkfifo(tmp_path / name)
    address = "http://127.0.0.1:1/"
    names = [address, "-", str(path), str(tmp_path / "link"), str(tmp_path / "x"), str(tmp_path / "y")]
    sources = open_sources([*names, *names, "http://127.0.0.1:1"], every=0.5, wait=True)
    assert [source.name for source in sources] == [
        sources[0].name, "-", str(path), str(tmp_path / "x"), str(tmp_path / "y"),
    ]  # fmt: skip
    assert isinstance(sources[0], HttpSource)
    assert [isinstance(source, StdinSource) for source in sources] == [False, True, False, True, True]
    for source in sources:
        source.close()


async def test_leaving_does_not_wait_for_feeds_that_wait_for_the_screen(tmp_path):
    for number in range(30):
        (tmp_path / f"{number}.jsonl").write_bytes(ledger(f"{number}"))
    app = KorgApp(open_sources([str(tmp_path)], wait=True), feeds=Pool(), settings=Settings(utc=True))
    async with app.run_test() as pilot:
        await asyncio.sleep(0)
        await keys(pilot, "q")
    assert app.return_code == 0


def test_an_address_that_can_never_be_one_is_refused():
    with pytest.raises(SourceError):
        open_sources(["http://"], wait=True)


def test_a_folder_of_one_file_that_is_no_ledger_opens_and_waits(tmp_path: Path):
    (tmp_path / "README").write_bytes(b"# words\n")
    (source,) = open_sources([str(tmp_path)], wait=True)
    states = [getattr(fact, "state", "") for fact in source.start()]
    assert "waiting" in states
    source.close()


def test_a_terminal_that_is_lost_while_nobody_reads_it_ends_the_program(tmp_path):
    for number in range(200):
        (tmp_path / f"{number}.jsonl").write_bytes(ledger(f"{number}"))
    outside, inside = pty.openpty()
    fcntl.ioctl(outside, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
    program = subprocess.Popen(
        [sys.executable, "-m", "korg_tui", str(tmp_path)],
        stdin=inside, stdout=inside, stderr=inside, start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color"},
    )  # fmt: skip
    os.close(inside)
    assert select.select([outside], [], [], PATIENCE)[0], "it began to draw"
    time.sleep(0.8)
    for number in range(120):  # what it draws is not read, and stands in its way
        os.write(outside, b"j" if number % 40 < 20 else b"k")
        time.sleep(0.02)
    os.close(outside)
    assert program.wait(PATIENCE) in (HUNG_UP, -signal.SIGHUP)

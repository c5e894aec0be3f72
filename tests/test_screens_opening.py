"""Other programs: what they are given, how they are run, and what they are never given."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from builders import START_MS, Book, ref
from korg_tui.app import KorgApp
from korg_tui.screens import SessionScreen, outside
from korg_tui.screens.matter import BlobMatter
from korg_tui.screens.outside import Proposal, Refused, copy_of, editor, inside, own_folder, pager
from korg_tui.screens.reader import ReaderScreen
from korg_tui.sources import BlobStore, FileSource
from stage import InstantFeeds, app_over, keys

CONTENT = b"some words in a blob\n"
SHA = ref(CONTENT)["_ref"].removeprefix("sha256:")


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program that writes down how it was called, and on what; it ends with `$CODE`."""
    script, log = tmp_path / "bin" / "show me", tmp_path / "log.json"
    script.parent.mkdir()
    script.write_text(
        f"#!{sys.executable}\n"
        "import json, os, sys\n"
        "path = sys.argv[-1]\n"
        "told = {'argv': sys.argv[1:], 'mode': os.stat(path).st_mode & 0o777,\n"
        "        'folder': os.stat(os.path.dirname(path)).st_mode & 0o777,\n"
        "        'content': open(path).read(), 'secure': os.environ.get('LESSSECURE'),\n"
        "        'lessopen': os.environ.get('LESSOPEN')}\n"
        f"json.dump(told, open({str(log)!r}, 'w'))\n"
        "sys.exit(int(os.environ.get('CODE', '0')))\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("PAGER", f"'{script}' --plainly '$(id)' '*'")
    monkeypatch.setenv("VISUAL", f"'{script}'")
    monkeypatch.setenv("LESSOPEN", "|lesspipe %s")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(KorgApp, "suspend", lambda self: contextlib.nullcontext())
    return log


@pytest.fixture
def project(tmp_path) -> Path:
    """A project with a ledger: an event that writes a file, and one that names a blob."""
    folder = tmp_path / "project"
    (folder / ".korg" / "blobs" / SHA[:2]).mkdir(parents=True)
    (folder / ".korg" / "blobs" / SHA[:2] / SHA).write_bytes(CONTENT)
    (folder / "src").mkdir()
    (folder / "src" / "-dates.py").write_text("day = 29\n")
    book = Book()
    think = book.infer(book.prompt("go"))
    book.tool("Write", think, args={"file_path": "src/-dates.py", "content": ref(CONTENT)})
    book.tool("WebFetch", think, args={"url": "https://example.org"}, result=ref(CONTENT))
    book.tool("Read", think, args={"file_path": "/etc/passwd"})
    (folder / ".korg" / "journal.jsonl").write_bytes(book.nested())
    return folder


def told(log: Path) -> dict:
    found = json.loads(log.read_text())
    log.unlink()
    return found


def asked(pilot) -> str:
    bar = pilot.app.screen.query_one("#confirm")
    return bar.plain if bar.display else ""


# running


def test_a_copy_is_private_and_removed_and_the_program_gets_one_absolute_path(program, tmp_path):
    proposal = copy_of("blob 0123 -x", lambda: [b"one ", b"two"], pager(os.environ))
    assert proposal.path.is_absolute()
    assert proposal.path.name == "blob-0123--x"
    assert outside.run(proposal) == ""
    seen = told(program)
    assert seen == {
        "argv": ["--plainly", "$(id)", "*", str(proposal.path)],
        "mode": 0o600,
        "folder": 0o700,
        "content": "one two",
        "secure": "1",
        "lessopen": None,
    }
    assert list((tmp_path / "tmp").iterdir()) == []


def test_what_goes_wrong_is_one_line_and_nothing_stays_behind(program, tmp_path, monkeypatch):
    monkeypatch.setenv("CODE", "3")
    assert outside.run(copy_of("blob", lambda: [b"x"], pager(os.environ))) == "show me ended with 3"
    gone = copy_of("blob", lambda: [b"x"], (str(tmp_path / "nowhere"),))
    assert outside.run(gone) == f"{tmp_path}/nowhere could not be run: no such file or directory"

    def broken():
        yield b"x"
        raise Refused("it is gone")

    assert outside.run(copy_of("blob", broken, pager(os.environ))) == "it is gone"
    assert list((tmp_path / "tmp").iterdir()) == []


def test_which_program_is_meant(program, monkeypatch):
    script = str(program.parent / "bin" / "show me")
    assert pager({"PAGER": f"'{script}' -x"}) == (script, "-x")
    assert editor({"EDITOR": f"'{script}'"}) == (script,)
    with pytest.raises(Refused, match="PAGER names nowhere, which is no program here"):
        pager({"PAGER": "nowhere -R"})
    with pytest.raises(Refused, match="a quote is not closed"):
        editor({"VISUAL": "'vim"})
    with pytest.raises(Refused, match="set EDITOR"):
        editor({})
    monkeypatch.setattr("shutil.which", lambda name: None if name == "less" else name)
    assert pager({"EDITOR": "ed"}) == ("ed",)
    with pytest.raises(Refused, match="set PAGER"):
        pager({})
    monkeypatch.setattr("shutil.which", lambda name: name)
    assert pager({"EDITOR": "ed"}) == ("less",)


# which files


def test_the_own_folder_of_a_session(tmp_path, monkeypatch):
    assert own_folder(tmp_path / "logs" / "s.jsonl") == tmp_path / "logs"
    assert own_folder(tmp_path / "p" / ".korg" / "sessions" / "s.jsonl") == tmp_path / "p"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    sessions = tmp_path / "home" / ".korg" / "sessions"
    assert own_folder(sessions / "s.jsonl") == sessions


def test_only_a_regular_file_inside_the_own_folder_is_opened(project, tmp_path):
    ledger = project / ".korg" / "journal.jsonl"
    assert inside("src/-dates.py", ledger) == (project / "src" / "-dates.py", project)
    assert inside(str(project / "src" / "-dates.py"), ledger)[0].name == "-dates.py"
    (tmp_path / "secret").write_text("key")
    (project / "link").symlink_to(tmp_path / "secret")
    (project / "folder").symlink_to(tmp_path)
    (project / "inner").symlink_to(project / "src" / "-dates.py")
    os.mkfifo(project / "pipe")
    assert inside("inner", ledger)[0] == project / "src" / "-dates.py"
    for named in ("/etc/passwd", "../secret", "link", "folder/secret", "src/../../secret", "~/.ssh/id_rsa"):
        with pytest.raises(Refused, match=r"lies outside the session's folder|is not there"):
            inside(named, ledger)
    for named in ("src", "pipe", "."):
        with pytest.raises(Refused, match=r"is no regular file|lies outside"):
            inside(named, ledger)
    with pytest.raises(Refused, match="is no path"):
        inside("a\0b", ledger)
    with pytest.raises(Refused, match="is no path"):
        inside("x" * 5000, ledger)


def test_a_file_that_became_a_link_after_the_question_is_not_opened(program, project, tmp_path):
    path, folder = inside("src/-dates.py", project / ".korg" / "journal.jsonl")
    proposal = Proposal(editor(os.environ), path, "the file itself", folder=folder)
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert outside.run(proposal).endswith("is no regular file: not opened")
    path.unlink()
    (project / "src").rename(project / "old")
    (project / "src").symlink_to("/etc")
    assert outside.run(proposal).endswith("cannot be opened")
    assert not program.exists()


# on the screen


async def test_a_file_and_a_blob_are_given_away_after_a_question(program, project):
    source = FileSource(project / ".korg" / "journal.jsonl")
    app = KorgApp([source], feeds=InstantFeeds(), clock=lambda: START_MS)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, SessionScreen)
        await keys(pilot, *":3", "enter", "o")
        path = project / "src" / "-dates.py"
        editor_ = f"'{program.parent}/bin/show me'"
        assert asked(pilot) == (
            f"run {editor_} {path} (the file itself)? y or enter: yes · esc: no · o: something else"
        )
        await keys(pilot, "j", "q")
        assert asked(pilot)
        await keys(pilot, "escape")
        assert (asked(pilot), program.exists(), screen.focused) == ("", False, screen.view)
        await keys(pilot, "o", "y")
        assert told(program)["argv"] == [str(path)]
        await keys(pilot, "o", "o")
        assert f"(a copy of blob {SHA[:15]}…)?" in asked(pilot)
        await keys(pilot, "enter")
        seen = told(program)
        assert (seen["content"], seen["mode"]) == (CONTENT.decode(), 0o600)
        assert not Path(seen["argv"][-1]).parent.exists()
        await keys(pilot, *":5", "enter", "o")
        assert (asked(pilot), screen.status.plain) == (
            "", f"/etc/passwd lies outside the session's folder {project}: not opened"
        )  # fmt: skip
        await keys(pilot, "g", "o")
        assert screen.status.plain == "this event names no blob and no file"


async def test_the_reader_gives_away_what_it_shows(program, project, monkeypatch):
    blobs = BlobStore(project / ".korg" / "journal.jsonl", environment={})
    async with app_over(Book()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = ReaderScreen(BlobMatter(SHA, blobs))
        pilot.app.push_screen(screen)
        await pilot.pause()
        monkeypatch.setenv("CODE", "1")
        await keys(pilot, "o", "y")
        assert told(program)["content"] == CONTENT.decode()
        assert screen.status.plain == "show me ended with 1"
        await keys(pilot, "j", "o", "n")
        assert asked(pilot) == ""
        monkeypatch.setenv("PAGER", "nowhere")
        await keys(pilot, "o")
        assert screen.status.plain == "PAGER names nowhere, which is no program here"


def test_modes_are_kept_whatever_the_mask(program):
    before = os.umask(0)
    try:
        outside.run(copy_of("blob", lambda: [b"x"], pager(os.environ)))
    finally:
        os.umask(before)
    assert stat.S_IMODE(told(program)["folder"]) == 0o700


# what is left


_WAITING = """
import sys
from korg_tui.screens import outside
outside.run(outside.copy_of("blob", lambda: [b"x"], ("/bin/sh", "-c", "echo here; read x")))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_both_programs_and_removes_the_copy(program, tmp_path, number):
    words = [sys.executable, "-c", _WAITING]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"here\n"
        assert len(list((tmp_path / "tmp").iterdir())) == 1
        process.send_signal(number)
        assert process.wait() == -number
        assert list((tmp_path / "tmp").iterdir()) == []
        assert process.stdout.read() == b"", "the other program has ended, too"


def test_what_a_killed_program_has_left_goes_with_the_next_copy(program, tmp_path):
    place = tmp_path / "tmp"
    left, held, young, other = (place / f"korg-tui-{name * 8}" for name in ("a", "b", "c", "d"))
    for folder in (left, held, young):
        folder.mkdir(mode=0o700)
        (folder / "blob").write_text("private")
    other.symlink_to(tmp_path / "bin")
    for folder in (left, held):
        os.utime(folder, (0, 0))
    descriptor = os.open(held, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert outside.run(copy_of("blob", lambda: [b"x"], pager(os.environ))) == ""
    os.close(descriptor)
    assert sorted(place.iterdir()) == [held, young, other]
    assert list((tmp_path / "bin").iterdir())


def test_no_place_for_a_copy_is_said(program, monkeypatch):
    def nowhere() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    with pytest.raises(Refused, match="set TMPDIR"):
        copy_of("blob", list, pager(os.environ))


async def test_a_blob_that_is_no_file_is_refused_at_once_and_other_content_is_told(program, project):
    path = project / ".korg" / "blobs" / SHA[:2] / SHA
    path.unlink()
    os.mkfifo(path)
    source = FileSource(project / ".korg" / "journal.jsonl")
    app = KorgApp([source], feeds=InstantFeeds(), clock=lambda: START_MS)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await keys(pilot, *":4", "enter", "o")
        assert asked(pilot) == ""
        assert pilot.app.screen.status.plain == f"unreadable: {path} is no file"
        (project / "src" / "-dates.py").unlink()
        await keys(pilot, *":3", "enter", "o")
        gone = "src/-dates.py is not there (any more)"
        assert pilot.app.screen.status.plain == f"{gone} · unreadable: {path} is no file"
        path.unlink()
        path.write_text("other")
        await keys(pilot, "o")
        assert f"(a copy of blob {SHA[:15]}…, wrong content, 5 B)?" in asked(pilot)

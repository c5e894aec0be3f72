"""`blob`: verified content on standard output, and a state in words and an exit code for everything else."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from builders import WORKED_EXAMPLE, table
from korg_tui.cli import main
from korg_tui.sources import BlobFound

CONTENT = b"a long prompt\n\x1b[2J\xc3\xa9\n"
SHA = hashlib.sha256(CONTENT).hexdigest()
LARGE = 42_000_000


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a ledger, and a home that has nothing."""
    for name in ("KORG_JOURNAL_PATH", "KORG_HOME", "KORG_URL", "KORG_BLOB_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / ".korg").mkdir()
    (tmp_path / ".korg" / "journal.jsonl").write_bytes(table(WORKED_EXAMPLE).nested())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(place: Path, content: bytes, sha: str = SHA) -> Path:
    path = place / ".korg" / "blobs" / sha[:2] / sha
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", [SHA, f"korg://local/blob/{SHA}", f"sha256:{SHA}"])
@pytest.mark.parametrize("more", [[], [".korg"], [".korg/journal.jsonl"]])
def test_the_content_comes_as_it_is(capfdbinary, place, name, more):
    put(place, CONTENT)
    assert main(["blob", name, *more]) == 0
    assert capfdbinary.readouterr().out == CONTENT


def test_a_folder_without_a_ledger_has_blobs_too(capfdbinary, place, monkeypatch):
    put(place, CONTENT)
    (place / ".korg" / "journal.jsonl").unlink()
    assert main(["blob", SHA]) == 0
    assert capfdbinary.readouterr() == (CONTENT, b"")


def test_missing_wrong_and_unreadable_have_exit_codes_of_their_own(capfd, place):
    assert main(["blob", SHA, ".korg"]) == 3
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"korg-tui: {SHA} is missing: there is no blobs folder beside the ledger")
    assert err.endswith("; name the ledger or the server that has it, or set KORG_BLOB_DIR\n")
    path = put(place, b"other")
    assert main(["blob", SHA, ".korg"]) == 1
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"{SHA} is wrong: the content of" in err
    assert err.endswith("; put the right content there, or name another SOURCE that has it\n")
    path.unlink()
    path.mkdir()
    assert main(["blob", SHA, ".korg"]) == 3
    err = capfd.readouterr().err
    assert err.endswith(" is no file; make it readable, or name another SOURCE that has it\n")


@pytest.mark.parametrize("words", [[], ["7"], [SHA.upper()], ["../../etc/passwd"]])
def test_only_a_digest_is_a_name(capfd, words):
    assert main(["blob", *words]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_json_says_what_it_knows_and_gives_no_content(capfd, place):
    path = put(place, CONTENT)
    assert main(["blob", SHA, "--json"]) == 0
    out = capfd.readouterr().out
    assert out.isascii()
    assert json.loads(out) == {
        "sha": SHA,
        "state": "present",
        "size": len(CONTENT),
        "path": str(path),
        "url": None,
        "text": f"present: {len(CONTENT)} bytes, digest verified",
    }
    path.write_bytes(b"other")
    assert main(["blob", SHA, "--json"]) == 1
    assert json.loads(capfd.readouterr().out)["state"] == "wrong"


def test_an_output_file_is_new_and_exact(capfd, place):
    put(place, CONTENT)
    assert main(["blob", SHA, "--output", "taken"]) == 0
    assert (place / "taken").read_bytes() == CONTENT
    assert capfd.readouterr().out == ""
    assert main(["blob", SHA, "--output", "taken"]) == 2
    assert "taken is there already" in capfd.readouterr().err
    assert main(["blob", SHA, "--output", "nowhere/taken"]) == 2
    assert "nowhere/taken cannot be written: No such file or directory" in capfd.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_visible_text_and_no_binary(monkeypatch, capsys, place):
    put(place, CONTENT)
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert main(["blob", SHA]) == 0
    assert terminal.getvalue() == "a long prompt\n␛[2Jé\n"
    other = b"\x00\x01\xff"
    sha = hashlib.sha256(other).hexdigest()
    put(place, other, sha)
    assert main(["blob", sha]) == 2
    assert terminal.getvalue() == "a long prompt\n␛[2Jé\n"
    assert capsys.readouterr().err.endswith("this blob is binary, 3 B: give --out FILE, or a pipe\n")


def test_a_large_file_is_verified_while_it_is_written(capfdbinary, place, monkeypatch):
    put(place, CONTENT)
    monkeypatch.setattr("korg_tui.sources.blobs.LARGEST_BLOB", 4)
    module = sys.modules["korg_tui.reports.blob"]
    monkeypatch.setattr(module, "LARGEST_BLOB", 4)
    monkeypatch.setattr(module, "_CHUNK", 3)
    assert main(["blob", SHA]) == 0
    assert capfdbinary.readouterr().out == CONTENT


class Server:
    """Blobs on a server that has one large one."""

    remote = True
    url = f"http://127.0.0.1:8080/api/blob/{SHA}"

    def __init__(self) -> None:
        self.asked: list[bool] = []

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        self.asked.append(whole)
        if whole:
            return BlobFound(sha, "present", "present", url=self.url, size=len(CONTENT), content=CONTENT)
        return BlobFound(sha, "not fetched", "not fetched: 42.0 MB", url=self.url, size=LARGE)


@pytest.fixture
def server(monkeypatch) -> Server:
    class Source:
        blobs = Server()

    module = sys.modules["korg_tui.reports.blob"]
    monkeypatch.setattr(module, "open_named", lambda sources, demo: [Source()])
    return Source.blobs


def test_a_script_fetches_much_only_with_yes(capfdbinary, server):
    assert main(["blob", SHA]) == 2
    out, err = capfdbinary.readouterr()
    assert (out, err.decode()) == (
        b"", f"korg-tui: {SHA} was not fetched: it has 42.0 MB; --yes fetches it\n"
    )  # fmt: skip
    assert main(["blob", SHA, "--json"]) == 2
    assert json.loads(capfdbinary.readouterr().out)["state"] == "not fetched"
    assert server.asked == [False, False]
    assert main(["blob", SHA, "--yes"]) == 0
    assert capfdbinary.readouterr().out == CONTENT
    assert server.asked == [False, False, True]


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("yes\n", 0), ("\n", 2), ("n\n", 2), ("", 2)])
def test_a_person_is_asked_before_much_is_fetched(monkeypatch, capfdbinary, server, answer, code):
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    told = Terminal()
    monkeypatch.setattr("sys.stderr", told)
    assert main(["blob", SHA]) == code
    assert told.getvalue().startswith(f"korg-tui: fetch 42.0 MB from {server.url}? [y/N] ")
    assert capfdbinary.readouterr().out == (b"" if code else CONTENT)
    assert server.asked == [False] if code else [False, True]


def test_a_pipe_that_closes_early_ends_it_quietly(place):
    content = b"0123456789" * 100_000
    sha = hashlib.sha256(content).hexdigest()
    put(place, content, sha)
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m korg_tui blob {sha} .korg | head -c 3"],
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"012", b"")


def test_show_previews_the_blobs_of_an_event(capfd, place):
    put(place, CONTENT)
    book = table(WORKED_EXAMPLE)
    book.tool("WebFetch", 7, result={"_ref": f"sha256:{SHA}", "size_bytes": len(CONTENT)})
    book.tool("WebFetch", 7, result={"page": {"_ref": "0" * 64}})
    (place / ".korg" / "journal.jsonl").write_bytes(book.nested())
    assert main(["show", "8", "9"]) == 0
    out = capfd.readouterr().out
    said = f"present and right, {len(CONTENT)} B, text, UTF-8"
    assert f"\nresult, in a blob\n  blob {SHA[:11]}… {said}\n  a long prompt\n" in out
    assert f"\nblobs\n  {SHA} {said}\n" in out
    assert f"\npage, in a blob\n  blob 00000000000… missing: not in {place}/.korg/blobs\n" in out
    assert "\x1b" not in out


def test_a_file_takes_its_name_when_it_is_verified(capfd, place, monkeypatch):
    put(place, CONTENT)
    assert main(["blob", SHA, "--out", "content"]) == 0
    assert (place / "content").read_bytes() == CONTENT
    assert main(["blob", SHA, "--out", "content"]) == 2
    assert "content is there already; give --out another name" in capfd.readouterr().err
    (place / "link").symlink_to("nowhere")
    assert main(["blob", SHA, "--out", "link"]) == 2
    monkeypatch.setattr(BlobFound, "read", lambda found: b"something else")
    before = sorted(path.name for path in place.iterdir())
    assert main(["blob", SHA, "--out", "other"]) == 1
    assert sorted(path.name for path in place.iterdir()) == before


def test_what_took_the_name_meanwhile_stays(capfd, place, monkeypatch):
    put(place, CONTENT)

    def read(found: BlobFound) -> bytes:
        (place / "content").write_bytes(b"mine")
        return CONTENT

    monkeypatch.setattr(BlobFound, "read", read)
    assert main(["blob", SHA, "--out", "content"]) == 2
    assert (place / "content").read_bytes() == b"mine"
    assert [path.name for path in place.iterdir() if path.name.endswith(".part")] == []

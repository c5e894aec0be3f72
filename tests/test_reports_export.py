"""`export`: what is written, where it may be written, and what is said about it."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from builders import WORKED_EXAMPLE, Book, ref, table
from exporting import SECRET, page_data, told_book
from korg_tui.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Here lie two ledgers, with blobs beside them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "told.jsonl").write_bytes(told_book().nested())
    (tmp_path / "example.jsonl").write_bytes(table(WORKED_EXAMPLE).nested())
    (tmp_path / "blobs").mkdir()
    return tmp_path


def run(capfdbinary: pytest.CaptureFixture[bytes], *words: str) -> tuple[int, bytes, str]:
    code = main(["export", *words])
    sys.stdout.flush()
    out, err = capfdbinary.readouterr()
    return code, out, err.decode()


@pytest.fixture
def export(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]):
    return lambda *words: run(capfdbinary, *words)


def test_data_goes_to_standard_output_and_what_was_done_to_the_other(export) -> None:
    code, out, err = export("told.jsonl", "--format", "json", "--rewind", "5")
    assert code == 0
    assert json.loads(out)["rewind"]["invalidated"] == [6, 7, 8]
    assert err.startswith("korg-tui: 9 rows as a JSON document, ")
    assert err.endswith("; not redacted\n")


def test_a_file_says_its_format_by_its_ending(export, folder: Path) -> None:
    for name, begins in (
        ("x.html", b"<!doctype html>"), ("x.svg", b"<?xml"), ("x.md", b"# `told.jsonl`"),
        ("x.json", b'{"korg_tui"'), ("x.otlp.json", b'{"resourceSpans"'), ("x.graphml", b"<?xml"),
        ("x.ndjson", b'{"ledger"'),
    ):  # fmt: skip
        code, out, err = export("told.jsonl", "--output", name)
        assert (code, out) == (0, b""), err
        assert (folder / name).read_bytes().startswith(begins)
        assert f"; in {name}" in err
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_redaction_is_said_and_can_be_chosen(export) -> None:
    _, out, err = export("told.jsonl", "--format", "html")
    assert SECRET.encode() not in out
    assert "2 values redacted, known forms of home folders written as ~; credentials in addresses" in err
    _, out, err = export("told.jsonl", "--format", "html", "--no-redact")
    assert SECRET.encode() in out
    assert "not redacted" in err
    _, out, _ = export("told.jsonl", "--format", "ndjson", "--redact")
    assert SECRET.encode() not in out


def test_a_session_a_filter_and_several_ledgers(export) -> None:
    _, out, _ = export("told.jsonl", "example.jsonl", "--format", "json", "--filter", "is:failed")
    assert [(each["ledger"], len(each["events"])) for each in json.loads(out)] == [
        ("told.jsonl", 1), ("example.jsonl", 0)
    ]  # fmt: skip
    five = ("--session", "example:5", "--rewind", "example:5")
    _, out, _ = export("told.jsonl", "example.jsonl", "--format", "html", *five)
    data = page_data(out.decode())
    assert (data["about"]["title"], data["asked"]["seq"]) == ("example.jsonl › session 1", "5")
    _, out, _ = export("example.jsonl", "--format", "json", "--rewind", "0")
    assert json.loads(out)["rewind"]["invalidated"] == [1, 2, 3, 4, 5, 6, 7]


def test_nothing_is_written_over_unasked(export, folder: Path) -> None:
    (folder / "there.md").write_text("mine")
    code, _, err = export("told.jsonl", "--output", "there.md")
    assert (code, err) == (2, "korg-tui: there.md is there already; --force writes over it\n")
    assert (folder / "there.md").read_text() == "mine"
    code, _, _ = export("told.jsonl", "--output", "there.md", "--force")
    assert code == 0
    assert (folder / "there.md").read_text().startswith("# ")


def test_a_ledger_and_its_blobs_are_never_written_to(export, folder: Path) -> None:
    before = (folder / "told.jsonl").read_bytes()
    os.link(folder / "told.jsonl", folder / "other-name.jsonl")
    (folder / "link.jsonl").symlink_to("told.jsonl")
    for name in ("told.jsonl", "other-name.jsonl", "link.jsonl", "./told.jsonl"):
        code, _, err = export("told.jsonl", "--format", "json", "--force", "--output", name)
        assert (code, "is the ledger itself" in err) == (2, True), name
    code, _, err = export("told.jsonl", "--format", "json", "--output", f"blobs/{ref('x')['_ref'][7:]}")
    assert (code, "among the ledger's blobs" in err) == (2, True)
    with (folder / "told.jsonl").open("ab") as itself:
        done = subprocess.run(
            [sys.executable, "-m", "korg_tui", "export", "told.jsonl", "--format", "ndjson"],
            stdout=itself, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert (done.returncode, b"is the ledger itself" in done.stderr) == (2, True)
    assert (folder / "told.jsonl").read_bytes() == before


def test_the_ledgers_of_sub_agents_and_of_a_folder_are_never_written_to_either(export, folder: Path) -> None:
    book, child = Book(), Book()
    book.spawn(book.infer(book.prompt("go")), "look", result={"output": "done\nagentId: one (go on)"})
    child.infer(child.prompt("look"))
    (folder / "parent.jsonl").write_bytes(book.nested())
    (folder / "agent-one.jsonl").write_bytes(child.nested())
    (folder / "none.jsonl").write_bytes(b"")
    before = {path: path.read_bytes() for path in folder.glob("*.jsonl")}
    for sources in (["parent.jsonl"], ["."]):
        words = (*sources, "--format", "ndjson", "--force", "--output", "agent-one.jsonl")
        code, _, err = export(*words)
        assert (code, err.endswith(", which is never written to; take another file\n")) == (2, True)
    with (folder / "agent-one.jsonl").open("ab") as kin:
        done = subprocess.run(
            [sys.executable, "-m", "korg_tui", "export", "parent.jsonl", "--format", "ndjson"],
            stdout=kin, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert (done.returncode, b"standard output is a ledger that is being read" in done.stderr) == (2, True)
    assert {path: path.read_bytes() for path in folder.glob("*.jsonl")} == before


def test_a_file_that_is_replaced_keeps_its_rights(export, folder: Path) -> None:
    (folder / "mine.md").write_text("mine")
    (folder / "mine.md").chmod(0o600)
    assert export("told.jsonl", "--output", "mine.md", "--force")[0] == 0
    assert stat.S_IMODE((folder / "mine.md").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_nothing_behind(folder: Path, name: str) -> None:
    program = (
        "import os, pathlib, signal, sys\n"
        "from korg_tui.export import ended_by_signals, written_whole\n"
        "with ended_by_signals(), written_whole(pathlib.Path('new.html')) as file:\n"
        f"    os.kill(os.getpid(), signal.{name})\n"
        "    file.write(b'half')\n"
    )
    before = sorted(folder.iterdir())
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, check=False)
    assert done.returncode == 128 + getattr(signal, name)
    assert sorted(folder.iterdir()) == before


def test_a_dash_is_standard_output(export, folder: Path) -> None:
    code, out, err = export("told.jsonl", "--format", "ndjson", "--output", "-")
    assert (code, out.count(b"\n"), "; in" in err) == (0, 9, False)
    assert not (folder / "-").exists()


def test_one_of_the_ledgers_of_a_file_is_named_by_its_number(export, folder: Path) -> None:
    (folder / "two.jsonl").write_bytes(told_book().nested() + table(WORKED_EXAMPLE).nested())
    code, _, err = export("two.jsonl", "--format", "html")
    assert (code, err.endswith("here are 2: name one of two.jsonl#1, two.jsonl#2\n")) == (2, True), err
    for word, events in (("two.jsonl#1", 9), ("two.jsonl#2", 7)):
        _, out, _ = export(word, "--format", "html")
        assert len(page_data(out.decode())["rows"]) == events
    code, _, err = export("two.jsonl#3", "--format", "html")
    assert (code, err) == (2, "korg-tui: two.jsonl#3 is not there: two.jsonl holds 2 ledgers\n")


def test_a_refused_export_leaves_no_file_behind(export, folder: Path) -> None:
    (folder / "flat.jsonl").write_bytes(told_book().flat())
    code, out, err = export("flat.jsonl", "--output", "x.otlp.json")
    assert (code, out) == (3, b"")
    assert err.startswith("korg-tui: flat.jsonl: no session has times")
    assert err.count("\n") == 1
    assert not [path for path in folder.iterdir() if "otlp" in path.name]
    (folder / "old.otlp.json").write_text("old")
    assert export("flat.jsonl", "--output", "old.otlp.json", "--force")[0] == 3
    assert (folder / "old.otlp.json").read_text() == "old"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["told.jsonl"], "--format says in which form: json, ndjson, markdown, html, svg, graphml, otlp"),
        (["told.jsonl", "--output", "x.pdf"], "--format says in which form"),
        (["told.jsonl", "--format", "pdf"], "invalid choice: 'pdf'"),
        (["told.jsonl", "5", "--format", "json"], "export takes no event number; --session 5"),
        (["told.jsonl", "example.jsonl", "--format", "html"], "html holds one ledger, and here are 2"),
        (["told.jsonl", "--format", "json", "--session", "x"], "--session takes an event"),
        (["told.jsonl", "--format", "json", "--session", "99"], "no event 99 in told.jsonl"),
        (["told.jsonl", "--format", "json", "--rewind", "9"], "9 is a governance event"),
        (["told.jsonl", "--format", "json", "--filter", "is:odd"], "--filter: "),
        (["told.jsonl", "--format", "json", "--output", "no/x"], "cannot be written: No such file"),
        (["told.jsonl", "--format", "json", "--output", ""], "--output names no file"),
        (["told.jsonl", "--format", "json", "--output", "."], ". is there already"),
        (["told.jsonl", "example.jsonl", "--format", "json", "--session", "told:1", "--rewind", "example:1"],
         "--rewind example:1 is in another ledger than --session"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(export, words: list[str], said: str) -> None:
    code, out, err = export(*words)
    assert (code, out) == (2, b"")
    assert said in err
    assert err.count("\n") == 1


def test_the_beginning_of_blobs_goes_with_it_where_that_is_asked_for(export, folder: Path) -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    secret = f"line one\n{begin}\n{'a1B2' * 16}\n{end}\n{SECRET}\n"
    binary = b"\x89PNG\r\n\x1a\n" + SECRET.encode()
    book = table(WORKED_EXAMPLE)
    for content in (secret.encode(), binary):
        named = ref(content)
        sha = named["_ref"][7:]
        (folder / "blobs" / sha[:2]).mkdir(exist_ok=True)
        (folder / "blobs" / sha[:2] / sha).write_bytes(content)
        book.tool("Read", 7, result={"content": named})
    (folder / "blobs.jsonl").write_bytes(book.nested())
    for name in ("markdown", "html"):
        _, out, _ = export("blobs.jsonl", "--format", name)
        assert b"line one" not in out
        _, out, err = export("blobs.jsonl", "--format", name, "--blobs")
        assert b"line one" in out
        assert b"left out, as it is no text" in out
        assert (SECRET.encode() in out, b"a1B2a1B2" in out) == (False, False)
        assert "2 values redacted" in err
        _, out, _ = export("blobs.jsonl", "--format", name, "--blobs", "--no-redact")
        assert (SECRET.encode() in out, b"a1B2a1B2" in out) == (True, True)
    _, _, err = export("blobs.jsonl", "--format", "svg", "--blobs")
    assert "left out: the contents of blobs, which svg has no place for" in err


def test_a_pipe_that_closes_ends_it_quietly(folder: Path) -> None:
    lines = "\n".join(f"{seq} user_prompt -" for seq in range(1, 4_000))
    (folder / "long.jsonl").write_bytes(table(lines).nested())
    with subprocess.Popen(
        [sys.executable, "-m", "korg_tui", "export", "long.jsonl", "--format", "ndjson"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0

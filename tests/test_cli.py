"""The commands as a script or a person runs them: data, narration, exit codes (EXPERIENCE)."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from builders import WORKED_EXAMPLE, Book, table
from korg_tui import __version__
from korg_tui.cli import main


@pytest.fixture
def example(tmp_path: Path) -> str:
    path = tmp_path / "example.jsonl"
    path.write_bytes(table(WORKED_EXAMPLE).nested())
    return str(path)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a ledger, and a state folder of its own."""
    for name in ("KORG_JOURNAL_PATH", "KORG_HOME", "KORG_URL", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.chdir(home)
    return home


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def data(capsys: pytest.CaptureFixture[str], *words: str):
    code, out, err = run(capsys, *words, "--json")
    assert (code, err) == (0, "")
    assert out.isascii()
    return json.loads(out)


def test_sessions(capsys: pytest.CaptureFixture[str], example: str) -> None:
    (session,) = data(capsys, "sessions", example)
    assert session == {
        "ledger": example,
        "session": 1,
        "root_seq": 1,
        "root_state": "root",
        "status": "complete",
        "synthesized": False,
        "prompt": "go",
        "total_events": 7,
        "agent_count": 2,
        "agents": ["agent:main", "agent:sub"],
        "lanes": 2,
        "first_seq": 1,
        "last_seq": 7,
        "last_event_at": "2026-03-02T14:00:06.000Z",
        "last_event_seq": 7,
        "schema_version": "1.0",
        "failed": 0,
        "dead_pointers": 0,
        "unloaded": 0,
    }


def test_lanes(capsys: pytest.CaptureFixture[str], example: str) -> None:
    document = data(capsys, "lanes", example)
    assert document["pointers"] == {"1": "root"}
    assert document["lanes"][1] == {
        "id": 1, "session": 1, "opener": 3, "parent": 0, "fork": 2, "actor": "agent:sub", "events": [3, 4, 5],
        "links": [{"call": 6, "certain": True, "basis": "round"}],
    }  # fmt: skip


def test_rewind(capsys: pytest.CaptureFixture[str], example: str) -> None:
    document = data(capsys, "rewind", "5", example)
    assert document == {
        "target": 5,
        "invalidated": [6, 7],
        "possible": [],
        "unknown": [],
        "independent": [],
        "rules": {"6": [2], "7": [1, 4]},
        "why": {"6": [[2, 6]], "7": [[4, 7]]},
        "files": [],
        "commands": [],
        "effects": [],
        "blobs": [],
        "tokens": None,
        "duration_ms": 0,
    }
    assert data(capsys, "rewind", "--before", "5", example)["target"] == 4
    assert data(capsys, "rewind", "korg://local/event/5", example) == document


def test_reasons_that_would_fill_the_disk_are_left_out_and_that_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, example: str
) -> None:
    monkeypatch.setattr("korg_tui.export.documents.WHY_STEPS", 2)
    assert data(capsys, "rewind", "5", example)["why"] == {"6": [[2, 6]], "7": [[4, 7]]}
    code, out, err = run(capsys, "rewind", "3", example, "--json")
    assert (code, json.loads(out)["why"]) == (0, None)
    assert err == "korg-tui: why is left out: it would have 5 steps\n"


def test_rewind_lists_what_it_would_not_undo(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = Book()
    ask = book.prompt()
    think = book.infer(ask)
    book.tool("Write", think, args={"file_path": "a.py", "content": ""}, duration_ms=2)
    book.tool("Bash", think, args={"command": "make"}, duration_ms=1.5)
    book.tool("mcp__mail__send", think)
    book.infer(think, result={"usage": {"input_tokens": 7, "output_tokens": 2}})
    path = tmp_path / "work.jsonl"
    path.write_bytes(book.nested())
    document = data(capsys, "rewind", "2", str(path))
    assert document["files"] == [{"path": "a.py", "seqs": [3]}]
    assert document["commands"] == [{"command": "make", "seq": 4}]
    assert document["effects"] == [{"tool": "mcp__mail__send", "seq": 5}]
    assert (document["tokens"], document["duration_ms"]) == (9, 3.5)
    code, text, _ = run(capsys, "rewind", "2", str(path))
    assert code == 0
    assert "Keep ≤ 2 · 4 invalid" in text
    assert "nothing was rewound" in text


def test_show_prints_events_as_found(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(
        table("1 user_prompt - human:u").nested()
        + b'{"seq_id":2,"tool_name":"Read","args":{"big":1e999,"\xc3\xa9":"\\ud800"},"extra":{"kept":true},'
        b'"triggered_by":1}\n{"broken\n'
    )
    code, out, _ = run(capsys, "show", str(path), "--json")
    assert code == 0
    assert out.isascii()
    first, odd, broken = (json.loads(line) for line in out.splitlines())
    assert (first["seq"], first["pointer"], first["kind"]) == (1, "root", "prompt")
    assert odd["raw"]["extra"] == {"kept": True}
    assert odd["args"] == {"big": None, "é": "\ud800"}
    assert (odd["duration_ms"], odd["time"], odd["success"], odd["actor"]) == (None, None, None, None)
    assert (broken["seq"], broken["kind"], broken["raw"]) == (None, "malformed", '{"broken')


def test_show_filters_in_the_words_of_the_screen(capsys: pytest.CaptureFixture[str], example: str) -> None:
    code, out, _ = run(capsys, "show", "--filter", "tool:Read", example, "--json")
    assert code == 0
    assert [json.loads(line)["seq"] for line in out.splitlines()] == [5]
    _, out, _ = run(capsys, "show", "--filter", "tool:Read", example)
    assert [line for line in out.splitlines() if "led to what fits" not in line][1].startswith("5 ")
    assert run(capsys, "show", "--filter", "nowhere", example)[1:] == (
        "", "korg-tui: no event fits the filter\n"
    )  # fmt: skip
    code, out, err = run(capsys, "show", "--filter", "is:purple", example)
    assert (code, out) == (2, "")
    assert "purple" in err


def test_the_tree_draws_the_lanes(capsys: pytest.CaptureFixture[str], example: str) -> None:
    _, out, _ = run(capsys, "show", example)
    drawn = [line[: line.index(" ", 5)].rstrip() for line in out.splitlines()[2:7]]
    assert drawn == ["2 ●", "3 ├─●", "4 │ ●", "5 │ ├─", "6 ├─╯"]


def test_several_ledgers_give_a_list_and_want_a_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_bytes(table(WORKED_EXAMPLE).nested())
    folder = str(tmp_path)
    names = [f"{folder}/a.jsonl", f"{folder}/b.jsonl"]
    assert [each["ledger"] for each in data(capsys, "lanes", folder)] == names
    (found,) = data(capsys, "rewind", "b.jsonl:5", folder)
    assert (found["ledger"], found["invalidated"]) == (names[1], [6, 7])
    code, _, err = run(capsys, "rewind", "5", folder)
    assert code == 2
    assert all(f"{name}:5" in err for name in names)


def test_a_run_that_restarts_is_a_segment_with_a_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_bytes(table(WORKED_EXAMPLE).flat() + table("1 user_prompt - human:v").flat())
    assert [each["ledger"] for each in data(capsys, "sessions", str(path))] == [str(path), f"{path}#2"]
    (shown,) = [data(capsys, "show", f"{path}#2:1", str(path))]
    assert (shown["ledger"], shown["actor"]) == (f"{path}#2", "human:v")


def test_lines_that_cannot_be_read_are_counted_for_the_person(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(table(WORKED_EXAMPLE).nested() + b"{bad\n{worse\n")
    _, out, _ = run(capsys, "sessions", str(path))
    assert out.splitlines()[-1] == f"{path}: 2 lines could not be read; show has them all"


def test_a_ledger_of_very_many_sessions_is_one_tree(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    book = Book()
    for _ in range(70):
        book.infer(book.prompt())
    path = tmp_path / "many.jsonl"
    path.write_bytes(book.nested())
    _, out, _ = run(capsys, "show", str(path))
    assert len(out.splitlines()) == 141


def test_an_empty_ledger_is_fine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert data(capsys, "sessions", str(path)) == []
    assert data(capsys, "lanes", str(path)) == {"lanes": [], "pointers": {}}
    assert data(capsys, "rewind", "0", str(path))["invalidated"] == []


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["sessions", "nowhere.jsonl"], 3, "nowhere.jsonl: no such file"),
        (["sessions", "bare"], 3, "bare: no ledger in this folder"),
        (["sessions", "note.md"], 3, "note.md: not a ledger"),
        (["sessions", "picture.png"], 3, "picture.png: not a ledger"),
        (["tui", "note.md"], 3, "note.md: not a ledger"),
        (["picture.png"], 3, "picture.png: not a ledger"),
        (["sessions"], 3, "no ledger found; looked in"),
        (["rewind", "99", "ledger.jsonl"], 2, "no event 99 in ledger.jsonl; the nearest: 7"),
        (["rewind", "x.jsonl:3", "ledger.jsonl"], 2, "no ledger is called x.jsonl"),
        (["rewind", "ledger.jsonl"], 2, "rewind takes one N, the last event to keep; none was given"),
        (["rewind", "abc"], 2, "abc is no number, and no file is called so"),
        (["rewind", "1.5", "ledger.jsonl"], 2, "1.5 is no number, and no file is called so"),
        (["rewind", "--before", "1", "ledger.jsonl"], 2, "nothing in the ledger led to 1 (root)"),
        (["rewind", "3", "ledger.jsonl", "--json", "--text"], 2, "--json and --text"),
        (["sessions", "3", "ledger.jsonl"], 2, "takes no event number"),
        (["show", "--colour", "ledger.jsonl"], 2, "unknown option --colour"),
        (["-x y"], 2, "unknown option -x y"),
        (["follow", "ledger.jsonl", "--until-idle", "soon"], 2, "--until-idle"),
        (["follow", "ledger.jsonl", "--until-idle", "-1"], 2, "0 or more"),
        (["follow", "note.md"], 3, "note.md: not a ledger"),
        (["demo", "ledger.jsonl"], 2, "demo takes no SOURCE"),
        (["sessions", "--demo", "ledger.jsonl"], 2, "--demo takes the place"),
        (["folow"], 2, "no such command or file: folow; did you mean follow?"),
        (["foo", "ledger.jsonl"], 2, "no such command or file: foo; did you mean follow?"),
        (["nothing"], 2, "the screen needs a terminal"),
    ],
)  # fmt: skip
def test_every_error_is_one_line_with_what_to_do(
    capsys: pytest.CaptureFixture[str], home: Path, words: list[str], code: int, says: str
) -> None:
    (home / "ledger.jsonl").write_bytes(table(WORKED_EXAMPLE).nested())
    (home / "note.md").write_text("# A note\n\nThere is nothing here.\n")
    (home / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (home / "bare").mkdir()
    result, out, err = run(capsys, *words)
    assert (result, out) == (code, "")
    assert err.count("\n") == 1
    assert err.startswith("korg-tui: ")
    assert says in err


def test_no_permission(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, example: str
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    code, out, err = run(capsys, "sessions", example)
    assert (code, out) == (3, "")
    assert "no permission" in err


def test_what_is_found_here_is_said(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".korg").mkdir()
    (home / ".korg" / "journal.jsonl").write_bytes(table(WORKED_EXAMPLE).nested())
    code, out, err = run(capsys, "sessions", "--json")
    assert (code, len(json.loads(out))) == (0, 1)
    assert err.startswith(f"korg-tui: reading {home}/.korg (of this folder)")
    monkeypatch.setenv("KORG_URL", "gopher://a")
    assert main(["sessions"]) == 0
    said = f"KORG_URL=gopher://a: not an address; reading {home}/.korg (of this folder) instead"
    assert capsys.readouterr().err.splitlines()[0] == f"korg-tui: {said}"


def test_an_internal_fault_is_one_line_and_a_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path, example: str
) -> None:
    monkeypatch.setattr("korg_tui.reports.lists.session_document", lambda *_: 1 / 0)
    code, out, err = run(capsys, "sessions", "--json", example)
    assert (code, out, err.count("\n")) == (70, "", 1)
    (report,) = (home / "state" / "korg-tui" / "reports").iterdir()
    assert str(report) in err
    assert "ZeroDivisionError" in report.read_text()


def test_the_demo_answers_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    first, *_ = data(capsys, "sessions", "--demo")
    assert first["failed"] >= 1
    lanes = data(capsys, "lanes", "--demo")["lanes"]
    assert len({lane["parent"] for lane in lanes}) >= 3


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--version"], ["--help"], ["rewind", "--help"]):
        with pytest.raises(SystemExit) as end:
            main(words)
        assert end.value.code == 0
    out = capsys.readouterr().out
    assert f"korg-tui {__version__}" in out
    assert "example:\n  korg-tui rewind 42 journal.jsonl" in out


# as processes


def korg(*words: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "korg_tui", *words], capture_output=True, timeout=60, check=False, **more
    )


def test_standard_input_is_a_ledger() -> None:
    done = korg("sessions", "-", "--json", input=table(WORKED_EXAMPLE).nested())
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)[0]["total_events"] == 7


def test_a_closed_pipe_ends_it_quietly(tmp_path: Path) -> None:
    book = Book()
    last = book.prompt()
    for _ in range(3000):
        last = book.infer(last)
    path = tmp_path / "long.jsonl"
    path.write_bytes(book.nested())
    command = f"'{sys.executable}' -m korg_tui show '{path}' --json | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout)["seq"] == 1
    assert done.stderr == b""


def test_a_full_disk_is_one_line_and_no_fault_of_ours(example: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "korg_tui", "show", example],
            stdout=full, stderr=subprocess.PIPE, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 74
    assert done.stderr == b"korg-tui: the output cannot be written: No space left on device; give it room\n"


def test_a_closed_output_is_no_fault(example: str) -> None:
    command = f"'{sys.executable}' -m korg_tui show '{example}' >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("words", ["sessions -", "export - --format json", "- 2>&-"])
def test_a_closed_input_is_one_line_and_3(words: str) -> None:
    command = f"'{sys.executable}' -m korg_tui {words} <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
    said = b"" if "2>&-" in words else b"korg-tui: standard input is closed; give a ledger file, or open it\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", said)


def test_a_pipe_that_ends_early_and_nobody_to_tell_of_it_is_no_fault(example: str) -> None:
    """Enough to be written while nobody reads any more, with standard error closed."""
    command = f"exec 3>&1; {{ '{sys.executable}' -m korg_tui show '{example}' 2>&-; echo $? >&3; }} | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == (b"0\n", b"")


def test_output_in_a_pipe_is_whole_whatever_the_width_and_the_locale(example: str) -> None:
    plain = {**os.environ, "COLUMNS": "20", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""}
    wide = {**os.environ, "COLUMNS": "300", "LC_ALL": "C.UTF-8"}
    outputs = [korg("show", example, env=env).stdout for env in (plain, wide)]
    assert outputs[0] == outputs[1]
    assert "├─╯" in outputs[0].decode()


def test_follow_tells_what_comes_and_ends_when_idle(tmp_path: Path) -> None:
    path = tmp_path / "live.jsonl"
    lines = table(WORKED_EXAMPLE).nested().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]))
    process = subprocess.Popen(
        [sys.executable, "-m", "korg_tui", "follow", str(path), "--json", "--until-idle", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    told = [json.loads(process.stdout.readline()) for _ in range(3)]
    with path.open("ab") as ledger:
        ledger.write(b"".join(lines[3:]))
    out, err = process.communicate(timeout=60)
    told += [json.loads(line) for line in out.splitlines()]
    assert [each["seq"] for each in told if each["type"] == "event"] == [1, 2, 3, 4, 5, 6, 7]
    assert (process.returncode, err) == (0, b"")


def test_follow_of_what_is_no_ledger_says_so_to_scripts_and_to_people(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# A note\n\nThere is nothing here.\n")
    done = korg("follow", "--json", str(note))
    assert done.returncode == 3
    assert json.loads(done.stdout)["state"] == "failed"
    assert done.stderr.count(b"\n") == 1


def test_follow_is_interrupted_with_130(example: str) -> None:
    words = [sys.executable, "-m", "korg_tui", "follow", example, "--json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(7):
        process.stdout.readline()
    process.send_signal(2)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_started_a_lane_is_read_whole_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["lanes", "--demo"]) == 0
    title, main_lane, sub, started, *_ = terminal.getvalue().splitlines()
    assert title == "demo  7 lanes"
    assert main_lane.startswith("  lane 1 main ")
    assert main_lane.endswith(", 33 events")
    assert sub.startswith("  lane 2 sub-tu_7f3a1 ")
    assert started == "    from lane 1 at 8, started by 31 (certain, by prompt)"


def test_the_help_of_demo_offers_nothing_that_it_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["demo", "--help"])
    out = capsys.readouterr().out
    assert "SOURCE" not in out and "--demo" not in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("serve", "ledger.jsonl"), "serve takes no SOURCE; --store FOLDER says where it records"),
        (("demo", "--store", "x"), "--store and --speed go with demo --serve"),
        (("demo", "ledger.jsonl"), "demo takes no SOURCE"),
        (("follow", "--every", "0.1"), "0.1 is not from 0.2 to 60 seconds"),
        (("tui", "--every", "nan"), "nan is not from 0.2 to 60 seconds"),
        (("follow", "--every", "soon"), "--every"),
        (("serve", "--port", "70000"), "--port must be from 0 to 65535"),
    ],
)
def test_what_the_recorder_and_addresses_refuse(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err and err.count("\n") == 1


@pytest.mark.parametrize("words", [["show"], ["rewind"], ["sessions"], ["export", "--format", "json"]])
def test_an_address_that_is_none_is_wrong_usage(capsys, example, words) -> None:
    said = "korg://local/event/x is no address of an event: those are korg://local/event/N"
    assert run(capsys, *words, "korg://local/event/x", example) == (2, "", f"korg-tui: {said}\n")

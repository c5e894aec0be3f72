"""The recorder as a process: killed under load, out of room, ended, and told nonsense."""

from __future__ import annotations

import argparse
import os
import resource
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from korg_tui.recorder.serve import serve, serve_options
from korg_tui.sources import SourceError
from recorder_load import Load, check, stored
from recording import DEADLINE, SERVE, ask, call, process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".korg"


def test_eight_kills_under_load_lose_nothing_that_was_acknowledged(folder: Path) -> None:
    told: dict[int, str] = {}
    for run in range(8):
        with process(folder) as server, Load(server, clients=4, run=run, enough=5 + run) as load:
            pass
        told |= load.told
        assert load.refused == []
        check(folder, told)
    assert len(told) > 60


SMALL_FILES = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
{SERVE}
"""


def test_a_full_disk_is_507_and_loses_nothing(folder: Path) -> None:
    told: dict[int, str] = {}
    with process(folder, code=SMALL_FILES) as server:
        statuses: list[int] = []
        for n in range(40):
            answer = server.post(call("Bash", args={"who": str(n), "text": "x" * 1000}))
            statuses.append(answer.status)
            if answer.status == 200:
                told[answer.json()["seq_id"]] = str(n)
            else:
                assert "make room" in answer.json()["error"]
        assert set(statuses) == {200, 507}
        assert statuses == sorted(statuses), "what does not fit now does not fit later"
        assert server.ask("PUT", "/api/blob", b"x" * 30_000).status == 507
        assert server.ask("PUT", "/api/blob", b"x" * 10_000).status == 201
        full = (folder / "korg-tui.jsonl").read_bytes()
        assert full.endswith(b"\n")
        assert len(server.get("/api/journal").lines()) == len(told)
        assert server.rewind(len(told) - 1, reason="x" * 4000).status == 507
        assert (folder / "korg-tui.jsonl").read_bytes() == full
        # There is room again.
        resource.prlimit(server.popen.pid, resource.RLIMIT_FSIZE, (10**9, resource.RLIM_INFINITY))
        answer = server.post(call("Bash", args={"who": "later"}))
        told[answer.json()["seq_id"]] = "later"
        assert server.end(signal.SIGTERM)[0] == 0
    assert (folder / "korg-tui.jsonl").read_bytes().startswith(full)
    assert list((folder / "blobs").rglob(".unfinished*")) == []
    check(folder, told)


def test_a_restart_keeps_the_chain_the_generation_and_the_seqs(folder: Path) -> None:
    with process(folder) as server:
        for cause in (None, 1, 2):
            server.post(call("llm_inference", cause, args={"who": "a"}))
        server.rewind(1)
        before = server.get("/api/journal")
        server.end()
    with process(folder) as server:
        after = server.get("/api/journal")
        assert (after.body, after.headers["korg-tui-journal"]) == (
            before.body,
            before.headers["korg-tui-journal"],
        )
        assert server.get("/api/journal", if_none_match=before.headers["etag"]).status == 304
        assert "(2 events)" in server.said
        assert server.post(call("Read", 2)).json() == {"seq_id": 3}
        assert [event["seq_id"] for event in server.get("/api/journal?triggered_by=1").lines()] == [2]
        server.end()
    assert len(stored(folder)) == 3


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_signals_end_it_quietly_even_while_clients_are_there(folder: Path, number: int, code: int) -> None:
    with process(folder) as server:
        idle, half, waiting = (server.connect() for _ in range(3))
        ask(idle, "GET", "/api/journal")
        half.connect()
        half.sock.sendall(b"POST /api/agent/tool-call HTTP/1.1\r\nHost: x\r\nContent-Le")
        ask(waiting, "POST", "/api/agent/tool-call", call())
        with socket.create_connection(("127.0.0.1", server.port)):
            ended, said = server.end(number)
        assert (ended, said) == (code, "")
        for connection in (idle, half, waiting):
            connection.close()
    assert len(stored(folder)) == 1


def test_a_second_server_is_told_who_is_there(folder: Path) -> None:
    with process(folder) as server:
        done = run("--store", str(folder), "--port", "0")
        assert done.returncode == 3
        (line,) = done.stderr.splitlines()
        assert f"(process {server.popen.pid}, {server.url})" in line
        done = run("--store", str(folder.parent / "other"), "--port", str(server.port))
        assert done.returncode == 3
        assert done.stderr.splitlines() == [
            f"korg-tui: port {server.port} of 127.0.0.1 is taken; give another with --port"
        ]


def run(*words: str, code: str = SERVE, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True, text=True, timeout=DEADLINE, env=os.environ | {"KORG_TOKEN": ""} | environment,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--host", "0.0.0.0"], "0.0.0.0 can be reached by others; if that is meant, say --allow-remote"),
        (["--host", "::"], "can be reached by others"),
        (["--host", "192.0.2.1"], "can be reached by others"),
        (["--host", "0.0.0.0", "--allow-remote"], "--allow-remote needs a bearer token"),
        (["--token-file", "/nowhere"], "--token-file /nowhere: no such file"),
        (["--token-file", "/dev/null"], "one word of 16"),
        (["--port", "70000"], "--port must be from 0 to 65535"),
    ],
)
def test_options_that_cannot_be_are_one_line(folder: Path, words: list[str], says: str) -> None:
    done = run("--store", str(folder), *words)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("korg-tui: ")
    assert says in line
    assert not folder.exists()


def test_a_token_comes_from_a_file_or_a_variable(folder: Path, tmp_path: Path) -> None:
    token = "correct-horse-battery"
    (tmp_path / "token").write_text(token + "\n")
    for options, environment in (
        (["--token-file", str(tmp_path / "token"), "--allow-remote"], {}),
        ([], {"KORG_TOKEN": token}),
    ):
        with process(folder, *options, environment=environment) as server:
            assert server.get("/api/journal").status == 401
            server.headers["Authorization"] = f"Bearer {token}"
            assert server.ask("GET", "/api/journal").status == 200
            assert token not in server.said


def test_a_file_that_it_did_not_begin_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    (folder / "korg-tui.jsonl").write_text("hello\n")
    done = run("--store", str(folder), "--port", "0")
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "not begun by korg-tui serve" in line
    assert (folder / "korg-tui.jsonl").read_text() == "hello\n"


def test_without_the_extra_it_says_what_to_install(folder: Path) -> None:
    hidden = "import sys, importlib.util\nfound = importlib.util.find_spec\n" + (
        "importlib.util.find_spec = lambda name, *more: None if name == 'uvicorn' else found(name, *more)\n"
    )
    done = run("--store", str(folder), code=hidden + SERVE)
    assert (done.returncode, done.stderr.splitlines()) == (
        2,
        [
            "korg-tui: serve needs two more packages: pip install 'korg-tui[serve]'"
            "  (in a checkout: pip install '.[serve]')"
        ],
    )


def test_a_folder_that_may_be_from_elsewhere_leads_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / ".korg").symlink_to("home")
    monkeypatch.chdir(tmp_path)
    parser = argparse.ArgumentParser()
    serve_options(parser)
    with pytest.raises(SourceError, match="korg is a link to home; if that is meant, say --store"):
        serve(parser.parse_args(["--port", "0"]))
    assert list((tmp_path / "home").iterdir()) == []
    with process(tmp_path / ".korg") as server:
        assert server.post(call()).status == 200
    assert (tmp_path / "home" / "korg-tui.jsonl").exists()


def test_what_a_crash_left_is_said_at_the_next_start(folder: Path) -> None:
    with process(folder) as server:
        server.post(call())
        server.kill()
    with (folder / "korg-tui.jsonl").open("ab") as file:
        file.write(b'{"schema_version":"1.0","seq_id":2,"meta')
    with process(folder) as server:
        assert "half an event at the end, never acknowledged, was put into" in server.said
        assert server.post(call()).json() == {"seq_id": 2}
        server.end()
    assert len(stored(folder)) == 2


def test_the_address_is_read_whole_on_a_narrow_terminal(folder: Path) -> None:
    with process(folder) as server:
        first, second = server.said.splitlines()
    url = f"http://127.0.0.1:{server.port}"
    assert first.startswith(f"korg-tui: listening at {url}, recording into ")
    assert len(first.partition(",")[0]) < 80
    assert second == f"korg-tui: in another terminal: korg-tui {url}"


def test_a_file_that_is_taken_away_is_written_again_and_that_is_said(folder: Path) -> None:
    with process(folder) as server:
        server.post(call())
        (folder / "korg-tui.jsonl").unlink()
        server.post(call())
        _, said = server.end()
    path = folder / "korg-tui.jsonl"
    assert said == f"korg-tui: {path} was taken away; it was written again, with 1 event\n"
    assert len(stored(folder)) == 2


def test_a_file_that_stays_away_is_said_at_the_end(folder: Path) -> None:
    with process(folder, environment={"TMPDIR": str(folder.parent)}) as server:
        server.post(call())
        (folder / "korg-tui.lock").unlink()
        (folder / "korg-tui.lock").mkdir()
        (folder / "korg-tui.jsonl").unlink()
        code, said = server.end()
    assert code == 3
    why, where = said.splitlines()
    assert "korg-tui.lock is a folder" in why
    assert "korg-tui.jsonl was taken away; what it held, 1 event, is in" in where
    assert len(Path(where.rpartition(" ")[2]).read_bytes().splitlines()) == 1


def test_nobody_need_listen_to_what_it_says(folder: Path) -> None:
    with process(folder) as server:
        assert server.popen.stderr is not None
        server.popen.stderr.close()
        for _ in range(3):
            ref = {"sha256": "a" * 64, "size_bytes": 5000, "label": "Read.text"}
            assert server.post(call(payload_refs=[ref])).status == 200
        server.popen.send_signal(signal.SIGTERM)
        assert server.popen.wait(DEADLINE) == 0
        server.popen.stderr = None

"""The simulated run: the same every time, what it shows, and `demo --serve` as two real processes."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from korg_tui.causal import Pointer, links, rewind
from korg_tui.recorder.client import RecorderClient
from korg_tui.recorder.simulation import ACTOR, SECONDS, simulate
from korg_tui.recorder.simulation.stage import Stage, Story
from standin_server import LONG, Standin, read, serving


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KORG_BLOB_DIR", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Standin]:
    with serving(Standin()) as standin:
        yield standin


# --- the stage


def test_stories_at_the_same_time_are_told_in_the_order_of_their_times() -> None:
    slept: list[float] = []
    told: list[str] = []

    def story(name: str, *pauses: float) -> Story:
        for pause in pauses:
            yield pause
            told.append(f"{name} at {stage.now:g}")

    def whole() -> Story:
        yield from story("alone", 1)
        yield [story("slow", 2, 2), story("quick", 1, 1)]
        yield from story("after both", 0.5)

    stage = Stage(slept.append, speed=2)
    stage.play(whole())
    assert told == ["alone at 1", "quick at 2", "slow at 3", "quick at 3", "slow at 5", "after both at 5.5"]
    assert slept == [0.5, 0.5, 0.5, 1.0, 0.25]


# --- the run


def test_the_run_is_the_same_every_time_and_as_long_as_it_says() -> None:
    made: list[list[dict[str, Any]]] = []
    for speed in (1, 7):
        slept: list[float] = []
        with serving(Standin()) as standin:
            done = simulate(standin.url, speed=speed, sleep=slept.append)
        assert done.taken
        assert done.seconds == pytest.approx(SECONDS)
        assert sum(slept) == pytest.approx(SECONDS / speed)
        assert max(slept) < 4
        made.append(standin.events)
        assert len(standin.blobs) >= 5
    assert made[0] == made[1]


def test_the_run_shows_what_there_is_to_see(server: Standin) -> None:
    done = simulate(server.url, sleep=lambda _: None)
    ledger = read(server)
    actors = [lane.actor for lane in ledger.lanes]
    names = ("orders", "profile", "history", "callers", "docs", "test", "review", "review-2")
    subs = [f"agent:wren/sub-{name}@3.2.0" for name in names]
    assert actors == [ACTOR, *subs]
    above = {lane.actor: lane.above.actor for lane in ledger.lanes if lane.above is not None}
    assert above == dict.fromkeys(subs, ACTOR) | {subs[4]: subs[1]}
    found = links(ledger, 0)
    assert len(found) == len(subs)
    assert all(len(each) == 1 and each[0].certain for each in found.values())
    assert {ledger.pointer_at(row) for row in range(len(ledger)) if ledger.kind_at(row).agent} == {
        Pointer.OK, Pointer.ROOT,
    }  # fmt: skip
    (session,) = ledger.sessions
    assert session.failed >= 6
    events = [each["event"] for each in server.events]
    retries = [
        (now, parent)
        for _, now, parent, _ in server.rows()
        if parent and server.event(parent).get("success") is False
    ]
    assert [tool for tool, _ in retries] == ["Bash", "WebFetch", "mcp__tickets__comment"]
    assert "[REDACTED]" in json.dumps(events)
    assert b"demo0demo0" not in b"".join(body for _, _, body in server.asked)

    assert done.rewound_to is not None
    assert ledger.generation == 1
    gone = {each.event.seq: (each.event.actor, each.invalid) for each in ledger.gone}
    assert list(gone) == list(range(done.rewound_to + 1, done.rewound_to + 12))
    # The truncation took something that §3 would have kept, and that agent goes on from what it still has.
    assert [each for each in gone.values() if each != (ACTOR, True)] == [(subs[0], False)] * 2
    after = [row for row in server.rows() if row[0] > done.rewound_to]
    assert after[:2] == [
        (done.rewound_to + 1, "LedgerRewind", done.rewound_to, ""),
        (done.rewound_to + 2, "user_prompt", done.rewound_to, "human:jo"),
    ]
    (before,) = [row[0] for row in server.rows() if row[1::2] == ("llm_inference", subs[0]) and row[0] < 42]
    assert next(row for row in after if row[3] == subs[0])[1:3] == ("Bash", before)
    assert len(after) > 20
    # To rewind to what the innermost sub-agent read would carry away what followed from it, and nothing else.
    fetched = [seq for seq, tool, _, _ in server.rows() if tool == "WebFetch"]
    carried = rewind(ledger, fetched[-1])
    assert set(carried.invalidated) < {row[0] for row in server.rows() if row[0] > fetched[-1]}


def test_a_run_without_a_rewind(server: Standin) -> None:
    done = simulate(server.url, sleep=lambda _: None, rewind=False)
    assert done.rewound_to is None
    assert server.generations == []
    assert "LedgerRewind" not in server.tools()


def test_a_run_goes_on_in_a_ledger_that_has_events(server: Standin) -> None:
    with RecorderClient(server.url, actor="agent:other/main@1", timeout=LONG) as other:
        other.prompt("earlier", by="human:me")
        other.inference()
    done = simulate(server.url, sleep=lambda _: None)
    assert done.rewound_to == 43
    assert server.rows()[:3][2] == (3, "user_prompt", None, "human:jo")


def test_a_run_without_a_server_ends_as_well(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    with RecorderClient(url, actor=ACTOR, flush=0.1) as client:
        done = simulate(client, sleep=lambda _: None)
    assert not done.taken
    assert done.rewound_to is None
    assert "no recorder answers" in caplog.text


# --- demo --serve

CODE = """
import argparse, sys
from korg_tui.recorder import demo
demo.FIRST_PORT = int(sys.argv[1])
parser = argparse.ArgumentParser()
demo.demo_options(parser)
sys.exit(demo.demo_serve(parser.parse_args(sys.argv[2:])))
"""


class Demo:
    """`demo --serve` in a process of its own, and what it has said so far."""

    def __init__(self, folder: Path, *more: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        command = [sys.executable, "-W", "error", "-c", CODE, str(self.port), "--serve", *more]
        environment = {
            "PATH": "/usr/bin:/bin",
            "TMPDIR": str(folder),
            "HOME": str(folder),
            "KORG_TOKEN": "a-token-for-others",
            "KORG_BLOB_DIR": "elsewhere",
        }
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment
        )
        self.said = ""

    def until(self, words: str) -> None:
        """Read what it says until these words come."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line
            if words in line:
                return
        raise AssertionError(f"{words!r} was not said: {self.said}")

    def rest(self) -> str:
        """What it says until nobody is left who could say something: neither the process nor its child."""
        assert self.process.stderr is not None
        self.said += self.process.stderr.read()
        self.process.stderr.close()
        self.process.wait(LONG)
        return self.said

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=LONG) as answer:
            return answer.read()


def test_demo_serve_plays_the_run_into_a_server_and_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    demo = Demo(tmp_path, "--speed", "500")
    demo.until("the run has ended; the server goes on until you press ctrl+c")
    assert demo.said.count(f"in another terminal: korg-tui http://127.0.0.1:{demo.port}\n") == 1
    assert f"a simulated run of several agents is being played, {SECONDS / 500:.0f} s long" in demo.said
    total, *lines = demo.get("/api/journal").splitlines()
    with serving(Standin()) as standin:
        simulate(standin.url, sleep=lambda _: None)
    assert total == f"// total events: {len(standin.events)}".encode()
    same = ("source_agent", "tool_name", "args", "result", "success", "duration_ms", "payload_refs")
    served = [json.loads(line)["event"] for line in lines]
    assert [[each.get(name) for name in same] for each in served] == [
        [each["event"].get(name) for name in same] for each in standin.events
    ]  # fmt: skip
    (temporary,) = [path for path in tmp_path.iterdir() if path.name.startswith("korg-tui-demo-")]
    assert f"{temporary} is temporary, and removed at the end; --store FOLDER keeps" in demo.said
    demo.process.send_signal(signal.SIGINT)
    assert "Traceback" not in demo.rest()
    assert demo.said.endswith(f"korg-tui: {temporary} was removed, with all that was recorded\n")
    assert demo.process.wait(LONG) == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda end: end.name)
def test_whatever_ends_it_half_way_ends_its_server(tmp_path: Path, end: signal.Signals) -> None:
    demo = Demo(tmp_path, "--store", "kept")
    demo.until("is being played")
    demo.process.send_signal(end)
    assert "Traceback" not in demo.rest()
    code = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[end]
    assert demo.process.wait(LONG) == code
    assert (tmp_path / "kept" / "korg-tui.jsonl").exists()
    assert "temporary" not in demo.said and "removed" not in demo.said
    with pytest.raises(OSError):
        demo.get("/api/journal")


def test_a_taken_port_is_passed_over(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code = f"from korg_tui.recorder import demo\ndemo.FIRST_PORT = {port}\nprint(demo._free_port())"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG, check=True
        )
    assert port < int(done.stdout) < port + 20


@pytest.mark.parametrize("speed", ["0", "-1", "nan", "inf"])
def test_a_speed_that_is_none_is_one_line(tmp_path: Path, speed: str) -> None:
    demo = Demo(tmp_path, f"--speed={speed}")
    assert demo.rest().splitlines()[-1].endswith("SourceError: --speed must be a number above 0")


def test_a_store_that_it_did_not_begin_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "korg-tui.jsonl").write_text('{"seq_id": 1}\n')
    demo = Demo(tmp_path, "--store", "kept")
    said = demo.rest()
    assert re.fullmatch(r"korg-tui: [^\n]+\n", said), said
    assert demo.process.wait(LONG) in (2, 3)

"""The whole of it: an agent posts, a recorder keeps, and the screen follows, whatever comes between them."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from korg_tui.app import KorgApp
from korg_tui.config import Settings
from korg_tui.recorder.client import RecorderClient
from korg_tui.screens import SessionScreen
from korg_tui.sources import open_sources
from recorder_load import stored
from recording import DEADLINE, call, process
from running_ledger import Running
from stage import keys
from wire_server import WireServer

ACTOR = "agent:wren/main@1"
STEP = 0.05
FULL = """
import resource, signal, sys
from korg_tui.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
sys.exit(main(["serve", *sys.argv[1:]]))
"""


def screen_over(*names: str) -> KorgApp:
    return KorgApp(open_sources(names, wait=True, every=0.2), settings=Settings(utc=True))


async def until(pilot, holds: Callable[[SessionScreen], object]) -> SessionScreen:
    """The session, when this holds of it."""
    for _ in range(round(DEADLINE / STEP)):
        await pilot.pause(STEP)
        if isinstance(pilot.app.screen, SessionScreen) and holds(pilot.app.screen):
            return pilot.app.screen
    said = pilot.app.screen.status.plain
    raise AssertionError(f"it did not come to pass; the status is {said!r}")


def holds(count: int) -> Callable[[SessionScreen], bool]:
    return lambda screen: screen.spine.last_seq >= count and len(screen.spine) == count


def says(words: str) -> Callable[[SessionScreen], bool]:
    return lambda screen: words in screen.status.plain


def names_what_is_missing(screen: SessionScreen) -> bool:
    """Every one of 550 events is there, or counted as not loaded."""
    ledger = screen.ledger
    there = sum(ledger.seq_at(row) is not None for row in range(len(ledger)))
    missing = f"{ledger.not_loaded:,} events not loaded" in screen.status.plain
    return ledger.seq[-1] == 550 and there + ledger.not_loaded == 550 and missing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".korg"


async def test_what_the_client_posts_is_followed_without_a_gap(folder: Path):
    with process(folder) as server, RecorderClient(server.url, actor=ACTOR) as client:
        client.prompt("Go on for a while.", by="human:jo")
        client.inference({"text": "I do."})
        app = screen_over(server.url)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, holds(2))
            for number in range(300):
                client.tool("Bash", {"command": f"echo {number}"}, {"exit_code": 0})
                if number % 50 == 49:
                    client.inference({"text": f"So far: {number}."})
                    await pilot.pause(STEP)
            screen = await until(pilot, holds(308))
            ledger = screen.ledger
            assert list(ledger.seq) == list(range(1, 309))
            assert (ledger.holes, ledger.generation) == ((), 0)
            assert all(ledger.pointer_at(row).word in ("ok", "root") for row in range(len(ledger)))


async def test_a_server_that_ends_and_begins_again_is_followed_on(folder: Path):
    with process(folder) as server:
        server.post(call("user_prompt", args={"prompt": "go"}))
        app = screen_over(server.url)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, holds(1))
            server.end(signal.SIGTERM)
            await until(pilot, says("offline"))
            with process(folder, "--port", str(server.port)) as again:
                again.post(call("Read", 1))
                screen = await until(pilot, holds(2))
                await until(pilot, says("back since"))
                assert screen.ledger.generation == 0


async def test_a_ledger_that_is_pulled_away_is_written_again_and_the_screen_says_so(folder: Path):
    path = folder / "korg-tui.jsonl"
    with process(folder) as server:
        server.post(call("user_prompt", args={"prompt": "go"}))
        app = screen_over(str(path))
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, holds(1))
            path.rename(folder.parent / "taken.jsonl")
            await until(pilot, lambda screen: says("gone since")(screen) or says("back since")(screen))
            assert server.post(call("Read", 1)).json() == {"seq_id": 2}
            screen = await until(pilot, holds(2))
            await until(pilot, says("back since"))
            assert screen.ledger.generation == 0
        server.end()
    assert [event["seq_id"] for event in stored(folder)] == [1, 2]


async def test_a_full_disk_is_told_and_passes(folder: Path):
    with process(folder, code=FULL) as server:
        server.post(call("user_prompt", args={"prompt": "go"}))
        app = screen_over(server.url)
        async with app.run_test(size=(160, 40)) as pilot:
            await until(pilot, holds(1))
            acknowledged = 1
            while (answer := server.post(call("Read", 1, args={"text": "x" * 900}))).status == 200:
                acknowledged = answer.json()["seq_id"]
            assert answer.status == 507
            await until(pilot, says("records nothing now"))
            await until(pilot, holds(acknowledged))
            limits = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            if sys.platform == "linux":
                resource.prlimit(server.popen.pid, resource.RLIMIT_FSIZE, limits)
                assert server.post(call("Read", 1)).json() == {"seq_id": acknowledged + 1}
                await until(pilot, says("back since"))
                await until(pilot, holds(acknowledged + 1))
        server.end()
    assert len(stored(folder)) >= acknowledged


@pytest.mark.parametrize("capabilities", ["whole", "none"])
async def test_a_burst_at_a_server_of_a_hundred_events_ends_complete_or_named(capabilities: str):
    with WireServer() as server:
        running = Running(server)
        running.add(50)
        server.capabilities = capabilities
        app = screen_over(server.url)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, holds(50))
            running.add(500)
            if capabilities == "whole":
                screen = await until(pilot, holds(550))
                assert screen.ledger.holes == ()
                return
            await until(pilot, names_what_is_missing)


async def test_a_rewind_of_the_store_is_a_generation_on_the_screen(folder: Path):
    with process(folder) as server, RecorderClient(server.url, actor=ACTOR) as client:
        client.prompt("Mend it.", by="human:jo")
        client.inference({"text": "I try."})
        client.tool("Edit", {"file_path": "a.py"})
        client.inference({"text": "That was wrong."})
        app = screen_over(server.url)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, holds(4))
            assert client.rewind(2, by="human:jo", reason="again") == 3
            client.inference({"text": "Another way."})
            screen = await until(pilot, lambda screen: screen.ledger.generation == 1)
            await until(pilot, lambda screen: len(screen.ledger) == 4)
            told = "rewound to 2 by human:jo: 2 dropped; the rules would have kept 0 of them"
            assert screen.notices == [told]
            assert [gone.event.seq for gone in screen.ledger.gone] == [3, 4]
            await keys(pilot, "a")
            assert screen.notices == []

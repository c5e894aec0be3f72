"""What is opened when nothing is named, in the order of EXPERIENCE, Starting."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

import builders
from korg_tui.sources import Discovery, discover, open_sources
from korg_tui.sources.errors import NotThere
from korg_tui.sources.http.probe import probe
from wire_server import WireServer

LEDGER = builders.table(builders.WORKED_EXAMPLE)
NOBODY = "no answer: connection refused"


@pytest.fixture(autouse=True)
def at_the_default_address(_no_server_of_this_machine: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked there: these tests say themselves who answers."""
    monkeypatch.setattr(sys.modules["korg_tui.sources.discover"], "DEFAULT", "http://127.0.0.1:8080")


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(LEDGER.nested())
    return path


class Servers:
    """Who answers, and who was asked."""

    def __init__(self, *answering: str) -> None:
        self.answering = answering
        self.asked: list[tuple[str, float]] = []

    def __call__(self, url: str, seconds: float) -> None:
        self.asked.append((url, seconds))
        if url not in self.answering:
            raise NotThere(NOBODY)


def found(here: Path, home: Path, *answering: str, **environment: str) -> Discovery:
    return discover(here, environment=environment, home=home, ask=Servers(*answering))


def test_the_folder_of_this_project(tmp_path):
    here, home = tmp_path / "project" / "src", tmp_path / "home"
    here.mkdir(parents=True)
    journal = put(tmp_path / "project" / ".korg" / "journal.jsonl")
    put(home / ".korg" / "journal.jsonl")
    discovery = found(here, home, "http://127.0.0.1:8080")
    assert discovery.names == (str(journal.parent),)
    assert discovery.why == f"{tmp_path}/project/.korg (of a folder above this one)"
    assert discovery.looked == (
        "$KORG_JOURNAL_PATH: not set",
        "$KORG_URL, $KORG_BASE_URL, $KORG_SERVER_ADDR: not set",
        f"{here}/.korg: not there (of this folder)",
        f"{tmp_path}/project/.korg: a folder with ledgers",
    )


@pytest.mark.parametrize("name", ["a.jsonl", "sub/a.jsonl", "sessions/a.jsonl", "x/ledger", "korg-tui.jsonl"])
def test_a_ledger_is_found_by_its_content_whatever_it_is_called(tmp_path, name):
    (tmp_path / ".korg").mkdir()
    (tmp_path / ".korg" / "README").write_text("no ledger")
    put(tmp_path / ".korg" / name)
    assert found(tmp_path, tmp_path / "home").names == (str(tmp_path / ".korg"),)


def test_all_ledgers_of_the_folder_are_opened(tmp_path):
    there = [put(tmp_path / ".korg" / name) for name in ("01.jsonl", "journal.jsonl", "sub/a.jsonl")]
    opened = open_sources(found(tmp_path, tmp_path / "home").names)
    assert [source.name for source in opened] == list(map(str, there))


def test_a_folder_is_looked_through_only_as_far_as_the_first_ledger(tmp_path, monkeypatch):
    folder = sys.modules["korg_tui.sources.folder"]
    looked: list[str] = []
    holds_events = folder.holds_events
    monkeypatch.setattr(folder, "holds_events", lambda path: looked.append(path.name) or holds_events(path))
    (tmp_path / ".korg").mkdir()
    (tmp_path / ".korg" / "a").write_text("no ledger")
    for name in ("b", "c", "d"):
        put(tmp_path / ".korg" / name)
    assert found(tmp_path, tmp_path / "home").names
    assert looked == ["a", "b"]


def test_a_folder_full_of_other_files_is_not_looked_through_to_its_end(tmp_path, monkeypatch):
    for room in ("folder", "discover"):
        monkeypatch.setattr(sys.modules[f"korg_tui.sources.{room}"], "GLANCE", 3)
    (tmp_path / ".korg").mkdir()
    for name in "abc":
        (tmp_path / ".korg" / name).write_text("no ledger")
    assert found(tmp_path, tmp_path).looked[2].startswith(f"{tmp_path}/.korg: no ledger in it (")
    (tmp_path / ".korg" / "d").write_text("no ledger")
    looked = found(tmp_path, tmp_path).looked
    assert looked[2].startswith(f"{tmp_path}/.korg: no ledger among the first 3 files")


def test_a_file_that_cannot_be_read_is_counted_where_there_is_no_ledger(tmp_path, monkeypatch):
    def refuse(path: Path) -> bool:
        raise PermissionError(path)

    monkeypatch.setattr(sys.modules["korg_tui.sources.folder"], "holds_events", refuse)
    put(tmp_path / ".korg" / "a.jsonl")
    looked = found(tmp_path, tmp_path).looked
    assert looked[2] == f"{tmp_path}/.korg: no ledger in it, but 1 unreadable (of this folder)"


def test_a_session_that_comes_later_is_in_what_was_found(tmp_path):
    put(tmp_path / ".korg" / "sessions" / "a.jsonl")
    names = found(tmp_path, tmp_path / "home").names
    put(tmp_path / ".korg" / "sessions" / "b.jsonl")
    assert len(open_sources(names)) == 2


def test_the_variable_with_a_path_comes_first(tmp_path):
    put(tmp_path / ".korg" / "journal.jsonl")
    journal = put(tmp_path / "elsewhere")
    url = "http://here:1"
    chosen = found(tmp_path, tmp_path, url, KORG_JOURNAL_PATH=str(journal), KORG_URL=url)
    assert chosen.names == (str(journal),)
    missing = found(tmp_path, tmp_path, KORG_JOURNAL_PATH=str(tmp_path / "missing"))
    assert missing.names == (str(tmp_path / ".korg"),)
    assert missing.looked[0] == f"{tmp_path}/missing: not there (named by KORG_JOURNAL_PATH)"


@pytest.mark.parametrize(
    ("environment", "name", "why"),
    [
        ({"KORG_URL": "http://a:1"}, "http://a:1", "named by KORG_URL"),
        ({"KORG_URL": "https://a/x/"}, "https://a/x/", "named by KORG_URL"),
        ({"KORG_BASE_URL": "http://b:2", "KORG_SERVER_ADDR": "c:3"}, "http://b:2", "named by KORG_BASE_URL"),
        ({"KORG_SERVER_ADDR": "127.0.0.1:3"}, "http://127.0.0.1:3", "named by KORG_SERVER_ADDR"),
    ],
)
def test_a_variable_with_an_address_comes_before_the_folders(
    tmp_path, environment: Mapping[str, str], name: str, why: str
):
    put(tmp_path / ".korg" / "journal.jsonl")
    discovery = found(tmp_path, tmp_path, name, **environment)
    assert discovery.names == (name,)
    assert discovery.why == f"{name.rstrip('/')} ({why})"


def test_an_address_that_does_not_answer_is_passed_over(tmp_path):
    journal = put(tmp_path / ".korg" / "journal.jsonl")
    environment = {
        "KORG_URL": "http://me:secret@a:1",
        "KORG_BASE_URL": "gopher://b",
        "KORG_SERVER_ADDR": "c:x",
    }
    discovery = found(tmp_path, tmp_path, **environment)
    assert discovery.names == (str(journal.parent),)
    assert discovery.looked[1:4] == (
        f"http://a:1: {NOBODY} (named by KORG_URL)",
        "gopher://b: not an address (named by KORG_BASE_URL)",
        "http://c:x: not an address (named by KORG_SERVER_ADDR)",
    )


def test_a_server_on_this_machine_comes_before_the_home_folder(tmp_path):
    here, home = tmp_path / "home" / "project", tmp_path / "home"
    here.mkdir(parents=True)
    put(home / ".korg" / "journal.jsonl")
    discovery = found(here, home, "http://127.0.0.1:8080")
    assert discovery.names == ("http://127.0.0.1:8080",)
    assert discovery.why == "http://127.0.0.1:8080 (a server on this machine)"
    asking = Servers()
    discover(here, environment={}, home=home, ask=asking)
    assert asking.asked == [("http://127.0.0.1:8080", 0.3)]


def test_the_home_folder_comes_last(tmp_path):
    here, home = tmp_path / "here", tmp_path / "home"
    here.mkdir()
    old = put(home / ".korg" / "claude-events.jsonl")
    assert found(here, home).names == (str(old.parent),)
    put(tmp_path / "korg" / "sessions" / "s.jsonl")
    assert found(here, home, KORG_HOME=str(tmp_path / "korg")).names == (str(tmp_path / "korg"),)


def test_the_home_folder_comes_last_under_another_name_too(tmp_path):
    here, home = tmp_path / "disk" / "project", tmp_path / "home"
    here.mkdir(parents=True)
    home.symlink_to(tmp_path / "disk")
    put(home / ".korg" / "journal.jsonl")
    server = "http://127.0.0.1:8080"
    assert found(here, home, server).names == (server,)
    assert found(here, home).names == (str(home / ".korg"),)


def test_nothing_anywhere_says_where_it_looked(tmp_path):
    (tmp_path / "home" / ".korg").mkdir(parents=True)
    discovery = found(tmp_path / "here", tmp_path / "home")
    assert discovery.names == ()
    assert discovery.looked == (
        "$KORG_JOURNAL_PATH: not set",
        "$KORG_URL, $KORG_BASE_URL, $KORG_SERVER_ADDR: not set",
        f"{tmp_path}/here/.korg: not there (of this folder)",
        f"http://127.0.0.1:8080: {NOBODY} (a server on this machine)",
        "$KORG_HOME: not set",
        f"{tmp_path}/home/.korg: no ledger in it (of the home folder)",
    )


# asking


@pytest.fixture
def server():
    with WireServer() as running:
        running.hold(LEDGER.nested())
        yield running


def refusal(url: str, seconds: float = 5) -> str:
    with pytest.raises(NotThere) as refused:
        probe(url, seconds)
    return str(refused.value)


def test_a_server_that_gives_a_journal_is_believed(server):
    probe(server.url, 5)
    probe(f"{server.url}/api/journal/", 5)
    server.hold(b"")
    probe(server.url, 5)
    assert refusal(server.url.replace("http:", "https:")) == "no answer: no secure connection"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("html", "another server: it gives no journal"),
        ("garbage", "another server: it gives no journal"),
        ("not http", "another server: it gives no journal"),
        ("redirect", "another server: it answers 302"),
        ("404", "another server: it answers 404"),
        ("500", "another server: it answers 500"),
    ],
)
def test_another_server_is_not_believed(server, wrong, why):
    server.wrong = wrong
    assert refusal(server.url) == why


def test_a_server_that_says_nothing_is_not_waited_for(server):
    server.wrong = "silent"
    assert refusal(server.url, 0.1) == "no answer within 0.1 s"


def test_a_server_that_never_ends_its_answer_is_not_waited_for():
    listening = socket.create_server(("127.0.0.1", 0))
    hung_up = threading.Event()

    def drip() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            while not hung_up.wait(0.01):
                connection.sendall(b"X")
        hung_up.set()

    threading.Thread(target=drip, daemon=True).start()
    with listening:
        assert refusal(f"http://127.0.0.1:{listening.getsockname()[1]}", 0.2) == "no answer within 0.2 s"
        hung_up.set()


def test_nobody_listens(server):
    server.goes()
    assert refusal(server.url) == NOBODY
    assert refusal("http://nowhere.invalid") == "no answer: its name cannot be found"
    server.comes()

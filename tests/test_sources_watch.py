"""Being told of changes: only of one's own, and never left waiting by a backend that fails."""

from __future__ import annotations

import queue
import threading
from pathlib import Path

import pytest

from korg_tui.sources.notify import Notify
from korg_tui.sources.watch import Watcher, new_backend

PATIENCE = 20


class Script:
    """A backend that reports what a test tells it."""

    def __init__(self) -> None:
        self.reports: queue.Queue[object] = queue.Queue()
        self.folders: list[Path] = []

    def add(self, folder: Path) -> None:
        if not folder.is_dir():
            raise FileNotFoundError(folder)
        self.folders.append(folder)

    def discard(self, folder: Path) -> None:
        self.folders = [other for other in self.folders if other != folder]

    def wait(self) -> object:
        report = self.reports.get()
        if isinstance(report, Exception):
            raise report
        return report

    def stop(self) -> None:
        self.reports.put(None)


@pytest.fixture
def script():
    return Script()


@pytest.fixture
def woken(script, tmp_path):
    """Two subscribers, of `a` and of `b`, and the names of those that were woken."""
    names: queue.Queue[str] = queue.Queue()
    watcher = Watcher(lambda: script)
    subscriptions = [watcher.subscribe(lambda name=name: names.put(name)) for name in "ab"]
    assert [each.follow(tmp_path / name) for each, name in zip(subscriptions, "ab", strict=True)] == [
        True,
        True,
    ]
    yield names
    for subscription in subscriptions:
        subscription.close()


def test_only_who_follows_an_entry_is_woken(script, woken, tmp_path):
    script.reports.put([(tmp_path, "other")])
    script.reports.put([(tmp_path, "b"), (tmp_path, "b")])
    assert woken.get(timeout=PATIENCE) == "b"
    script.reports.put([(tmp_path, None)])
    assert [woken.get(timeout=PATIENCE) for _ in "ab"] == ["a", "b"]
    assert woken.empty()


def test_what_does_not_exist_is_awaited_in_the_nearest_folder_that_does(script, tmp_path):
    watcher = Watcher(lambda: script)
    names: queue.Queue[str] = queue.Queue()
    subscription = watcher.subscribe(lambda: names.put("woken"))
    path = tmp_path / "x" / "y" / "ledger"
    assert subscription.follow(path)
    assert set(script.folders) == {tmp_path}
    script.reports.put([(tmp_path, "x")])
    assert names.get(timeout=PATIENCE)
    path.parent.mkdir(parents=True)
    assert subscription.follow(path)
    assert set(script.folders) == {path.parent}
    subscription.close()
    assert script.folders == []


def test_a_backend_that_dies_leaves_nobody_waiting(script, tmp_path):
    watcher = Watcher(lambda: script)
    subscription = watcher.subscribe(lambda: None)
    assert subscription.follow(tmp_path / "ledger")
    script.reports.put(RuntimeError("lost"))
    for thread in threading.enumerate():
        if thread.name == "korg-watch":
            thread.join(timeout=PATIENCE)
    assert not subscription.follow(tmp_path / "ledger")
    subscription.close()


def test_a_system_without_notification_says_so(tmp_path):
    subscription = Watcher(lambda: None).subscribe(lambda: None)
    assert not subscription.follow(tmp_path / "ledger")
    subscription.close()


@pytest.mark.parametrize("backend", [new_backend, Notify])
def test_a_backend_reports_entries_and_ends(backend, tmp_path):
    made = backend()
    assert made is not None
    made.add(tmp_path)
    with pytest.raises(OSError, match="No such file"):
        made.add(tmp_path / "missing")
    reports: queue.Queue[object] = queue.Queue()

    def listen() -> None:
        while (report := made.wait()) is not None:
            reports.put(report)

    listener = threading.Thread(target=listen)
    listener.start()
    written = 0
    while True:
        (tmp_path / "ledger").write_bytes(b"x" * written)
        written += 1
        try:
            if (tmp_path, "ledger") in reports.get(timeout=1):
                break
        except queue.Empty:
            assert written < PATIENCE
    made.stop()
    listener.join(timeout=PATIENCE)
    assert not listener.is_alive()


def test_listeners_hear_the_names_in_their_folders_and_only_those(script, tmp_path):
    watcher = Watcher(lambda: script)
    heard: queue.Queue[tuple[Path, str | None]] = queue.Queue()
    listening = watcher.listen(lambda folder, name: heard.put((folder, name)))
    inner = tmp_path / "inner"
    assert not listening.add(inner)
    inner.mkdir()
    assert listening.add(inner)
    script.reports.put([(tmp_path, "inner"), (inner, "a"), (inner, None)])
    assert [heard.get(timeout=PATIENCE) for _ in range(2)] == [(inner, "a"), (inner, None)]
    assert heard.empty()
    subscription = watcher.subscribe(lambda: None)
    assert subscription.follow(inner / "a")
    listening.discard(inner)
    assert set(script.folders) == {inner}
    subscription.close()
    assert script.folders == []
    listening.close()


@pytest.mark.parametrize("backend", [new_backend, Notify])
def test_a_folder_known_by_two_names_is_told_of_by_both(backend, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    watcher = Watcher(backend)
    heard: queue.Queue[Path] = queue.Queue()
    listening = watcher.listen(lambda folder, name: heard.put(folder) if name == "a" else None)
    assert listening.add(tmp_path / "real")
    assert listening.add(tmp_path / "link")
    told: set[Path] = set()
    for written in range(PATIENCE):
        (tmp_path / "real" / "a").write_bytes(b"x" * written)
        try:
            while len(told) < 2:
                told.add(heard.get(timeout=1))
            break
        except queue.Empty:
            pass
    assert told == {tmp_path / "real", tmp_path / "link"}
    listening.discard(tmp_path / "real")
    listening.close()

"""Reports of faults say where the cause is, and are written over nothing."""

from __future__ import annotations

import re
from pathlib import Path

from textual.worker import WorkerFailed

from korg_tui import faults


def test_where_nobody_knows_of_a_home_it_is_the_root(monkeypatch):
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(faults.Path, "home", nobody)
    assert faults.state_folder() == Path("/.local/state/korg-tui")


def deep_cause() -> None:
    raise KeyError("the cause")


def report_of(fault: BaseException) -> tuple[str, str]:
    line = faults.report(fault)
    return line, Path(line.rpartition(" ")[2]).read_text()


def test_the_report_of_a_worker_has_the_frames_of_what_went_wrong_in_it():
    try:
        deep_cause()
    except KeyError as error:
        fault = WorkerFailed(error)
    line, text = report_of(fault)
    assert line.startswith("an internal fault (KeyError)")
    assert "in deep_cause" in text and "WorkerFailed" in text


def test_what_a_traceback_tells_of_by_itself_is_not_told_twice():
    try:
        try:
            deep_cause()
        except KeyError as error:
            raise WorkerFailed(error) from error
    except WorkerFailed as raised:
        fault = raised
    assert report_of(fault)[1].count("in deep_cause") == 1


def test_a_fault_that_wraps_itself_ends():
    fault = WorkerFailed(ValueError())
    fault.error = fault
    assert report_of(fault)[0].startswith("an internal fault (WorkerFailed)")


def test_a_report_is_for_this_person_alone_and_replaces_none(state_home):
    first, second = (Path(faults.report(ValueError()).rpartition(" ")[2]) for _ in range(2))
    assert first != second
    assert first.parent == state_home / "korg-tui" / "reports"
    assert first.stat().st_mode & 0o777 == 0o600
    assert re.fullmatch(r"fault-\d{8}-\d{6}-\d+-[0-9a-f]{4}\.txt", first.name)

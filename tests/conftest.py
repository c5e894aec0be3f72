"""What all tests share: where the shots of the screens lie, one zone of time, no server of this machine."""

from __future__ import annotations

import gc
import os
import time
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_textual_snapshot
import textual._wait
import textual.screen
from hypothesis import settings
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from korg_tui.views import Room

if TYPE_CHECKING:
    from syrupy.location import PyTestLocation
    from textual.css.stylesheet import CSSLocation

settings.register_profile("suite", derandomize=True, database=None, deadline=None, max_examples=60)
settings.load_profile("suite")

# A pilot waits after each key until the program rests, for longer than a screen lets changes gather.
# Both are made short here.
textual.screen.UPDATE_PERIOD = 1 / 400  # type: ignore[misc]
textual._wait.SLEEP_GRANULARITY = 1 / 150
textual._wait.SLEEP_IDLE = textual._wait.SLEEP_GRANULARITY / 20

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"


class FolderedSvg(pytest_textual_snapshot.SVGImageExtension):
    """Shots lie in `snapshots/<test module>/<test>[<size>-<theme>].svg`."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(SNAPSHOTS / Path(test_location.filepath).stem)

    @classmethod
    def _get_file_basename(cls, *, test_location: PyTestLocation, index: object) -> str:
        return test_location.snapshot_name


@pytest.fixture
def foldered_svg(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plugin looks its extension up by name when a shot is compared."""
    monkeypatch.setattr(pytest_textual_snapshot, "SVGImageExtension", FolderedSvg)


@pytest.fixture
def snap_compare(foldered_svg: None, snap_compare):
    """The plugin's comparison, with shots where this project keeps them."""
    return snap_compare


@pytest.fixture(autouse=True)
def _one_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("NO_COLOR", raising=False)
    time.tzset()


@pytest.fixture(autouse=True)
def _details_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Details are whole as soon as they are shown, whatever time that takes."""
    monkeypatch.setattr("korg_tui.screens.previewing.RECORD", 1 << 40)
    monkeypatch.setattr("korg_tui.screens.previewing.at_once", lambda: nullcontext(Room(0)))


@pytest.fixture(autouse=True)
def _no_server_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have a ledger server at the default address."""
    for name in ("KORG_URL", "KORG_BASE_URL", "KORG_SERVER_ADDR", "KORG_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(import_module("korg_tui.sources.discover"), "DEFAULT", "http://127.0.0.1:9")


@pytest.fixture(autouse=True)
def state_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is remembered, and how a person has configured it, is that of each test alone."""
    home = tmp_path_factory.mktemp("xdg")
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    return home / "state"


def pytest_collection_finish() -> None:
    """Whole apps come and go in tests: garbage is looked for less often, which saves a sixth of the time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: many tests wait for a terminal or another process, so that a core can serve two workers."""
    return 2 * min(os.cpu_count() or 1, 4)


# --- style sheets are parsed once per process, not by every app that a test starts

_parse = Stylesheet._parse_rules
_parsed: dict[tuple[object, ...], list[RuleSet]] = {}


def _parsed_once(sheet: Stylesheet, css: str, read_from: CSSLocation, *more: object, **named: object):
    """Rules depend on their text, the place it has in the cascade, and the colours of the theme. Nobody
    changes rules once they are parsed; a text that is wrong raises every time."""
    colours = frozenset(sheet._variables.items())
    key = (css, read_from, more, frozenset(named.items()), colours)
    if key not in _parsed:
        _parsed[key] = _parse(sheet, css, read_from, *more, **named)
    return _parsed[key]


Stylesheet._parse_rules = _parsed_once

# --- a rule is found by identity, as in Textual, but without a call of Python for each of ten million times

RuleSet.__hash__ = object.__hash__

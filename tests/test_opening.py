"""What was typed at a screen that a fault has ended goes neither to the shell nor on the terminal."""

from __future__ import annotations

import os
import pty
import select
import termios
from types import SimpleNamespace

import pytest

from korg_tui import opening
from korg_tui.app import hush


@pytest.fixture
def ends():
    outer, inner = pty.openpty()
    yield outer, inner
    os.close(outer)
    os.close(inner)


def test_typed_keys_are_dropped_and_the_terminal_is_as_before(ends, monkeypatch):
    monkeypatch.setattr(opening, "_QUIET_SECONDS", 0.01)
    outer, inner = ends
    before = termios.tcgetattr(inner)
    reads, read = [], os.read

    def read_and_type_on(descriptor: int, count: int) -> bytes:
        reads.append(read(descriptor, count))
        if len(reads) == 1:
            os.write(outer, b"rm later\n")
        return reads[-1]

    raw = [*before[:3], before[3] & ~(termios.ECHO | termios.ICANON), *before[4:]]
    termios.tcsetattr(inner, termios.TCSANOW, raw)
    os.write(outer, b"rm now\n")
    termios.tcsetattr(inner, termios.TCSANOW, before)
    monkeypatch.setattr(opening.os, "read", read_and_type_on)
    opening.drop_keys(inner, before)
    assert b"later" in b"".join(reads)
    assert termios.tcgetattr(inner) == before
    assert not select.select([inner], [], [], 0)[0]
    assert not select.select([outer], [], [], 0)[0]


def test_a_terminal_that_a_fault_gives_back_echoes_nothing_until_the_keys_are_dropped(ends):
    _, inner = ends
    driver = SimpleNamespace(attrs_before=opening.attributes(inner))
    hush(driver)
    assert not driver.attrs_before[3] & termios.ECHO
    assert opening.attributes(inner)[3] & termios.ECHO
    hush(None)


def test_what_is_no_terminal_is_left_alone():
    there, away = os.pipe()
    os.write(away, b"x")
    opening.drop_keys(there, opening.attributes(there))
    assert os.read(there, 9) == b"x"
    os.close(there)
    os.close(away)

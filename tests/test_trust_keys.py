"""The key of a ledger: from a file or from the environment, or a line that says what is wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from korg_tui.trust import KeyFault, ledger_key
from korg_tui.trust.keys import VARIABLE


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"secret", b"secret"),
        (b"secret\n", b"secret"),
        (b"secret\r\n", b"secret"),
        (b"secret\n\n", b"secret\n"),
        (b" secret \x00\xff\r", b" secret \x00\xff\r"),
    ],
)
def test_the_key_is_the_content_without_the_last_line_feed(tmp_path: Path, content: bytes, key: bytes):
    path = tmp_path / "key"
    path.write_bytes(content)
    assert ledger_key(str(path), {VARIABLE: "another"}) == key


def test_without_a_file_the_environment_has_it():
    assert ledger_key(None, {VARIABLE: "é"}) == "é".encode()
    assert ledger_key(None, {VARIABLE: ""}) is None
    assert ledger_key(None, {}) is None


@pytest.mark.parametrize("content", [b"", b"\n", b"k" * 70_000])
def test_a_file_that_holds_no_key_is_refused_in_one_line(tmp_path: Path, content: bytes):
    path = tmp_path / "key"
    path.write_bytes(content)
    with pytest.raises(KeyFault) as fault:
        ledger_key(str(path), {})
    assert str(fault.value).startswith(f"{path}: ")
    assert "\n" not in str(fault.value)


def test_what_is_no_file_is_refused(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "none", ".", "a\0b"):
        with pytest.raises(KeyFault):
            ledger_key(str(tmp_path / name), {VARIABLE: "another"})

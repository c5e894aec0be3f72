"""Redaction of exports: the recorder's secrets, and the folders that name a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from exporting import SECRET
from korg_tui.export.redaction import NoRedactor, Redactor


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("/home/dusk/work/a.py", "~/work/a.py"),
        ("cd /Users/dusk && ls /Users/dusk/x", "cd ~ && ls ~/x"),
        (r"C:\Users\dusk\x and C:\\Users\\dusk\\x", r"~\x and ~\\x"),
        ("file:///home/dusk/x", "file://~/x"),
        ("'/home/dusk'", "'~'"),
        ("/srv/home/dusk/x", "/srv/home/dusk/x"),
        ("/home/", "/home/"),
        ("see homes/dusk", "see homes/dusk"),
    ],
)
def test_home_folders_are_written_as_a_tilde(text: str, without: str) -> None:
    redactor = Redactor()
    assert redactor.text(text) == without
    assert redactor.value({"x": [text, {text: 1}]}) == {"x": [without, {without: 1}]}
    assert redactor.count == 0


def test_the_home_of_whoever_exports_is_one_wherever_it_lies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    redactor = Redactor()
    assert redactor.text(f"{tmp_path}/me/x and {tmp_path}/menu") == f"~/x and {tmp_path}/menu"
    monkeypatch.setenv("HOME", "/")
    assert Redactor().text("/etc/passwd") == "/etc/passwd"


def test_secrets_are_those_of_the_recorder_and_are_counted_once_for_a_record() -> None:
    redactor = Redactor()
    record = f'{{"args": {{"password": "x1", "text": "a {SECRET} b"}}}}'.encode()
    read = redactor.reader(lambda offset, length: record)
    for _ in range(3):
        assert read(0, len(record)) == b'{"args": {"password": "[REDACTED]", "text": "a [REDACTED] b"}}'
    assert redactor.count == 2
    read(500, len(record))
    assert redactor.count == 4


def test_a_line_that_is_no_json_is_redacted_as_text() -> None:
    record = f"no json: {SECRET} \xff".encode("latin-1")
    assert Redactor().record(record) == "no json: [REDACTED] \ufffd".encode()


def test_the_one_that_does_nothing_does_nothing() -> None:
    none = NoRedactor()
    value = {"password": SECRET}
    assert none.value(value) is value
    assert none.text(SECRET) == SECRET
    assert none.record(b"x") == b"x"
    assert none.count == 0

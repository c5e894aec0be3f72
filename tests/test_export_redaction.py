"""Redaction of exports: the recorder's secrets, and the folders that name a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from exporting import SECRET
from korg_tui.export.redaction import NoRedactor, Redactor
from korg_tui.sources import BlobFound


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
        ("\x1b[34m/home/dusk/x\x1b[0m", "\x1b[34m~/x\x1b[0m"),
        (r'{"out": "a\n/home/dusk/x"}', r'{"out": "a\n~/x"}'),
        ("gcc -I/home/dusk/include -L/home/dusk", "gcc -I~/include -L~"),
        ("--- a/home/dusk/x\n+++ b/home/dusk/x", "--- a~/x\n+++ b~/x"),
        ("import a/home/index.html", "import a/home/index.html"),
        ("/var/home/dusk/x /export/home/dusk /System/Volumes/Data/Users/dusk", "~/x ~ ~"),
        ("/mnt/c/Users/dusk/x /c/Users/dusk/x /cygdrive/c/Users/dusk", "~/x ~/x ~"),
        (r"c:\users\dusk\x C:/Users/dusk c%3A/Users/dusk/x", r"~\x ~ ~/x"),
        (r"C:\Users\Dusk Falls\x 'C:\Users\Dusk Falls'", r"~\x '~'"),
        (r"\\server\Users\dusk\x \\wsl$\Ubuntu\home\dusk\x", r"~\x ~\x"),
        (r"%2Fhome%2Fdusk%2Fx \/home\/dusk\/x /home//dusk/x", r"~%2Fx ~\/x ~/x"),
        ("~/.claude/projects/-home-dusk-work/x C--Users-dusk-work", "~/.claude/projects/~-work/x ~-work"),
        ("cd /home/dusk&&ls", "cd ~&&ls"),
        ("/home/$USER /home/*/x", "/home/$USER /home/*/x"),
        ("GET /users/42 --home-page", "GET /users/42 --home-page"),
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


def test_keys_are_redacted_too_and_stay_apart() -> None:
    redactor = Redactor()
    found = redactor.value({SECRET: 1, f"{SECRET}x": 2, "/home/dusk/a": 3, "/home/dawn/a": 4, "~/a": 5})
    assert found == {"[REDACTED]": 1, "[REDACTED] 2": 2, "~/a 3": 3, "~/a 4": 4, "~/a": 5}
    assert redactor.count == 2


def blob(content: bytes) -> str:
    found = Redactor().blob(BlobFound("0" * 64, "present", "", size=len(content), content=content))
    return (found.content or b"").decode()


def test_a_blob_that_is_json_is_redacted_as_json() -> None:
    assert blob(b'{"password": ["x1"], "db": {"client_secret": "y2"}}') == (
        '{"password": ["[REDACTED]"], "db": {"client_secret": "[REDACTED]"}}'
    )
    assert blob(b'{"api_key": ["x1"]}\n{"b": 1}\n') == '{"api_key": ["[REDACTED]"]}\n{"b": 1}\n'
    long = b'{"a": [{"password": ["x1"]}, "' + b"y" * 70_000 + b'"]}'
    assert blob(long) == '{"a": [{"password": ["[REDACTED]"]}]}'


def test_what_the_bound_of_a_blob_cuts_in_two_goes() -> None:
    lines = ("x" * 1023 + "\n") * 63
    assert blob(f"{lines}{'y' * 1000} {SECRET}\nrest".encode()) == lines
    key = ("A1b2C3d4" * 8 + "\n") * 3
    assert blob(f"a\n{key}-----END PRIVATE KEY-----\n".encode()) == (
        "a\n[REDACTED]\n-----END PRIVATE KEY-----\n"
    )


def test_the_one_that_does_nothing_does_nothing() -> None:
    none = NoRedactor()
    value = {"password": SECRET}
    assert none.value(value) is value
    assert none.text(SECRET) == SECRET
    assert none.record(b"x") == b"x"
    assert none.count == 0

"""From what a person names to ledgers: files, folders, pipes, and nothing at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import builders
from korg_tui.sources import FileSource, SourceError, State, StdinSource, ledgers_in, open_sources

LEDGER = builders.table(builders.WORKED_EXAMPLE)


def put(path: Path, data: bytes = LEDGER.nested()) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_folder_is_walked_and_judged_by_content(tmp_path):
    here = tmp_path / "work"
    ledgers = [
        put(here / ".korg" / "journal.jsonl", LEDGER.flat()),
        put(here / ".korg" / "sessions" / "one.jsonl"),
        put(here / ".korg" / "sessions" / "two.jsonl", b""),
        put(here / "a" / "b" / "c" / "README", LEDGER.array()),
        put(here / "wire", b"// total events: 7\n" + LEDGER.nested()),
    ]
    put(here / ".korg" / "blobs" / "ab" / ("ab" * 32), LEDGER.nested())
    put(here / ".git" / "objects", LEDGER.nested())
    others = [
        put(here / "README.md", b"# words\n"),
        put(here / "key.pem", b"-----BEGIN\n"),
        put(here / "package.json", b'{"name": "x"}'),
        put(here / "empty.py", b""),
        put(here / "binary", os.urandom(100)),
        put(here / ".korg" / "anchors.jsonl", b'{"seq_id": 7, "entry_hash": "00", "anchor_kind": "x"}'),
        put(here / "empty" / "anchors.jsonl", b""),
    ]
    found = ledgers_in(here)
    assert sorted(found.ledgers) == sorted(ledgers)
    assert (found.skipped, found.cut) == (len(others), False)


def test_anchors_opened_by_their_name_are_one_line(tmp_path):
    path = put(tmp_path / "anchors.jsonl", b'{"seq_id": 7, "entry_hash": "00", "anchor_kind": "x"}\n')
    with pytest.raises(SourceError) as refusal:
        list(FileSource(path).start())
    assert refusal.value.text == (
        f"{path}: not a ledger: it is JSON without a Korg event: anchors of the ledger beside it; "
        "give a file or a folder with Korg events"
    )


def test_links_in_a_circle_and_links_to_the_same_file(tmp_path):
    ledger = put(tmp_path / "a" / "ledger")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "again").symlink_to(ledger)
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    (tmp_path / "self").symlink_to(tmp_path / "self")
    assert len(ledgers_in(tmp_path).ledgers) == 1


def test_a_first_record_longer_than_the_first_look(tmp_path):
    book = builders.Book()
    book.prompt("x" * 200_000)
    lines, array = put(tmp_path / "lines", book.nested()), put(tmp_path / "array", book.array())
    assert ledgers_in(tmp_path).ledgers == (array, lines)


def test_names_become_sources_none_twice(tmp_path):
    one, two = put(tmp_path / "one"), put(tmp_path / "more" / "two")
    sources = open_sources([str(one), str(tmp_path), "-", str(two)])
    assert [source.name for source in sources] == [str(one), str(two), "-"]
    assert [type(source) for source in sources] == [FileSource, FileSource, StdinSource]
    for source in sources:
        source.close()


def test_a_name_keeps_its_spelling(tmp_path, monkeypatch):
    put(tmp_path / ".korg" / "journal.jsonl")
    monkeypatch.chdir(tmp_path)
    assert [source.name for source in open_sources([".korg/journal.jsonl"])] == [".korg/journal.jsonl"]
    assert [source.name for source in open_sources(["."])] == [".korg/journal.jsonl"]


def test_a_pipe_has_a_name(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (source,) = open_sources([str(tmp_path / "pipe")])
    assert isinstance(source, StdinSource)
    source.close()


def test_a_file_that_is_not_there_yet_is_waited_for_when_asked(tmp_path):
    for name in ("later.jsonl", "later", "later/"):
        (source,) = open_sources([f"{tmp_path}/{name}"], wait=True)
        (state,) = (fact for fact in source.start() if isinstance(fact, State))
        assert state.state == "waiting"
        assert state.text == f"{tmp_path}/{name} is not there yet; it is read as soon as it appears"
        source.close()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "no such file"),
        ("file/nothing", "no such file"),
        ("empty", "no ledger in this folder: it is empty"),
        ("words", "no ledger in this folder: none of its 1 files holds Korg events"),
        ("n" * 300, "the name is too long"),
        ("nul\0", "cannot be read"),
        ("/dev/null", "a device, not a file"),
    ],
)
def test_what_cannot_be_opened_is_one_line(tmp_path, monkeypatch, name, words):
    put(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    put(tmp_path / "words" / "README", b"# words\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError) as refusal:
        open_sources([name])
    assert refusal.value.text.startswith(f"{name}: ")
    assert words in refusal.value.text
    assert "; " in refusal.value.text
    assert "\n" not in refusal.value.text
    assert refusal.value.exit_code == 3


def test_files_that_cannot_be_read_are_not_called_empty(tmp_path, monkeypatch):
    put(tmp_path / "ledger")
    put(tmp_path / "README", b"# words")
    look = Path.open

    def refuse(path: Path, mode: str) -> object:
        if path.name == "ledger":
            raise PermissionError(13, "Permission denied")
        return look(path, mode)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SourceError, match="1 of its files cannot be read, none of its 1 files holds Korg"):
        open_sources([str(tmp_path)])


def test_a_folder_without_permission_is_one_line(tmp_path, monkeypatch):
    def refuse(_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(SourceError, match="no permission to read it"):
        open_sources([str(tmp_path)])

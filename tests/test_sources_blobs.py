"""Blobs are found near the ledger, in the order of LEDGERS, and never believed without their digest."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from korg_tui.sources import BlobStore, blobs

CONTENT = b"the long prompt\x00"
SHA = hashlib.sha256(CONTENT).hexdigest()


def put(folder: Path, content: bytes = CONTENT, name: str = SHA) -> Path:
    path = folder / name[:2] / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


@pytest.fixture
def store(tmp_path):
    def make(ledger: str = "project/logs/ledger", **environment: str) -> BlobStore:
        return BlobStore(tmp_path / ledger, environment=environment, here=tmp_path / "here")

    return make


@pytest.mark.parametrize(
    "folder",
    [
        "project/logs/blobs",
        "project/logs/.korg/blobs",
        "project/.korg/blobs",
        ".korg/blobs",
        "here/.korg/blobs",
    ],
)
def test_a_blob_is_found_near_its_ledger(tmp_path, store, folder):
    path = put(tmp_path / folder)
    found = store().find(SHA)
    assert (found.state, found.path, found.size) == ("present", path, len(CONTENT))
    assert found.text == "present: 16 bytes, digest verified"
    assert found.read() == CONTENT
    assert found.read(3) == b"the"


def test_the_nearest_comes_first_and_the_variable_before_all(tmp_path, store):
    put(tmp_path / ".korg" / "blobs")
    near = put(tmp_path / "project" / "logs" / "blobs")
    assert store().find(SHA).path == near
    named = put(tmp_path / "named")
    assert store(KORG_BLOB_DIR=str(tmp_path / "named")).find(SHA).path == named


def test_a_ledger_in_a_korg_folder(tmp_path, store):
    path = put(tmp_path / "project" / ".korg" / "blobs")
    assert store("project/.korg/journal.jsonl").find(SHA).path == path
    assert store("project/.korg/sessions/s.jsonl").find(SHA).path == path


def test_without_a_ledger_only_this_folder_is_searched(tmp_path):
    path = put(tmp_path / ".korg" / "blobs")
    assert BlobStore(None, environment={}, here=tmp_path).find(SHA).path == path


def test_other_content_is_wrong_unless_a_right_copy_lies_elsewhere(tmp_path, store):
    wrong = put(tmp_path / "project" / "logs" / "blobs", b"other")
    found = store().find(SHA)
    assert (found.state, found.path) == ("wrong", wrong)
    assert hashlib.sha256(b"other").hexdigest() in found.text
    assert found.read() == b"other"
    put(tmp_path / ".korg" / "blobs")
    assert store().find(SHA).state == "present"


def test_a_missing_blob_says_where_it_was_looked_for(tmp_path, store):
    assert store().find(SHA).text.startswith("missing: there is no blobs folder")
    (tmp_path / "project" / ".korg" / "blobs").mkdir(parents=True)
    found = store().find(SHA)
    assert (found.state, found.text) == ("missing", f"missing: not in {tmp_path}/project/.korg/blobs")
    assert found.read() == b""


@pytest.mark.parametrize("name", ["", "ab", SHA.upper(), "../../etc/passwd", SHA + "\n", "g" * 64])
def test_only_a_digest_is_a_blob_name(store, name):
    assert store().find(name).state == "not a blob name"


def test_what_cannot_be_read_is_said(tmp_path, store, monkeypatch):
    folder = tmp_path / "project" / "logs" / "blobs" / SHA[:2]
    (folder / SHA).mkdir(parents=True)
    assert store().find(SHA).state == "unreadable"
    (folder / SHA).rmdir()
    (folder / SHA).write_bytes(CONTENT)

    def refuse(*words: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(blobs, "open_regular", refuse)
    found = store().find(SHA)
    assert (found.state, found.read()) == ("unreadable", b"")
    assert "no permission to read it" in found.text


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_not_waited_for(tmp_path, store, make):
    path = tmp_path / "project" / "logs" / "blobs" / SHA[:2] / SHA
    path.parent.mkdir(parents=True)
    make(path)
    found = store().find(SHA)
    assert (found.state, found.text) == ("unreadable", f"unreadable: {path} is no file")
    assert found.read() == b""


@pytest.mark.parametrize("private", ["/dev/zero", "private", "blobs", "nowhere"])
def test_no_link_in_a_blobs_folder_is_followed(tmp_path, store, private):
    (tmp_path / "private").write_text("a secret")
    path = tmp_path / "project" / "logs" / "blobs" / SHA[:2] / SHA
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / private)
    found = store().find(SHA)
    assert (found.state, found.read()) == ("unreadable", b"")
    assert found.text == f"unreadable: {path} is a link and leads out of the blobs folder"


def test_nor_is_a_link_instead_of_a_folder_in_it_but_the_blobs_folder_itself_may_be_one(tmp_path, store):
    path = put(tmp_path / "elsewhere")
    logs = tmp_path / "project" / "logs"
    (logs / "blobs").mkdir(parents=True)
    (logs / "blobs" / SHA[:2]).symlink_to(path.parent)
    found = store().find(SHA)
    assert (found.state, found.read()) == ("unreadable", b"")
    (logs / "linked").symlink_to(tmp_path / "elsewhere")
    assert store(KORG_BLOB_DIR=str(logs / "linked")).find(SHA).read() == CONTENT


def test_a_file_that_became_a_link_after_it_was_found_is_not_followed_either(tmp_path, store):
    path = put(tmp_path / "project" / "logs" / "blobs")
    found = store().find(SHA)
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert (found.state, found.read()) == ("present", b"")


def test_at_a_glance_only_small_files_are_verified_and_what_was_verified_stays_so(
    tmp_path, store, monkeypatch
):
    path = put(tmp_path / ".korg" / "blobs")
    monkeypatch.setattr(blobs, "AT_ONCE", 10)
    near = store()
    found = near.glance(SHA)
    assert (found.state, found.size, found.read()) == ("verifying", len(CONTENT), CONTENT)
    assert near.find(SHA).state == "present"
    read = []
    monkeypatch.setattr(blobs, "_digest", lambda descriptor: read.append(descriptor) or "0" * 64)
    assert near.glance(SHA).state == near.find(SHA).state == "present"
    assert not read
    path.write_bytes(b"other content, larger than that")
    assert near.glance(SHA).state == "verifying"
    assert near.find(SHA).state == "wrong"
    monkeypatch.setattr(blobs, "LARGEST_BLOB", 20)
    path.write_bytes(b"yet another content, larger than that")
    assert near.glance(SHA).state == "too big"


def test_a_huge_blob_is_not_read_to_verify_it(tmp_path, store, monkeypatch):
    path = put(tmp_path / ".korg" / "blobs")
    monkeypatch.setattr(blobs, "LARGEST_BLOB", 10)
    found = store().find(SHA)
    assert (found.state, found.size) == ("too big", 16)
    assert str(path) in found.text
    assert found.read(4) == b"the "
    assert store().find(SHA, whole=True).state == "present"

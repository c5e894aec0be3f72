"""Blobs of a server: fetched when somebody looks, verified, and asked about when they are large."""

from __future__ import annotations

import hashlib

import pytest

from korg_tui.sources import blobs as near
from korg_tui.sources.http.source import HttpSource
from wire_server import WireServer

CONTENT = b"what a tool returned"
SHA = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server():
    with WireServer() as running:
        running.blobs[SHA] = CONTENT
        yield running


@pytest.fixture
def blobs(server):
    source = HttpSource(server.url, environment={})
    yield source.blobs
    source.close()


def test_a_blob_is_fetched_once_and_verified(server, blobs):
    found = blobs.find(SHA)
    assert (found.state, found.size, found.read(), found.read(4)) == ("present", 20, CONTENT, b"what")
    assert found.text == "present: 20 bytes from the server, digest verified"
    assert found.url == f"{server.url}/api/blob/{SHA}"
    assert blobs.find(SHA) == found
    assert server.count("/api/blob") == 1
    assert blobs.remote


def test_a_blob_that_the_server_does_not_have(server, blobs):
    sha = "0" * 64
    assert (blobs.find(sha).state, blobs.find(sha).read()) == ("missing", b"")
    server.blobs[sha] = b"?"
    assert blobs.find(sha).state == "wrong"


def test_other_content_is_said_to_be_wrong(server, blobs):
    server.blobs[SHA] = b"something else"
    found = blobs.find(SHA)
    assert (found.state, found.read()) == ("wrong", b"something else")
    assert hashlib.sha256(b"something else").hexdigest() in found.text
    server.blobs[SHA] = CONTENT
    assert blobs.find(SHA).state == "present"


@pytest.mark.parametrize("gzip", [False, True])
def test_a_large_blob_is_fetched_only_when_asked_for(server, blobs, gzip):
    content = bytes(near.ASKED_ABOUT + 1)
    sha = hashlib.sha256(content).hexdigest()
    server.blobs[sha], server.gzip = content, gzip
    found = blobs.find(sha)
    assert (found.state, found.read()) == ("not fetched", b"")
    how_large = "more than 10000000 bytes" if gzip else "10000001 bytes"
    assert found.text == f"not fetched: {how_large} on the server"
    assert blobs.find(sha, whole=True).state == "present"
    assert blobs.find(sha).size == len(content)


def test_a_blob_too_large_for_anybody(server, blobs, monkeypatch):
    monkeypatch.setattr("korg_tui.sources.http.blobs.LARGEST", 10)
    found = blobs.find(SHA, whole=True)
    assert (found.state, found.size) == ("too big", 20)


def test_what_is_no_name_is_not_asked_for(server, blobs):
    assert blobs.find("../../etc/passwd").state == "not a blob name"
    assert server.asked == []


def test_a_server_that_is_away(server, blobs):
    server.goes()
    found = blobs.find(SHA)
    assert found.state == "unreadable"
    assert found.text == "unreadable: the server cannot be reached (connection refused)"
    server.comes()
    assert blobs.find(SHA).state == "present"


def test_only_so_much_is_kept(server, blobs, monkeypatch):
    monkeypatch.setattr("korg_tui.sources.http.blobs.KEPT", 30)
    other = b"fourteen bytes"
    server.blobs[hashlib.sha256(other).hexdigest()] = other
    blobs.find(SHA)
    blobs.find(hashlib.sha256(other).hexdigest())
    blobs.find(SHA)
    assert server.count("/api/blob") == 3


def test_after_closing_nothing_is_fetched(server, blobs):
    blobs.close()
    assert blobs.find(SHA).state == "unreadable"

"""Blobs in the details: each state has its words, and content stands where the reference stood, bounded."""

from __future__ import annotations

import gzip
import hashlib

import pytest

from builders import Book, ref
from korg_tui.formats import body
from korg_tui.sources import BlobFound
from korg_tui.views import blob_line, blob_preview, declared_sizes, judged, references, state_words
from test_views_sniff import png

SHA = hashlib.sha256(b"x").hexdigest()


def present(content: bytes, size: int | None = None) -> BlobFound:
    size = len(content) if size is None else size
    return BlobFound(SHA, "present", "present", url="u", size=size, content=content)


def texts(found: BlobFound, declared: int | None = None, **how) -> list[str]:
    return [line.text for line in blob_preview(found, declared, **how)]


def test_references_are_found_at_any_depth_in_order_with_their_sizes_and_also_those_that_name_no_blob():
    book = Book()
    args = {"a": {"deep": [ref("one"), {"_ref": "../etc/passwd", "size_bytes": 3}]}, "b/c": ref("two")}
    book.tool("Write", None, args=args, result=ref("three"), payload_refs=[ref("one")])
    found = body(book.nested().splitlines()[0])
    assert [(each.pointer, each.size) for each in references(found)] == [
        ("/args/a/deep/0", 3),
        ("/args/a/deep/1", 3),
        ("/args/b~1c", 3),
        ("/result", 5),
        ("/payload_refs/0", 3),
    ]
    assert len(declared_sizes(found)) == 4
    whole = Book()
    whole.tool("Write", None, args=ref("all of it"))
    assert [each.pointer for each in references(body(whole.nested().splitlines()[0]))] == ["/args"]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (present(b"four"), "present and right, 4 B"),
        (BlobFound(SHA, "wrong", "wrong: …", size=3), "wrong content, 3 B"),
        (BlobFound(SHA, "missing", "missing: not in /a"), "missing"),
        (BlobFound(SHA, "unreadable", "unreadable: …"), "unreadable"),
        (BlobFound(SHA, "too big", "too big"), "too big"),
        (BlobFound(SHA, "not fetched", "not fetched", size=42_000_000), "not fetched, 42.0 MB"),
        (BlobFound(SHA, "looking", "looking"), "looking"),
        (BlobFound(SHA, "verifying", "verifying", size=10**6), "verifying, 1.0 MB"),
        (BlobFound("nope", "not a blob name", "not a blob name: …"), "not a blob name"),
    ],
)
def test_every_state_has_its_words(found, words):
    assert state_words(found) == words
    line = blob_line(found)
    assert line.text.startswith(f"{found.sha} {words}")
    assert (line.style == "error") == (words.split(",")[0] in _WRONG)
    assert (line.opens is None) == (words == "not a blob name")


_WRONG = ("wrong content", "missing", "unreadable", "not a blob name")


def test_a_size_that_is_not_the_declared_one_is_said():
    assert judged(present(b"four"), 4).state == judged(present(b"four"), None).state == "present"
    found = judged(present(b"four"), 5)
    assert (found.state, state_words(found)) == ("wrong size", "wrong size: 4 bytes where the event says 5")
    assert blob_line(present(b"four"), 5).style == "error"


def test_a_preview_says_that_it_is_a_blob_and_shows_what_it_is():
    assert texts(present(b"some words\nand more\n")) == [
        f"blob {SHA[:11]}… present and right, 20 B, text, UTF-8", "some words", "and more"
    ]  # fmt: skip
    assert texts(present(b'{"a":[1]}'))[1:] == ["{", '  "a": [', "    1", "  ]", "}"]
    assert texts(present(gzip.compress(b"packed")))[1:] == ["packed"]
    assert texts(present(b"\x00\x01\x02"))[1:] == ["00000000  00 01 02" + " " * 42 + "···"]
    assert texts(present(png(640, 480)))[0].endswith("PNG image, 640 x 480")


def test_a_preview_is_bounded_and_its_last_line_opens_the_whole():
    lines = blob_preview(present(b"word\n" * 500, 5_000_000))
    assert len(lines) == 42
    assert lines[-1].text == "… enter opens the whole of 5.0 MB"
    assert lines[0].opens == lines[-1].opens
    assert texts(present(b'{"a": [' + b"1, " * 30_000, 5_000_000))[-1].startswith("… enter opens")
    assert len(texts(present(bytes(70_000)))) == 10
    assert texts(present(b"x" * 70_000))[-1] == "… enter opens the whole of 70.0 KB"
    bomb = present(gzip.compress(b"word\n" * 10_000_000))
    assert texts(bomb)[-1] == "… enter opens the whole"


def test_other_content_under_the_name_of_a_blob_is_told_of_and_not_shown():
    wrong = BlobFound(SHA, "wrong", "wrong: …", size=8, content=b"a secret")
    lines = blob_preview(wrong)
    assert [line.text for line in lines] == [
        f"blob {SHA[:11]}… wrong content, 8 B, text, UTF-8",
        "not shown here, as it is other content",
    ]
    assert lines[0].opens == lines[1].opens is not None


def test_what_is_not_there_is_said_in_place():
    where = "missing: not in /home/dusk/.korg/blobs"
    assert texts(BlobFound(SHA, "missing", where)) == [f"blob {SHA[:11]}… {where}"]
    assert texts(BlobFound("no\x1bname", "not a blob name", "…")) == ["blob “no␛name” not a blob name"]
    hostile = texts(present(b"\x1b]52;c;AA\x07 [red]x[/red] \xe2\x80\xae"))
    assert "".join(hostile).isprintable()

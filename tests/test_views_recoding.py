"""Content made readable piece by piece: the pieces may be cut anywhere, and bombs stay small."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from korg_tui.views.recoding import PIECE, as_utf8, laid_out, unpacked_pieces

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def pieces(content: bytes, size: int) -> list[bytes]:
    return [content[at : at + size] for at in range(0, len(content), size)]


def laid(content: bytes, size: int = 7) -> str:
    return b"".join(laid_out(pieces(content, size))).decode()


@given(VALUES, st.integers(1, 9))
def test_json_is_laid_out_as_python_does_it_wherever_its_pieces_are_cut(value, size):
    packed = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert laid(packed.encode(), size) == json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def test_json_lines_stand_below_each_other():
    assert laid(b'{"a":1}\n\n{"b":[]}\n3\n4') == '{\n  "a": 1\n}\n{\n  "b": []\n}\n3\n4\n'


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b'{"a":1.50,"a":1e400}', '{\n  "a": 1.50,\n  "a": 1e400\n}\n'),
        (b"[1,,nope}}]", "[\n  1,,\n  nope\n}\n}\n]\n"),
        (b'["never closed \\', '[\n  "never closed \\\n'),
        (b"", ""),
    ],
)
def test_what_is_no_json_is_seen_as_it_is(content, shown):
    assert laid(content, 5) == shown


def test_what_lies_deep_is_not_indented_further():
    lines = laid(b"[" * 500 + b"]" * 500, 64).splitlines()
    assert max(len(line) for line in lines) == 82
    assert len(lines) == 999


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_gzip_is_unpacked_with_all_its_members(size):
    packed = gzip.compress(b"one, ", mtime=0) + gzip.compress(b"two") + b"padding"
    assert b"".join(unpacked_pieces(pieces(packed, size))) == b"one, two"


def test_a_bomb_comes_in_small_pieces():
    bomb = gzip.compress(bytes(30_000_000))
    assert max(len(piece) for piece in unpacked_pieces([bomb])) <= PIECE


@pytest.mark.parametrize(
    ("packed", "words"),
    [
        (gzip.compress(b"word" * 90, mtime=0)[:-9], "cut off"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\0\xff\xff\xff", "damaged"),
    ],
)
def test_what_is_damaged_is_said(packed, words):
    with pytest.raises(ValueError, match=words):
        list(unpacked_pieces([packed]))


@pytest.mark.parametrize("size", [1, 2, 3, 64])
def test_other_encodings_become_utf8(size):
    text = "Grüße, 日本 \U0001f600\n"
    assert b"".join(as_utf8(pieces(text.encode("utf-16"), size), "utf-16-le", 2)).decode() == text
    broken = "a\ud83db".encode("utf-16-le", "surrogatepass")
    assert b"".join(as_utf8(pieces(broken, size), "utf-16-le")).decode().startswith("a\ufffd")

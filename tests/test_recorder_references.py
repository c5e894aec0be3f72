"""Content references: canonical bytes, what moves to a blob, and what stays (SPEC §7.2, §7.3, §6.3)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from korg_tui.recorder.references import THRESHOLD, canonical, digest, reference

LONG = "x" * (THRESHOLD + 1)


class Kept(dict[str, bytes]):
    """What was given to the blob store."""

    def __call__(self, name: str, content: bytes) -> None:
        assert name == hashlib.sha256(content).hexdigest()
        self[name] = content


def ref(content: bytes) -> dict[str, Any]:
    return {"_ref": "sha256:" + hashlib.sha256(content).hexdigest(), "size_bytes": len(content)}


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ({"b": 1, "a": [True, None, 1.5]}, b'{"a":[true,null,1.5],"b":1}'),
        ({"é": "é"}, b'{"\\u00e9":"\\u00e9"}'),
        ("é", "é".encode()),
        ("", b""),
        (b"\x00\xff", b"\x00\xff"),
        (7, b"7"),
        (2**70, str(2**70).encode()),
        ("\ud800", b"\xed\xa0\x80"),
        ({"k": "\ud800"}, b'{"k":"\\ud800"}'),
        ((1, 2), b"[1,2]"),
    ],
)
def test_canonical_bytes(value: Any, content: bytes) -> None:
    assert canonical(value) == content


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=9), inside, max_size=4),
    max_leaves=20,
)


@given(st.lists(JSON) | st.dictionaries(st.text(), JSON))
def test_canonical_bytes_of_structures_are_those_of_the_specification(value: Any) -> None:
    assert canonical(value) == json.dumps(value, separators=(",", ":"), sort_keys=True).encode("utf-8")


def test_canonical_bytes_at_a_depth_that_json_refuses() -> None:
    deep: Any = {"é": [None, {}, [], 1.5]}
    for _ in range(50_000):
        deep = [{"b": deep, "a": 1}, 2]
    inner = b'{"\\u00e9":[null,{},[],1.5]}'
    assert canonical(deep) == b'[{"a":1,"b":' * 50_000 + inner + b"},2]" * 50_000


def test_the_order_of_keys_does_not_matter() -> None:
    assert digest(canonical({"a": 1, "b": 2})) == digest(canonical({"b": 2, "a": 1}))


def test_direct_members_over_the_threshold_move() -> None:
    kept = Kept()
    args = {"content": LONG, "list": [LONG], "note": "short"}
    result = {"text": LONG, "ok": True}
    new_args, new_result, refs = reference("Write", args, result, kept)
    text, listed = LONG.encode(), canonical([LONG])
    assert new_args == {"content": ref(text), "list": ref(listed), "note": "short"}
    assert new_result == {"text": ref(text), "ok": True}
    assert [each["label"] for each in refs] == ["Write.content", "Write.list", "Write.text"]
    assert [each["sha256"] for each in refs] == [digest(text), digest(listed), digest(text)]
    assert [each["size_bytes"] for each in refs] == [len(text), len(listed), len(text)]
    assert kept == {digest(text): text, digest(listed): listed}
    assert args["content"] == LONG, "what the caller has stays as it is"


@pytest.mark.parametrize(("extra", "moves"), [(0, False), (1, True)])
def test_the_threshold_is_of_canonical_bytes(extra: int, moves: bool) -> None:
    two_byte = "é" * (THRESHOLD // 2) + "x" * extra
    listed = ["x" * (THRESHOLD - 4 + extra)]
    assert bool(reference("T", {"a": two_byte}, {}, Kept())[2]) is moves
    assert bool(reference("T", {}, {"a": listed}, Kept())[2]) is moves


def test_a_result_that_is_a_string_moves_as_a_whole() -> None:
    assert reference("Bash", {}, LONG, Kept())[1:] == (
        ref(LONG.encode()),
        [{"sha256": digest(LONG.encode()), "size_bytes": len(LONG), "label": "Bash.result"}],
    )
    assert reference("Bash", {}, "short", Kept())[1:] == ("short", [])


@pytest.mark.parametrize("key", ["file_path", "path", "filepath"])
def test_paths_of_the_arguments_stay(key: str) -> None:
    assert reference("Read", {key: LONG}, {}, Kept())[0] == {key: LONG}
    assert reference("Read", {key: [LONG]}, {}, Kept())[2]
    assert reference("Read", {}, {key: LONG}, Kept())[2]


def test_a_reference_stays() -> None:
    sentinel = ref(b"something")
    assert reference("T", {"a": sentinel}, {"b": sentinel}, Kept()) == ({"a": sentinel}, {"b": sentinel}, [])
    assert reference("T", sentinel, sentinel, Kept()) == (sentinel, sentinel, [])


@given(st.dictionaries(st.text(), JSON | st.just(LONG)), st.dictionaries(st.text(), JSON) | st.text())
def test_nothing_over_the_threshold_stays_and_a_second_time_moves_nothing(args: Any, result: Any) -> None:
    kept = Kept()
    new_args, new_result, refs = reference("T", args, result, kept)
    inline = [value for key, value in new_args.items() if key not in ("file_path", "path", "filepath")]
    inline += new_result.values() if isinstance(new_result, dict) else [new_result]
    assert all(len(canonical(value)) <= THRESHOLD for value in inline)
    assert {each["sha256"] for each in refs} == set(kept)
    assert repr(reference("T", new_args, new_result, kept)) == repr((new_args, new_result, []))


def test_what_cannot_be_kept_is_not_moved() -> None:
    def full(name: str, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        reference("Write", {"content": LONG}, {}, full)

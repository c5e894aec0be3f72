"""Canonical bytes are those of the standard library, whichever way they are made; what is odd is named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from korg_tui.formats import Preimage, Unreadable, canonical, preimage, with_signature
from korg_tui.formats.canonical import _at_once, _patient

NAMES = ("entry_hash", "event_sig")


def plain(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def reference(raw: bytes) -> bytes:
    record = json.loads(raw)
    return plain({key: value for key, value in record.items() if key not in NAMES})


characters = st.one_of(
    st.characters(),
    st.sampled_from('\x7f\x00\x1f\\"/\u2028\ud800\udfff\ue000\uffff\U0001f600é {}[]:,0'),
)
texts = st.text(characters, max_size=8)
edges = st.sampled_from([2**53 - 1, 2**53, -(2**53), 2**63, 2**64, -(2**70), 10**30, 0, -1])
numbers = st.one_of(edges, st.integers(), st.floats(), st.sampled_from([1e16, 0.1, -0.0, 1e-7]))
leaves = st.one_of(st.none(), st.booleans(), numbers, texts)
calm = st.one_of(st.none(), st.booleans(), st.integers(-(2**53) + 1, 2**53 - 1), texts)


def trees(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda below: st.one_of(st.lists(below, max_size=4), st.dictionaries(texts, below, max_size=4)),
        max_leaves=12,
    )


@st.composite
def spelled(draw: st.DrawFn, value: Any) -> str:
    """The value in some spelling: white space, escapes, and now and then a key that stands twice."""

    def space() -> str:
        return draw(st.sampled_from(["", "", "", " ", "\n\t ", "\r\n"]))

    def text(found: str) -> str:
        way = draw(st.integers(0, 3))
        if way == 0:
            return json.dumps(found)
        if way == 1:
            return json.dumps(found, ensure_ascii=False)
        if way == 2:
            codes = found.encode("utf-16-be", "surrogatepass").hex()
            return '"' + "".join("\\u" + codes[at : at + 4] for at in range(0, len(codes), 4)) + '"'
        return json.dumps(found).replace("/", "\\/")

    def spell(found: Any) -> str:
        if isinstance(found, dict):
            members = [(key, spell(member)) for key, member in found.items()]
            if members and draw(st.integers(0, 5)) == 0:
                members.insert(0, (draw(st.sampled_from(members))[0], spell(draw(calm))))
            colon = space() + ":" + space()
            inner = ",".join(f"{space()}{text(key)}{colon}{made}{space()}" for key, made in members)
            return "{" + (inner or space()) + "}"
        if isinstance(found, list):
            return "[" + ",".join(space() + spell(each) + space() for each in found) + "]"
        if isinstance(found, str):
            return text(found)
        if found == 0 and type(found) is int:
            return draw(st.sampled_from(["0", "-0"]))
        return json.dumps(found)

    return space() + spell(value) + space()


@st.composite
def records(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> bytes:
    record = draw(st.dictionaries(texts, values, max_size=4))
    for name in NAMES:
        if draw(st.booleans()):
            record[name] = draw(st.one_of(st.sampled_from(["a" * 64, "", None]), values))
    return draw(spelled(record)).encode("utf-8", "surrogatepass")


@given(trees(leaves))
def test_canonical_bytes_are_those_of_the_standard_library(value: Any) -> None:
    assert canonical(value) == plain(value)


@given(records(trees(leaves)))
def test_the_preimage_of_any_record_is_that_of_the_standard_library(raw: bytes) -> None:
    found = preimage(raw)
    assert found.content == reference(raw)
    record = json.loads(raw)
    for name in (*NAMES, "prev_hash"):
        assert plain(getattr(found, name)) == plain(record.get(name))
    assert with_signature(raw) == plain({key: value for key, value in record.items() if key != "entry_hash"})


@given(records(trees(calm)))
def test_both_ways_say_the_same_and_the_fast_one_only_where_nothing_is_odd(raw: bytes) -> None:
    slow, fast = _patient(raw), _at_once(raw)
    assert slow.content == reference(raw)
    if slow.duplicates or slow.damaged:
        assert fast is None
    assert fast in (None, slow)


@given(st.dictionaries(texts, trees(calm), max_size=4), st.sampled_from([(",", ":"), (", ", ": ")]))
def test_what_json_writes_goes_the_fast_way(record: dict[str, Any], separators: tuple[str, str]) -> None:
    for name in NAMES:
        record[name] = "a" * 64
    text = json.dumps(record, separators=separators)
    if "\\u0022" not in text and "\\ud" not in text:
        raw = text.encode()
        assert _at_once(raw) == _patient(raw)


@given(st.binary(max_size=40))
def test_whatever_bytes_are_given_they_are_read_as_python_reads_them_or_refused(noise: bytes) -> None:
    raw = b'{"a":' + noise + b"}"
    try:
        expected = reference(raw)
    except (ValueError, AttributeError):
        return
    assert preimage(raw).content == expected


ODD = {
    b'{"event":{"args":{"ratio":0.5}}}': ("event.args.ratio is a float: 0.5",),
    b'{"a":[1,{"b c":[1e400]}]}': ('a[1]["b c"][0] is a float: 1e400',),
    b'{"a":9007199254740992}': ("a is an integer beyond 2^53: 9007199254740992",),
    b'{"a":-9007199254740992}': ("a is an integer beyond 2^53: -9007199254740992",),
    b'{"a":18446744073709551616}': ("a is an integer beyond 2^53: 18446744073709551616",),
    b'{"a":NaN}': ("a is a float: NaN",),
    b'{"a":-0.0}': ("a is a float: -0.0",),
    b'{"a":9007199254740991,"b":-9007199254740991,"c":-0,"d":true}': (),
    b'{"entry_hash":0.5,"event_sig":1.5}': (),
}


@pytest.mark.parametrize("raw", ODD, ids=bytes.decode)
def test_odd_numbers_are_named_with_their_paths(raw: bytes) -> None:
    found = preimage(raw)
    assert found.odd == ODD[raw]
    assert found.content == reference(raw)


def test_of_many_odd_numbers_the_first_are_named() -> None:
    found = preimage(b'{"a":[' + b",".join([b"0.5"] * 1_000) + b"]}")
    assert found.odd[0] == "a[0] is a float: 0.5"
    assert found.odd[-1] == "995 more numbers like that"
    assert len(found.odd) == 6


def test_an_integer_with_more_digits_than_python_takes_is_odd_and_does_no_harm() -> None:
    found = preimage(b'{"a":' + b"7" * 5_000 + b"}")
    assert found.odd[0].startswith("a is an integer beyond 2^53: 777")


TWICE = {
    b'{"a":1,"a":1}': ("a",),
    b'{"a":1,"\\u0061":2}': ("a",),
    b'{"x":{"y":[{"a":1,"a":2}]}}': ("x.y[0].a",),
    b'{"entry_hash":"a","entry_hash":"b"}': ("entry_hash",),
    b'{"x":{"a":1,"a":2},"x":3}': ("x",),
    b'{"a":"\\u0022","b":{"a":1},"b":{"a":1}}': ("b",),
    b'{"":0,"":0}': ('[""]',),
    b'{"a":1,"b":1}': (),
}


@pytest.mark.parametrize("raw", TWICE, ids=bytes.decode)
def test_keys_that_stand_twice_are_named_with_their_paths(raw: bytes) -> None:
    assert preimage(raw).duplicates == TWICE[raw]
    assert preimage(raw).content == reference(raw)


def test_what_makes_up_for_the_length_of_a_lost_member_hides_nothing() -> None:
    """`\\u0022` is one quotation mark that is not there, and a lost member two that are."""
    raw = b'{"a":"\\u0022\\u0022","b":1,"b":2}'
    assert _at_once(raw) is None
    assert preimage(raw).duplicates == ("b",)


def test_keys_are_sorted_by_code_point_not_by_utf_16() -> None:
    raw = json.dumps({"\U0001f600": 1, "\uffff": 2, "z": 3}, separators=(",", ":")).encode()
    assert preimage(raw).content == b'{"z":3,"\\uffff":2,"\\ud83d\\ude00":1}'
    assert preimage(json.dumps(json.loads(raw), ensure_ascii=False).encode()).content == preimage(raw).content


@pytest.mark.parametrize("raw", [b'{"a":"\xff"}', b'{"a":"\xed\xa0\x80"}', b'{"a\xc0\x80":1}'])
def test_bytes_that_are_no_utf_8_are_told(raw: bytes) -> None:
    assert preimage(raw).damaged


def test_surrogates_as_bytes_are_read_as_python_reads_them() -> None:
    raw = b'{"a":"\xed\xa0\x80"}'
    assert preimage(raw).content == reference(raw) == b'{"a":"\\ud800"}'


@pytest.mark.parametrize("raw", [b"", b"[1]", b"7", b"null", b'{"a":1', b'{"a":"\x01"}', b'{"a":1}x'])
def test_what_is_no_object_is_refused(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        preimage(raw)


@pytest.mark.parametrize("depth", [150, 400])
def test_deep_nesting_has_the_same_bytes(depth: int) -> None:
    raw = b'{"b":' + b'[{"a":' * depth + b"1" + b"}]" * depth + b',"a":0}'
    assert preimage(raw).content == b'{"a":0,' + raw[1:-7] + b"}"


def test_nesting_that_nobody_can_follow_is_refused() -> None:
    with pytest.raises(Unreadable):
        preimage(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}")


def test_a_value_deeper_than_python_follows_has_canonical_bytes() -> None:
    value: Any = {"b": 1, "a": "é"}
    for _ in range(3_000):
        value = [value]
    assert canonical(value) == b"[" * 3_000 + b'{"a":"\\u00e9","b":1}' + b"]" * 3_000


@pytest.mark.parametrize("value", [{1, 2}, object(), b"x"])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical(value)


def test_a_path_is_safe_to_show_and_short() -> None:
    key = "\x1b[31m" + "k" * 500
    raw = json.dumps({key: {key: [[[[[[[[[[[[[[[0.5]]]]]]]]]]]]]]]}}).encode()
    (text,) = preimage(raw).odd
    assert "\x1b" not in text
    assert len(text) < 300


def test_a_preimage_is_a_value() -> None:
    assert preimage(b'{"a":1}') == Preimage(b'{"a":1}')

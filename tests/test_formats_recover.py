"""Whole events are lifted out of damaged bytes; what lies between them is a malformed record."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import builders
from korg_tui.event import Event, Malformed
from korg_tui.formats import elements, records_of_line, recover

BOOK = builders.Book()
ASK = BOOK.prompt('say {"seq_id": 9, "tool_name": "x"} and ]')
BOOK.tool("Bash", ASK, args={"command": "echo '[{\"'", "nested": {"seq_id": 99, "tool_name": "inner"}})
BOOK.infer(ASK)
EVENTS = BOOK.nested().split(b"\n")[:-1]
A, B, C = EVENTS


def shape(records, data: bytes, base: int = 0):
    """Records as `seq` or `...`, after checking that they lie where they say, in order, apart."""
    end = 0
    for record in records:
        assert record.offset - base >= end
        end = record.offset - base + record.length
        piece = data[record.offset - base : end]
        assert len(piece) == record.length
        assert piece == piece.strip()
    return [record.seq if isinstance(record, Event) else ... for record in records]


@pytest.mark.parametrize("line", [b"", b"   ", b"\r", b"// total events: 7", b"  // note\r"])
def test_blank_lines_and_comments_hold_nothing(line):
    assert records_of_line(line, 0) == []


def test_a_line_is_a_record_without_the_space_around_it():
    (event,) = records_of_line(b"  " + A + b" \r", 100)
    assert (event.offset, event.length) == (102, len(A))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (A[:40] + B, [..., 2]),
        (A[:200] + B, [..., 2]),
        (A[:-1] + B, [..., 2]),
        (A + B, [1, 2]),
        (A + b" " + B + C, [1, 2, 3]),
        (A + B[:50], [1, ...]),
        (A[:33] + B[:70] + C, [..., 3]),
        (A + b"rubbish", [1, ...]),
        (b"\x00\x00" + B, [..., 2]),
        (B[:-30], [...]),
        (b"rubbish", [...]),
    ],
)
def test_an_event_glued_onto_a_fragment_is_recovered(line, expected):
    assert shape(records_of_line(line, 50), line, 50) == expected


def test_an_object_inside_a_fragment_is_not_taken_for_an_event():
    at = B.index(b'"inner"}') + len(b'"inner"}')
    line = B[: at + 1] + C
    assert shape(records_of_line(line, 0), line) == [..., 3]


def test_a_fragment_says_what_follows_it():
    fragment, _ = records_of_line(A[:40] + B, 0)
    assert isinstance(fragment, Malformed)
    assert fragment.reason == "an unfinished record of 40 bytes; event 2 follows on the same line"


def test_hostile_lines_take_bounded_time():
    line = b'{"seq":[' * 5_000
    assert len(records_of_line(line, 0)) == 1


@settings(deadline=None)
@given(st.integers(1, len(A) - 1))
def test_wherever_a_line_is_torn_the_glued_event_is_recovered(cut):
    line = A[:cut] + B
    assert shape(records_of_line(line, 0), line) == [..., 2]


ARRAY = BOOK.array()
STARTS = [json.dumps(event, indent=2).replace("\n", "\n  ").encode() for event in json.loads(ARRAY)]


def spans(data: bytes, start: int = 1):
    found = elements(data, start)
    return [data[offset : offset + length] for offset, length in found.spans], found.closed


@pytest.mark.parametrize(
    "data", [ARRAY, b"[" + A + b", " + B + b",\n" + C + b"]", b"[]", b'[ 1 , "a]", [2], {}]']
)
def test_elements_of_an_array_lie_where_they_say(data):
    found, closed = spans(data)
    assert [json.loads(element) for element in found] == json.loads(data)
    assert closed


def test_elements_behind_a_given_one():
    assert spans(ARRAY, 1 + ARRAY[1:].index(STARTS[0]) + len(STARTS[0])) == (STARTS[1:], True)


def test_an_array_that_only_patient_parsers_take_has_all_its_elements():
    data = b'[{"a": NaN}, {"b": [1e400, "\\ud800"]}, -Infinity]'
    assert spans(data) == ([b'{"a": NaN}', b'{"b": [1e400, "\\ud800"]}', b"-Infinity"], True)


def test_an_array_with_something_behind_it():
    assert spans(b"[1, 2], {}") == ([b"1", b"2"], True)


@settings(deadline=None)
@given(st.integers(1, len(ARRAY) - 2))
def test_wherever_an_array_is_cut_off_the_elements_before_are_whole(cut):
    found, closed = spans(ARRAY[:cut])
    whole = [element for element in STARTS if ARRAY.index(element) + len(element) <= cut]
    assert found == whole
    assert not closed


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda data: data.replace(b'"Bash",', b'"Bash,', 1), [1, ..., 3]),
        (lambda data: data.replace(b"},\n  {", b",\n  {", 1), [..., 2, 3]),
        (lambda data: data.replace(b"},\n  {", b"}},\n  {", 1), [1, ..., 2, 3]),
        (lambda data: data[:-20], [1, 2, ...]),
        (lambda data: data.replace(b'"user_prompt"', b'"user\x00prompt', 1), [..., 2, 3]),
    ],
)
def test_a_hole_in_an_array_costs_only_the_records_it_lies_in(damage, expected):
    data = damage(ARRAY)
    assert shape(recover(data, 1, 0), data) == expected


@settings(deadline=None)
@given(st.binary(max_size=80), st.integers(0, 80))
def test_no_bytes_raise_or_get_lost(data, start):
    for record in recover(data, min(start, len(data)), 0):
        assert record.offset + record.length <= len(data)
    elements(data, min(start, len(data)))
    records_of_line(data, 0)

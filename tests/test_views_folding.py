"""JSON that folds: everything is reachable and can be found; only what is open becomes lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from korg_tui.text import visible
from korg_tui.views.folding import FIRST, TOGETHER, Tree, tree_lines
from korg_tui.views.sections import JsonKey, Line, Opens


def texts(value: object, opened: set[JsonKey] | None = None) -> list[str]:
    tree = Tree(value, "/result")
    return [line.text for line in tree.lines(tree.initial() if opened is None else opened)]


def everything(tree: Tree) -> list[Line]:
    """All lines, when whatever is closed is opened, again and again."""
    opened = set(tree.initial())
    while True:
        lines = list(tree.lines(opened))
        closed = {line.node.key for line in lines if line.node is not None and line.node.state == "closed"}
        if not closed:
            return lines
        opened |= closed


def test_what_is_short_is_json_as_one_knows_it():
    assert texts({"a": 1, "b": ["x", None], "e": {}, "s": 'say "hi"\n'}) == [
        "{", '  "a": 1,', '▾ "b": [', '    "x",', "    null", "  ],", '  "e": {},',
        '  "s": "say \\"hi\\"\\n"', "}",
    ]  # fmt: skip


def test_the_parts_of_a_line_are_told_apart():
    line = tree_lines(Tree({"a": [1, True, "x"]}))[1]
    assert [(line.text[span.begin : span.end], span.name) for span in line.spans] == [
        ("▾", "fold"),
        ('"a"', "key"),
    ]
    leaf = tree_lines(Tree({"a": 1.5}))[1]
    assert [(leaf.text[span.begin : span.end], span.name) for span in leaf.spans] == [
        ('"a"', "key"), ("1.5", "number"),
    ]  # fmt: skip


def test_what_is_large_is_folded_at_first_and_says_how_much_it_holds():
    assert texts({"few": [1], "many": list(range(50)), "o": {f"k{n}": n for n in range(40)}}) == [
        "{", '▾ "few": [', "    1", "  ],", '▸ "many": [ 50 items: 0, 1, 2, … ],',
        '▸ "o": { 40 members: "k0": 0, "k1": 1, "k2": 2, … }', "}",
    ]  # fmt: skip
    assert len(texts([{"a": {"b": n}} for n in range(99)])) < FIRST + 200


def test_a_long_list_is_divided_into_parts():
    shown = texts(list(range(250)))
    assert shown[:3] == ["[", "▾ items 0 to 99", "    0,"]
    assert shown[-3:] == ["▸ items 100 to 199", "▸ items 200 to 249", "]"]
    assert texts(list(range(1_000_000)))[:1] == ["["]
    assert len(texts(list(range(1_000_000)))) <= 2 * TOGETHER + 2


def test_everything_can_be_unfolded():
    value = {
        "list": list(range(250)),
        "deep": [[[{"a": {"b": [1]}}]]],
        "wide": {f"k{n}": {} for n in range(120)},
    }
    lines = everything(Tree(value))
    kept = [line.text for line in lines if " items " not in line.text and " members " not in line.text]
    assert json.loads("\n".join(kept).replace("▾", " ")) == value


def test_what_is_unfolded_opens_whatever_in_it_is_short():
    tree = Tree({"rows": [{"n": number} for number in range(60)], "wide": [list(range(50))] * 2}, "/result")
    opened = tree.unfolded(("/result/rows", 0, -1))
    assert {("/result/rows", 0, -1), ("/result/rows/59", 0, -1)} <= opened
    assert tree.unfolded(("/result/wide", 0, -1)) == {("/result/wide", 0, -1)}
    assert tree.unfolded(("/result/absent", 0, -1)) == {("/result/absent", 0, -1)}


def test_a_node_knows_the_node_around_it():
    lines = {line.text.strip(" ▾,"): line.node for line in tree_lines(Tree({"a": {"b": 1}}, "/args"))}
    assert lines['"b": 1'].inside == ("/args/a", 0, -1)
    assert lines['"a": {'].inside == ("/args", 0, -1)


def test_a_long_string_opens_in_the_reader_and_a_reference_its_blob():
    cut, named = tree_lines(Tree({"a/b": "x" * 5_000, "_ref": "sha256:" + "0" * 64}, "/result"))[1:3]
    assert cut.text.endswith("x… 3.0 KB more: enter opens it whole")
    assert cut.opens == Opens("value", "/result/a~1b")
    assert named.opens == Opens("blob", "0" * 64)


def test_a_search_finds_what_is_folded_and_says_what_to_unfold():
    tree = Tree({"rows": [{"name": f"n{n}"} for n in range(30_000)]}, "/result")
    (found,) = tree.find("N29999")
    assert found.key == ("/result/rows/29999/name", 0, -1)
    lines = list(tree.lines(tree.initial() | set(found.around)))
    assert any(line.node is not None and line.node.key == found.key for line in lines)
    assert len(lines) < 5 * TOGETHER
    assert list(tree.find("absent")) == []


def test_a_search_looks_at_names_and_all_simple_values():
    tree = Tree({"Total": 250, "ok": True, "none": None, "list": ["ß", []], "x": {"total": 1}})
    assert [found.key[0] for found in tree.find("total")] == ["/Total", "/x/total"]
    assert [found.key[0] for found in tree.find("25")] == ["/Total"]
    assert [found.key[0] for found in tree.find("NULL")] == ["/none"]
    assert [found.key[0] for found in tree.find("SS")] == ["/list/0"]
    assert [found.key[0] for found in tree.find('"total": 1')] == ["/x/total"]
    assert [found.key[0] for found in tree.find('"x"')] == ["/x"]


def test_numbers_that_json_does_not_have_and_lone_surrogates_are_shown():
    assert texts([float("inf"), 2**70, "\ud800", "\x1b[31m"]) == [
        "[", "  Infinity,", "  1180591620717411303424,", '  "�",', '  "\\u001b[31m"', "]",
    ]  # fmt: skip


@pytest.mark.parametrize("depth", [20, 60])
def test_deep_json_is_reachable(depth: int):
    value: object = "bottom"
    for _ in range(depth):
        value = [value]
    (found,) = Tree(value).find("bottom")
    assert len(found.around) == depth
    assert len(everything(Tree(value))) == 2 * depth + 1
    assert len(tree_lines(Tree([value] * 3))) == 5


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner, max_size=5),
    max_leaves=40,
)


@given(JSON, st.text(min_size=1, max_size=2))
@settings(max_examples=60, deadline=None)
def test_any_json_is_safe_and_what_is_found_can_be_shown(value: object, needle: str):
    tree = Tree(value, "/result")
    for line in everything(tree):
        assert visible(line.text) == line.text
        ends = [0, *(edge for span in line.spans for edge in (span.begin, span.end)), len(line.text)]
        assert ends == sorted(ends)
    for found in tree.find(needle):
        keys = {line.node.key for line in tree.lines(set(found.around)) if line.node is not None}
        assert found.key in keys

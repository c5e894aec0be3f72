"""Diffs: what changes texts, read, compared, and shown one below the other and side by side."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from korg_tui.text import visible
from korg_tui.views.diffs import Diff
from korg_tui.views.patches import FilePatch, changes, compared, parse_patch, structured
from korg_tui.views.sections import Opens, Section

CODEX = """*** Begin Patch
*** Update File: src/a.py
*** Move to: src/b.py
@@ class Foo:
 def f():
-    return 1
+    return 2
*** Add File: new.txt
+hello
--- a removed line of dashes, in no file that is updated
*** Delete File: old.txt
*** End Patch
"""
UNIFIED = """diff --git a/x.c b/x.c
index 1..2 100644
--- a/x.c
+++ b/x.c
@@ -10,3 +10,3 @@ int main
 a
--- b
+++ c
 d
--- /dev/null
+++ b/made.c
@@ -0,0 +1 @@
+x
--- a/gone.c\t2026-01-01
+++ /dev/null
@@ -1 +0,0 @@
-x
\\ No newline at end of file
"""


def files(patch: list[FilePatch]) -> list[tuple[str, str]]:
    return [(file.path, file.what) for file in patch]


def shown(*hunks, path: str = "") -> Section:
    diff = Diff()
    diff.hunks(hunks, path)
    return diff.section("change")


def texts(section: Section) -> list[str]:
    return [line.text for line in section.lines]


def test_a_patch_of_codex():
    read = parse_patch(CODEX)
    assert files(read) == [("src/a.py", "moved to src/b.py"), ("new.txt", "added"), ("old.txt", "deleted")]
    assert read[0].hunks[0].words == "class Foo:"
    assert read[0].hunks[0].rows == [(" ", "def f():"), ("-", "    return 1"), ("+", "    return 2")]
    assert read[1].hunks[0].rows[1] == ("-", "-- a removed line of dashes, in no file that is updated")


def test_a_patch_behind_the_words_of_a_command():
    assert files(parse_patch(f"apply_patch <<'EOF'\n{CODEX}EOF")) == files(parse_patch(CODEX))


def test_a_unified_diff_keeps_its_numbers():
    read = parse_patch(UNIFIED)
    assert files(read) == [("x.c", "changed"), ("made.c", "added"), ("gone.c", "deleted")]
    diff = Diff()
    for file in read:
        diff.file(file)
    assert texts(diff.section("patch")) == [
        "x.c  changed", "@@ line 10 int main", "10  a", "11 --- b", "11 +++ c", "12  d",
        "made.c  added", "1 +x", "gone.c  deleted", "1 -x", "  No newline at end of file",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a.py": {"add": {"content": "x\n"}}}, [("a.py", "added")]),
        ({"a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n", "move_path": "b.py"}},
         [("a.py", "moved to b.py")]),
        ({"a.py": {"delete": {"content": "x"}}}, [("a.py", "deleted")]),
        ([{"path": "a.py", "kind": {"type": "add"}, "diff": "x"}], [("a.py", "added")]),
        ({"a.py": 3, "b.py": {"type": "delete"}}, [("b.py", "deleted")]),
        ("text", []),
        (None, []),
    ],
)  # fmt: skip
def test_changes_of_codex(value: object, found: list[tuple[str, str]]):
    assert files(changes(value)) == found


def test_what_was_deleted_is_removed():
    (file,) = changes({"a.py": {"delete": {"content": "x\ny\n"}}})
    assert file.hunks[0].rows == [("-", "x"), ("-", "y")]


def test_hunks_as_a_result_tells_them():
    (hunk,) = structured([{"oldStart": 7, "newStart": 9, "lines": [" a", "-b", "+c"]}])
    assert texts(shown(hunk)) == [" 9  a", " 8 -b", "10 +c"]
    assert structured([{"lines": "x"}]) == structured("x") == structured(None) == []


def test_only_what_differs_is_shown_with_the_lines_around_it():
    old = [f"line {number}" for number in range(1, 41)]
    new = [*old[:9], "changed", *old[10:30], "added", *old[30:]]
    assert texts(shown(*compared("\n".join(old), "\n".join(new)))) == [
        " 7  line 7", " 8  line 8", " 9  line 9", "10 -line 10", "10 +changed",
        "11  line 11", "12  line 12", "13  line 13",
        "@@ line 28", "28  line 28", "29  line 29", "30  line 30", "31 +added",
        "32  line 31", "33  line 32", "34  line 33",
    ]  # fmt: skip
    assert compared("same\n", "same\n") == []


def test_words_that_differ_are_marked_in_both_lines():
    removed, added = shown(*compared("day = 29 # leap", "day = 28 # leap")).lines
    assert [removed.text[span.begin : span.end] for span in removed.spans if "changed" in span.name] == ["29"]
    assert [added.text[span.begin : span.end] for span in added.spans if "changed" in span.name] == ["28"]


def test_lines_that_have_nothing_in_common_have_no_marks():
    lines = shown(*compared("import os", "class Parser:")).lines
    assert not [span for line in lines for span in line.spans if "changed" in span.name]


def test_syntax_and_marks_lie_over_one_another():
    removed, _ = shown(*compared("x = 29", "x = 28"), path="a.py").lines
    assert [span.name for span in removed.spans] == ["gutter", "number changed"]


def test_side_by_side_a_change_stands_beside_what_it_replaces():
    section = shown(*compared("a\nb\nc", "a\nB\nextra\nc"))
    sides = [tuple("" if line is None else line.text for line in pair) for pair in section.sides]
    assert sides == [("1  a", "1  a"), ("2 -b", "2 +B"), ("", "3 +extra"), ("3  c", "4  c")]


def test_a_long_diff_ends_in_what_is_left_out():
    diff = Diff(Opens("value", "/args/content"))
    diff.hunks(compared("", "x\n" * 1_000))
    last = diff.section("").lines[-1]
    assert (last.text, last.opens) == (
        "… 800 lines more: enter opens it whole",
        Opens("value", "/args/content"),
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(" * 60_000, ")" * 60_000),
        ("x\n" * 5_000, "y\n" * 5_000),
        ("a\nb\n" * 299, "b\na\n" * 290),
        ("\n".join(["a b " * 90] * 200), "\n".join(["b a " * 90] * 200)),
    ],
)
def test_work_is_bounded_whatever_is_compared(old: str, new: str):
    section = shown(*compared(old, new))
    assert len(section.lines) <= 201
    assert sum(len(line.text) for line in section.lines) < 80_000


LINES = st.lists(
    st.sampled_from(["a", "b", "a b", "漢字 x", "\x1b[31m", "c d e", "\t-", "@@", "--- a", "*** x"]),
    max_size=12,
)


@given(LINES, LINES)
@settings(max_examples=80, deadline=None)
def test_any_diff_tells_each_line_that_differs_and_is_safe(old: list[str], new: list[str]):
    hunks = compared("\n".join(old), "\n".join(new))
    section = shown(*hunks, path="a.py")
    removed = [text for hunk in hunks for sign, text in hunk.rows if sign == "-"]
    added = [text for hunk in hunks for sign, text in hunk.rows if sign == "+"]
    assert len(old) - len(removed) == len(new) - len(added)
    assert (old == new) == (not hunks)
    for line in section.lines:
        assert visible(line.text) == line.text
        ends = [0, *(edge for span in line.spans for edge in (span.begin, span.end)), len(line.text)]
        assert ends == sorted(ends)


@given(st.lists(st.sampled_from(CODEX.splitlines() + UNIFIED.splitlines() + ["", "x", "@@ -1,9 +1,9 @@"])))
@settings(max_examples=60, deadline=None)
def test_any_patch_is_read_and_shown(lines: list[str]):
    diff = Diff()
    for file in parse_patch("\n".join(lines)):
        diff.file(file)
    section = diff.section("patch")
    assert all(visible(line.text) == line.text for line in section.lines)

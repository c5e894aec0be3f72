"""Arguments and results in the form that a person would choose."""

from __future__ import annotations

import base64
import json

import pytest

from builders import ref
from korg_tui.sources import BlobFound
from korg_tui.views.sections import Line, Opens, Section
from korg_tui.views.texts import CHARACTERS, LINES, bounded
from korg_tui.views.values import Call, arguments, result
from looking import lines_of

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + b"\x08\x02\0\0\0"
)
PICTURE = base64.b64encode(PNG + b"x" * 3_000).decode()


def of(sections: list[Section]) -> dict[str, list[str]]:
    """The lines of sections by their titles."""
    return {section.title: lines_of(section) for section in sections}


def looks(line: Line) -> list[tuple[str, str]]:
    return [(line.text[span.begin : span.end], span.name) for span in line.spans]


# --- which form


@pytest.mark.parametrize(
    ("tool", "args", "titles"),
    [
        ("Write", {"file_path": "a", "content": "x"}, ["written a"]),
        ("NotebookEdit", {"notebook_path": "a", "new_source": "x", "cell_id": 1}, ["written a", "arguments"]),
        ("Edit", {"file_path": "a", "old_string": "1", "new_string": "2"}, ["change a"]),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "1", "new_string": "2"}]}, ["change a"]),
        ("apply_patch", "*** Add File: a\n+x", ["patch"]),
        ("apply_patch", {"patch": "+x", "strict": True}, ["patch", "arguments"]),
        ("apply_patch", {"changes": {"a": {"add": {"content": "x"}}}}, ["patch"]),
        ("apply_patch", {"command": ["apply_patch", "*** Add File: a\n+x"]}, ["patch"]),
        ("apply_patch", {"strict": True}, ["arguments"]),
        ("Bash", {"command": "ls", "timeout": 5}, ["command", "arguments"]),
        ("shell", {"command": ["bash", "-lc", "ls"]}, ["command"]),
        ("Read", {"file_path": "a"}, ["arguments"]),
        ("user_prompt", {"prompt": "do it"}, ["prompt"]),
        ("llm_inference", {"thinking": "hm", "model": "m"}, ["thinking", "arguments"]),
        ("python", {"code": "print(1)"}, ["code"]),
        ("Write", ref("x"), ["arguments"]),
        ("Write", {"file_path": "a", "content": ref("x")}, ["arguments"]),
        ("Edit", "text", ["arguments"]),
        ("Read", ["a"], ["arguments"]),
        ("Read", {}, []),
        ("Read", None, []),
    ],
)
def test_how_arguments_are_shown(tool: str, args: object, titles: list[str]):
    assert [section.title for section in arguments(Call(tool, args))] == titles


@pytest.mark.parametrize(
    ("tool", "value", "shapes"),
    [
        ("Read", "text", ["text"]),
        ("Bash", "text", ["terminal"]),
        ("Bash", {"stdout": "a", "stderr": "b", "exit_code": 1}, ["terminal"]),
        ("Bash", {"output": "a", "shellId": 7}, ["terminal", "json"]),
        ("python", {"stdout": "a", "ok": True}, ["terminal", "json"]),
        ("local_shell", {"output": "a"}, ["terminal"]),
        ("Bash", {"ok": True}, ["json"]),
        ("llm_inference", {"text": "hi", "tokens": 3}, ["text", "json"]),
        ("Read", {"ok": True}, ["json"]),
        ("Read", ref("x"), ["json"]),
        ("Read", ["a"], ["json"]),
        ("Read", '{"a": [1]}', ["text"]),
        ("mcp__x__y", '{"a": [1]}', ["json"]),
        ("mcp__x__y", "\x1b[31mred", ["terminal"]),
        ("mcp__x__y", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], ["text", "text"]),
        ("mcp__x__y", {"content": [{"type": "text", "text": "a"}], "isError": False}, ["text", "json"]),
        ("mcp__x__y", [{"type": "what"}], ["json"]),
        ("Read", {}, []),
    ],
)
def test_how_results_are_shown(tool: str, value: object, shapes: list[str]):
    assert [section.kind for section in result(Call(tool, None, value))] == shapes


# --- what was written


def test_where_the_result_tells_the_lines_as_they_were_changed_these_are_shown():
    told = {"structuredPatch": [{"oldStart": 41, "newStart": 41, "lines": [" a", "-b", "+c"]}]}
    args = {"file_path": "a.py", "old_string": "b", "new_string": "c"}
    assert of(arguments(Call("Edit", args, told))) == {"change a.py": ["41  a", "42 -b", "42 +c"]}
    assert result(Call("Edit", args, told)) == []


def test_several_edits_are_told_apart():
    edits = [
        {"old_string": "a", "new_string": "b"},
        {"old_string": "c", "new_string": "c", "replace_all": True},
    ]
    assert of(arguments(Call("MultiEdit", {"file_path": "x", "edits": edits})))["change x"] == [
        "lines are counted from where the replaced text begins",
        "@@ edit 1", "1 -a", "1 +b", "edit 2 at every place old and new are the same",
    ]  # fmt: skip


def test_what_is_written_has_numbers_and_the_syntax_of_its_path():
    (section,) = arguments(Call("Write", {"file_path": "/w/a.py", "content": "import os\n"}))
    (line,) = section.lines
    assert (line.text, line.style) == ("1 +import os", "added")
    assert looks(line) == [("1 ", "gutter"), ("import", "keyword"), ("os", "defined")]


# --- what ran


@pytest.mark.parametrize(
    ("value", "failed", "told"),
    [
        ({"stdout": "x", "exit_code": 0}, False, "terminal ✓ exit 0"),
        ({"stdout": "x", "exitCode": 3}, False, "terminal ✗ exit 3"),
        ({"output": "x", "metadata": {"exit_code": 0, "duration_seconds": 1.5}}, False,
         "terminal ✓ exit 0 after 1.5 s"),
        ('{"output": "x", "metadata": {"exit_code": 2}}', None, "terminal ✗ exit 2"),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nx", True, "terminal ✓ exit 0"),
        ("Process exited with code 127\nOutput:", None, "terminal ✗ exit 127"),
        ({"stdout": "", "stderr": "", "interrupted": True}, False, "terminal ✗ interrupted"),
        ({"stdout": "x", "timed_out": True, "exit_code": 124}, True, "terminal ✗ timed out, exit 124"),
        ("Command timed out after 2m", True, "terminal ✗ timed out"),
        ({"stdout": "x", "signal": "SIGKILL"}, True, "terminal ✗ killed by signal SIGKILL"),
        ("no such file", True, "terminal ✗ failed, no exit code recorded"),
        ("fine", False, "terminal"),
        ({"stdout": "x", "exit_code": True}, None, "terminal"),
        ([{"type": "text", "text": "Exit code 1\nx"}], True, "result ✗ exit 1"),
    ],
)  # fmt: skip
def test_how_a_command_ended(value: object, failed: bool | None, told: str):
    assert result(Call("Bash", {"command": "x"}, value, failed))[0].title == told


def test_of_a_command_without_a_result_at_most_its_failure_is_known():
    (section,) = result(Call("Bash", {"command": "x"}, None, True))
    assert lines_of(section) == ["✗ failed, no exit code recorded"]


def test_output_in_a_blob_is_output():
    held = {"_ref": "sha256:" + "a" * 64, "size_bytes": 9}
    for out, said in ((held, "its output is in a blob, below"), ("", "it wrote nothing")):
        terminal = result(Call("Bash", {"command": "x"}, {"stdout": out, "exit_code": 0}))[0]
        assert (terminal.title, lines_of(terminal)) == ("terminal ✓ exit 0", [said])


def test_errors_stand_apart_from_output():
    (section,) = result(
        Call("Bash", None, {"stdout": "out", "stderr": "\x1b[31mbad\x1b[0m\nworse", "exit_code": 1})
    )
    assert (section.title, section.style) == ("terminal ✗ exit 1", "error")
    assert [(line.text, line.style) for line in section.lines] == [
        ("stdout", "note"), ("out", "output"),
        ("stderr", "note"), ("▏ bad", "stderr"), ("▏ worse", "stderr"),
    ]  # fmt: skip
    assert looks(section.lines[3]) == [("bad", "ansi-red")]


def test_a_command_has_the_syntax_of_a_shell():
    (section,) = arguments(Call("Bash", {"command": 'echo "a"'}))
    assert ('"a"', "string") in looks(section.lines[0])


# --- what was read and found


def test_numbers_that_a_tool_wrote_before_lines_are_a_gutter():
    text = "    1→import os\n    2→\n   13→x = 1"
    (section,) = result(Call("Read", {"file_path": "a.py"}, text))
    first, _, third = section.lines
    assert looks(first) == [("    1→", "gutter"), ("import", "keyword"), ("os", "defined")]
    assert looks(third) == [("   13→", "gutter"), ("1", "number")]
    assert first.hang == "      "


def test_a_file_with_its_first_line_told_is_numbered():
    file = {"filePath": "a.txt", "content": "x\ny", "startLine": 40, "totalLines": 99}
    shown = result(Call("Read", {"file_path": "a.txt"}, {"type": "text", "file": file}))
    assert of(shown)["result"] == ["40  x", "41  y"]


def test_lines_that_are_no_numbered_file_stay_as_they_are():
    (section,) = result(Call("Read", {"file_path": "a.txt"}, "12 monkeys\nand more\nlines"))
    assert section.lines[0].spans == ()


def test_matches_have_their_places_and_their_pattern_marked():
    found = "src/a.py:12:def parse(text):\nsrc/b.txt-3-no parser\nsrc/only.py"
    (section,) = result(Call("Grep", {"pattern": r"pars\w+"}, found))
    first, second, third = section.lines
    assert looks(first) == [
        ("src/a.py", "path"), (":12:", "gutter"), ("def", "keyword"), ("parse", "defined match"),
    ]  # fmt: skip
    assert looks(second) == [("src/b.txt", "path"), ("-3-", "gutter"), ("parser", "match")]
    assert looks(third) == [("src/only.py", "path")]


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "a*a*a*b", "(", "[[", r"(a)\1", "x" * 500, "(?i)a", "a{99999999999}"]
)
def test_a_pattern_that_may_take_long_marks_nothing(pattern: str):
    (section,) = result(Call("Grep", {"pattern": pattern}, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"))
    assert section.lines[0].spans == ()


def test_a_list_of_matches_is_shown_as_lines():
    shown = result(Call("Grep", {"pattern": "x"}, {"matches": ["a.py:1:x", "b.py:2:x"], "total": 2}))
    assert of(shown)["result"] == ["a.py:1:x", "b.py:2:x"]
    assert of(shown)["more of the result"] == ["{", '  "total": 2', "}"]


# --- texts, pages, blocks, pictures


def test_the_text_of_a_failed_call_is_an_error():
    assert result(Call("Read", None, "no such file", True))[0].lines == (Line("no such file", "error"),)


def test_what_a_model_says_may_be_markdown_and_what_a_person_asks_is_text():
    (said,) = result(Call("llm_inference", None, {"text": "**yes**"}))
    assert of([said]) == {"result": ["yes"]}
    (asked,) = arguments(Call("user_prompt", {"prompt": "**yes**"}))
    assert of([asked]) == {"prompt": ["**yes**"]}


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}],
         "/result/0/source/data"),
        ([{"type": "image", "data": PICTURE, "mimeType": "image/png"}], "/result/0/data"),
        ([{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}],
         "/result/0/image_url/url"),
        ([{"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"}], "/result/0/image_url"),
        ({"type": "image", "file": {"base64": PICTURE, "type": "image/png"}}, "/result/file/base64"),
        (f"data:image/png;base64,{PICTURE}", "/result"),
    ],
)  # fmt: skip
def test_a_picture_is_told_by_its_facts(value: object, pointer: str):
    (section,) = result(Call("Read", {"file_path": "a.png"}, value))
    (line,) = section.lines
    assert line.text == "PNG image, 640 x 480, 3.0 KB: enter shows it"
    assert line.told == "PNG image, 640 x 480, 3.0 KB"
    assert line.opens == Opens("value", pointer)


def test_what_only_says_that_it_is_a_picture_is_told_as_such():
    broken = [{"type": "image", "source": {"data": "no base64 at all!"}}]
    assert of(result(Call("Read", None, broken)))["result"][0].startswith(
        "data that is no image that is known"
    )


def test_a_blob_stands_where_its_reference_stood():
    held = ref("a picture of a text")
    digest = held["_ref"].removeprefix("sha256:")
    found = BlobFound(digest, "missing", "missing: not in this folder")
    shown = result(Call("Read", None, {"content": held, "n": 1}, look=lambda sha: found))
    assert [section.title for section in shown] == ["content, in a blob", "result"]
    assert lines_of(shown[0]) == [f"blob {digest[:11]}… missing: not in this folder"]


# --- bounded


def test_a_long_value_says_how_much_is_left_out_and_opens_it():
    assert bounded("a\nb\nc") == [Line("a"), Line("b"), Line("c")]
    assert bounded("a\n") == [Line("a")]
    many = bounded("\n".join(map(str, range(LINES + 1))))
    assert (len(many), many[-1]) == (LINES + 1, Line("… 3 B more, not shown", "note"))
    opens = Opens("value", "/result")
    last = bounded("x" * 5_000_000, opens=opens)[-1]
    assert (last.text, last.opens) == ("… 4.9 MB more: enter opens it whole", opens)
    assert last.told == "… 4.9 MB more, not shown"
    assert sum(len(line.text) for line in bounded("x" * 5_000_000)) < CHARACTERS


@pytest.mark.parametrize("tool", ["Bash", "Read", "Grep", "WebFetch", "Write", "Edit", "apply_patch", "x"])
def test_five_megabytes_become_a_few_lines(tool: str):
    rows = json.dumps({"rows": [{"id": number, "name": f"n{number}"} for number in range(100)]})
    for text in (rows * 1_500, "line\n" * 1_000_000, "x" * 5_000_000):
        args = {
            "file_path": "a.py",
            "content": text,
            "old_string": text,
            "new_string": text[:-9],
            "input": text,
        }
        shown = [*arguments(Call(tool, args)), *result(Call(tool, {}, text))]
        assert sum(len(line.text) for section in shown for line in section.lines) < 500_000

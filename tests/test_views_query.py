"""The words of filter and search."""

from __future__ import annotations

import pytest

from builders import Book, ref
from korg_tui.views import QueryError, parse_query
from looking import Glass


@pytest.fixture(scope="module")
def glass() -> Glass:
    book = Book()
    ask = book.prompt("Fix the Bug in São Paulo")
    think = book.infer(ask, by="agent:main@1")
    book.tool("Bash", think, args={"command": 'echo "two words"'}, success=False, duration_ms=700)
    book.tool("Read", think, args={"file_path": "src/Parser.py"}, result=ref("x"))
    sub = book.prompt("look", parent=think, by="agent:sub@1")
    book.infer(sub, by="agent:sub@1")
    book.governance("LeaseAcquired", think, owner="docker_sandbox")
    book.tool("Grep", 404, args={"pattern": "tool:Bash"})
    glass = Glass(book)
    glass.grow(b'{"seq_id": broken\n')
    return glass


def found(glass: Glass, query: str, dropped=None) -> list[int]:
    predicate = parse_query(query, glass.read, dropped)
    return [row + 1 for row in range(len(glass.ledger)) if predicate(glass.ledger, row)]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("tool:bash", [3]),
        ("TOOL:Bash", [3]),
        ("agent:sub", [5, 6]),
        ("is:failed", [3]),
        ("is:dead", [8]),
        ("is:malformed", [9]),
        ("is:governance", [7]),
        ("is:prompt", [1, 5]),
        ("is:call", [3, 4, 8]),
        ("has:blob", [4]),
        ("lane:2", [5, 6]),
        ("seq:3", [3]),
        ("seq:>6", [7, 8]),
        ("seq:>=6 seq:<8", [6, 7]),
        ("seq:2..4", [2, 3, 4]),
        ("ms:>500", [3]),
        ("path:src/", [4]),
        ("bug", [1]),
        ("SÃO", [1]),
        ('"two words"', [3]),
        ('"two words', [3]),
        ("words two", [3]),
        ("docker", [7]),
        ("broken", [9]),
        ('"tool:Bash"', [8]),
        ("-is:failed tool:a", [4, 7]),
        ('-"two words" seq:<4', [1, 2]),
        ("llm_inference", [2, 6]),
        ("schema_version", []),
        ("entry_hash", []),
    ],
)
def test_query(glass: Glass, query: str, rows: list[int]):
    assert found(glass, query) == rows


def test_dropped_is_known_in_a_preview_only(glass: Glass):
    assert found(glass, "is:dropped", lambda row: row > 6) == [8, 9]
    with pytest.raises(QueryError, match="works in the preview"):
        parse_query("is:dropped")


KNOWN = "known are tool: agent: path: is: has:blob lane: seq: ms: and plain text"
STATES = (
    "is: takes failed, dead, late, synthesized, malformed, gap, governance, bookkeeping, prompt, inference,"
    " call, spawn, dropped"
)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("colour:red", f"“colour:red” is not known: {KNOWN}; text with a colon goes in double quotes"),
        ("x:\x1b]0;t\x07", f"“x:␛]0;t␇” is not known: {KNOWN}; text with a colon goes in double quotes"),
        ("is:odd", f"“is:odd” is not known: {STATES}"),
        ("seq:ten", "“seq:ten” is no number: write seq:7, seq:>7 or seq:7..9"),
        ("seq:>2..3", "“seq:>2..3” is no number: write seq:7, seq:>7 or seq:7..9"),
        ("has:wings", "“has:wings” is not known: only has:blob is"),
        ("tool:", f"“tool:” names nothing: {KNOWN}"),
        ("-", f"“-” names nothing: {KNOWN}"),
    ],
)
def test_an_error_names_the_word_and_what_is_known(query: str, said: str):
    with pytest.raises(QueryError) as error:
        parse_query(query)
    assert str(error.value) == said
    assert len(error.value.short) <= 78


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("is:odd", "“is:odd” is not known: failed dead dropped late gap call spawn prompt …"),
        ("colour:red", "“colour:red” is not known: tool: agent: path: is: has:blob lane: seq: ms:"),
        ("is:" + "x" * 99, "“is:xxxxxxxx…” is not known: failed dead dropped late gap call spawn prompt …"),
    ],
)
def test_where_there_is_little_room_an_error_is_shorter(query: str, said: str):
    with pytest.raises(QueryError) as error:
        parse_query(query)
    assert error.value.short == said


def test_text_needs_no_source_for_names(glass: Glass):
    predicate = parse_query("grep")
    assert [row + 1 for row in range(len(glass.ledger)) if predicate(glass.ledger, row)] == [8]


def test_what_cannot_be_read_does_not_match(glass: Glass):
    glass.lost = True
    try:
        assert found(glass, "bug") == []
        assert found(glass, "path:src") == []
    finally:
        glass.lost = False

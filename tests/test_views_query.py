"""The words of filter and search: what each means, how they are written, and what is said of a wrong one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import START_MS, Book, ref
from korg_tui.sources import BlobFound, BlobStore
from korg_tui.views import QueryError, Sweep, parse_query, pointed
from korg_tui.views.contents import holds, may_hold
from korg_tui.views.moments import moment
from korg_tui.views.terms import Term, terms, written
from looking import Glass

SECRET = "the blob says leap day"
SHA = ref(SECRET)["_ref"].removeprefix("sha256:")
MINUTE = 60_000


@pytest.fixture(scope="module")
def glass() -> Glass:
    book = Book()
    ask = book.prompt("Fix the Bug in São Paulo")
    think = book.infer(ask, by="agent:main@1", result={"usage": {"input_tokens": 7}})
    book.tool("Bash", think, args={"command": 'echo "two words"'}, success=False, duration_ms=700)
    book.tool("Read", think, args={"file_path": "src/Parser.py"}, result=ref(SECRET))
    sub = book.prompt("look", parent=think, by="agent:sub@1")
    book.infer(sub, by="agent:sub@1")
    book.governance("LeaseAcquired", think, owner="docker_sandbox")
    book.tool("Grep", 404, args={"pattern": "tool:Bash"}, result={"error": "no such folder"})
    glass = Glass(book)
    glass.grow(b'{"seq_id": broken\n')
    return glass


def blobs(sha: str) -> BlobFound:
    """Only one blob is there."""
    if sha == SHA:
        return BlobFound(sha, "present", "present", size=len(SECRET), content=SECRET.encode())
    return BlobStore(None, environment={}).find(sha)


def found(glass: Glass, query: str, dropped=None) -> list[int]:
    predicate = parse_query(query, glass.read, dropped, blobs=blobs, now_ms=START_MS + 7_000)
    return [row + 1 for row in range(len(glass.ledger)) if predicate(glass.ledger, row)]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("tool:bash", [3]),
        ("TOOL:Bash", [3]),
        ("agent:sub", [5, 6]),
        ("actor:sub", [5, 6]),
        ("is:failed", [3]),
        ("is:ok -is:prompt", [2, 4, 6, 8]),
        ("is:dead", [8]),
        ("is:malformed", [9]),
        ("is:governance", [7]),
        ("is:prompt", [1, 5]),
        ("is:call", [3, 4, 8]),
        ("is:root", [1]),
        ("is:sub", [5, 6]),
        ("kind:inference", [2, 6]),
        ("kind:tool", [3, 4, 8]),
        ("-kind:tool kind:call", []),
        ("has:blob", [4]),
        ("has:path", [4]),
        ("has:command", [3]),
        ("has:error", [3, 8]),
        ("has:tokens", [2]),
        ("has:duration", [3]),
        ("has:child", [1, 2, 5]),
        ("-has:parent is:call", [8]),
        ("-has:time", [9]),
        ("lane:2", [5, 6]),
        ("session:1 is:call", [3, 4]),
        ("seq:3", [3]),
        ("seq:>6", [7, 8]),
        ("seq:>=6 seq:<8", [6, 7]),
        ("seq:2..4", [2, 3, 4]),
        ("ms:>500", [3]),
        ("path:src/", [4]),
        ('path:"src/parser.py"', [4]),
        ("since:2s", [6, 7, 8]),
        ("since:2026-03-02T14:00:06", [7, 8]),
        ('since:"2026-03-02 14:00:06"', [7, 8]),
        ("until:14:00:02", [1, 2]),
        ("before:2026-03-02T15:00:02+01:00", [1, 2]),
        ("-since:2s", [1, 2, 3, 4, 5, 9]),
        ("blob:LEAP", [4]),
        ("blob:leap", [4]),
        (f"blob:{SHA[:8]}", [4]),
        ("blob:nothing", []),
        ("leap", []),
        ("bug", [1]),
        ("SÃO", [1]),
        ('"two words"', [3]),
        ('"two words', [3]),
        ("words two", [3]),
        (r'"echo \"two"', [3]),
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


KNOWN = (
    "known are tool: agent: kind: is: has: lane: session: seq: ms: since: until: path: blob: and plain text;"
    " text with a colon goes in double quotes"
)


@pytest.mark.parametrize(
    ("query", "said", "short"),
    [
        ("colour:red", f"“colour:red” is not known: {KNOWN}", "put text with a colon in"),
        ("tol:x", f"“tol:x” is not known: did you mean tool:? {KNOWN}", "did you mean tool:?"),
        ("x:\x1b]0;t\x07", f"“x:␛]0;t␇” is not known: {KNOWN}", "put text with a colon in"),
        ("is:faild", "“is:faild” is not known: did you mean failed? is: takes failed, ok,", "failed?"),
        ("is:odd", "“is:odd” is not known: is: takes failed, ok,", "is: takes failed, ok, dead, late, …"),
        ("kind:spwn", "“kind:spwn” is not known: did you mean spawn? kind: takes prompt,", "spawn?"),
        ("has:wings", "“has:wings” is not known: has: takes blob, diff,", "has: takes blob,"),
        ("seq:ten", "“seq:ten” is no number: write seq:7, seq:>7 or seq:7..9", "seq:7..9"),
        ("seq:>2..3", "“seq:>2..3” is no number: write seq:7, seq:>7 or seq:7..9", "seq:7..9"),
        ("since:soon", "“since:soon” is no time: write since:10m, since:2h, since:3d,", "since:10m"),
        ("tool:", "“tool:” is not finished: say what, as in tool:Bash", "as in tool:Bash"),
        ("-", "“-” names nothing: known are tool:", "names nothing"),
    ],
)
def test_an_error_names_the_word_and_what_is_known(query: str, said: str, short: str):
    with pytest.raises(QueryError) as error:
        parse_query(query)
    assert str(error.value).startswith(said)
    assert short in error.value.short
    assert len(error.value.short) <= 78
    assert (str(error.value) + error.value.short).isprintable()


@pytest.mark.parametrize(
    ("query", "word", "nearest"),
    [
        ('tool:Bash "a b" is:faild lane:2', "is:faild", "is:failed"),
        ("  -tol:x y", "-tol:x", "tool:"),
        ('ok since:"so on"', 'since:"so on"', ""),
        ("has:bolb", "has:bolb", "has:blob"),
    ],
)
def test_an_error_points_at_its_word(query: str, word: str, nearest: str):
    with pytest.raises(QueryError) as caught:
        parse_query(query)
    error = caught.value
    assert query[error.begin : error.end] == word
    assert error.nearest == nearest
    line, marks = pointed(query, error)
    assert line[marks.index("^") : marks.index("^") + marks.count("^")] == word


def test_carets_stand_under_what_is_shown_of_a_hostile_query():
    with pytest.raises(QueryError) as caught:
        parse_query("日本 \u202e x:1")
    line, marks = pointed("日本 \u202e x:1", caught.value)
    assert line == "日本 \\u202e x:1"
    assert marks == " " * 12 + "^^^"


def test_a_query_of_too_many_words_is_refused():
    with pytest.raises(QueryError, match="at most 200 words"):
        parse_query("x " * 300)


def test_text_needs_no_source_for_names(glass: Glass):
    predicate = parse_query("grep")
    assert [row + 1 for row in range(len(glass.ledger)) if predicate(glass.ledger, row)] == [8]


def test_what_cannot_be_read_does_not_match_and_is_counted(glass: Glass):
    glass.lost = True
    try:
        assert found(glass, "bug") == []
        query = parse_query("path:src", glass.read)
        assert not [row for row in range(len(glass.ledger)) if query(glass.ledger, row)]
        assert query.unseen.words == "9 records not readable"
    finally:
        glass.lost = False


def test_blobs_that_are_not_there_are_counted(glass: Glass):
    query = parse_query("blob:leap", glass.read, blobs=BlobStore(None, environment={}).find)
    assert query.asks_blobs
    assert not query(glass.ledger, 3)
    assert query.unseen.words == "1 blob not found"


def test_a_long_record_is_left_to_be_looked_at_beside_the_screen():
    book = Book()
    book.tool("Read", book.prompt("go"), result={"content": "x" * 300_000 + "NEEDLE"})
    book.tool("Read", 1, result={"content": "needle"})
    glass = Glass(book)
    sweep = Sweep(parse_query("needle", glass.read), glass.ledger)
    assert sweep.ask(0) is False
    assert sweep.ask(1) is None
    assert sweep.costly is not None
    assert sweep.costly.length > 300_000
    sweep.settle()
    assert sweep.ask(1) is True
    assert sweep.ask(2) is True
    reads = glass.reads
    assert sweep.query(glass.ledger, 1)
    assert glass.reads == reads, "what was answered once is remembered"


def test_columns_answer_before_any_record_is_read(glass: Glass):
    reads = glass.reads
    assert found(glass, "tool:Nothing bug path:x") == []
    assert glass.reads == reads


# times

NOW = START_MS


@pytest.mark.parametrize(
    ("text", "before_now"),
    [
        ("10m", 10 * MINUTE), ("10min", 10 * MINUTE), ("2h", 120 * MINUTE), ("1h30m", 90 * MINUTE),
        ("1.5h", 90 * MINUTE), ("3d", 3 * 1440 * MINUTE), ("1w", 7 * 1440 * MINUTE), ("500ms", 500),
        ("13:30", 30 * MINUTE), ("today", 14 * 60 * MINUTE), ("yesterday", 38 * 60 * MINUTE),
        ("2026-03-02", 14 * 60 * MINUTE), ("2026-03-02T13:59Z", MINUTE), ("2026-03-02t14:59+01:00", MINUTE),
    ],
)  # fmt: skip
def test_moments(text: str, before_now: int):
    assert moment(text, NOW) == NOW - before_now


@pytest.mark.parametrize("text", ["soon", "", "10", "10x", "25:00", "2026-13-01", "9" * 99 + "d", "20260302"])
def test_what_is_no_moment(text: str):
    assert moment(text, NOW) is None


def test_times_without_a_zone_are_those_of_the_zone_that_is_shown(monkeypatch):
    import time

    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    assert moment("2026-03-02T23:00", NOW, None) == NOW
    assert moment("23:00", NOW, None) == NOW


# properties

VALUES = st.text(alphabet='ab :-"\\.>\u00e9', max_size=6)
WORDS = st.builds(
    lambda negated, key, value: Term(0, 0, negated, key, value),
    st.booleans(),
    st.sampled_from(["", "tool", "path", "agent"]),
    VALUES,
)


def _meant(each: list[Term]) -> list[tuple[bool, str, str]]:
    return [(term.negated, term.key, term.value) for term in each]


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, max_size=4))
def test_terms_written_down_are_read_as_the_same_terms(words: list[Term]):
    assert _meant(terms(written(words))) == _meant(words)


KNOWN_WORDS = st.sampled_from(
    ["tool:a", "agent:sub", "is:failed", "is:ok", "kind:call", "has:blob", "has:path", "has:error", "lane:2",
     "seq:>3", "ms:>1", "since:3s", "until:3s", "path:src", "blob:leap", "bug", '"two words"', "session:1"]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(KNOWN_WORDS, max_size=3), KNOWN_WORDS)
def test_minus_is_the_complement_and_all_words_must_fit(glass: Glass, before: list[str], word: str):
    query = " ".join(before)
    with_it, without = found(glass, f"{query} {word}"), found(glass, f"{query} -{word}")
    assert sorted(with_it + without) == found(glass, query)
    assert with_it == [row for row in found(glass, query) if row in found(glass, word)]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='ab"\\/\n', max_size=8), st.text(alphabet="ab/ ", min_size=1, max_size=3))
def test_the_quick_look_never_hides_a_text(text: str, needle: str):
    import json

    if holds(text, needle):
        assert may_hold(json.dumps({"args": text}).encode(), needle)


def test_a_needle_across_pieces_of_a_long_text_is_found():
    assert holds("x" * 65_530 + "NEEDLE" + "x" * 70_000, "needle")
    assert not holds("x" * 200_000, "needle")

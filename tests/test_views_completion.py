"""Completion: what the word under the cursor of a query can become."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import Book
from korg_tui.views import Known, Vocabulary, Where, complete, ghost, parse_query
from korg_tui.views.completion import MOST
from looking import Glass

KNOWN = Known(
    tools=("Bash", "Read", "WebFetch", "BashOutput"),
    agents=("agent:main@1", "human:dusk"),
    lanes=(("1", "main"), ("2", "sub")),
    paths=("src/dates.py", "my notes/a b.md", 'odd"name.py'),
)


def offered(query: str, known: Known = KNOWN) -> list[str]:
    """The queries that the candidates make; `|` is the cursor."""
    cursor = query.index("|")
    query = query.replace("|", "")
    found = complete(query, cursor, known)
    return [found.applied(query, index)[0] for index in range(len(found.candidates))]


@pytest.mark.parametrize(
    ("query", "queries"),
    [
        ("to|", ["tool:"]),
        ("s|", ["session:", "seq:", "since:"]),
        ("-i|", ["-is:"]),
        ("tool:|", ["tool:Bash", "tool:Read", "tool:WebFetch", "tool:BashOutput"]),
        ("tool:b|", ["tool:Bash", "tool:BashOutput", "tool:WebFetch"]),
        ("tool:fetch|", ["tool:WebFetch"]),
        ("TOOL:re|", ["tool:Read"]),
        ("x tool:re| y", ["x tool:Read y"]),
        ("tool:re|xx", ["tool:Read"]),
        ("-is:fa|", ["-is:failed"]),
        ("kind:sp|", ["kind:spawn"]),
        ("has:b|", ["has:blob"]),
        ("actor:hum|", ["actor:human:dusk"]),
        ("lane:|", ["lane:1", "lane:2"]),
        ("path:dates|", ["path:src/dates.py"]),
        ("path:my|", ['path:"my notes/a b.md"']),
        ('path:"my n|', ['path:"my notes/a b.md"']),
        ("path:odd|", [r'path:"odd\"name.py"']),
        ("since:|", ["since:10m", "since:2h", "since:3d", "since:today"]),
        ("is:dropp|", []),
        ("|", []),
        ("tool:Bash |", []),
        ('"to|', []),
        ("colour:r|", []),
    ],
)
def test_candidates(query: str, queries: list[str]):
    assert offered(query) == queries


def test_dropped_is_offered_in_a_preview():
    assert offered("is:dropp|", Known(in_preview=True)) == ["is:dropped"]


def test_notes_tell_what_a_key_asks_and_what_a_lane_is_called():
    assert complete("to", 2, KNOWN).candidates[0].note == "tools whose name has this: tool:Bash"
    assert [each.note for each in complete("lane:", 5, KNOWN).candidates] == ["main", "sub"]


def test_the_word_goes_on_where_one_types():
    assert ghost("is:fai", KNOWN) == "is:failed"
    assert ghost("tool:Bash is:fai", KNOWN) == "tool:Bash is:failed"
    assert ghost("TOOL:ba", KNOWN) == "TOOL:bash"
    assert ghost("tool:etch", KNOWN) == ""
    assert ghost("is:failed ", KNOWN) == ""


def test_hostile_and_long_names_are_not_offered():
    known = Known(tools=("a\x1b[2J", "a" * 5_000, "a\u202eb", "ab", *(f"a{n}" for n in range(900))))
    found = complete("tool:a", 6, known).candidates
    assert found[0].word == "ab"
    assert len(found) == MOST
    assert all(each.text.isprintable() and len(each.text) < 300 for each in found)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='toli:s "-ab', max_size=12), st.integers(0, 12))
def test_every_candidate_is_a_query_that_is_understood_as_far_as_it_goes(query: str, cursor: int):
    found = complete(query, min(cursor, len(query)), KNOWN)
    for index, candidate in enumerate(found.candidates):
        whole, end = found.applied(query, index)
        assert whole[: found.begin] == query[: found.begin]
        assert whole[:end].endswith(candidate.text)
        if not candidate.text.endswith(":"):
            parse_query(candidate.text)


def test_the_vocabulary_of_a_ledger_is_bounded_and_paths_are_met_in_slices():
    book = Book()
    think = book.infer(book.prompt("go"), by="agent:main@1")
    for number in range(6):
        book.tool("Edit", think, by="agent:sub@1", args={"file_path": f"src/{number % 2}.py"})
    book.tool("Read", think, args={"file_path": "x" * 9}, result={"text": "y" * 200_000})
    glass = Glass(book)
    met = Vocabulary([Where(glass.ledger, glass.read)])
    assert met.known.tools[0] == "Edit"
    assert met.known.agents[0] == "agent:sub@1"
    assert met.known.lanes == (("1", "main"), ("2", "sub"))
    assert met.known.paths == ()
    met.meet(lambda: True)
    assert met.known.paths == (), "a record that is too long is not looked at"
    met.meet(lambda: False)
    assert met.done
    assert sorted(met.known.paths) == ["src/0.py", "src/1.py"]
    glass.lost = True
    lost = Vocabulary([Where(glass.ledger, glass.read)])
    lost.meet(lambda: False)
    assert lost.known.paths == ()

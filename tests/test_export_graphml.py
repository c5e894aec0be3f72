"""GraphML: what a library of graphs reads back is what the model says."""

from __future__ import annotations

import io
from pathlib import Path

import networkx as nx
import pytest

from builders import Book
from exporting import exported, ledger_of, reading_of, told_book
from korg_tui.causal import session_graph
from korg_tui.export import ExportRefused, graphml
from korg_tui.reading import Reading
from korg_tui.views import parse_query


@pytest.fixture
def told(tmp_path: Path) -> Reading:
    return reading_of(tmp_path / "told.jsonl", told_book())


def graph_of(raw: bytes) -> nx.DiGraph:
    return nx.read_graphml(io.BytesIO(raw))


def test_it_is_the_graph_of_the_session(told: Reading) -> None:
    out = exported(told, "graphml")
    assert out.raw.isascii()
    found, model = graph_of(out.raw), session_graph(ledger_of(told), 0)
    assert {(int(u), int(v)) for u, v in found.edges} == set(model.edges)
    for source, target, values in model.edges(data=True):
        edge = found.edges[str(source), str(target)]
        assert (edge["rule"], edge["certain"]) == (values["rule"], values["certain"])
        assert edge["rules"] == " ".join(map(str, values["rules"]))
    assert found.edges["5", "6"]["basis"] == "prompt"
    assert found.nodes["8"] | {"text": ""} == {
        "label": "8 Bash", "seq": 8, "tool": "Bash", "actor": "agent:main@1", "kind": "tool call", "text": "",
        "lane": "lane 1 main", "session": 1, "success": False, "duration_ms": 40.0,
        "time": "2026-03-02T14:00:07.000Z",
    }  # fmt: skip
    assert out.said.left_out == ("1 row in no lane: governance events, malformed lines, gaps",)


def test_a_rewind_is_told_at_the_nodes(told: Reading) -> None:
    nodes = graph_of(exported(told, "graphml", rewind_to=5).raw).nodes
    assert [(seq, nodes[seq]["fate"], nodes[seq]["rules"]) for seq in ("5", "6", "7")] == [
        ("5", "kept", ""), ("6", "invalidated", "2"), ("7", "invalidated", "1 4"),
    ]  # fmt: skip


def test_several_sessions_and_a_filter(tmp_path: Path) -> None:
    book = told_book()
    book.infer(book.prompt("another"))
    reading = reading_of(tmp_path / "two.jsonl", book)
    assert len(graph_of(exported(reading, "graphml").raw)) == 10
    assert set(graph_of(exported(reading, "graphml", session=1).raw)) == {"10", "11"}
    filtered = exported(reading, "graphml", meant=parse_query("tool:llm"))
    assert set(graph_of(filtered.raw)) == {"2", "4", "7", "11"}


def test_more_edges_than_a_file_should_have_are_refused(
    told: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphml, "EDGES_AT_MOST", 5)
    with pytest.raises(ExportRefused, match="more than 5 edges; export it as json"):
        exported(told, "graphml")


def test_a_ledger_without_agents_has_no_graph(tmp_path: Path) -> None:
    book = Book()
    book.governance()
    with pytest.raises(ExportRefused, match="no agent events"):
        exported(reading_of(tmp_path / "none.jsonl", book), "graphml")

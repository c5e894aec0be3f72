"""A session as a `networkx.DiGraph`: the scriptable face of the model (CAUSALITY §6).

Reachability in this graph is what `rewind` computes; tests hold the two against each other. Every edge of
a sub-tree to its call stands on its own here, so a graph of a very large session is large.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from korg_tui.causal.edges import Edge, weave
from korg_tui.causal.ledger import Ledger
from korg_tui.text import visible

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    import networkx as nx


def session_graph(ledger: Ledger, session: int) -> nx.DiGraph[int]:
    """The events of a session (by index), and of those its results name, with all edges between them.

    Nodes are seqs with `tool`, `actor`, `kind`, `lane`, `session` (its first seq) and `success`. Edges carry
    `rule` (the smallest rule of SPEC §3 that gives the edge), `rules` (all of them), `certain`, and `basis`
    (that of a link that it rests on, empty for none).
    """
    import networkx as nx

    woven = weave(ledger, ledger.sessions[session])
    graph: nx.DiGraph[int] = nx.DiGraph()
    for lane in woven.lanes:
        for row in lane.rows:
            graph.add_node(
                ledger.seq[row],
                tool=ledger.tool_at(row),
                actor=ledger.actor_at(row),
                kind=ledger.kind_at(row).word,
                lane=lane.id,
                session=lane.home.standing().seq,
                success=ledger.success_at(row),
            )
    for lane in woven.lanes:
        for row in lane.rows:
            for edge in woven.edges_from(row):
                _add(graph, ledger.seq[row], ledger.seq[edge.target], edge)
    return graph


def _add(graph: nx.DiGraph[int], source: int, target: int, edge: Edge) -> None:
    known = graph.get_edge_data(source, target) or {"rules": (), "certain": False, "basis": ""}
    rules = tuple(sorted({*known["rules"], edge.rule}))
    certain, basis = edge.certain or known["certain"], known["basis"] or edge.basis
    graph.add_edge(source, target, rule=rules[0], rules=rules, certain=certain, basis=basis)


def write_graphml(graph: nx.DiGraph[int], out: BinaryIO, name: Callable[[int], str]) -> None:
    """Write a graph as GraphML, in ASCII. `name` gives the id of a node.

    Attributes are text, numbers or booleans, text as `visible` makes it: XML cannot hold every character."""
    import networkx as nx
    from networkx.readwrite.graphml import GraphMLWriter

    plain: nx.DiGraph[str] = nx.DiGraph()
    for node, values in graph.nodes(data=True):
        plain.add_node(visible(name(node)), **_plain(values))
    for source, target, values in graph.edges(data=True):
        plain.add_edge(visible(name(source)), visible(name(target)), **_plain(values))
    writer = GraphMLWriter(encoding="us-ascii")
    writer.add_graph_element(plain)
    _spell_booleans(writer.xml)
    writer.dump(out)


def _spell_booleans(document: Element) -> None:
    """`true` and `false`, as XML has them; Python's spelling is not everybody's."""
    boolean = {each.get("id") for each in document.iter("key") if each.get("attr.type") == "boolean"}
    for data in document.iter("data"):
        if data.get("key") in boolean:
            data.text = (data.text or "").lower()


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """What GraphML has a type for; what is unknown is left out."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, tuple):
            found[key] = " ".join(map(str, value))
        elif isinstance(value, str):
            found[key] = visible(value)
        elif value is not None:
            found[key] = value
    return found

"""A session as a `networkx.DiGraph`: the scriptable face of the model (CAUSALITY §6).

Reachability in this graph is what `rewind` computes; tests hold the two against each other. Every edge of
a sub-tree to its call stands on its own here, so a graph of a very large session is large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from korg_tui.causal.edges import Edge, weave
from korg_tui.causal.ledger import Ledger

if TYPE_CHECKING:
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

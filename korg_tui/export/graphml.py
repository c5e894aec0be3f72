"""GraphML: events and the edges between them, for whoever draws or measures graphs."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from itertools import islice

from korg_tui.causal import session_graph, weave, write_graphml
from korg_tui.export.documents import timestamp
from korg_tui.export.wanted import ExportRefused, Sink, Wanted
from korg_tui.views import lane_title

EDGES_AT_MOST = 500_000
"""Edges of one file; sub-trees and tied links can make their square, and all of them are held at once."""


def write_graph(every: Sequence[Wanted], sink: Sink) -> None:
    """Write the graph of one ledger or session. Raises `ExportRefused` where it would be too large.

    Nodes are events, named by seq: `label`, `seq`, `tool`, `actor`, `kind`, `lane`, `session`, `success`,
    `time`, `duration_ms`, `text`, and, with a rewind, `fate` and `rules`. Edges go from what came before to
    what depends on it: `rule`, `rules`, `certain`, `basis`. A filter leaves its events, and the edges between
    them.
    """
    (wanted,) = every
    _count_edges(wanted)
    rows = set(wanted.rows(sink))
    graph = None
    for session in wanted.sessions:
        part = session_graph(wanted.ledger, session.index)
        if graph is None:
            graph = part
        else:
            graph.update(part)
    if graph is None:
        raise ExportRefused(f"{wanted.title} has no agent events, so no graph; export it as json")
    ledger = wanted.ledger
    graph.remove_nodes_from([seq for seq in graph if ledger.row_of(seq) not in rows])
    for seq in graph:
        graph.nodes[seq].update(_node(wanted, ledger.row_of(seq) or 0))
    off_lanes = len(rows) - len(graph)
    if off_lanes:
        sink.leave_out(f"{off_lanes:,} rows in no lane: governance events, malformed lines, gaps")
    out = io.BytesIO()
    write_graphml(graph, out, lambda seq: _name(wanted, seq))
    sink.write(out.getvalue().decode("ascii"))
    sink.write("\n")


def _count_edges(wanted: Wanted) -> None:
    left = EDGES_AT_MOST
    for session in wanted.sessions:
        woven = weave(wanted.ledger, session)
        for row in session.rows():
            left -= sum(1 for _ in islice(woven.edges_from(row), left + 1))
            if left < 0:
                raise ExportRefused(f"the graph has more than {EDGES_AT_MOST:,} edges; export it as json")


def _name(wanted: Wanted, seq: int) -> str:
    name, number = wanted.ledger.address(seq)
    return str(number) if name == wanted.ledger.name else f"{wanted.redactor.text(name)}:{number}"


def _node(wanted: Wanted, row: int) -> dict[str, object]:
    ledger = wanted.ledger
    lane, took = ledger.lane_at(row), ledger.duration_at(row)
    text = wanted.redactor.text
    values: dict[str, object] = {
        "label": f"{_name(wanted, ledger.seq[row])} {text(ledger.tool_at(row))}",
        "seq": ledger.number_at(row),
        "tool": text(ledger.tool_at(row)),
        "actor": text(ledger.actor_at(row)),
        "lane": None if lane is None else text(lane_title(lane)),
        "time": timestamp(ledger.time_at(row)),
        "duration_ms": float(took) if took is not None and math.isfinite(took) else None,
        "text": text(wanted.spine.argument(row)),
    }
    if wanted.rewind is not None:
        seq = ledger.seq[row]
        values |= {"fate": wanted.rewind.state(seq), "rules": wanted.rewind.rules(seq)}
    return values

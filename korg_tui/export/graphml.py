"""GraphML: events and the edges between them, for whoever draws or measures graphs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice

from korg_tui.causal import Edge, weave
from korg_tui.export.documents import timestamp
from korg_tui.export.wanted import ExportRefused, Sink, Wanted
from korg_tui.text import visible
from korg_tui.views import lane_title, plural

EDGES_AT_MOST = 500_000
"""Edges of one file; sub-trees and tied links can make their square."""

_HEAD = """<?xml version='1.0' encoding='us-ascii'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
_NODE = {
    "label": "string", "seq": "long", "tool": "string", "actor": "string", "kind": "string",
    "lane": "string", "session": "long", "success": "boolean", "time": "string", "duration_ms": "double",
    "text": "string", "fate": "string", "rules": "string",
}  # fmt: skip
_EDGE = {"rule": "long", "rules": "string", "certain": "boolean", "basis": "string"}

_Values = dict[str, object]


def write_graph(every: Sequence[Wanted], sink: Sink) -> None:
    """Write the graph of one ledger or session. Raises `ExportRefused` where it would be too large.

    Nodes are events, named by seq: `label`, `seq`, `tool`, `actor`, `kind`, `lane`, `session`, `success`,
    `time`, `duration_ms`, `text`, and, with a rewind, `fate` and `rules`. Edges go from what came before to
    what depends on it: `rule`, `rules`, `certain`, `basis`. A filter leaves its events, and the edges between
    them. Written as it is found: no graph is held.
    """
    (wanted,) = every
    ledger = wanted.ledger
    found = _count(wanted)
    chosen = {row for row in wanted.all_rows if wanted.meant is None or wanted.meant(ledger, row)}
    nodes = [row for row in found if row in chosen]
    sink.write(_HEAD)
    for scope, names in (("node", _NODE), ("edge", _EDGE)):
        for name, kind in names.items():
            sink.write(f'<key id="{scope[0]}-{name}" for="{scope}" attr.name="{name}" attr.type="{kind}"/>\n')
    sink.write('<graph edgedefault="directed">\n')
    sink.expect(len(nodes))
    for row in nodes:
        sink.step()
        sink.events += 1
        sink.write(f'<node id="{_id(wanted, row)}">{_data("n", _node(wanted, row))}</node>\n')
    shown = set(nodes)
    for source, target, values in _edges(wanted, found):
        if source in shown and target in shown:
            ends = f'source="{_id(wanted, source)}" target="{_id(wanted, target)}"'
            sink.write(f"<edge {ends}>{_data('e', values)}</edge>\n")
    sink.write("</graph>\n</graphml>\n")
    off_lanes = len(chosen) - len(nodes)
    if off_lanes:
        sink.leave_out(f"{plural(off_lanes, 'row')} in no lane: governance events, malformed lines, gaps")


# events and edges


def _count(wanted: Wanted) -> Counter[int]:
    """The rows of the graph in order, and in how many sessions' graphs each is."""
    left, found = EDGES_AT_MOST, Counter[int]()
    for session in wanted.sessions:
        woven = weave(wanted.ledger, session)
        for lane in woven.lanes:
            found.update(lane.rows)
            for row in lane.rows:
                left -= sum(1 for _ in islice(woven.edges_from(row), left + 1))
                if left < 0:
                    raise ExportRefused(f"the graph has more than {EDGES_AT_MOST:,} edges; export it as json")
    if not found:
        raise ExportRefused(f"{wanted.title} has no agent events, so no graph; export it as json")
    return found


def _edges(wanted: Wanted, found: Counter[int]) -> Iterator[tuple[int, int, _Values]]:
    """Source, target, and what is known of the edge, each pair once."""
    shared: dict[int, list[Edge]] = {}
    for session in wanted.sessions:
        woven = weave(wanted.ledger, session)
        for lane in woven.lanes:
            for row in lane.rows:
                if found[row] > 1:
                    shared.setdefault(row, []).extend(woven.edges_from(row))
                else:
                    yield from _from_row(row, woven.edges_from(row))
    for row, edges in shared.items():
        yield from _from_row(row, edges)


def _from_row(row: int, edges: Iterable[Edge]) -> Iterator[tuple[int, int, _Values]]:
    targets: dict[int, list[Edge]] = {}
    for edge in edges:
        targets.setdefault(edge.target, []).append(edge)
    for target, several in targets.items():
        rules = sorted({edge.rule for edge in several})
        yield row, target, {
            "rule": rules[0],
            "rules": " ".join(map(str, rules)),
            "certain": any(edge.certain for edge in several),
            "basis": next((edge.basis for edge in several if edge.basis), ""),
        }  # fmt: skip


def _node(wanted: Wanted, row: int) -> _Values:
    ledger = wanted.ledger
    lane, took, session = ledger.lane_at(row), ledger.duration_at(row), ledger.session_at(row)
    text = wanted.redactor.text
    values: _Values = {
        "label": f"{_name(wanted, row)} {text(ledger.tool_at(row))}",
        "seq": ledger.number_at(row),
        "tool": text(ledger.tool_at(row)),
        "actor": text(ledger.actor_at(row)),
        "kind": ledger.kind_at(row).word,
        "lane": None if lane is None else text(lane_title(lane)),
        "session": None if session is None else session.seq,
        "success": ledger.success_at(row),
        "time": timestamp(ledger.time_at(row)),
        "duration_ms": float(took) if took is not None and math.isfinite(took) else None,
        "text": text(wanted.spine.argument(row)),
    }
    if wanted.rewind is not None:
        seq = ledger.seq[row]
        rules = " ".join(map(str, wanted.rewind.rules(seq)))
        values |= {"fate": wanted.rewind.state(seq), "rules": rules}
    return values


# writing


def _name(wanted: Wanted, row: int) -> str:
    name, number = wanted.ledger.address(wanted.ledger.seq[row])
    return str(number) if name == wanted.ledger.name else f"{wanted.redactor.text(name)}:{number}"


def _id(wanted: Wanted, row: int) -> str:
    return _text(_name(wanted, row))


def _data(scope: str, values: _Values) -> str:
    """What is known; booleans as XML has them."""
    return "".join(
        f'<data key="{scope}-{name}">{_text(str(value).lower() if isinstance(value, bool) else str(value))}'
        "</data>"
        for name, value in values.items()
        if value is not None
    )


def _text(text: str) -> str:
    """Safe text in ASCII; XML cannot hold every character."""
    return escape(visible(text)).encode("ascii", "xmlcharrefreplace").decode()

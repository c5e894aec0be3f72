"""JSON and NDJSON: a ledger as data. ASCII only, written event by event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from korg_tui import __version__
from korg_tui.causal import Edge, weave
from korg_tui.export.documents import (
    event_document,
    lanes_document,
    outside,
    rewind_document,
    session_document,
    to_json,
)
from korg_tui.export.wanted import Sink, Wanted

EDGES_AT_MOST = 2_000_000
"""So many edges are written; sub-trees and tied links can make their square."""


def write_ndjson(every: Sequence[Wanted], sink: Sink) -> None:
    """Every event as `show --json` prints it, one on each line."""
    for wanted in every:
        for row in wanted.rows(sink):
            sink.write(to_json(_event(wanted, row)) + "\n")


def write_json(every: Sequence[Wanted], sink: Sink) -> None:
    """One object for one ledger, a list of them for several.

    `{"korg_tui": version, "ledger", "session", "redacted", "sessions": [as sessions --json], "lanes": [as
    lanes --json], "pointers", "edges": [{"from", "to", "rule", "certain", "basis"}], "events": [as show
    --json], "rewind": as rewind --json, "redactions": count, "left_out": [words]}`. A filter chooses among
    the events; sessions, lanes and edges stay whole.
    """
    if len(every) == 1:
        _write_object(every[0], sink)
    else:
        sink.write("[")
        for number, wanted in enumerate(every):
            sink.write(",\n" if number else "\n")
            _write_object(wanted, sink)
        sink.write("]")
    sink.write("\n")


def _write_object(wanted: Wanted, sink: Sink) -> None:
    ledger, redactor = wanted.ledger, wanted.redactor
    head = {
        "korg_tui": __version__,
        "ledger": redactor.text(ledger.name),
        "session": None if wanted.session is None else wanted.session.seq,
        "redacted": wanted.redacts,
    }
    sink.write("{" + to_json(head)[1:-1])
    sessions = (session_document(wanted.reading, ledger, each) for each in wanted.sessions)
    _write_list("sessions", (redactor.value(each, counted=False) for each in sessions), sink)
    document = lanes_document(ledger)
    mine = {lane for session in wanted.sessions for lane in session.lanes}
    lanes = (lane for lane in document["lanes"] if lane["id"] in mine)
    _write_list("lanes", (redactor.value(lane, counted=False) for lane in lanes), sink)
    here = {str(outside(ledger, ledger.seq[row])) for row in wanted.all_rows}
    pointers = {seq: state for seq, state in document["pointers"].items() if seq in here}
    sink.write(f',\n"pointers": {to_json(redactor.value(pointers, counted=False))}')
    _write_list("edges", _edges(wanted, sink), sink)
    _write_list("events", (_event(wanted, row) for row in wanted.rows(sink)), sink)
    found = None
    if wanted.rewind is not None:
        found = redactor.value(rewind_document(wanted.reading, ledger, wanted.rewind), counted=False)
    sink.write(f',\n"rewind": {to_json(found)}')
    sink.write(f',\n"redactions": {redactor.count}, "left_out": {to_json(sink.left_out)}}}')


def _write_list(name: str, documents: Iterable[Any], sink: Sink) -> None:
    sink.write(f',\n"{name}": [')
    for number, document in enumerate(documents):
        sink.write((",\n" if number else "\n") + to_json(document))
    sink.write("]")


def _event(wanted: Wanted, row: int) -> dict[str, Any]:
    """An event without its secrets; those that its record repeats are counted once."""
    document = event_document(wanted.reading, wanted.ledger, row)
    raw = wanted.redactor.value(document.pop("raw"))
    return {**wanted.redactor.value(document, counted=False), "raw": raw}


def _edges(wanted: Wanted, sink: Sink) -> Iterator[dict[str, Any]]:
    left = EDGES_AT_MOST
    for session in wanted.sessions:
        woven = weave(wanted.ledger, session)
        for row in session.rows():
            for edge in woven.edges_from(row):
                if not left:
                    sink.leave_out(f"edges after the first {EDGES_AT_MOST:,}")
                    return
                left -= 1
                yield _edge(wanted, edge)


def _edge(wanted: Wanted, edge: Edge) -> dict[str, Any]:
    ledger = wanted.ledger
    return {
        "from": outside(ledger, ledger.seq[edge.source]),
        "to": outside(ledger, ledger.seq[edge.target]),
        "rule": edge.rule,
        "certain": edge.certain,
        "basis": edge.basis or None,
    }

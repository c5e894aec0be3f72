"""The JSON documents of the commands: what scripts read (EXPERIENCE, "Without the screen").

Seqs ascend, what is unknown is `null`, and text is as the ledger has it; `to_json` makes it ASCII.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from korg_tui.causal import Journal, Ledger, Pointer, Rewind, Session, links
from korg_tui.formats import Body
from korg_tui.reading import Reading
from korg_tui.sources import BodyGone
from korg_tui.views import Losses, losses

WHY_STEPS = 1_000_000
"""So many steps of reasons are written; a chain can be as long as its session, for each of its events."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_json(document: object, *, indent: int | None = None) -> str:
    """ASCII-only JSON, so that no ledger text can act on a terminal; no NaN, no infinities."""
    try:
        return json.dumps(document, indent=indent, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(document), indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    """The same value with `null` for the numbers that JSON does not have."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def timestamp(ms: int | None) -> str | None:
    """ISO 8601, UTC, to the millisecond; `None` where the ledger has no time."""
    if ms is None:
        return None
    return (_EPOCH + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def session_document(reading: Reading, ledger: Ledger, session: Session) -> dict[str, Any]:
    """One session as `sessions --json` lists it (SPEC §8.3)."""
    return {
        "ledger": ledger.name,
        "session": session.seq,
        "root_seq": session.root_seq,
        "root_state": session.root_state.word,
        "status": session.status,
        "synthesized": session.synthesized,
        "prompt": prompt_text(reading, ledger, session.head),
        "total_events": session.total_events,
        "agent_count": len(session.agents),
        "agents": session.agents,
        "lanes": len(session.lanes),
        "first_seq": session.first_seq,
        "last_seq": session.last_seq,
        "last_event_at": timestamp(session.last_event_at),
        "last_event_seq": session.last_event_seq,
        "schema_version": session.schema or None,
        "failed": session.failed,
        "dead_pointers": session.dead_pointers,
        "unloaded": session.unloaded,
    }


def prompt_text(reading: Reading, ledger: Ledger, row: int) -> str | None:
    """The text in `args.prompt`, `None` if there is none (a reference to a blob is not read)."""
    try:
        body = reading.body(ledger, row)
    except BodyGone:
        return None
    prompt = body.args.get("prompt") if body is not None and isinstance(body.args, dict) else None
    return prompt if isinstance(prompt, str) else None


Outside = int | str
"""An event as documents name it: its seq, or `LEDGER:N` where it lies in a sub-agent's own ledger."""


def outside(ledger: Ledger, seq: int) -> Outside:
    """What an event of a ledger is called in a document; `seq` may be the key of a guest."""
    name, number = ledger.address(seq)
    return number if name == ledger.name else f"{name}:{number}"


def lanes_document(ledger: Ledger) -> dict[str, Any]:
    """The lanes and the pointers that are not ok, as `lanes --json` gives them."""
    seq = [outside(ledger, each) for each in ledger.seq]
    linked = {session.index: links(ledger, session.index) for session in ledger.sessions}
    lanes = []
    for lane in ledger.lanes:
        found = sorted(linked[lane.session].get(lane.id, ()), key=lambda link: link.call)
        lanes.append(
            {
                "id": lane.id,
                "session": ledger.sessions[lane.session].seq,
                "opener": seq[lane.opener],
                "parent": lane.parent,
                "fork": None if lane.fork is None else seq[lane.fork],
                "actor": lane.actor,
                "events": [seq[row] for row in lane.rows],
                "links": [
                    {"call": seq[link.call], "certain": link.certain, "basis": link.basis} for link in found
                ],
            }
        )
    pointers = {
        str(seq[row]): ledger.pointer_at(row).word
        for row in range(len(ledger))
        if ledger.kind_at(row).agent and ledger.pointer_at(row) is not Pointer.OK
    }
    return {"lanes": lanes, "pointers": pointers}


def event_document(reading: Reading, ledger: Ledger, row: int) -> dict[str, Any]:
    """One event as found, as `show --json` prints it.

    `raw` is the whole record, unknown fields too; for a malformed line it is its text, and `offset`
    (bytes) and `reason` say where it lies and why it could not be read. It is `null` when the source
    can no longer give it, and for a gap, whose `first` and `last` seqs are there instead.
    """
    agent = ledger.kind_at(row).agent
    session, lane = ledger.session_at(row), ledger.lane_at(row)
    seq, parent = ledger.seq_at(row), ledger.parent_at(row)
    name, number = (ledger.name, None) if seq is None else ledger.address(seq)
    document: dict[str, Any] = {
        "ledger": name,
        "seq": number,
        "parent": None if parent is None else _seen_from(name, ledger, parent),
        "pointer": ledger.pointer_at(row).word if agent else None,
        "session": None if session is None else session.seq,
        "lane": None if lane is None else lane.id,
        "kind": ledger.kind_at(row).word,
        "actor": ledger.actor_at(row) or None,
        "tool": ledger.tool_at(row) or None,
        "success": ledger.success_at(row),
        "duration_ms": _number(ledger.duration_at(row)),
        "time": timestamp(ledger.time_at(row)),
    }
    gap = ledger.gap_at(row)
    body, raw = _body(reading, ledger, row) if gap is None else (None, None)
    document |= {
        "args": body.args if body else None,
        "result": body.result if body else None,
        "payload_refs": body.payload_refs if body else None,
        "raw": raw,
    }
    if gap is not None:
        document |= {"first": gap.first, "last": gap.last}
    elif ledger.seq_at(row) is None:
        document |= {"offset": ledger.offset[row], "reason": ledger.reason_at(row)}
    return document


def _seen_from(name: str, ledger: Ledger, seq: int) -> Outside:
    """An event as one in the ledger `name` names it."""
    where, number = ledger.address(seq)
    return number if where == name else f"{where}:{number}"


def _body(reading: Reading, ledger: Ledger, row: int) -> tuple[Body | None, Any]:
    try:
        body = reading.body(ledger, row)
        if body is not None and ledger.seq_at(row) is not None:
            return body, body.record
        return None, reading.raw(ledger, row).decode("utf-8", "replace")
    except BodyGone:
        return None, None


def _number(value: float | None) -> float | int | None:
    return int(value) if value is not None and float(value).is_integer() else value


def rewind_document(reading: Reading, ledger: Ledger, rewind: Rewind) -> dict[str, Any]:
    """What a rewind would carry away, as `rewind --json` gives it (CAUSALITY §7).

    `why` is `null` where all chains together have more than `WHY_STEPS` steps.
    """
    dropped = rewind.dropped
    name = partial(outside, ledger)
    why = None
    if rewind.why_steps <= WHY_STEPS:
        chains = ((seq, rewind.why(seq)) for seq in dropped)
        why = {str(name(seq)): [(rule, name(step)) for rule, step in chain] for seq, chain in chains if chain}
    lost = losses(ledger, rewind, lambda row: reading.raw(ledger, row))
    return {
        "target": name(rewind.target),
        "invalidated": [name(seq) for seq in rewind.invalidated],
        "possible": [name(seq) for seq in rewind.possible],
        "unknown": [name(seq) for seq in rewind.unknown],
        "independent": [name(seq) for seq in rewind.independent],
        "rules": {str(name(seq)): list(rules) for seq in dropped if (rules := rewind.rules(seq))},
        "why": why,
        **_losses_document(lost, name),
    }


def _losses_document(lost: Losses, name: Callable[[int], Outside]) -> dict[str, Any]:
    return {
        "files": [{"path": each.path, "seqs": [name(seq) for seq in each.seqs]} for each in lost.files],
        "commands": [{"command": each.command, "seq": name(each.seq)} for each in lost.commands],
        "effects": [{"tool": each.tool, "seq": name(each.seq)} for each in lost.effects],
        "blobs": list(lost.blobs),
        "tokens": lost.tokens,
        "duration_ms": _number(lost.duration_ms),
    }


def for_ledgers(journals: list[Journal], documents: dict[str, dict[str, Any]]) -> Any:
    """One ledger gives its document; several give a list of documents that name their ledger."""
    if sum(ledger.host is None for journal in journals for ledger in journal.ledgers) == 1:
        return next(iter(documents.values()), {})
    return [{"ledger": name, **document} for name, document in documents.items()]

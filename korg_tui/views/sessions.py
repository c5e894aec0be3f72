"""Sessions: the rows of the first screen (EXPERIENCE, screen 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from korg_tui.causal import Ledger, Session, is_key
from korg_tui.event import Kind
from korg_tui.text import visible
from korg_tui.views import marks, summary, words
from korg_tui.views.trusted import NOT_WATCHED, TrustMark, TrustMarks

_TITLE = 200


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session of one ledger. Text is safe; numbers are numbers, for sorting."""

    ledger: str
    """The ledger's name, raw: the identity, with `index`."""
    index: int
    """The session's index in its ledger; -1 for rows that belong to none."""
    title: str
    """The ledger's name, safe."""
    seq: int | None
    """The seq of the first head."""
    prompt: str
    agents: int
    lanes: int
    events: int
    failed: int
    dead_pointers: int
    unloaded: int
    status: str
    """`complete`, `partial`, `detached`, `malformed`, or `no session`."""
    synthesized: bool
    live: bool
    """Whether the source is live and this session has its newest event."""
    last_ms: int | None
    """Time of the last event, ms since the epoch, None when the ledger has none."""
    generation: int = 0
    """Of the ledger, when this was seen."""
    missing: int = 0
    """Events that the source of the ledger has and could not give."""
    trust: TrustMark | None = None
    """What is said of its chain; None while nobody knows."""


def session_rows(
    ledger: Ledger,
    *,
    live: bool = False,
    before: Sequence[SessionRow] = (),
    trusted: TrustMarks = NOT_WATCHED,
) -> list[SessionRow]:
    """The sessions of a ledger in the order of their first heads, read from its columns alone.

    The ledger of a sub-agent that is a lane of another ledger's session has none of its own.
    A ledger with rows but without a session (governance events, malformed lines) has one row, its index -1.
    `before` are the rows that it had before: those that still hold are not made anew. `trusted` says what
    their chain is.
    """
    if ledger.host is not None:
        return []
    if not ledger.sessions:
        rows = [_of_nothing(ledger, live, trusted.of(None))] if len(ledger) else []
        return list(before) if rows == list(before) else rows
    newest = _last_agent_seq(ledger) if live else None
    rows = []
    for index, session in enumerate(ledger.sessions):
        at_work, trust = live and session.last_seq == newest, trusted.of(session)
        if (
            index < len(before)
            and before[index].trust == trust
            and _holds(before[index], ledger, session, at_work)
        ):
            rows.append(before[index])
        else:
            rows.append(_of(ledger, session, at_work, trust))
    return rows


def _holds(row: SessionRow, ledger: Ledger, session: Session, at_work: bool) -> bool:
    return (
        row.seq == session.seq
        and row.events == session.total_events
        and row.generation == ledger.generation
        and row.missing == ledger.not_loaded
        and row.live == at_work
        and row.last_ms == session.last_event_at
        and (row.failed, row.dead_pointers, row.unloaded)
        == (session.failed, session.dead_pointers, session.unloaded)
        and row.status == session.status
        and row.index == session.index
        and row.synthesized == session.synthesized
        and row.agents == len(session.agents)
        and row.lanes == len(session.lane_objects())
    )


def _of(ledger: Ledger, session: Session, live: bool, trust: TrustMark | None) -> SessionRow:
    return SessionRow(
        ledger=ledger.name,
        index=session.index,
        title=visible(ledger.name, _TITLE),
        seq=session.seq,
        prompt=prompt_of(ledger, session.head),
        agents=len(session.agents),
        lanes=len(session.lane_objects()),
        events=session.total_events,
        failed=session.failed,
        dead_pointers=session.dead_pointers,
        unloaded=session.unloaded,
        status=session.status,
        synthesized=session.synthesized,
        live=live,
        last_ms=session.last_event_at,
        generation=ledger.generation,
        missing=ledger.not_loaded,
        trust=trust,
    )


def _of_nothing(ledger: Ledger, live: bool, trust: TrustMark | None) -> SessionRow:
    last = len(ledger) - 1
    kinds = ledger.kind.tobytes()
    malformed, gaps = kinds.count(Kind.MALFORMED), kinds.count(Kind.GAP)
    held = [words.plural(malformed, "malformed line")] if malformed else []
    governance = len(ledger) - malformed - gaps
    if governance:
        held.append(words.plural(governance, "governance event"))
    if gaps:
        held.append(words.plural(gaps, "gap"))
    return SessionRow(
        ledger=ledger.name, index=-1, title=visible(ledger.name, _TITLE), seq=ledger.seq_at(0),
        prompt=f"no agent event: {' and '.join(held)}", agents=0, lanes=0, events=0, failed=0,
        dead_pointers=0, unloaded=0, status="no session", synthesized=False, live=live,
        last_ms=ledger.time_at(last), generation=ledger.generation, trust=trust,
    )  # fmt: skip


def _last_agent_seq(ledger: Ledger) -> int | None:
    """The seq of the newest event of any session: the session that has it is the one at work."""
    for row in range(len(ledger) - 1, -1, -1):
        if Kind(ledger.kind[row]).agent and not is_key(ledger.seq[row]):
            return ledger.seq[row]
    return None


def prompt_of(ledger: Ledger, head: int) -> str:
    """The head's prompt, or what the head is. Prompts of more than 1 KB may be shortened."""
    kind, _, text = ledger.prompt_key(head).partition(":")
    if kind == "text":
        return visible(summary.one_line(text), summary.LIMIT)
    if kind == "ref":
        return f"prompt in {summary.named_blob(text, None)}"
    return f"begins with {marks.tool(ledger, head)}"


SORTS = ("activity", "size", "failures", "start")
"""The orders that a list of sessions can have."""


def sort_sessions(rows: Iterable[SessionRow], by: str) -> list[SessionRow]:
    """Newest activity, most events, or most failures first; or from the beginning of the ledger. Sessions
    without a time are the least active."""
    return sorted(rows, key=ORDERS[by])


def _by_activity(row: SessionRow) -> tuple[int, str, int]:
    return (2**63 if row.last_ms is None else -row.last_ms), row.ledger, -row.index


def _by_size(row: SessionRow) -> tuple[int, str, int]:
    return -row.events, row.ledger, row.index


def _by_failures(row: SessionRow) -> tuple[int, int, str, int]:
    return -row.failed, -row.dead_pointers, row.ledger, row.index


def _by_start(row: SessionRow) -> tuple[str, int]:
    return row.ledger, row.index


ORDERS: dict[str, Callable[[SessionRow], Any]] = {
    "activity": _by_activity, "size": _by_size, "failures": _by_failures, "start": _by_start,
}  # fmt: skip


def has_words(row: SessionRow, text: str) -> bool:
    """Whether every word of `text` is in the ledger's name, the prompt, the status, the words for the chain,
    or the seq."""
    trust = "" if row.trust is None else row.trust.words
    here = f"{row.title} {row.prompt} {row.status} {trust} {row.seq}".casefold()
    if row.synthesized:
        here += " synthesized"
    return all(word in here for word in text.casefold().split())

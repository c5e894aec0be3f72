"""Checks of the sessions of a ledger: their roots, what hangs from them, and lines that are no events."""

from __future__ import annotations

from collections.abc import Iterable

from korg_tui.causal import Ledger, Session
from korg_tui.event import Kind
from korg_tui.text import visible
from korg_tui.trust.collected import Collected
from korg_tui.trust.found import Check
from korg_tui.trust.lost_parents import lost_parent

SCANNED, INDEXED, UNBEARABLE = 100, 500, 5_000
"""Events from which on a walk over all of them is warned of in §6.2 and in §6.6, and fails in §6.6."""

_CELLS = 200


def children_check(ledger: Ledger, sessions: Iterable[Session], *, indexed: bool) -> Check:
    """§6.2: something hangs from every root. A root that has only just begun is warned of."""
    found = Collected("6.2")
    last = max((session.head for session in ledger.sessions), default=-1)
    for session in sessions:
        if session.root_seq is None:
            continue
        found.looked_at += 1
        if ledger.last_child(session.head) >= 0:
            continue
        if session.head == last:
            found.warn(session.root_seq, "nothing hangs from this root yet: it is the newest")
        else:
            found.fail(session.root_seq, "nothing hangs from this root")
    if not indexed and len(ledger) > SCANNED:
        found.warn(None, f"a walk from a root looks at all {len(ledger):,} events: there is no index")
    return found.check()


def index_check(ledger: Ledger, events: int, *, indexed: bool) -> Check:
    """§6.6: who walks from a parent to its children has an index for it. This program always has one."""
    found = Collected("6.6")
    found.looked_at = events
    if not indexed and len(ledger) > INDEXED:
        tell = found.fail if len(ledger) > UNBEARABLE else found.warn
        tell(None, f"{len(ledger):,} events, and no index from parents to their children")
    return found.check()


def roots_check(
    ledger: Ledger, sessions: Iterable[Session], malformed: Iterable[int], torn: int | None
) -> Check:
    """§7.6: every event is reached from exactly one root. `malformed` are the rows of lines that are no
    events; `torn` is the one whose rest was not written yet."""
    found = Collected("7.6")
    for session in sessions:
        found.looked_at += 1
        _judge(found, ledger, session)
    for row in malformed:
        offset = ledger.offset[row]
        where, why = f"the line at byte {offset:,}", visible(ledger.reason_at(row), _CELLS)
        if row == torn:
            found.warn(None, f"{where} is torn, the last one: its rest was not written", offset)
        else:
            found.fail(None, f"{where} is no event: {why}", offset)
    return found.check()


def _judge(found: Collected, ledger: Ledger, session: Session) -> None:
    why = lost_parent(ledger, session.head)
    if session.status == "partial":
        found.warn(session.seq, f"its session is partial, without a root: {why}")
    elif session.status == "malformed":
        found.fail(session.seq, f"its session is malformed, without a root: {why}")
    elif session.status == "detached":
        found.tell(session.seq, "bookkeeping that no prompt caused: it has no root, and needs none")
    elif session.synthesized:
        found.tell(session.seq, "this root is synthesized, and says so: the real prompt was not seen")
    elif ledger.kind[session.head] != Kind.PROMPT:
        found.fail(session.seq, "its session has a root that is no user_prompt")

"""Checks of the sessions of a ledger: their roots, what hangs from them, and lines that are no events."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from korg_tui.causal import Ledger, Session
from korg_tui.event import Kind
from korg_tui.text import visible
from korg_tui.trust.collected import Collected
from korg_tui.trust.found import Check
from korg_tui.trust.lost_parents import lost_parent

SCANNED, INDEXED, UNBEARABLE = 100, 500, 5_000
"""Events from which on a walk over all of them is warned of in §6.2 and in §6.6, and fails in §6.6."""

_CELLS = 200


class Lines:
    """Lines that are no events, for §7.6. The last one may be torn, as long as nothing follows it."""

    def __init__(self) -> None:
        self.torn = False
        """Whether the last one is."""
        self._before = Collected("7.6")
        self._last: tuple[int, str] | None = None

    def meet(self, offset: int, why: str) -> None:
        """The next one: where it lies (bytes), and why it is no event."""
        self._tell_last(self._before)
        self._last, self.torn = (offset, why), False

    def found(self) -> Collected:
        """What is to be said of the last one alone."""
        last = Collected("7.6")
        self._tell_last(last)
        return last

    @property
    def before(self) -> Collected:
        """What is to be said of those before it."""
        return self._before

    def _tell_last(self, into: Collected) -> None:
        if self._last is None:
            return
        offset, why = self._last
        where = f"the line at byte {offset:,}"
        if self.torn:
            into.warn(None, f"{where} is torn, the last one: its rest was not written", offset, "line")
        else:
            into.fail(None, f"{where} is no event: {visible(why, _CELLS)}", offset, "line")


def children_check(
    ledger: Ledger, sessions: Iterable[Session], newest: int, *, indexed: bool
) -> Generator[None, None, Check]:
    """§6.2: something hangs from every root. A root that has only just begun is warned of: `newest` is the
    row of the newest head. Pauses after every session; the check is what it returns."""
    found = Collected("6.2")
    for session in sessions:
        yield
        if session.root_seq is None:
            continue
        found.looked_at += 1
        if ledger.last_child(session.head) >= 0:
            continue
        root = "this root, which is synthesized" if session.synthesized else "this root"
        if session.head == newest:
            found.warn(session.root_seq, f"nothing hangs from {root} yet: it is the newest")
        else:
            found.fail(session.root_seq, f"nothing hangs from {root}")
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
    ledger: Ledger, sessions: Iterable[Session], lines: Lines
) -> Generator[None, None, Check]:
    """§7.6: every event is reached from exactly one root, and every line is an event. Pauses after every
    session; the check is what it returns."""
    found = Collected("7.6")
    detached: list[Session] = []
    for session in sessions:
        yield
        found.looked_at += 1
        _judge(found, ledger, session, detached)
    if detached:
        more = "" if len(detached) == 1 else f"; so {len(detached):,} times"
        text = f"bookkeeping that no prompt caused: it has no root, and needs none{more}"
        found.tell(detached[0].seq, text)
    return found.check(lines.before, lines.found())


def _judge(found: Collected, ledger: Ledger, session: Session, detached: list[Session]) -> None:
    if session.status in ("partial", "malformed"):
        tell = found.warn if session.status == "partial" else found.fail
        why = "" if found.full else lost_parent(ledger, session.head)
        tell(session.seq, f"its session is {session.status}, without a root: {why}")
    elif session.synthesized:
        found.tell(session.seq, "this root is synthesized, and says so: the real prompt was not seen")
    elif session.status == "detached":
        strays = _not_bookkeeping(ledger, session)
        if strays is None:
            detached.append(session)
        else:
            text = f"its session has no root: it begins with bookkeeping, and {strays} is none"
            found.fail(session.seq, text)


def _not_bookkeeping(ledger: Ledger, session: Session) -> int | None:
    """The seq of the first event of a session that an agent did, or a person."""
    if session.total_events == 1:
        return None
    return next((ledger.seq[row] for row in session.rows() if ledger.kind[row] != Kind.BOOKKEEPING), None)

"""The rules of the command table: why a command cannot be given now, in words; empty when it can.

The words name other commands in braces, as `{search}`: the keymap says which key that is.
"""

from __future__ import annotations

from collections.abc import Callable

from korg_tui.commands.place import Place, Situation

Rule = Callable[[Situation], str]
"""Why a command cannot be given now, in words; empty when it can."""


def always(_: Situation) -> str:
    return ""


def rows(now: Situation) -> str:
    return "" if now.rows else "there are no rows"


def row(now: Situation) -> str:
    return "" if now.on_row else "no row is selected"


def event(now: Situation) -> str:
    return "" if now.on_event else "only an agent event has causes and effects"


def parent(now: Situation) -> str:
    return "" if now.has_parent else "this row has no parent in the ledger"


def rewindable(now: Situation) -> str:
    return "" if now.on_event else "a rewind goes to an agent event; this row is none"


def before(now: Situation) -> str:
    return rewindable(now) or (
        "" if now.has_parent else "nothing lies before it: it has no parent in the ledger"
    )


def why(now: Situation) -> str:
    return dropped(now) if now.place is Place.PREVIEW else event(now)


def dropped(now: Situation) -> str:
    return "" if now.on_dropped else "the rewind does not drop this row"


def path(now: Situation) -> str:
    return "" if now.names_path else "this event names no path"


def hits(now: Situation) -> str:
    if not now.searched:
        return "nothing was searched for: {search} begins a search"
    return "" if now.hits else "the search found nothing"


def failures(now: Situation) -> str:
    return "" if now.failures else "nothing failed in this session"


def dead(now: Situation) -> str:
    return "" if now.dead_pointers else "this session has no dead pointers"


def followable(now: Situation) -> str:
    return "" if now.live else "the source has ended: nothing new will come"


def trail(now: Situation) -> str:
    return "" if now.trail else "there is no earlier place"


def notices(now: Situation) -> str:
    if now.notices or now.gone:
        return ""
    return "there is no notice" if now.place is Place.LEDGERS else "there is no notice, and nothing dropped"


def demo(now: Situation) -> str:
    return "" if now.nothing_found else "a ledger is open: korg-tui --demo plays it in another terminal"


def copyable(now: Situation) -> str:
    if now.place in (Place.LEDGERS, Place.EVENTS, Place.FINDINGS):
        return rows(now)
    return "" if now.in_details or now.place is Place.PREVIEW else event(now)


def exportable(now: Situation) -> str:
    return rows(now)


def idle(now: Situation) -> str:
    return "a file is being written: {leave} stops it" if now.writing else ""


def openable(now: Situation) -> str:
    if now.openable:
        return ""
    reading = now.place is Place.READER
    return "nothing is there to be opened" if reading else "this event names no blob and no file"


def asks(now: Situation) -> str:
    return "" if now.asks else "no blob here is too big to be looked at unasked"


def forms(now: Situation) -> str:
    return "" if now.forms > 1 else "there is one way only to show it"


def zoomed(now: Situation) -> str:
    return "" if now.zoomed else "all of it is seen: {zoom-in} shows less of it, larger"


def slow(now: Situation) -> str:
    return "" if now.slow else "nothing says how long it took"


def comparable(now: Situation) -> str:
    return rows(now) if now.place is Place.SESSION else row(now)


def compared(now: Situation) -> str:
    return "choose first what to compare with: {open-event}" if now.choosing else ""


def listed(now: Situation) -> str:
    if now.place is not Place.COMPARE or now.choosing:
        return ""
    return "what to compare with is chosen: {leave} leads back to the list"


def differences(now: Situation) -> str:
    return compared(now) or ("" if now.differences else "nothing differs")


def findings(now: Situation) -> str:
    return "" if now.findings else "nothing was found that one could go to"

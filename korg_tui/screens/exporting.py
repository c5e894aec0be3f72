"""Exporting: what can be exported from where a person is, and the command that asks how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from korg_tui.causal import Ledger, Rewind
from korg_tui.export import Wanted
from korg_tui.reading import Reading
from korg_tui.screens.files import file_stem
from korg_tui.views import Predicate, label, plural


@dataclass(frozen=True, slots=True)
class Scope:
    """Something that can be exported."""

    name: str
    """For a person, safe: `this session, 21 events`."""
    stem: str
    """A name for the file."""
    wanted: Callable[[], Sequence[Wanted]]
    several: bool = False
    """Whether it holds several ledgers."""
    preview: bool = False
    """Whether it is a rewind preview."""


def session_scopes(
    reading: Reading,
    ledger: Ledger,
    session: int | None,
    *,
    meant: Predicate | None = None,
    query: str = "",
    rewind: Rewind | None = None,
) -> list[Scope]:
    """What can be exported where a session is open (by index; None: a whole ledger), what is meant most
    probably first: the rewind that is previewed, what the filter shows, the session, the ledger."""
    found = None if session is None or session < 0 else ledger.sessions[session]
    of = f"session-{found.seq}" if found is not None else ""
    scopes = []
    if rewind is not None:
        scopes.append(
            Scope(
                f"the rewind preview to {label(ledger, rewind.target)}, with its session",
                file_stem(_bare(ledger), "rewind", label(ledger, rewind.target)),
                lambda: [Wanted(reading, ledger, found, rewind=rewind)],
                preview=True,
            )
        )
    if meant is not None:
        scopes.append(
            Scope(
                f"what the filter shows: {query}",
                file_stem(_bare(ledger), of, "filtered"),
                lambda: [Wanted(reading, ledger, found, meant)],
            )
        )
    if found is not None:
        scopes.append(
            Scope(
                f"this session, {plural(found.total_events, 'event')}",
                file_stem(_bare(ledger), of),
                lambda: [Wanted(reading, ledger, found)],
            )
        )
    sessions = plural(len(ledger.sessions), "session")
    whole = Scope(
        f"the whole ledger, {sessions}", file_stem(_bare(ledger)), lambda: [Wanted(reading, ledger)]
    )
    return [*scopes, whole]


def listed_scope(hits: Sequence[tuple[Reading, Ledger, int]], query: str) -> Scope:
    """The events of a list, in however many ledgers they are."""
    rows: dict[tuple[Reading, str], set[int]] = {}
    ledgers: dict[tuple[Reading, str], Ledger] = {}
    for reading, ledger, row in hits:
        rows.setdefault((reading, ledger.name), set()).add(row)
        ledgers[reading, ledger.name] = ledger

    def wanted() -> list[Wanted]:
        return [
            Wanted(reading, ledgers[reading, name], None, _among(chosen))
            for (reading, name), chosen in rows.items()
        ]

    name = f"the {plural(len(hits), 'event')} of this list: {query}"
    return Scope(name, file_stem("korg-events", query), wanted, several=len(rows) > 1)


def _among(rows: set[int]) -> Predicate:
    def meant(_: Ledger, row: int) -> bool:
        return row in rows

    return meant


def _bare(ledger: Ledger) -> str:
    """The ledger's name without folders and suffix."""
    name = ledger.name.removeprefix("http://").removeprefix("https://")
    parts = [part for part in name.split("/") if part not in ("", ".", "..", ".korg")]
    last = parts[-1] if parts else name
    stem = last.rpartition(".")[0] or last
    return f"{parts[-2]}-{stem}" if stem == "journal" and len(parts) > 1 else stem

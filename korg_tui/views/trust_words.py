"""Trust words: verdicts, checks and what nobody can know, as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from korg_tui.trust import Standing
from korg_tui.views import words

CHECK_TITLES: Mapping[str, str] = {
    "6.1": "causes lead back to a root",
    "6.2": "every root led to something",
    "6.3": "paths verbatim, long values as blobs",
    "6.4": "every blob is there, and right",
    "6.5": "actors and schema as the spec has them",
    "6.6": "effects are found by an index",
    "7.6": "every session has one root",
    "2a": "thoughts follow one another",
}
"""By the id of a check: what holds when it passes."""

CHECK_RULES: Mapping[str, str] = {
    "6.1": "From every agent event the walk along triggered_by ends at a root within 200 steps. A parent "
    "that is not in the ledger is reported, not silently accepted. A longer walk that ends warns (§6.1).",
    "6.2": "From every root at least one event hangs. Without an index a ledger of more than 100 events "
    "warns (SPEC §6.2).",
    "6.3": "A file path stands in the event as it is, never as a reference. No value of args or result takes "
    "more than 1,024 bytes inline (SPEC §6.3, §7.2).",
    "6.4": "Every blob that an event names is in the blobs folder, with the digest and the size that are "
    "named (SPEC §6.4).",
    "6.5": "Actors begin with agent:, human:, korg:, mcp: or import:, and agents say their version. "
    "schema_version is 1.0 (SPEC §6.5, §1.1).",
    "6.6": "Ledgers of more than 500 events are walked by an index (SPEC §6.6).",
    "7.6": "Every event of a session comes from one root prompt. A session whose beginning was lost is "
    "partial, and one that contradicts itself is malformed (SPEC §7.6).",
    "2a": "An inference hangs from the one before it of the same agent (SPEC §2a).",
}
"""By the id of a check: what it asks, in the words of the specification's section."""


def chain_words(standing: Standing) -> str:
    """`chain intact, 8,112 events`; of a chain that is not, where."""
    events = words.plural(standing.events, "event")
    first = next((fault.seq for fault in standing.faults if fault.seq is not None), None)
    match standing.verdict:
        case "intact":
            return f"chain intact, {events}"
        case "window":
            return f"chain intact, {events}, begins in the middle"
        case "broken":
            where = "" if first is None else f" at {first}"
            return f"chain broken{where}, {events}"
        case "unchained":
            return f"no chain: none of {events} has a hash"
        case "needs_key":
            return f"links hold, hashes need a key, {events}"
        case "unverifiable":
            odd = next((finding.seq for finding in standing.findings if finding.seq is not None), None)
            where = "" if odd is None else f" at {odd}"
            return f"chain unverifiable{where}, {events}"
        case _:
            return "no events"


def unknowable(standing: Standing) -> Iterator[str]:
    """What no examination of the ledger alone can show, in sentences."""
    if standing.verdict == "unchained":
        yield "whether anything was changed or left out: without hashes nothing shows it"
    elif standing.verdict != "empty":
        yield "whether events were cut from the end: only an anchor or a known tip can show it"
        yield "whether all of it was written anew: whoever can make its hashes, without a key anybody, can"
    if not standing.signed:
        yield "who wrote it: no event is signed"
    yield "whether what the events tell has happened: a ledger says what was recorded"

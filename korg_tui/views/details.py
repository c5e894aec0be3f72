"""Details: everything about one event, as sections of safe lines (EXPERIENCE, screen 2), bounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import lru_cache

from korg_tui.causal import Ledger, Pointer, Weave, is_key, rewind, weave
from korg_tui.event import Kind
from korg_tui.formats import Body, body
from korg_tui.sources import BlobFound, BodyGone
from korg_tui.text import visible
from korg_tui.views import marks, values, walk, why, words
from korg_tui.views.arguments import Read
from korg_tui.views.blobs import blob_line, declared_sizes
from korg_tui.views.legend import STATUS_MEANS
from korg_tui.views.relations import relations
from korg_tui.views.sections import Line, Opens, Section

HUGE = 32_000_000
"""Bytes of a record that is not decoded any more; only its beginning is asked."""

_CAUSES = 12
_MANY = {Kind.BOOKKEEPING: "bookkeeping"}
_READ = 20
_BLOBS = 50
_LARGE = 200_000
_KEPT = 8_000_000
"""Bytes of a record that is kept after it was decoded: at least, and at most."""

Blobs = Callable[[str], BlobFound]
"""The state of a blob by its digest."""

Chain = Callable[[Body], Section]
"""What an event says of the chain, and whether it fits."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the details are made from, and how they are to be asked."""

    ledger: Ledger
    read: Read
    zone: tzinfo | None = UTC
    blobs: Blobs | None = None
    chain: Chain | None = None


def details(
    ledger: Ledger,
    row: int,
    read: Read,
    *,
    zone: tzinfo | None = UTC,
    blobs: Blobs | None = None,
    effects: bool = True,
    chain: Chain | None = None,
) -> list[Section]:
    """The sections of one row: fields, causes, effects, arguments, result, what stands around it, blobs, the
    `chain`, raw record. Without `effects` it costs nothing for the rows that come later.

    `read` gives the record's bytes; `zone` None shows times in the zone of this machine; `blobs` says in
    which state a blob is. Never raises for what a ledger holds or a source has lost.
    """
    asked = _Asked(ledger, read, zone, blobs, chain)
    sections = [_fields(asked, row)]
    if Kind(ledger.kind[row]).agent:
        sections += [_causes(ledger, row), *([_effects(ledger, row)] if effects else [])]
    content = [*_body(asked, row)]
    if Kind(ledger.kind[row]).agent:
        place = next((n for n, each in enumerate(content) if each.kind in ("blobs", "raw")), len(content))
        content.insert(place, relations(ledger, row))
    return [section for section in (*sections, *content) if section.lines]


def _fields(asked: _Asked, row: int) -> Section:
    ledger = asked.ledger
    seq = ledger.seq_at(row)
    name = "" if seq is None else f"{words.label(ledger, seq)} "
    title = f"{name}{marks.tool(ledger, row)}"
    return Section(title, "fields", tuple(_field_lines(asked, row)))


def _field_lines(asked: _Asked, row: int) -> Iterator[Line]:
    ledger = asked.ledger
    kind = Kind(ledger.kind[row])
    if kind is Kind.MALFORMED:
        yield Line(visible(ledger.reason_at(row), 400), "error", "unread")
        yield Line(f"{ledger.offset[row]:,}, {words.size(ledger.length[row])} long", label="at byte")
        return
    missing = ledger.gap_at(row)
    if missing is not None:
        yield Line(words.gap(missing), "error", "gap")
        yield Line("filled as soon as the source gives them; pointers into it are not loaded", "note")
        return
    yield Line(kind.word, label="kind")
    lane = ledger.lane_at(row)
    if lane is not None:
        yield Line(marks.lane_title(lane), label="lane")
        home = lane.home.standing()
        yield Line(f"{home.seq}, {home.status}: {STATUS_MEANS[home.status]}", label="session")
        own = ledger.guest_lane(lane)
        if own is not None:
            yield Line(f"{visible(own, 400)}: this sub-agent keeps its own", label="ledger")
    if ledger.actor_at(row):
        yield Line(visible(ledger.actor_at(row), 400), label="actor")
    yield Line(words.clock(ledger.time_at(row), asked.zone, date=True), label="time")
    if kind.agent:
        yield Line(words.duration(ledger.duration_at(row)), label="took")
        yield _success(ledger.success_at(row))
        yield from _pointer(ledger, row)
        yield from _links(ledger, row)
    elif ledger.parent_at(row) is not None:
        yield Line(str(ledger.parent_at(row)), label="names", seq=_named(ledger, row))
    if ledger.synthesized_at(row):
        yield Line("the adapter wrote this prompt; it did not see the real one", "note", "prompt")
    offset = "" if is_key(ledger.offset[row]) else f"byte {ledger.offset[row]:,}, "
    yield Line(f"{offset}{words.size(ledger.length[row])}", "note", "record")


def _named(ledger: Ledger, row: int) -> int | None:
    named = walk.parent(ledger, row)
    return None if named is None else ledger.seq_at(named)


def _success(success: bool | None) -> Line:
    if success is None:
        return Line("not said", "note", "outcome")
    return Line("succeeded", label="outcome") if success else Line("✗ failed", "error", "outcome")


def _pointer(ledger: Ledger, row: int) -> Iterator[Line]:
    state = ledger.pointer_at(row)
    if state is Pointer.OK:
        parent = ledger.seq[ledger.parent_row(row)]
        yield Line(words.label(ledger, parent), label="parent", seq=parent)
    elif state is Pointer.ROOT:
        yield Line("none: this prompt is a root", label="parent")
    elif state is Pointer.DETACHED:
        yield Line("none: bookkeeping on its own", label="parent")
    else:
        yield Line(f"{state.word}: {words.pointer(ledger, row)}", "error", "parent")


def _links(ledger: Ledger, row: int) -> Iterator[Line]:
    """Which call started the lane that this row opens, and which lanes this call started."""
    lane = ledger.lane_at(row)
    woven = _weave(ledger, row)
    if lane is None or woven is None:
        return
    if lane.opener == row and lane.above is not None:
        if lane.fork is not None:
            forked = f"{words.label(ledger, ledger.seq[lane.fork])} in {marks.lane_title(lane.above)}"
            yield Line(forked, label="forks at", seq=ledger.seq[lane.fork])
        found = woven.lane_links(lane)
        for link in found:
            call = ledger.seq[link.call]
            name = f"{words.label(ledger, call)} {marks.tool(ledger, link.call)}"
            name += _basis(link.certain, link.basis)
            yield Line(name, label="started by", seq=call)
        if not found:
            yield Line("no recorded call", "note", "started by")
    for sub, link in woven.linked_lanes(row):
        name = f"{marks.lane_title(sub)}{_basis(link.certain, link.basis)}"
        yield Line(name, label="started", seq=ledger.seq[sub.opener])


def _basis(certain: bool, basis: str) -> str:
    return f" ({'certain' if certain else 'possible'}: {why.BASIS.get(basis, basis)})"


def _weave(ledger: Ledger, row: int) -> Weave | None:
    session = ledger.session_at(row)
    return None if session is None else weave(ledger, session)


def _causes(ledger: Ledger, row: int) -> Section:
    """The walk to the root, nearest first, and what an inference read on the way in."""
    chain, more = walk.to_root(ledger, row, _CAUSES)
    lines = [_step(ledger, step, "" if number else "cause") for number, step in enumerate(chain)]
    if more:
        root = ledger.seq[ledger.head_at(row)]
        lines.append(Line(f"… and on to {root}, where the walk ends", "note", seq=root))
    elif chain and not ledger.pointer_at(chain[-1]).begins:
        lines.append(Line(words.pointer(ledger, chain[-1]), "error"))
    return Section("causes", "causes", (*lines, *_reads(ledger, row)))


def _step(ledger: Ledger, row: int, label: str) -> Line:
    seq = ledger.seq[row]
    return Line(f"‹ {words.label(ledger, seq)} {marks.tool(ledger, row)}", label=label, seq=seq)


def _reads(ledger: Ledger, row: int) -> Iterator[Line]:
    woven = _weave(ledger, row)
    consumed = [] if woven is None else woven.consumed_by(row)
    if woven is None:
        return
    for number, read in enumerate(consumed[:_READ]):
        subs = [f"sub {marks.lane_number(lane)}" for lane, _ in woven.linked_lanes(read)]
        returned = f" ({', '.join(subs)} returned)" if subs else ""
        perhaps = "" if woven.surely_consumed(read, row) else ", possibly"
        text = f"{words.label(ledger, ledger.seq[read])} {marks.tool(ledger, read)}{returned}{perhaps}"
        yield Line(text, label="" if number else "read", seq=ledger.seq[read])
    if len(consumed) > _READ:
        yield Line(f"… {len(consumed) - _READ:,} more, not shown", "note")


def _effects(ledger: Ledger, row: int) -> Section:
    """What a rewind to this event would carry away, in numbers."""
    found = rewind(ledger, ledger.seq[row])
    if not found.dropped:
        return Section("effects", "effects", (Line("nothing later depends on it", "note"),))
    lines = [
        Line(f"{words.plural(len(seqs), 'event')}{_kinds(ledger, seqs)}", label=label)
        for label, seqs in (("certain", found.invalidated), ("possible", found.possible))
        if seqs
    ]
    first = found.dropped[0]
    name = f"{words.label(ledger, first)} {marks.tool(ledger, ledger.row_of(first) or 0)}"
    lines.append(Line(name, label="first", seq=first))
    return Section("effects: what it carries away", "effects", tuple(lines))


def _kinds(ledger: Ledger, seqs: tuple[int, ...]) -> str:
    kinds = Counter(ledger.kind[row] for seq in seqs if (row := ledger.row_of(seq)) is not None)
    said = [
        words.plural(count, Kind(kind).word, _MANY.get(Kind(kind), "")) for kind, count in kinds.most_common()
    ]
    return f": {', '.join(said)}" if said else ""


def _body(asked: _Asked, row: int) -> Iterator[Section]:
    ledger = asked.ledger
    if ledger.kind[row] == Kind.GAP:
        return
    offset, length = ledger.offset[row], ledger.length[row]
    try:
        raw = asked.read(offset, min(length, HUGE))
    except (BodyGone, OSError) as gone:
        yield Section("record", "text", (Line(visible(f"not readable: {gone}", 400), "error"),))
        return
    found = _decoded(raw) if length <= HUGE and ledger.kind[row] != Kind.MALFORMED else None
    if found is not None:
        yield from _content(asked, row, found)
    yield _blobs(asked, row, found)
    if found is not None and asked.chain is not None:
        yield asked.chain(found)
    yield Section(f"raw record, {words.size(length)}", "raw", tuple(values.raw_lines(raw, length)))


def _decoded(raw: bytes) -> Body | None:
    """The record. The last large one is kept: a ledger that grows has it shown again and again."""
    return _large(raw) if _LARGE < len(raw) < _KEPT else body(raw)


@lru_cache(maxsize=1)
def _large(raw: bytes) -> Body | None:
    return body(raw)


def _content(asked: _Asked, row: int, found: Body) -> Iterator[Section]:
    ledger = asked.ledger
    kind = Kind(ledger.kind[row])
    if kind is Kind.GOVERNANCE:
        event = found.record.get("event", found.record)
        yield values.json_section("event", event, "")
        return
    succeeded = ledger.success_at(row)
    failed = None if succeeded is None else not succeeded
    tool = ledger.tool_at(row)
    yield from values.content(values.Call(tool, found.args, found.result, failed, kind, asked.blobs))


def _blobs(asked: _Asked, row: int, found: Body | None) -> Section:
    digests = asked.ledger.blobs_at(row)
    declared = {} if found is None else declared_sizes(found)
    lines = [_blob(asked, digest, declared.get(digest)) for digest in digests[:_BLOBS]]
    if len(digests) > _BLOBS:
        lines.append(Line(f"… {len(digests) - _BLOBS:,} more, not shown", "note"))
    return Section("blobs", "blobs", tuple(lines))


def _blob(asked: _Asked, digest: str, declared: int | None) -> Line:
    if asked.blobs is None:
        return Line(digest, opens=Opens("blob", digest))
    return blob_line(asked.blobs(digest), declared)

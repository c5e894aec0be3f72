"""The commands that list: `sessions`, `lanes`, and `show`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence

from korg_tui.causal import Lane, Ledger, Link, Pointer, Session, links
from korg_tui.export import (
    block_lines,
    event_document,
    for_ledgers,
    lanes_document,
    prompt_text,
    session_document,
    timestamp,
    to_json,
)
from korg_tui.reading import Reading
from korg_tui.reports.asked import (
    Found,
    Meaning,
    Place,
    UsageError,
    filter_meaning,
    find,
    narrate,
    places,
    read,
    read_places,
    sort_words,
)
from korg_tui.reports.page import Line, Piece, print_page, table
from korg_tui.text import visible
from korg_tui.views import (
    Predicate,
    Spine,
    SpineLine,
    details,
    duration,
    label,
    lane_number,
    lane_title,
    plural,
    pointer_words,
    to_ascii,
)

_LINES = 300
"""Lines of a section that `show` prints of an event."""

_SESSIONS_APART = 64
"""With more sessions than these, `show` draws a ledger as one tree."""


def sessions(arguments: argparse.Namespace) -> int:
    """List the sessions of ledgers."""
    readings = read(_sources_only(arguments.words, "sessions"), arguments.demo)
    listed = [(place, session) for place in places(readings) for session in place.ledger.sessions]
    if arguments.json:
        documents = [session_document(place.reading, place.ledger, session) for place, session in listed]
        print(to_json(documents))
    elif listed:
        print_page(_session_lines(listed))
        print_page(_unread_lines(places(readings)))
    else:
        narrate("no sessions: no event has been written yet")
    return 0


def _session_lines(listed: list[tuple[Place, Session]]) -> Iterator[Line]:
    """Three lines a session, its name, its counts and its prompt, so that a narrow terminal cuts none."""
    for place, session in listed:
        prompt = prompt_text(place.reading, place.ledger, session.head)
        yield [(f"{visible(place.ledger.name)}:{session.seq}", "bold")]
        yield [("  ", ""), *_counts(session)]
        yield [("  ", ""), (visible(prompt) if prompt else "no prompt", "" if prompt else "dim")]


def _unread_lines(every: Iterable[Place]) -> Iterator[Line]:
    for place in every:
        unread = len(place.ledger.columns.reasons)
        if unread:
            name = visible(place.ledger.name)
            yield [(f"{name}: {plural(unread, 'line')} could not be read; show has them all", "odd")]


def _counts(session: Session) -> Line:
    synthesized = " (synthesized root)" if session.synthesized else ""
    lost = plural(session.dead_pointers, "dead pointer")
    pieces: Line = [
        (session.status + synthesized, "" if session.status == "complete" else "odd"),
        (f" · {plural(session.total_events, 'event')}", ""),
        (f" · {session.failed:,} failed", "bad" if session.failed else "dim"),
        (f" · {lost}", "bad" if session.dead_pointers else "dim"),
        (f" · {plural(len(session.agents), 'agent')} · {plural(len(session.lanes), 'lane')}", ""),
        (f" · {timestamp(session.last_event_at) or 'no time'}", "dim"),
    ]
    return pieces


def lanes(arguments: argparse.Namespace) -> int:
    """List the lanes of ledgers, and what links them to the calls that started them."""
    readings = read(_sources_only(arguments.words, "lanes"), arguments.demo)
    every = places(readings)
    if arguments.json:
        documents = {place.ledger.name: lanes_document(place.ledger) for place in every}
        print(to_json(for_ledgers([reading.journal for reading in readings], documents)))
        return 0
    for place in every:
        print_page(_lane_lines(place.ledger))
    return 0


def _lane_lines(ledger: Ledger) -> Iterator[Line]:
    yield [(visible(ledger.name), "bold"), (f"  {plural(len(ledger.lanes), 'lane')}", "dim")]
    linked = {session.index: links(ledger, session.index) for session in ledger.sessions}
    rows = [_lane_row(ledger, lane) for lane in ledger.lanes]
    for lane, line in zip(ledger.lanes, table(rows) if rows else (), strict=True):
        yield line
        yield from _origin(ledger, lane, linked[lane.session].get(lane.id, ()))
    for row in range(len(ledger)):
        pointer = ledger.pointer_at(row)
        if ledger.kind_at(row).agent and (pointer.lost or pointer is Pointer.UNLOADED):
            yield [(f"  {label(ledger, ledger.seq[row])}  ", ""), (pointer_words(ledger, row), "bad")]


def _lane_row(ledger: Ledger, lane: Lane) -> list[Piece]:
    seqs = [ledger.number_at(row) for row in lane.rows]
    return [
        (f"  {lane_title(lane)}", f"lane {lane.id}"),
        (visible(lane.actor) if lane.actor is not None else "no actor", ""),
        (f"{seqs[0]}–{seqs[-1]}, {plural(len(seqs), 'event')}", "dim"),
    ]


def _origin(ledger: Ledger, lane: Lane, started: Sequence[Link]) -> Iterator[Line]:
    """Where a lane comes from, on a line of its own: it would be the first thing to be cropped."""
    if lane.parent is None or lane.fork is None:
        return
    fork = label(ledger, ledger.seq[lane.fork])
    above = f"    from lane {lane_number(ledger.lanes[lane.parent])} at {fork}, "
    yield [(above, ""), (_started(ledger, started), "" if started else "odd")]


def _started(ledger: Ledger, started: Sequence[Link]) -> str:
    if not started:
        return "no call is known to have started it"
    calls = [
        f"{label(ledger, ledger.seq[link.call])} ({_certainty(link)})"
        for link in sorted(started, key=lambda link: link.call)
    ]
    return f"started by {', '.join(calls)}"


def _certainty(link: Link) -> str:
    return f"{'certain' if link.certain else 'possible'}, by {link.basis}"


def show(arguments: argparse.Namespace) -> int:
    """Show events as found; without a seq, whole ledgers, filtered if that was asked for."""
    picks, sources = sort_words(arguments.words)
    meaning = filter_meaning(arguments.filter)
    if picks and meaning is not None:
        raise UsageError(f"--filter chooses among all events; leave it out, or {picks[0]}")
    _, every = read_places(sources, arguments.demo)
    if picks:
        _show_events([find(pick, every) for pick in picks], arguments.json)
    elif arguments.json:
        _show_all(every, meaning)
    elif not sum(print_page(_tree(place, meaning)) for place in every):
        narrate("no event fits the filter" if meaning else "no event has been written yet")
    if meaning is not None:
        meaning.tell_unseen()
    return 0


def _show_events(found: list[Found], as_json: bool) -> None:
    for hit in found:
        place = hit.place
        if as_json:
            print(to_json(event_document(place.reading, place.ledger, hit.row)))
        else:
            print_page(_detail_lines(place, hit.row))


def _show_all(every: Iterable[Place], meaning: Meaning | None) -> None:
    for place in every:
        meant = None if meaning is None else meaning(place)
        for row in range(len(place.ledger)):
            if meant is None or meant(place.ledger, row):
                print(to_json(event_document(place.reading, place.ledger, row)))


def _detail_lines(place: Place, row: int) -> Iterator[Line]:
    name, seq = place.ledger.address(place.ledger.seq[row])
    yield [(f"{visible(name)}:{seq}", "bold")]
    blobs = place.reading.source.blobs.find
    for section in details(place.ledger, row, place.reading.bodies(place.ledger), blobs=blobs):
        yield [(section.title, "dim")]
        for line in block_lines(section, _LINES):
            label = f"  {line.label}: " if line.label else "  "
            yield [(label, "dim"), (line.text, "bad" if line.style == "error" else "")]
    yield []


def _tree(place: Place, meaning: Meaning | None) -> Iterator[Line]:
    ledger, reading = place.ledger, place.reading
    meant = None if meaning is None else meaning(place)
    if not 0 < len(ledger.sessions) <= _SESSIONS_APART:
        yield from _whole_tree(reading, ledger, meant)
        return
    for session in ledger.sessions:
        spine = Spine(ledger, session.index, reading.bodies(ledger))
        spine.set_filter(meant)
        if meant is not None and not len(spine):
            continue
        yield [
            (f"{visible(ledger.name)} › session {session.seq}", "bold"),
            (f"  {session.status}, {plural(session.total_events, 'event')}", "dim"),
        ]
        yield from spine_lines(spine)
        yield []


def _whole_tree(reading: Reading, ledger: Ledger, meant: Predicate | None) -> Iterator[Line]:
    """All sessions of a ledger as one tree."""
    spine = Spine(ledger, None, reading.bodies(ledger))
    spine.set_filter(meant)
    if len(spine):
        yield [(visible(ledger.name), "bold"), (f"  {plural(len(ledger.sessions), 'session')}", "dim")]
    yield from spine_lines(spine)


def spine_lines(spine: Spine, *, ascii_only: bool = False) -> Iterator[Line]:
    """The visible rows of a spine as lines of text, with their rails."""
    digits = spine.number_cells
    for index in range(len(spine)):
        yield _spine_line(spine.line(index), digits, ascii_only)


def _spine_line(line: SpineLine, digits: int, ascii_only: bool) -> Line:
    bad = "bad" if line.sign.strip() else ""
    rails: Line = [
        (to_ascii(run.text) if ascii_only else run.text, "dim" if run.lane is None else f"lane {run.lane}")
        for run in line.runs
    ]
    led_here = "led to what fits" if line.dim else ""
    tail = " · ".join(filter(None, (*line.marks, line.note, led_here)))
    took = f"  {duration(line.duration_ms)}" if line.duration_ms else ""
    text = "dim" if line.dim else ""
    return [
        (f"{line.number:>{digits}} ", "dim"),
        *rails,
        (f"{line.sign} ", bad),
        (f"{line.tool:<14} ", text),
        (line.argument, text),
        (took, "dim"),
        (f"  {tail}" if tail else "", bad),
    ]


def _sources_only(words: list[str], command: str) -> list[str]:
    picks, sources = sort_words(words)
    if picks:
        raise UsageError(f"{command} takes no event number; korg-tui show {picks[0]} shows one")
    return sources

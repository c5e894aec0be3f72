"""PlainSession: one session, and where a person stands in it. Every answer is an iterator of safe lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import tzinfo
from functools import partial

from korg_tui.causal import Ledger, NoDecision, NoSuchEvent, Rewind, rewind
from korg_tui.plain.findings import finding_lines
from korg_tui.plain.telling import event_sentence, preview_lines, section_lines
from korg_tui.reading import Reading
from korg_tui.text import visible
from korg_tui.trust import Watched
from korg_tui.views import (
    LossBook,
    Predicate,
    Preview,
    QueryError,
    Section,
    Spine,
    Tone,
    Watch,
    broken_guests,
    chain,
    details,
    event_chain,
    event_words,
    in_turn,
    label,
    ledger_sentence,
    ledger_words,
    named,
    neighbour,
    nobody_watches,
    parse_query,
    plural,
    sentence,
)

Lines = Iterator[str]
PAGE = 10


class PlainSession:
    """A session of a ledger (by index; None: the whole ledger), read line by line."""

    def __init__(
        self,
        reading: Reading,
        ledger: Ledger,
        session: int | None,
        zone: tzinfo | None,
        watched: Watch = nobody_watches,
    ) -> None:
        self.reading = reading
        self.watched = watched
        """What is known of the chains."""
        self._tone: Tone | None = None
        """Of what was told last of the chain; None where more was to come."""
        self.spine = Spine(ledger, session, reading.bodies(ledger))
        self.zone = zone
        self.row = self.spine.rows[-1] if len(self.spine) else -1
        self.hits: list[int] = []
        self.searched = ""
        self.filtered_by = ""
        self.rewind: Rewind | None = None
        """The rewind that was previewed last."""

    @property
    def ledger(self) -> Ledger:
        """The ledger that is open."""
        return self.spine.ledger

    @property
    def at_end(self) -> bool:
        """Whether the person stands on the last event."""
        return not len(self.spine) or self.row == self.spine.rows[-1]

    def sentence(self, row: int) -> str:
        """What is told of a row."""
        index = self.spine.index_of_row(row, unfold=True)
        return "this event is gone" if index is None else event_sentence(self.ledger, self.spine.line(index))

    def here(self) -> Lines:
        """The event where the person stands."""
        yield self.sentence(self.row) if self.row >= 0 else "there are no events here"

    def title(self) -> Lines:
        """Which session this is, and how large."""
        session = self.spine.session
        name = visible(self.ledger.name, 200)
        chain = ", ".join(["", *filter(None, [self.chain()])])
        if session is None:
            yield f"{name}: {plural(len(self.spine.all_rows), 'row')}{chain}"
            return
        yield (
            f"session {session.seq} of {name}: {session.status}, {plural(session.total_events, 'event')}, "
            f"{plural(len(session.lanes), 'lane')}, {session.failed:,} failed, "
            f"{plural(session.dead_pointers, 'dead pointer')}{chain}"
        )

    def chain(self) -> str:
        """What is known of the chain: `chain verified to 8,112`."""
        watched = self.watched(self.ledger)
        self._tone = self._chain_tone(watched) if _is_settled(watched) else None
        return ledger_sentence(watched, broken_guests(self.reading, self.watched))

    def chain_is_news(self) -> bool:
        """Whether something else can be told of the chain than that so much more fits."""
        watched = self.watched(self.ledger)
        return _is_settled(watched) and self._chain_tone(watched) != self._tone

    def _chain_tone(self, watched: Watched | None) -> Tone:
        return ledger_words(watched, broken_guests(self.reading, self.watched))[1]

    # going

    def go(self, row: int | None, otherwise: str) -> Lines:
        """Go to a row and tell it."""
        if row is None:
            yield otherwise
            return
        self.row = row
        yield self.sentence(row)

    def step(self, step: int) -> Lines:
        """The next or previous event that is shown."""
        edge = "this is the last event" if step > 0 else "this is the first event"
        return self.go(neighbour(self.spine.rows, self.row, step), edge)

    def page(self, step: int) -> Lines:
        """Some events further."""
        for _ in range(PAGE):
            row = neighbour(self.spine.rows, self.row, step)
            if row is None:
                yield "this is the last event" if step > 0 else "this is the first event"
                return
            yield from self.go(row, "")

    def edge(self, index: int) -> Lines:
        """The first (0) or last (-1) event."""
        rows = self.spine.rows
        return self.go(rows[index] if rows else None, "there are no events here")

    def parent(self) -> Lines:
        return self.go(self.spine.parent(self.row), "this event has no parent in the ledger")

    def child(self) -> Lines:
        return self.go(self.spine.child(self.row), "nothing names this event as its parent")

    def sibling(self, step: int) -> Lines:
        side = "later" if step > 0 else "earlier"
        return self.go(self.spine.sibling(self.row, step), f"no {side} event has the same parent")

    def lane(self, step: int) -> Lines:
        side = "last" if step > 0 else "first"
        return self.go(self.spine.in_lane(self.row, step), f"this is the {side} event of its lane")

    def failure(self, step: int) -> Lines:
        return self._in_turn(self.spine.failure, "failure", step)

    def dead_pointer(self, step: int) -> Lines:
        return self._in_turn(self.spine.dead_pointer, "dead pointer", step)

    def hit(self, step: int) -> Lines:
        if not self.searched:
            return iter(["nothing was searched for: search WORDS"])
        return self._in_turn(partial(neighbour, self.hits), "hit", step)

    def _in_turn(self, find: Callable[[int, int], int | None], what: str, step: int) -> Lines:
        """The next one, and after the last the first, saying so before."""
        found, said = in_turn(find, self.row, len(self.ledger), what, step)
        if found is not None and said:
            yield said
        yield from self.go(found, said)

    def find(self, text: str) -> tuple[int | None, str]:
        """The row that `42` or `LEDGER:42` names, or why there is none."""
        words = event_words(text)
        if words is None:
            return None, f"“{visible(text, 40)}” is no event number"
        meant = sorted(named(self.ledger, *words), key=lambda each: each.rank)
        row = meant[-1].row if meant else None
        if row is None:
            return None, f"there is no event {visible(text, 40)} in this ledger"
        if self.spine.index_of_row(row, unfold=True) is None:
            session = self.ledger.session_at(row)
            where = "no session" if session is None else f"session {session.seq}"
            return None, f"event {visible(text, 40)} is in {where}: 'sessions' lists them"
        return row, ""

    def goto(self, text: str) -> Lines:
        row, why_not = self.find(text)
        return self.go(row, why_not)

    # telling

    def details(self) -> Lines:
        """All that is known of the event."""
        if self.row < 0:
            return iter(["there are no events here"])
        sections = self._sections()
        return section_lines([section for section in sections if section.kind != "raw"])

    def raw(self) -> Lines:
        """The record as it is."""
        if self.row < 0:
            return iter(["there are no events here"])
        return section_lines([section for section in self._sections() if section.kind == "raw"])

    def _sections(self) -> list[Section]:
        read = self.reading.bodies(self.ledger)
        chain = event_chain(self.reading, self.ledger, self.row, self.watched)
        return list(details(self.ledger, self.row, read, zone=self.zone, chain=chain))

    def all_of(self, rows: list[int], what: str) -> Lines:
        """Every one of these events."""
        yield plural(len(rows), what)
        yield from (self.sentence(row) for row in rows)

    def failures(self) -> Lines:
        return self.all_of(list(self.spine.failures), "failure")

    def findings(self) -> Lines:
        """What holds of the ledger, and what does not."""
        return finding_lines(self.reading, self.ledger, self.watched(self.ledger))

    def dead_pointers(self) -> Lines:
        return self.all_of(list(self.spine.dead_pointers), "dead pointer")

    def search(self, words: str) -> Lines:
        """Find events; the person goes to the first one from here on."""
        predicate, why_not = self._understand(words)
        if predicate is None:
            yield why_not
            return
        self.searched = words
        self.hits = [row for row in self.spine.all_rows if predicate(self.ledger, row)]
        yield f"{plural(len(self.hits), 'hit')} for “{visible(words, 60)}”"
        first = next((row for row in self.hits if row >= self.row), self.hits[0] if self.hits else None)
        if first is not None:
            yield from self.go(first, "")

    def _understand(self, words: str) -> tuple[Predicate | None, str]:
        if not words.strip():
            return None, "say what to look for, as in: search is:failed tool:Bash"
        try:
            return parse_query(words, self.reading.bodies(self.ledger), self._drops), ""
        except QueryError as error:
            return None, visible(error.short)

    def _drops(self, row: int) -> bool:
        if self.rewind is None or not self.ledger.kind_at(row).agent:
            return False
        return self.rewind.state(self.ledger.seq[row]) in ("invalidated", "possible")

    def filter(self, words: str) -> Lines:
        """Show only what fits; without words, all."""
        predicate, why_not = self._understand(words) if words.strip() else (None, "")
        if why_not:
            yield why_not
            return
        self.filtered_by = words.strip()
        self.spine.set_filter(predicate)
        if predicate is None:
            yield f"no filter: all {plural(len(self.spine.all_rows), 'row')}"
            return
        told = f"{self.spine.matching:,} of {plural(len(self.spine.all_rows), 'row')} fit"
        yield f"{told}; what led to them is shown, too; filter without words shows all"
        if self.spine.index_of_row(self.row) is None and len(self.spine):
            yield from self.go(self.spine.rows[self.spine.standing_for(self.row)], "")

    # rewind and causes

    def preview(self, text: str, *, before: bool) -> Lines:
        """What a rewind to this event, or to before it, would carry away."""
        row, why_not = self.find(text) if text else (self.row, "")
        if row is None or row < 0 or not self.ledger.kind_at(row).agent:
            yield why_not or "a rewind goes to an agent event; this is none"
            return
        try:
            self.rewind = rewind(self.ledger, self.ledger.seq[row], before=before)
        except (NoSuchEvent, NoDecision) as error:
            yield visible(str(error))
            return
        book = LossBook(self.ledger, lambda row: self.reading.raw(self.ledger, row))
        yield from preview_lines(Preview(self.ledger, self.rewind, book))

    def why(self, text: str) -> Lines:
        """Why the last rewind drops an event; without one, what led to it."""
        row, why_not = self.find(text) if text else (self.row, "")
        if row is None or row < 0 or not self.ledger.kind_at(row).agent:
            yield why_not or "only an agent event has causes"
            return
        if self.rewind is not None and self._drops(row):
            yield f"why a rewind to {label(self.ledger, self.rewind.target)} drops it:"
            for line in chain(self.ledger, self.rewind, self.ledger.seq[row]):
                yield f"{line.label}: {line.text}"
            return
        yield from self._causes(row)

    def _causes(self, row: int) -> Lines:
        parent = self.spine.parent(row)
        if parent is None:
            yield self.sentence(row)
        while parent is not None:
            yield sentence(self.ledger, 1, parent, row)
            row, parent = parent, self.spine.parent(parent)

    # what comes in

    def grown(self, tell: Callable[[str], None], most: int) -> None:
        """Take in what is new, and tell of it."""
        was_at_end, before = self.at_end, len(self.spine.all_rows)
        seq = self.ledger.seq[self.row] if 0 <= self.row < len(self.ledger) else None
        self.spine.extend()
        rows = self.spine.all_rows
        came = rows[before:] if len(rows) > before else ()
        for row in came[:most]:
            tell(f"new: {self.sentence(row)}")
        if len(came) > most:
            tell(f"new: {plural(len(came) - most, 'more event')}")
        if was_at_end and len(self.spine):
            self.row = self.spine.rows[-1]
        elif seq is not None:
            found = self.ledger.row_of(seq)
            self.row = self.spine.rows[-1] if found is None and len(self.spine) else found or self.row


def _is_settled(watched: Watched | None) -> bool:
    """Whether nothing that is still to be looked at can change what is said of a chain."""
    return watched is not None and (watched.done or watched.standing.verdict == "broken")

"""The session screen: the spine, the details beside it, the status, and what comes in while one looks."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.timer import Timer

from korg_tui.causal import Appended, Change, Ledger, Rewound, Vanished
from korg_tui.commands import Place, Situation
from korg_tui.event import Kind
from korg_tui.messages import Choice, OpenSession
from korg_tui.reading import Reading
from korg_tui.screens import headlines
from korg_tui.screens.asking import LONG
from korg_tui.screens.detailing import SEARCH, DetailingScreen
from korg_tui.screens.explaining import ExplainingScreen
from korg_tui.screens.finding import FindingScreen
from korg_tui.screens.handy import HandyScreen
from korg_tui.screens.reading_on import ReadingOnScreen
from korg_tui.screens.timing import TimingScreen
from korg_tui.screens.touched import TouchingScreen
from korg_tui.text import visible
from korg_tui.views import Spine, event_words, named, plural, rewound_words
from korg_tui.widgets.chrome import Ask, Bar, KeyFooter, Line, Notice
from korg_tui.widgets.confirm import Confirm
from korg_tui.widgets.details import Details
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.minimap import Marks, Minimap
from korg_tui.widgets.spine import SpineView
from korg_tui.widgets.walk import WalkLine

_AGE_SECONDS = 1.0
"""What is said of a source's age is brought up to date so often."""
_PAUSE_SECONDS = 0.05
"""Details of a long ledger wait so long, so that keys that follow each other do not wait for them."""
_LISTS_PAUSE_SECONDS = 0.3
"""The lists of a preview, for which every dropped event is decoded, wait until N has stood still so long."""


class SessionScreen(
    ExplainingScreen,
    DetailingScreen,
    FindingScreen,
    TouchingScreen,
    HandyScreen,
    TimingScreen,
    ReadingOnScreen,
):
    """Screens 2 and 3 of EXPERIENCE."""

    PLACES = (Place.SESSION, Place.PREVIEW)

    def __init__(
        self,
        reading: Reading,
        ledger: Ledger,
        session: int | None,
        *,
        seq: int | None = None,
        row: int = -1,
        choice: Choice | None = None,
    ) -> None:
        super().__init__()
        self.reading = reading
        self.spine = Spine(ledger, session, reading.bodies(ledger))
        self.view = SpineView(self.spine)
        self.details = Details()
        self.minimap = Minimap()
        self._begin_at = seq
        self._begin_row = row
        self._choice = choice
        self._details_stale = False
        self._pause: Timer | None = None
        self._state = reading.state
        self._here: tuple[int | None, int] = (None, -1)
        """Seq and row under the cursor, as they were when the ledger last changed."""

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield WalkLine()
        with Container(id="body"):
            with Horizontal(id="spine-pane"):
                yield self.view
                yield self.minimap
            yield self.details
        yield Bar("bar")
        yield Notice("notices")
        yield Ask()
        yield Confirm()
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.view.use_ascii(self.korg.ascii_only)
        self.minimap.use_ascii(self.korg.ascii_only)
        self.set_focus(self.view)
        self.set_interval(_AGE_SECONDS, self._grow_older)

    def on_unmount(self) -> None:
        self.keep_place()

    def on_resize(self) -> None:
        """Crumbs, causes and status are made for the room that they have."""
        self.call_after_refresh(self.settle)

    def begin(self) -> None:
        """The first place: the seq or row that was asked for, where one was, or the end, following."""
        self.tell_choice(self._choice)
        self.mark_again()
        row = None if self._begin_at is None else self.ledger.row_of(self._begin_at)
        if row is None and 0 <= self._begin_row < len(self.ledger):
            row = self._begin_row
        if row is not None:
            self.jump(row)
            if self.led_here:
                self.trail.clear()
        elif not self.return_to_place() and self.reading.live and self.korg.settings.follow:
            self.view.follow()
        self.settle()

    # showing

    @property
    def lines(self) -> LineList:
        """The list that the moving keys move in: the pane that has the keys."""
        return self.details if self.reading_details else self.view

    @property
    def situation(self) -> Situation:
        row = self.row
        agent = row >= 0 and Kind(self.ledger.kind[row]).agent
        return Situation(
            place=Place.PREVIEW if self.previewing else Place.SESSION,
            rows=len(self.spine),
            on_row=row >= 0,
            on_event=agent,
            in_details=self.reading_details,
            chooses="reader" if self.reading_details and self.details.opens is not None else "",
            has_parent=row >= 0 and self.spine.parent(row) is not None,
            names_path=self.names_path,
            on_dropped=self.drops(row),
            searched=self.search_here[0],
            hits=self.search_here[1],
            failures=len(self.spine.failures),
            dead_pointers=len(self.spine.dead_pointers),
            live=self.reading.live,
            trail=len(self.trail) + self.led_here,
            notices=len(self.notices),
            gone=len(self.ledger.gone),
            asks=bool(self.unasked),
            openable=self.openable,
        )

    def settle(self) -> None:
        """The cursor or the rows have changed: bring everything around the spine up to date."""
        if not self.ready:
            return
        self._here = (self._identity(), self.row)
        self._show_standing()
        self._show_crumbs()
        self.show_walk()
        self._show_minimap()
        self.show_status()
        if self._pause is not None and self.previewing:
            self._pause.reset()
        if not self._details_stale:
            self._details_stale = True
            if len(self.ledger) < LONG:
                self.call_after_refresh(self._show_details)
            else:
                pause = _LISTS_PAUSE_SECONDS if self.previewing else _PAUSE_SECONDS
                self._pause = self.set_timer(pause, self._show_details)

    def _show_standing(self) -> bool:
        """Draw where the chain breaks. False when that is as it was."""
        return self.view.set_standing(self.korg.standing(self.reading, self.ledger))

    def standing_changed(self, reading: Reading, ledger: Ledger) -> None:
        if self.ready and self._show_standing():
            self._show_minimap()
        super().standing_changed(reading, ledger)

    def _show_details(self) -> None:
        self._details_stale = False
        self._pause = None
        if self.ready:
            self.show_details()

    def bring_details(self) -> None:
        if self._details_stale:
            self._show_details()
        self.await_details()

    def _show_crumbs(self) -> None:
        line = self.query_one("#crumbs", Line)
        line.show(headlines.crumbs(self.spine, self.view.line, line.size.width))

    def _show_minimap(self) -> None:
        dropped, possible = ((), ()) if self.plan is None else (self.plan.dropped, self.plan.possible)
        bookmarks = sorted(self.marked.rows)
        marks = Marks(
            self.spine.failures,
            self.spine.dead_pointers,
            self.hits,
            dropped,
            possible,
            bookmarks,
            self.spine.spoken_against,
        )
        seen = self.view.seen
        self.minimap.show(self.spine.rows, marks, seen.start, len(seen))

    def show_status(self) -> None:
        if not self.ready:
            return
        told = self.remark or self.waiting_words()
        self.status.show([(told, "line--mark")] if told else self._status())
        self.show_bar()
        self.show_keys()

    def _status(self) -> headlines.Parts:
        found, line = self.finding_words(), self.line_words()
        room = self.status.room - (len(line) + 3 if line else 0)
        watched = self.korg.watched
        parts = headlines.status(
            self.spine, self.view, self.reading, self._told, found, room, self.keymap, watched
        )
        return [(line, "line--strong"), (" · ", "line--quiet"), *parts] if line else parts

    @property
    def _told(self) -> headlines.Told:
        return headlines.Told(self.korg.zone, self.korg.clock())

    def _grow_older(self) -> None:
        if headlines.ages(self.reading, self.korg.clock()) and self.on_top:
            self.show_status()

    # what comes in

    def rested(self) -> None:
        self.korg.take_facts()

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        if reading is not self.reading:
            return
        if not self.ready:
            self.spine.extend()
            return
        if reading.state != self._state:
            self._state = reading.state
            self.remark = ""
        mine = [change for change in changes if change.ledger is self.ledger]
        if mine:
            self.ring_for(mine)
            self._take_in(mine)
        for change in mine:
            if isinstance(change, Rewound):
                self.announce(rewound_words(reading, change))
            elif isinstance(change, Vanished):
                self.announce(f"{self.ledger.name} is no more in its source")
        self.settle()

    def _take_in(self, changes: Sequence[Change]) -> None:
        (seq, row), displaced = self._here, _displaced(changes, self._here[1])
        self._hold_on_to_the_session()
        if displaced:
            new: list[int] = []
            self.view.reshape(lambda: new.append(self.spine.extend()), lambda: self._find(seq, row))
            self.rows_moved()
            self.view.grown(new[0])
        else:
            self.view.grown(self.spine.extend())
            self.search_on()
        if displaced or self.marked.lost:
            self.mark_again()
        self.preview_again()

    def _hold_on_to_the_session(self) -> None:
        """A rewind can take the session away and write it anew: then the one with its number is shown."""
        old, sessions = self.spine.session, self.ledger.sessions
        if old is None or not sessions or any(each is old.standing() for each in sessions):
            return
        session = next((each for each in sessions if each.seq == old.seq), sessions[0])
        self.spine = Spine(self.ledger, session.index, self.reading.bodies(self.ledger))
        self.view.spine = self.spine
        self.filter_again()

    def _identity(self) -> int | None:
        return self.ledger.seq_at(self.row) if self.row >= 0 else None

    def _find(self, seq: int | None, row: int) -> int:
        """Where the event of this seq is now, or what is nearest to where it was."""
        found = None if seq is None else self.ledger.row_of(seq)
        return self.spine.standing_for(row if found is None else found)

    # events of the widgets

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        if event.lines is self.details:
            self.show_status()
        elif event.lines is self.view and self.row != self._here[1]:
            self.settle()

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        if event.lines is self.view:
            self.give("details")

    @on(SpineView.FollowChanged)
    def _follow_changed(self) -> None:
        self.show_status()

    @on(SpineView.Scrolled)
    def _scrolled(self) -> None:
        self._show_minimap()

    @on(SpineView.FoldClicked)
    def _fold_clicked(self, event: SpineView.FoldClicked) -> None:
        self.toggle_fold(event.row)

    @on(Minimap.Aimed)
    def _aimed(self, event: Minimap.Aimed) -> None:
        self.jump(self.spine.row(event.index))

    @on(Details.Led)
    def _led(self, event: Details.Led) -> None:
        self.go_to_seq(event.seq)

    @on(Ask.Answered)
    def _answered(self, event: Ask.Answered) -> None:
        if event.purpose == "goto" or self.asked(event.purpose, event.answer):
            self.close_ask()
        if event.purpose == "goto":
            self._goto(event.answer)

    def close_ask(self) -> None:
        """The line that asks is done."""
        self.workers.cancel_group(self, "count")
        ask = self.query_one(Ask)
        ask.close()
        self.set_focus(self.details if ask.purpose == SEARCH else self.view)

    # commands

    def _goto(self, answer: str) -> None:
        words = event_words(answer)
        if words is None:
            if answer.strip():
                self.say(f"“{visible(answer.strip(), 40)}” is no seq: type a number, or LEDGER:N")
            return
        meant = sorted(named(self.ledger, *words), key=lambda each: each.rank)
        row = meant[-1].row if meant else None
        if row is not None:
            self.go_to_seq(self.ledger.seq[row])
        elif meant and meant[-1].ledger == self.ledger.name:
            self.go_to_seq(words[1])
        else:
            what = f"has no event {words[1]}" if meant else "is no ledger of this session"
            self.say(f"{visible(words[0], 40)} {what}")

    def go_to_seq(self, seq: int) -> None:
        """Go to the event of this seq, in another session too."""
        row = self.ledger.row_of(seq)
        if row is None:
            seqs = self.ledger.seq
            self.say(
                f"{seq} is not in this ledger; it has {f'{seqs[0]} to {seqs[-1]}' if seqs else 'no events'}"
            )
        elif not self.jump(row):
            session = self.ledger.session_at(row)
            if session is not None:
                self.post_message(OpenSession(self.reading, self.ledger.name, session.index, seq))

    def do_details(self) -> None:
        if not self.reading_details:
            self.set_focus(self.details)
        elif not self.details.choose():
            self.remark = "this line opens nothing: lines that name an event, a blob or more of a value do"

    def do_seen(self) -> None:
        if self.notices:
            super().do_seen()
            return
        amid = all(each.amid for each in self.ledger.gone)
        whose = "that a change of the file had dropped" if amid else "that a rewind had dropped"
        dismissed = self.ledger.dismiss()
        self._take_in(())
        self.settle()
        self.remark = f"dismissed {plural(dismissed, 'event')} {whose}"

    def do_pane(self) -> None:
        self.set_focus(self.view if self.reading_details else self.details)

    def do_follow(self) -> None:
        self.view.follow()
        self.settle()

    def do_last(self) -> None:
        if self.lines is self.view and self.reading.live:
            self.view.follow()
            self.settle()
        else:
            super().do_last()

    def do_leave(self) -> None:
        if self.query_one(Ask).asking:
            self.close_ask()
        elif self.stop_waiting():
            pass
        elif self.reading_details:
            self.leave_details()
        elif not (self.leave_preview() or self.leave_why() or self.leave_findings()):
            super().do_leave()

    def times_changed(self) -> None:
        self.settle()


def _displaced(changes: Sequence[Change], row: int) -> bool:
    """Whether rows that were there may stand elsewhere now, or be gone."""
    return any(not isinstance(change, Appended) or change.first_row <= row for change in changes)

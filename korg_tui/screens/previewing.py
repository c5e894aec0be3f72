"""PreviewingScreen: the rewind preview as a mode of the session screen. It never writes anything.

The arrow keys move N, and the sets follow at once; `j` and `k` look around while N stays.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from korg_tui.causal import Ledger, NoDecision, NoSuchEvent, rewind
from korg_tui.event import Kind
from korg_tui.formats import Body
from korg_tui.reading import Reading
from korg_tui.screens.asking import LONG, Asking
from korg_tui.screens.looking import BlobLook
from korg_tui.screens.order import most_asked_first
from korg_tui.screens.stepping import SteppingScreen
from korg_tui.screens.trusting import ChainScreen
from korg_tui.text import visible
from korg_tui.views import LossBook, Preview, RowState, Section, at_once, details, rewound_sections
from korg_tui.widgets.chrome import Bar
from korg_tui.widgets.details import Details

IN_THE_BAR = "rewind preview"
"""The section of the preview that the bar shows already."""
WAITING = {"plan": "counting what the rewind carries away …", "report": "writing the report …"}
"""What is said while it is calculated; `esc` ends the waiting."""
LISTING = "reading what the dropped events did …"
READING = "reading this event …"
RECORD = 16_000
"""Bytes of a record from which on its details are made beside the screen."""
COUNTS = ("sessions", "lanes")
"""The sections that stand below the lists."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A previewed rewind, and what the rows, the minimap and the bar show of it."""

    preview: Preview
    bar: str
    dropped: Sequence[int] = ()
    """The rows that the scope drops for certain, ascending."""
    possible: Sequence[int] = ()
    mark: tuple[int, int] = (0, 0)
    """Revision and generation of the ledger that it was made from."""

    @property
    def moved(self) -> bool:
        """Whether rows stand elsewhere since."""
        return self.mark != _mark(self.preview.ledger)


def _mark(ledger: Ledger) -> tuple[int, int]:
    return ledger.revision, ledger.generation


class PreviewingScreen(SteppingScreen, ChainScreen):
    """Commands `rewind`, `rewind-before`, `keep-more`, `keep-less`, `why`, `scope`."""

    reading: Reading
    details: Details

    def __init__(self) -> None:
        super().__init__()
        self.plan: Plan | None = None
        self.asking = Asking(self, self.rested)
        self.truncation = False
        self.telling_why = False
        self.before: int | None = None
        """The event before which the rewind goes, when it was chosen so."""
        self._losses: LossBook | None = None
        self._blobs: BlobLook | None = None
        self._shown: tuple[int, int | None] = (-1, None)
        """Row and seq of the event that was told last."""
        self._chain: Callable[[Body], Section] | None = None
        """What is told of the chain at the event that was told last."""
        self._listed: Preview | None = None
        """The preview whose lists were asked for last."""

    def rested(self) -> None:
        """No calculation is left."""
        raise NotImplementedError

    @property
    def busy(self) -> bool:
        return self.asking.busy

    @property
    def preview(self) -> Preview | None:
        """The rewind that is previewed, None outside the preview."""
        return None if self.plan is None else self.plan.preview

    @property
    def previewing(self) -> bool:
        """Whether the screen is in the preview."""
        return self.plan is not None

    # entering, moving, leaving

    def do_rewind(self) -> None:
        self._aim(self.row, before=False)

    def do_rewind_before(self) -> None:
        self._aim(self.row, before=True)

    def do_look_down(self) -> None:
        self.do_down()

    def do_look_up(self) -> None:
        self.do_up()

    def do_keep_more(self) -> None:
        self._move_target(1)

    def do_keep_less(self) -> None:
        self._move_target(-1)

    def _move_target(self, step: int) -> None:
        preview = self.preview
        if self.lines is not self.view or preview is None:
            self.lines.move(step)
            return
        row = self._event_beside(self.ledger.row_of(preview.target) or 0, step)
        if row is None:
            self.remark = "there is no later event" if step > 0 else "there is no earlier event"
            return
        self._aim(row, before=False)
        index = self.spine.index_of_row(row)
        if index is not None:
            self.view.go(index)

    def _event_beside(self, row: int, step: int) -> int | None:
        """The nearest visible agent event below (1) or above (-1) a row."""
        rows = self.spine.rows
        index = bisect_right(rows, row) if step > 0 else bisect_left(rows, row) - 1
        while 0 <= index < len(rows):
            found = rows[index]
            if Kind(self.ledger.kind[found]).agent:
                return found
            index += step
        return None

    def _aim(self, row: int, *, before: bool) -> None:
        """Preview a rewind to this row, or to its parent."""
        seq, truncation = self.ledger.seq[row], self.truncation
        if self._losses is None:
            self._losses = LossBook(self.ledger, self._raw)
        self.before = seq if before else None
        self.telling_why = False
        self.asking.ask(
            "plan", lambda: self._plan(seq, before, truncation), self._planned, rows=len(self.ledger)
        )

    def _plan(self, seq: int, before: bool, truncation: bool) -> Plan | str:
        """Everything about the rewind that the rows need, or why there is none."""
        try:
            found = rewind(self.ledger, seq, before=before)
        except (NoSuchEvent, NoDecision) as error:
            return str(error)
        preview = Preview(self.ledger, found, self._losses, truncation=truncation)
        rows = (self.ledger.row_of(each) for each in found.possible)
        possible = [row for row in rows if row is not None]
        if found.dropped:
            found.why(found.dropped[0])  # what is searched for the first reason serves all others
        dropped = sorted(preview.dropped.difference(possible))
        return Plan(preview, preview.bar, dropped, possible, _mark(self.ledger))

    def _planned(self, plan: Plan | str) -> None:
        if isinstance(plan, str):
            if self.plan is not None and self.plan.moved:
                self.telling_why = False
                self.leave_preview()
            self.say(visible(plan))
            return
        self.plan = plan
        self._show_preview()
        target = self.spine.index_of(plan.preview.target)
        if target is not None:
            self.view.reveal_too(target)

    def preview_again(self) -> None:
        """The ledger has changed: the same preview over what it is now, if its event is still there."""
        if self._blobs is not None:
            self._blobs.ledger_changed()
        if self.preview is not None and not self._aim_again():
            target = self.preview.target
            self.telling_why = False
            self.leave_preview()
            self.remark = f"{target} is gone from the ledger: the preview of a rewind to it ended"

    def _aim_again(self) -> bool:
        """The same preview once more; False when its event is gone."""
        before, why = self.before, self.telling_why
        seq = before if before is not None or self.preview is None else self.preview.target
        row = None if seq is None else self.ledger.row_of(seq)
        if row is None:
            return False
        self._aim(row, before=before is not None)
        self.telling_why = why
        return True

    def _show_preview(self) -> None:
        self.set_class(self.previewing, "-preview")
        self.view.states = None if self.preview is None else self._row_state
        self.view.redraw()
        self.settle()

    def waiting_words(self) -> str:
        """What is calculated that a person waits for, and how to stop it; empty when nothing is."""
        words = next((WAITING[what] for what in WAITING if self.asking.waits_for(what)), "")
        return words and self.keymap.told(f"{words} {{leave}} stops it")

    def stop_waiting(self) -> bool:
        """What is calculated is not wanted any more. False when there is no such thing."""
        stopped = [what for what in WAITING if self.asking.forget(what)]
        if stopped:
            self.remark = "stopped"
        return bool(stopped)

    def leave_preview(self) -> bool:
        """Back to the session. False when there was no preview."""
        if self.plan is None:
            return False
        if self.telling_why:
            self.telling_why = False
        else:
            self.plan = None
        self._show_preview()
        return True

    def do_scope(self) -> None:
        self.truncation = not self.truncation
        self._aim_again()

    def do_why(self) -> None:
        self.telling_why = not self.telling_why
        self._show_preview()

    # showing

    def _row_state(self, row: int) -> RowState:
        """How the preview marks a row, and what it says of those that it stands for."""
        assert self.preview is not None
        held = self.spine.held(row) if self.spine.is_folded(row) else ()
        return self.preview.holding(row, held) if held else self.preview.state(row)

    def drops(self, row: int) -> bool:
        if self.preview is None or row < 0:
            return False
        return self.preview.state(row).fate in ("invalidated", "possible")

    def _raw(self, row: int) -> bytes:
        return self.reading.raw(self.ledger, row)

    @property
    def blobs(self) -> BlobLook:
        """What is known about the blobs that the ledger names."""
        if self._blobs is None:
            source, korg = self.reading.source, self.korg
            self._blobs = BlobLook(self, source.blobs, korg.clock, self.show_details)
        return self._blobs

    def show_details(self) -> None:
        """Bring the details up to date: the event under the cursor, or the lists of the preview."""
        row, preview = self.row, self.preview
        if self.plan is not None and self.plan.moved:
            if not self.asking.waits_for("plan"):
                self.preview_again()
            return  # the plan that is made now comes here again
        if preview is not None and not (self.telling_why and self.drops(row)):
            if len(self.ledger) >= LONG and self._listed is not preview:
                self.details.show([Section(LISTING, "fields", ())])
            self._listed = preview
            self._tell(lambda: _lists_first(preview.sections()))
        elif row < 0:
            self.details.show(())
        else:
            self._tell_event(row, preview)

    def _tell_event(self, row: int, preview: Preview | None) -> None:
        """No key waits for an event: one with a long record is read beside the screen, and colours that need
        time come when they are ready."""
        before, self._shown = self._shown, (row, self.ledger.seq_at(row))
        self._chain = self.chain_at(row)
        if len(self.ledger) >= LONG or self.asking.busy:
            self._tell(lambda: self._event(row, preview))
        elif self.ledger.length[row] > RECORD:
            if before != self._shown:
                self.details.show([Section(READING, "fields", ())])
            self._tell_beside(row, preview)
        else:
            with at_once() as room:
                self._show_sections(self._event(row, preview))
            if room.left:
                self._tell_beside(row, preview)

    def _tell_beside(self, row: int, preview: Preview | None) -> None:
        self.asking.ask("details", lambda: self._event(row, preview), self._show_sections, rows=LONG)

    def await_details(self) -> None:
        """Let the details be made now where they are made beside the screen: somebody goes on from there."""
        lists = self.preview is not None and not (self.telling_why and self.drops(self.row))
        if self.row >= 0 and not lists and self.asking.forget("details"):
            self._show_sections(self._event(self.row, self.preview))

    def _tell(self, sections: Callable[[], Sequence[Section]]) -> None:
        self.asking.ask("details", sections, self._show_sections, rows=len(self.ledger))

    def _show_sections(self, sections: Sequence[Section]) -> None:
        self.details.show(sections)
        self.blobs.look_on()

    def _event(self, row: int, preview: Preview | None) -> Sequence[Section]:
        read, zone = self.reading.bodies(self.ledger), self.korg.zone
        self.blobs.begin()
        event = details(self.ledger, row, read, zone=zone, blobs=self.blobs.of, chain=self._chain)
        event = most_asked_first(event, self.ledger, row)
        gone = rewound_sections(self.reading, self.ledger, row, self.keymap.name("seen"))
        event = [*event[:1], *gone, *event[1:]]
        if preview is None:
            return event
        title = f"why a rewind to {preview.target} drops it"
        return [Section(title, "causes", tuple(preview.why(row))), *event]

    def show_bar(self) -> None:
        """The bar of the preview: what a rewind keeps, drops, leaves standing, and does not undo."""
        if self.plan is not None:
            head, _, rest = self.plan.bar.partition(" · ")
            before = f" (before {self.before})" if self.before is not None else ""
            self.query_one("#bar", Bar).show([(f"{head}{before}", "line--strong"), (f" · {rest}", "")])


def _lists_first(sections: Sequence[Section]) -> list[Section]:
    """What a rewind does not undo comes first: it is what a person looks for; then the counts."""
    shown = [section for section in sections if section.title != IN_THE_BAR]
    return sorted(shown, key=lambda section: section.title in COUNTS)

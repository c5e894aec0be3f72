"""The compare screen: choose another session, then both side by side, aligned by action.

The choosing is in `choosing`, reading and aligning in `aligning`."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult

from korg_tui.causal import Appended, Change
from korg_tui.commands import Place, Situation
from korg_tui.messages import OpenSession
from korg_tui.reading import Reading
from korg_tui.screens.aligning import AligningScreen
from korg_tui.screens.choices import Subject
from korg_tui.text import visible
from korg_tui.views import COMPARE_WORDS, Act, Comparison, Side, neighbour, plural
from korg_tui.widgets.chrome import Ask, KeyFooter, Line, Notice
from korg_tui.widgets.compare import ChoiceList, CompareRows, SideName, titled
from korg_tui.widgets.details import Details
from korg_tui.widgets.lines import LineList


class CompareScreen(AligningScreen):
    """A session beside another one, or beside itself before a rewind."""

    PLACES = (Place.COMPARE,)

    def __init__(self, readings: Sequence[Reading], subject: Subject) -> None:
        super().__init__(readings, subject)
        self.side: SideName = "right"
        """Whose event `open-event` opens."""
        self.only_differences = False
        self._stale = False

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield ChoiceList()
        yield Line("compare-head")
        yield CompareRows()
        yield Details()
        yield Ask()
        yield Notice("notices")
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.rows.ascii_only = self.korg.ascii_only
        self.rows.say_when_empty("Nothing differs.")
        self._show_mode()

    def on_screen_resume(self) -> None:
        if self.choosing:
            self.offer_all()

    def on_resize(self) -> None:
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        if self.ready:
            self._show_head()
            self._show_crumbs()
            self.show_status()

    @property
    def rows(self) -> CompareRows:
        """The rows of both sides."""
        return self.query_one(CompareRows)

    @property
    def details(self) -> Details:
        """Both events of the row under the cursor."""
        return self.query_one(Details)

    @property
    def choosing(self) -> bool:
        """Whether it is chosen what to compare with."""
        return self._offer is None

    @property
    def reading_details(self) -> bool:
        """Whether the details have the keys."""
        return self.focused is not None and self.focused is self.details

    @property
    def lines(self) -> LineList:
        if self.choosing:
            return self.choices
        return self.details if self.reading_details else self.rows

    @property
    def situation(self) -> Situation:
        shown = self.lines.count if self.ready else 0
        return Situation(
            place=Place.COMPARE,
            rows=shown,
            on_row=shown > 0,
            in_details=self.ready and self.reading_details,
            differences=len(self.comparison.differences) if self.comparison else 0,
            choosing=self.choosing,
            notices=len(self.notices),
        )

    # choosing

    def _show_mode(self) -> None:
        self.choices.display = self.choosing
        for widget in (self.query_one("#compare-head"), self.rows, self.details):
            widget.display = not self.choosing
        self.set_focus(self.choices if self.choosing else self.rows)
        if self.choosing:
            self.offer_all()
        self._show_crumbs()
        self.show_status()

    def _choose(self) -> None:
        self.close_ask()
        self._offer = self._offers[self.choices.cursor]
        self._swapped = False
        self._show_mode()
        self.begin_comparing()

    # comparing

    def compared(self, found: Comparison) -> None:
        before, self.comparison = self.comparison, found
        at = self.rows.number if before is not None else None
        if at is None and found.differences and not self.only_differences:
            at = found.differences[0]
        self._show_rows(at)

    def _show_rows(self, at: int | None) -> None:
        assert self.comparison is not None
        every = range(len(self.comparison.matches))
        shown: Sequence[int] = self.comparison.differences if self.only_differences else every
        self.rows.show(self.comparison, shown, at)
        self._settle()

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        if not self.ready:
            return
        if self.choosing:
            if self.on_top and changes:
                self.offer_all()
            return
        assert self._offer is not None
        if reading not in self._offer.readings or self._sides is None:
            return
        ledgers = [side.ledger for side in self._sides]
        mine = [change for change in changes if change.ledger in ledgers]
        self.since += sum(change.count for change in mine if isinstance(change, Appended))
        if any(side.moved for side in self._sides) or any(not isinstance(each, Appended) for each in mine):
            self.begin_comparing()
            self.say("the ledger has changed: it was compared again")
        elif mine:
            self.show_status()

    # showing

    def _settle(self) -> None:
        self._show_head()
        self._show_crumbs()
        self.show_status()
        if not self._stale:
            self._stale = True
            self.call_after_refresh(self._show_details)

    def _show_details(self) -> None:
        self._stale = False
        number = self.rows.number
        if self.ready and not self.choosing and self.comparison is not None:
            self.details.show(() if number is None else self.comparison.sections(number))

    def _show_head(self) -> None:
        if self._sides is None or not self.ready:
            return
        left, right = self._sides
        head = self.rows.head(left.name, right.name, self.rows.row_width, self.side)
        self.query_one("#compare-head", Line).show([(head, "line--quiet")])

    def _show_crumbs(self) -> None:
        room = self.size.width // 3
        parts = [(" › compare", "line--strong")]
        if self.choosing:
            parts.append((" › with what?", ""))
        else:
            assert self._offer is not None
            choice, here = self._offer.choice, visible(self.subject.ledger.name)
            name = choice.title if choice.ledger in ("", here) else f"{choice.ledger} › {choice.title}"
            parts.append((f" › {titled(name, room - 4)}", ""))
            if self.comparison is not None and self.rows.count:
                what = "difference" if self.only_differences else "row"
                parts.append((f" › {what} {self.rows.cursor + 1:,} of {self.rows.count:,}", "line--strong"))
        rest = self.size.width - 2 - sum(map(len, (text for text, _ in parts)))
        name = titled(self.subject.name, max(rest, room))
        self.query_one("#crumbs", Line).show([(name, "line--quiet"), *parts])

    def show_status(self) -> None:
        if self.ready:
            self.status.show([(self.remark, "line--mark")] if self.remark else self._status())
            self.show_keys()

    def _status(self) -> list[tuple[str, str]]:
        if self.choosing:
            return self.offered
        if self.comparison is None:
            sides = self._sides or ()
            read, total = sum(len(side.acts) for side in sides), sum(side.total for side in sides)
            return [(f"reading both sides, {100 * read // max(total, 1)} %", "")]
        only, came = "", ""
        if self.only_differences:
            only = self.keymap.told("{compare-only}: all rows · ")
        if self.since:
            came = f" · {plural(self.since, 'event')} came since: {{compare-again}} compares again"
            came = self.keymap.told(came)
        counts = self.comparison.counted(self.status.room - len(only) - len(came))
        return [(only, "line--mark"), (counts, ""), (came, "line--mark")]

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        if event.lines is self.rows:
            self._settle()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.give("open-event")

    # commands

    def do_leave(self) -> None:
        if self.reading_details:
            self.set_focus(self.rows)
        elif self.choosing and self.leave_narrowing():
            pass
        elif not self.choosing and len(self._all) > 1:
            self.workers.cancel_group(self, "compare")
            self._offer, self.comparison, self._sides = None, None, None
            self._show_mode()
        else:
            super().do_leave()

    def do_pane(self) -> None:
        if not self.choosing:
            self.set_focus(self.rows if self.reading_details else self.details)

    def do_difference_after(self) -> None:
        self._step(1)

    def do_difference_before(self) -> None:
        self._step(-1)

    def _step(self, step: int) -> None:
        number = self.rows.number
        if self.comparison is None or number is None:
            return
        found = neighbour(self.comparison.differences, number, step)
        if found is None:
            self.remark = f"no {'further' if step > 0 else 'earlier'} difference"
            return
        at = next(index for index, each in enumerate(self.rows.shown) if each == found)
        self.rows.go(at, jump=True)
        state, what = self.comparison.matches[found].state, ", ".join(self.comparison.matches[found].what)
        place = self.comparison.differences.index(found) + 1
        said = f"{COMPARE_WORDS[state]}{f': {what}' if what else ''}"
        self.remark = f"difference {place:,} of {len(self.comparison.differences):,} · {said}"

    def do_compare_only(self) -> None:
        self.only_differences = not self.only_differences
        if self.comparison is not None:
            self._show_rows(self.rows.number)

    def do_compare_side(self) -> None:
        self.side = "left" if self.side == "right" else "right"
        self._show_head()
        self.remark = self.keymap.told(f"{{open-event}} opens the event of the {self.side} side")

    def do_compare_swap(self) -> None:
        self.swap()

    def do_compare_again(self) -> None:
        self.begin_comparing()

    def do_open_event(self) -> None:
        if self.choosing:
            self._choose()
            return
        number = self.rows.number
        if self.comparison is None or self._sides is None or number is None:
            return
        left, right = self.comparison.acts(number)
        use_left = right is None or (left is not None and self.side == "left")
        act = left if use_left else right
        if act is not None:
            self._open(self._sides[0] if use_left else self._sides[1], act)

    def _open(self, side: Side, act: Act) -> None:
        assert self._offer is not None
        if act.row < 0:
            self.remark = f"a rewind dropped {act.seq}: it can be read here only"
            return
        at = side.ledger.row_of(act.seq)
        session = None if at is None else side.ledger.session_at(at)
        owners = [each for each in self._offer.readings if side.ledger in each.journal.ledgers]
        if session is None or not owners:
            self.remark = f"{act.seq} is gone from its ledger"
        else:
            self.post_message(OpenSession(owners[0], side.ledger.name, session.index, act.seq))

"""EffectsScreen: everything that an event carries away, without entering the rewind preview; below the list,
the chain of reasons of the row under the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from korg_tui.causal import Appended, Change, Ledger, NoSuchEvent
from korg_tui.commands import Place, Situation
from korg_tui.reading import Reading
from korg_tui.screens.asking import Asking
from korg_tui.screens.base import KorgScreen
from korg_tui.views import Effects, Section, label
from korg_tui.widgets.chrome import Ask, KeyFooter, Line
from korg_tui.widgets.details import Details
from korg_tui.widgets.effects import EffectList
from korg_tui.widgets.lines import LineList

_COUNTING = "counting what it carries away …"


class EffectsScreen(KorgScreen):
    """What a rewind to an event would carry away."""

    PLACES = (Place.EFFECTS,)

    def __init__(self, reading: Reading, ledger: Ledger, seq: int) -> None:
        super().__init__()
        self.reading, self.ledger, self.seq = reading, ledger, seq
        self.asking = Asking(self, lambda: self.korg.take_facts())
        self.list = EffectList()
        self.details = Details()
        self._gone = ""

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield Line("effects-head")
        yield self.list
        yield Static(id="nothing")
        yield self.details
        yield Ask()
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.list.ascii_only = self.korg.ascii_only
        self.set_focus(self.list)
        self.call_after_refresh(self._count)

    @property
    def busy(self) -> bool:
        return self.asking.busy

    @property
    def lines(self) -> LineList:
        """The pane that has the keys."""
        return self.details if self.focused is self.details else self.list

    @property
    def situation(self) -> Situation:
        rows, in_details = self.list.count, self.lines is self.details
        return Situation(place=Place.EFFECTS, rows=rows, on_row=rows > 0, in_details=in_details)

    # what there is

    def _count(self) -> None:
        self.asking.ask("effects", self._effects, self._counted, rows=len(self.ledger))
        self._show()

    def _effects(self) -> Effects | str:
        try:
            return Effects(self.ledger, self.seq, self.reading.bodies(self.ledger))
        except NoSuchEvent as gone:
            return str(gone)

    def _counted(self, found: Effects | str) -> None:
        if isinstance(found, str):
            self._gone = found
            self.list.clear()
        else:
            self._gone = ""
            self.list.show(found)
            self._show_why()
        self._show()

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        mine = [change for change in changes if change.ledger is self.ledger]
        if reading is not self.reading or not mine:
            return
        if not all(isinstance(change, Appended) for change in mine):
            self.list.clear()
        self._count()

    # showing

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        if not self.ready:
            return
        effects = self.list.effects
        title = label(self.ledger, self.seq) if effects is None else effects.title
        self.query_one("#crumbs", Line).show([("effects", "line--strong"), (f" › of {title}", "")])
        self.query_one("#effects-head", Line).show([(self.list.head(), "line--quiet")])
        nothing = self.query_one("#nothing", Static)
        nothing.display = not self.list.count
        self.list.display = self.details.display = bool(self.list.count)
        words = _COUNTING if effects is None else "Nothing later depends on it: a rewind to it drops nothing."
        nothing.update(Content(f"{self._gone or words}\n\n" + self.keymap.told("{leave} goes back.")))
        self.show_status()

    def show_status(self) -> None:
        if not self.ready:
            return
        effects = self.list.effects
        parts = [(_COUNTING, "")] if effects is None else [(effects.counts, "line--strong")]
        if self._gone:
            parts = [(self._gone, "line--mark")]
        elif effects is not None:
            parts.append((" · nothing is rewound", "line--quiet"))
        self.status.show([(self.remark, "line--mark")] if self.remark else parts)
        self.show_keys()

    def _show_why(self) -> None:
        effects, index = self.list.effects, self.list.cursor
        if effects is not None and effects.rows:
            self.asking.ask("why", lambda: effects.why(index), self._show_chain, rows=len(self.ledger))

    def _show_chain(self, section: Section) -> None:
        self.details.show([section])

    # commands and events

    def do_open_event(self) -> None:
        if self.lines is self.details:
            if not self.details.choose():
                self.remark = "this line leads to no other event"
            return
        effect = self.list.effect
        if effect is not None:
            self._lead(effect.seq)

    def do_pane(self) -> None:
        self.set_focus(self.list if self.lines is self.details else self.details)

    def do_leave(self) -> None:
        if self.lines is self.details:
            self.set_focus(self.list)
        else:
            super().do_leave()

    def _lead(self, seq: int) -> None:
        """Open the session at this event; whoever leaves it comes back here."""
        row = self.ledger.row_of(seq)
        if row is None:
            self.remark = f"{label(self.ledger, seq)} is gone from its ledger"
            self.show_status()
        else:
            self.korg.open_event(self.reading, self.ledger, row)

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        if event.lines is self.list:
            self._show_why()

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        if event.lines is self.list:
            self.give("open-event")

    @on(Details.Led)
    def _led(self, event: Details.Led) -> None:
        self._lead(event.seq)

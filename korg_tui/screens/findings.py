"""FindingsScreen: what holds of a ledger, what does not, where, and what nobody can know; every finding leads
to its event. Below the list, all of the line under the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from textual import on
from textual.app import ComposeResult

from korg_tui.causal import Change, Ledger
from korg_tui.commands import Place, Situation
from korg_tui.reading import Reading
from korg_tui.screens.examining import Examining, Looking, Reader
from korg_tui.screens.sending import SendingScreen
from korg_tui.screens.trusting import TrustingScreen
from korg_tui.text import visible
from korg_tui.trust import Checklist
from korg_tui.views import Copy, Examination, Findings, FoundLine, about_finding, in_turn
from korg_tui.widgets.chrome import Ask, Bar, KeyFooter, Line
from korg_tui.widgets.details import Details
from korg_tui.widgets.findings import FindingList
from korg_tui.widgets.lines import LineList
from korg_tui.widgets.names import ending


class FindingsScreen(SendingScreen, TrustingScreen):
    """The findings of one ledger. `looking` is who examines it, the checklist unless it is given."""

    PLACES = (Place.FINDINGS,)

    def __init__(self, reading: Reading, ledger: Ledger, looking: Looking[Any] | None = None) -> None:
        super().__init__()
        self.reading, self.ledger = reading, ledger
        self.findings = Findings(ledger)
        self.list = FindingList()
        self.details = Details()
        reader = Reader(reading, ledger)
        examined = looking or Checklist(ledger, reader, reading.source.blobs)
        self.examining = Examining(self, self.findings, examined, reader, self.show_findings)

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield Bar("findings-head")
        yield self.list
        yield self.details
        yield Ask()
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_focus(self.list)
        self.show_findings()
        self.examining.go_on()

    def on_screen_resume(self) -> None:
        self.show_findings()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_status)

    @property
    def lines(self) -> LineList:
        """The pane that has the keys."""
        return self.details if self.focused is self.details else self.list

    @property
    def situation(self) -> Situation:
        row = self.list.row
        return Situation(
            place=Place.FINDINGS,
            rows=self.list.count,
            on_row=row is not None,
            in_details=self.lines is self.details,
            findings=self.list.findings,
            chooses="" if row is None or self.lines is self.details else _choice(row),
        )

    # what there is

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        if reading is self.reading and any(change.ledger is self.ledger for change in changes):
            self.examining.go_on()

    def in_front(self) -> Iterable[Ledger]:
        return (self.ledger,)

    def standing_changed(self, reading: Reading, ledger: Ledger) -> None:
        if reading is self.reading and ledger is self.ledger:
            self.show_findings()

    def show_findings(self) -> None:
        """Bring the list up to date with what was found."""
        if not (self.on_top and self.ready):
            return
        watched, vouched = self.korg.watched(self.ledger), self.examining.vouched
        self.findings.examination = Examination(
            standing=None if watched is None else watched.standing,
            checks=self.examining.checks,
            faults=vouched.faults,
            findings=vouched.findings,
            notes=vouched.notes,
            done=not self.looking,
        )
        self.list.show(self.findings.lines())
        self._show_line()

    @property
    def looking(self) -> bool:
        """Whether something was not looked at yet, and will be."""
        watched = self.korg.watched(self.ledger)
        return self.examining.running or watched is None or not watched.done

    # showing

    def _show_line(self) -> None:
        row = self.list.row
        self.details.show([] if row is None else [about_finding(row)])
        name = ending(self.ledger.name, max(14, self.size.width // 3))
        parts = [("findings", "line--strong"), (f" › of {name}", "")]
        if row is not None:
            parts.append((f" › {row.group}", "line--quiet"))
            parts.append((f" › {row.where}" if row.kind == "finding" and row.where else "", "line--strong"))
        self.query_one("#crumbs", Line).show(parts)
        self.query_one("#findings-head", Bar).show([(self.findings.summary(), "line--strong")])
        self.show_status()

    def show_status(self) -> None:
        if not self.ready:
            return
        self.status.show([(self.remark, "line--mark")] if self.remark else self._status())
        self.show_keys()

    def _status(self) -> list[tuple[str, str]]:
        row = self.list.row
        if self.looking:
            stops = self.keymap.told("; {leave} leaves")
            return [(f"looking{self._progress()}{stops}", "line--mark")]
        told = "nothing was found" if self.findings.nothing_found else "all of it was looked at"
        parts = [(told, "line--strong")]
        if row is not None and row.leads and self.lines is self.list:
            where = "the line" if row.seq is None else row.where
            parts.append((self.keymap.told(f" · {{open-finding}}: go to {where}"), "line--quiet"))
        return parts

    def _progress(self) -> str:
        """`: chain 40 %, checks 7 %`, as far as it is known."""
        watched = self.korg.watched(self.ledger)
        chain = None if watched is None or watched.done else watched.share
        checks = self.examining.share if self.examining.running else None
        shares = [("chain", chain), ("checks", checks)]
        told = [f"{name} {share} %" for name, share in shares if share is not None]
        return f": {', '.join(told)}" if told else ""

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        if event.lines is self.list:
            self._show_line()

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        if event.lines is self.list:
            self.give("open-finding")

    @on(Details.Led)
    def _led(self, event: Details.Led) -> None:
        self._lead(event.seq)

    @on(Ask.Answered)
    def _answered(self) -> None:
        self._close_ask()

    def _close_ask(self) -> None:
        self.query_one(Ask).close()
        self.set_focus(self.list)

    # commands

    def do_open_finding(self) -> None:
        row = self.list.row
        if self.lines is self.details:
            if not self.details.choose():
                self.remark = "this line leads to no event"
        elif row is None:
            return
        elif self.findings.toggle(row):
            self.list.show(self.findings.lines(), follow=row.kind != "more")
            self._show_line()
        elif row.seq is not None:
            self._lead(row.seq)
        elif row.offset is not None:
            self._lead_to_line(row.offset)
        else:
            self.remark = "this line leads to no event"

    def _lead(self, seq: int) -> None:
        """Open the session at this event; whoever leaves it comes back here."""
        row = self.ledger.row_of(seq)
        if row is None:
            self.say(f"{seq} is gone from its ledger")
        else:
            self.korg.open_event(self.reading, self.ledger, row)

    def _lead_to_line(self, offset: int) -> None:
        """The same for a line that is no event."""
        offsets, lines = self.ledger.offset, self.findings.damage.malformed
        row = next((each for each in lines if each < len(offsets) and offsets[each] == offset), None)
        if row is None:
            self.say(f"nothing is listed at byte {offset:,}")
        else:
            self.korg.open_event(self.reading, self.ledger, row)

    def do_finding_after(self) -> None:
        self._round(1)

    def do_finding_before(self) -> None:
        self._round(-1)

    def _round(self, step: int) -> None:
        found, said = in_turn(self.list.neighbour, self.list.cursor, self.list.count, "finding", step)
        self.remark = said
        if found is not None:
            self.list.go(found, jump=True)

    def do_copy(self) -> None:
        row, plain = self.list.row, self.details.plain
        if self.lines is self.details and plain:
            self.send(Copy("line", plain[self.details.cursor].strip()))
        elif row is not None:
            whole = "\n".join([self.findings.summary(), *(self._told(each) for each in self.list.rows)])
            self.offer(row.identity, [Copy("finding", self._told(row)), Copy("list", whole)])

    def _told(self, row: FoundLine) -> str:
        """A line as text: `ledger.jsonl:42 link: it names another`."""
        name = visible(self.ledger.name, 200)
        where = row.where if row.kind != "finding" else f"{name}:{row.where}" if row.where else name
        head = " ".join(filter(None, (where if row.kind != "title" else row.group, row.word)))
        return ": ".join(filter(None, (head, row.text)))

    def do_pane(self) -> None:
        self.set_focus(self.list if self.lines is self.details else self.details)

    def do_leave(self) -> None:
        if self.query_one(Ask).asking:
            self._close_ask()
        elif self.lines is self.details:
            self.set_focus(self.list)
        else:
            super().do_leave()


def _choice(row: FoundLine) -> str:
    """What choosing a line does, in the words of the footer."""
    if row.kind == "more":
        return "more"
    if row.folded is not None:
        return "unfold" if row.folded else "fold"
    return ""

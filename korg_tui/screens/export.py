"""ExportScreen: what is written, in which form, with or without secrets, and into which file.

The file is written beside the screen, whole or not at all; `esc` stops it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from textual import on
from textual.app import ComposeResult

from korg_tui.commands import Place, Situation
from korg_tui.export import (
    FORMATS,
    Exported,
    ExportRefused,
    Format,
    Wanted,
    spared,
    write_several,
    written_whole,
)
from korg_tui.screens.base import KorgScreen
from korg_tui.screens.exporting import Scope
from korg_tui.screens.files import free_name, target_of, why_not
from korg_tui.sources import BodyGone
from korg_tui.text import visible
from korg_tui.views import size
from korg_tui.widgets.choices import Choice, ChoiceList
from korg_tui.widgets.chrome import Ask, Bar, KeyFooter, Line
from korg_tui.widgets.lines import LineList

_SHOWN_SECONDS = 0.15
WHAT, FORM, SECRETS, FILE, WRITE = range(5)
"""The lines of the form."""


class _Stopped(Exception):
    """The person does not want it any more."""


class ExportScreen(KorgScreen):
    """The form of an export; `scopes` are offered, the first one chosen."""

    PLACES = (Place.EXPORT,)

    def __init__(self, scopes: Sequence[Scope]) -> None:
        super().__init__()
        self.scopes = list(scopes)
        self.scope = self.scopes[0]
        self.form = self._forms[0]
        self.redact: bool | None = None
        """None: as the format does by itself."""
        self.named = ""
        """The file as the person named it; empty: as it is named by itself."""
        self.said: tuple[str, str] = ("", "")
        """What became of it: text and component class."""
        self._wrote = ""
        """The file that was written, while nothing else is chosen."""
        self._sure = ""
        """The file for which the person was told what stands in the way."""
        self._done, self._total = 0, 0
        self._stop: threading.Event | None = None

    def compose(self) -> ComposeResult:
        yield Line("crumbs")
        yield ChoiceList()
        yield Bar("told")
        yield Ask()
        yield Line("status")
        yield KeyFooter()

    def on_mount(self) -> None:
        head = [("export", "line--strong"), (" › choose what, how and where", "line--quiet")]
        self.query_one("#crumbs", Line).show(head)
        self.set_focus(self.lines)
        self.set_interval(_SHOWN_SECONDS, self._show_progress)

    def on_screen_resume(self) -> None:
        self.show_form()

    def on_unmount(self) -> None:
        if self._stop is not None:
            self._stop.set()

    @property
    def lines(self) -> ChoiceList:
        """The lines of the form."""
        return self.query_one(ChoiceList)

    @property
    def situation(self) -> Situation:
        chooses = {FILE: "rename", WRITE: "write it"}.get(self.lines.cursor, "")
        return Situation(
            place=Place.EXPORT, rows=self.lines.count, on_row=True, writing=self.writing, chooses=chooses
        )

    @property
    def writing(self) -> bool:
        """Whether a file is being written."""
        return self._stop is not None

    @property
    def busy(self) -> bool:
        return self.writing

    # what is chosen

    @property
    def _forms(self) -> list[Format]:
        """The formats that can hold what is to be exported."""
        return [each for each in FORMATS.values() if each.several or not self.scope.several]

    @property
    def redacts(self) -> bool:
        """Whether secrets are taken out."""
        return self.form.redacts if self.redact is None else self.redact

    @property
    def file(self) -> str:
        """The file as it stands in the form."""
        return self.named or free_name(self.scope.stem, self.form.suffix)

    def show_form(self) -> None:
        """Bring the form up to date."""
        secrets = "taken out, and home folders become ~" if self.redacts else "left in, as in the ledger"
        by_itself = " (usual for this format)" if self.redacts == self.form.redacts else ""
        verb = "stop" if self.writing else "write it"
        self.lines.show(
            [
                Choice("what", self.scope.name, more=len(self.scopes) > 1),
                Choice("format", f"{self.form.name}: {self.form.text}", more=len(self._forms) > 1),
                Choice("secrets", secrets + by_itself, more=True),
                Choice("file", visible(self.file, 400)),
                Choice("", verb, strong=True),
            ]
        )
        self._show_told()
        self.show_status()

    def _show_told(self) -> None:
        here = not self.file.startswith(("/", "~"))
        where = f"in {visible(str(Path.cwd()), 300)}" if here else ""
        self.query_one("#told", Bar).show([self.said] if self.said[0] else [(where, "line--quiet")])

    def _show_progress(self) -> None:
        if self.writing and self.ready:
            self.show_status()

    def show_status(self) -> None:
        if not self.ready:
            return
        if self.writing:
            share = f" {100 * self._done // self._total} %" if self._total else ""
            told = self.keymap.told(f"writing{share} · {{leave}} stops it, and leaves nothing behind")
        else:
            told = self.remark or self._hint()
        self.status.show([(told, "line--mark" if self.remark or self.writing else "line--quiet")])
        self.show_keys()

    def _hint(self) -> str:
        match self.lines.cursor:
            case 3:
                return self.keymap.told(
                    "{export-choose}: another name; ~ is your home folder · {export-write} writes it"
                )
            case 4:
                return self.keymap.told("{export-choose} or {export-write} writes it · {leave}: back")
            case _:
                other = self.keymap.told("{export-before} {export-next} or {export-choose}: another choice")
                return self.keymap.told(f"{other} · {{export-write}} writes it")

    # choosing

    def do_export_next(self) -> None:
        self._turn(1)

    def do_export_before(self) -> None:
        self._turn(-1)

    def _turn(self, step: int) -> None:
        match self.lines.cursor:
            case 0:
                self.scope = self.scopes[(self.scopes.index(self.scope) + step) % len(self.scopes)]
                if self.form not in self._forms:
                    self.form = self._forms[0]
            case 1:
                forms = self._forms
                self.form = forms[(forms.index(self.form) + step) % len(forms)]
            case 2:
                self.redact = not self.redacts
            case _:
                self.remark = f"nothing to choose in this line · {self._hint()}"
                return
        self._chosen_anew()
        self.show_form()

    def _chosen_anew(self) -> None:
        """What was said of another file is not true any more."""
        self.said, self._sure, self._wrote = ("", ""), "", ""

    def do_export_choose(self) -> None:
        match self.lines.cursor:
            case 3:
                self.query_one(Ask).ask("file", "write it to", self.file)
            case 4:
                self.do_export_write()
            case _:
                self._turn(1)

    @on(Ask.Answered)
    def _file_named(self, event: Ask.Answered) -> None:
        self._close_ask()
        self.named = event.answer.strip()
        self._chosen_anew()
        self.lines.go(WRITE)
        self.show_form()

    def _close_ask(self) -> None:
        self.query_one(Ask).close()
        self.set_focus(self.lines)

    # writing

    def do_export_write(self) -> None:
        try:
            path = target_of(self.file)
        except OSError as error:
            self._tell(f"not written: {why_not(error)}", "line--bad")
            return
        try:
            wanted = list(self.scope.wanted())
        except ExportRefused as refused:
            self._tell(f"not written: {refused}", "line--bad")
            return
        why = spared(path, [*(each.reading for each in wanted), *self.korg.readings])
        if why:
            self._tell(f"not written: {visible(str(path), 200)} is {why}: name another file", "line--bad")
            return
        doubt = _doubt(path, wanted) or self._again(path)
        if doubt and self._sure != str(path):
            self._sure = str(path)
            again = self.keymap.told("{export-write} again writes it all the same")
            self._tell(f"{doubt}: {again}", "line--mark")
            return
        self._stop = threading.Event()
        self._done, self._total = 0, 0
        self.said = ("", "")
        self.work_beside(partial(self._work, path, wanted), "export", exclusive=False)
        self.show_form()

    def _again(self, path: Path) -> str:
        """What a person should know who writes the same once more."""
        new = visible(path.name, 60)
        return f"it is in {self._wrote} already; this would be {new}" if self._wrote else ""

    def _tell(self, words: str, name: str) -> None:
        self.said = (words, name)
        self.show_form()

    async def _work(self, path: Path, wanted: list[Wanted]) -> None:
        stop, form, redact = self._stop, self.form, self.redacts
        assert stop is not None
        said = ("", "")
        try:
            exported = await asyncio.to_thread(self._write, path, wanted, form, redact, stop)
            said = (f"wrote {visible(str(path), 300)}: {exported.words}", "line--good")
            self._wrote = visible(path.name, 60)
        except _Stopped:
            said = ("stopped: nothing was written", "line--mark")
        except ExportRefused as refused:
            said = (f"not written: {visible(str(refused), 400)}", "line--bad")
        except BodyGone as gone:
            said = (f"not written: {visible(str(gone), 400)}", "line--bad")
        except OSError as error:
            said = (f"not written: {why_not(error)}", "line--bad")
        finally:
            self._stop = None
            self.said, self._sure, self.remark = said, "", ""
            if self.is_attached and self.ready:
                self.show_form()
            self.korg.take_facts()

    def _write(
        self, path: Path, wanted: list[Wanted], form: Format, redact: bool, stop: threading.Event
    ) -> Exported:
        def progress(done: int, total: int) -> None:
            self._done, self._total = done, total
            if stop.is_set():
                raise _Stopped

        with written_whole(path) as out:
            exported = write_several(form.name, wanted, out, redact=redact, progress=progress)
            if stop.is_set():
                raise _Stopped
        return exported

    def do_leave(self) -> None:
        if self.query_one(Ask).asking:
            self._close_ask()
        elif self._stop is not None:
            self._stop.set()
        else:
            super().do_leave()

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.remark = ""
        self.show_status()

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        self.give("export-choose")


def _doubt(path: Path, wanted: Sequence[Wanted]) -> str:
    """What a person should know before this file is written; empty when nothing stands in the way."""
    if path.exists():
        return f"{visible(str(path), 200)} is there, {size(path.stat().st_size)}"
    if any(_is_beside(path, each) for each in wanted):
        return f"{visible(str(path.parent.resolve()), 200)} is the ledger's own folder"
    return ""


def _is_beside(path: Path, wanted: Wanted) -> bool:
    watched = wanted.reading.source.watched
    if watched is None:
        return False
    folder = watched if watched.is_dir() else watched.parent
    return path.resolve().parent == folder.resolve()

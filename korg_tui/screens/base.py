"""KorgScreen: what every screen does alike - commands, keys, remarks, leaving."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import App
from textual.binding import Binding
from textual.css.query import NoMatches
from textual.reactive import Reactive
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from korg_tui.causal import Change
from korg_tui.commands import Keymap, Place, Situation
from korg_tui.messages import Choice
from korg_tui.reading import Reading
from korg_tui.screens.binding import bindings
from korg_tui.text import visible
from korg_tui.widgets.ask import Typed
from korg_tui.widgets.chrome import Ask, Bar, Field, KeyFooter, Line
from korg_tui.widgets.lines import LineList

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from korg_tui.app import KorgApp

EDITING = frozenset(
    {key for each in Input.BINDINGS if isinstance(each, Binding) for key in each.key.split(",")} - {"ctrl+c"}
    | {"space"}
)
"""Keys that a field for words needs for itself, besides those of one character."""

REMARK_SECONDS = 6.0
"""A remark stays so long, and a second more for each ten characters, unless a command comes before."""

_LEFT_OUT_SECONDS = 0.05
"""A frame that was left out is drawn after so long."""

SURE_MS = 4000
"""A second `ctrl+c` within this time quits."""


class KorgScreen(Screen[None], inherit_bindings=False):
    """A screen whose keys come from the keymap in force.

    Subclasses name their `PLACES`, and have a `do_…` method for each command of these.
    """

    PLACES: ClassVar[tuple[Place, ...]] = ()

    AUTO_FOCUS: ClassVar[str | None] = None
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """Who has the keys. Those that get and lose them draw themselves; the rest stays as it is."""
    ESCAPE_TO_MINIMIZE = False

    def __init__(self) -> None:
        super().__init__()
        self._remark = ""
        self._remark_ends: Timer | None = None
        self._replied = ""
        """What the last command remarked."""
        self.pressed = ""
        """The key that gave the command at work."""
        self.notices: list[str] = []
        """What happened to a ledger while this screen was open, until it is marked as seen."""
        self._asked_at: int | None = None
        self._begun = False
        self._left_out: Timer | None = None
        """A frame was left out, which is drawn then at the latest."""
        self._early: list[str] = []
        """Keys that came before the screen had begun."""

    @property
    def remark(self) -> str:
        """What the status line says instead of the status; it ends by itself."""
        return self._remark

    @remark.setter
    def remark(self, words: str) -> None:
        self._remark = words
        if self._remark_ends is not None:
            self._remark_ends.stop()
            self._remark_ends = None
        if words and self.is_mounted:
            seconds = REMARK_SECONDS + len(words) / 10
            self._remark_ends = self.set_timer(seconds, self._end_remark)

    def _end_remark(self) -> None:
        self.remark = ""
        if self.ready:
            self.show_status()

    @property
    def korg(self) -> KorgApp:
        """The app, as what it is."""
        return self.app  # type: ignore[return-value]

    def _post_register(self, app: App[object]) -> None:
        """The screen has come to its app, and no key to the screen yet."""
        super()._post_register(app)
        self._bindings = bindings(self.keymap, *self.PLACES)

    def on_mount(self) -> None:
        self.call_after_refresh(self._begin_with_keys)

    def _begin_with_keys(self) -> None:
        if not self.ready:
            return
        self.begin()
        if self.notices:
            self._show_notices()
        self._begun = True
        while self._early:
            self.action_press(self._early.pop(0))

    def begin(self) -> None:
        """The screen is laid out for the first time, and no key has reached it yet."""

    @property
    def keymap(self) -> Keymap:
        """The keys in force."""
        return self.korg.settings.keymap

    @property
    def situation(self) -> Situation:
        """What the rules of the command table may ask."""
        raise NotImplementedError

    @property
    def busy(self) -> bool:
        """Whether a calculation reads the ledgers, so that no facts may be taken in."""
        return False

    @property
    def on_top(self) -> bool:
        """Whether no other screen covers this one. Textual draws all that is seen anew when a covered screen
        changes, and calls the one right below the top current, too."""
        return self.app.screen is self

    @property
    def ready(self) -> bool:
        """Whether the widgets of the screen are there: not before it is mounted, nor while it ends."""
        there = self.is_mounted and self.is_attached and not self._pruning and bool(self.children)
        return there and self in self.app.screen_stack

    def _compositor_refresh(self) -> None:
        """Draw, unless widgets that were just resized will be laid out once more: Textual would draw all of
        it both times, which a slow line feels. What was to be drawn stays so and comes with the next frame;
        that one is never left out, and comes by itself where no widget brings it."""
        if self._left_out is None and self.on_top and self._lays_out_again:
            self._left_out = self.set_timer(_LEFT_OUT_SECONDS, self._compositor_refresh)
            return
        if self._left_out is not None:
            self._left_out.stop()
            self._left_out = None
        super()._compositor_refresh()

    @property
    def _lays_out_again(self) -> bool:
        return any(each._layout_required for each in self.walk_children(Widget))

    def work_beside(
        self, work: Callable[[], Coroutine[Any, Any, None]], group: str, *, exclusive: bool = True
    ) -> None:
        """Run this between the frames; what runs in its group ends, if it is `exclusive`."""
        # A coroutine that was cancelled before it ran was never awaited; here it is made when it runs.
        run = partial(self._run_beside, work)
        self.run_worker(run, group=group, exclusive=exclusive)  # type: ignore[arg-type]

    async def _run_beside(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """What runs beside a screen ends with it: it may find that the widgets are gone already."""
        try:
            await work()
        except NoMatches:
            if self.ready:
                raise

    def changed(self, reading: Reading, changes: Sequence[Change]) -> None:
        """The reading changed; `changes` is empty when only its state did."""
        del reading, changes

    def times_changed(self) -> None:
        """Times are now shown in another zone."""

    def show_status(self) -> None:
        """Bring crumbs, status and keys up to date."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where words are typed, the keys that edit them are the field's."""
        if action == "press" and isinstance(self.focused, Input):
            key = str(parameters[0])
            helped = isinstance(self.focused, Field) and self.focused.takes(key)
            return len(key) > 1 and key not in EDITING and not helped
        return super().check_action(action, parameters)

    def action_press(self, key: str) -> None:
        """A key of the keymap was pressed. One that comes before the screen has begun waits for that."""
        if not self._begun:
            self._early.append(key)
            return
        if not self.ready:
            return
        entry = self.keymap.for_key(key, self.situation.place)
        if entry is None:
            self.say(self.keymap.elsewhere(key, self.situation))
        else:
            self.pressed = key
            self.give(entry.id)

    def on_key(self, event: events.Key) -> None:
        """A key that does nothing here is told for what it is."""
        key = event.character if event.is_printable and event.character else event.key
        known = event.is_printable or any(key in entry.keys for entry in self.keymap.table)
        if known and self._begun and self.ready and not isinstance(self.focused, Input):
            self.say(self.keymap.elsewhere(key, self.situation))

    def give(self, identity: str) -> None:
        """Carry a command of the table out, or say why not. The list of commands gives them, too, maybe when
        the screen has ended or is not laid out."""
        if not self.ready:
            return
        why_not = self.keymap.reason(identity, self.situation)
        self.remark = why_not
        if not why_not:
            getattr(self, self.keymap.command(identity).method)()
        self._replied = self.remark
        self.show_status()

    @on(Ask.Ahead)
    def _typed_ahead(self, event: Ask.Ahead) -> None:
        """What was typed before the line that asked was closed is meant for the screen; where the line stays
        open, since it could not be understood, it is meant for nobody."""
        event.stop()
        if not self.query_one(Ask).asking:
            self.action_press(event.key)

    @on(KeyFooter.Pressed)
    def _key_clicked(self, event: KeyFooter.Pressed) -> None:
        event.stop()
        if self.on_top:  # the first of two clicks may have led away
            self.give(event.command)

    def say(self, text: str) -> None:
        """A remark in the status line, until the next command, or for a while."""
        self.remark = text
        self.show_status()

    def tell_choice(self, choice: Choice | None) -> None:
        """Say for a while what was opened although nothing was named; until it is marked as seen where it
        stands in for what does not work."""
        if choice is None:
            return
        if choice.instead:
            self.announce(visible(choice.words))
            return
        self.say(visible(choice.words))

    def announce(self, words: str) -> None:
        """Say what happened to a ledger; it stays until it is marked as seen. What the last command remarked
        may not be true any more."""
        if self.remark and self.remark == self._replied:
            self.remark = ""
            self.show_status()
        self.notices.append(words)
        self._show_notices()

    def _show_notices(self) -> None:
        if not self.ready:
            return  # they are shown when the screen begins
        bar = self.query_one("#notices", Bar)
        bar.display = bool(self.notices)
        *earlier, last = self.notices or [""]
        more = f" (and {len(earlier):,} earlier)" if earlier else ""
        hint = self.keymap.told(" · {seen}: seen")
        bar.show([(last, "line--strong"), (more, ""), (hint, "line--quiet")])

    def do_seen(self) -> None:
        self.notices.clear()
        self._show_notices()

    def show_keys(self) -> None:
        """Bring the footer up to date."""
        self.query_one(KeyFooter).show(self.situation, self.keymap, self.typed)

    @property
    def typed(self) -> tuple[Typed, ...]:
        """The keys that are left while letters are words; none while they are keys."""
        ask = next(iter(self.query(Ask)), None)
        if ask is None or not ask.asking:
            return ()
        enter, *others = ask.keys
        return (enter, (self.keymap.command("leave").keys[0], "close"), *others)

    @on(Ask.Turned)
    def _asking_turned(self, event: Ask.Turned) -> None:
        event.stop()
        if self.ready:
            self.show_keys()

    @on(KeyFooter.Clicked)
    async def _left_key_clicked(self, event: KeyFooter.Clicked) -> None:
        event.stop()
        if not self.on_top:
            return
        if event.key in self.keymap.command("leave").keys:
            self.action_press(event.key)
        elif self.query_one(Ask).asking:
            await self.query_one(Ask).press(event.key)

    @property
    def status(self) -> Line:
        """The status line."""
        return self.query_one("#status", Line)

    @property
    def lines(self) -> LineList:
        """The list that the moving keys move in."""
        raise NotImplementedError

    def do_down(self) -> None:
        self.lines.move(1)

    def do_up(self) -> None:
        self.lines.move(-1)

    def do_page_down(self) -> None:
        self.lines.leaf(1)

    def do_page_up(self) -> None:
        self.lines.leaf(-1)

    def do_first(self) -> None:
        self.lines.go(0)

    def do_last(self) -> None:
        self.lines.go(self.lines.count - 1)

    def do_leave(self) -> None:
        self.app.pop_screen()

    def do_help(self) -> None:
        self.korg.open_help(self.situation)

    def do_palette(self) -> None:
        self.app.action_command_palette()

    def do_quit(self) -> None:
        self.app.exit(0)

    def do_suspend(self) -> None:
        self.app.action_suspend_process()

    def do_time(self) -> None:
        self.korg.toggle_utc()
        self.remark = "times are in UTC" if self.korg.utc else "times are local"

    def do_interrupt(self) -> None:
        selected = self._selected_text()
        now = self.korg.clock()
        if selected:
            self.app.copy_to_clipboard(selected)
            self.remark = "the selection was sent to the terminal's clipboard"
        elif self._asked_at is not None and now - self._asked_at <= SURE_MS:
            self.app.exit(130)
        else:
            self._asked_at = now
            self.remark = self.keymap.told("{interrupt} again quits")

    def _selected_text(self) -> str:
        if isinstance(self.focused, Input) and self.focused.selected_text:
            return self.focused.selected_text
        return self.get_selected_text() or ""

"""The command palette, fed from the keymap in force: what can be given, and what cannot now, and why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import work
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.css.query import NoMatches
from textual.events import Mount

from korg_tui.screens import KorgScreen
from korg_tui.themes import THEMES

if TYPE_CHECKING:
    from korg_tui.app import KorgApp

_SINKS = 0.5
"""What cannot be given now stands behind what can, unless it fits much better."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A line of the palette. `names` finds it, too; `why_not` is empty when it can be given now."""

    title: str
    call: Callable[[], None]
    names: tuple[str, ...] = ()
    why_not: str = ""

    @property
    def below(self) -> str | None:
        """The line below the title."""
        return f"not now: {self.why_not}" if self.why_not else None


class Palette(CommandPalette):
    """Textual's palette. It may be closed before it has begun; what still runs then finds its widgets gone,
    and that would end the program."""

    def _on_mount(self, event: Mount) -> None:
        if self not in self.app.screen_stack:
            event.prevent_default()

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        with suppress(NoMatches):
            await CommandPalette._gather_commands.__wrapped__(self, search_value)  # type: ignore[attr-defined]

    def _watch__list_visible(self) -> None:
        with suppress(NoMatches):
            super()._watch__list_visible()

    async def _watch__show_busy(self) -> None:
        with suppress(NoMatches):
            await super()._watch__show_busy()

    def _action_command_list(self, action: str) -> None:
        with suppress(NoMatches):
            if self._is_laid_out(self.query_one(CommandList)):
                super()._action_command_list(action)

    def _is_laid_out(self, offers: CommandList) -> bool:
        """Whether the lines of the list are counted: a page of lines that are not would end the program."""
        offers._update_lines()
        return bool(offers._lines)

    def _action_cursor_down(self) -> None:
        with suppress(NoMatches):
            super()._action_cursor_down()


class TablePalette(Provider):
    """The commands of the place that is open, and the themes. A command that cannot be given now says why,
    chosen or not."""

    def _offers(self) -> Iterator[Offer]:
        screen = self.screen
        if not isinstance(screen, KorgScreen):
            return
        now, keymap = screen.situation, screen.keymap
        for entry in keymap.at(now.place):
            keys = keymap.keys_of(entry.id)
            title = f"{entry.help} ({keys})" if keys else entry.help
            call = partial(screen.give, entry.id)
            names = (entry.label, entry.id)
            yield Offer(title, call, names, keymap.reason(entry.id, now))
        yield from self._themes()

    def _themes(self) -> Iterator[Offer]:
        """The themes that are not in force; none where there are no colours."""
        app = cast("KorgApp", self.app)
        for name, theme in () if app.no_color else THEMES.items():
            if theme.name != app.theme:
                yield Offer(f"theme: {name}", partial(app.use_theme, name))

    async def discover(self) -> Hits:
        for offer in sorted(self._offers(), key=lambda offer: bool(offer.why_not)):
            yield DiscoveryHit(_shown(Content(offer.title), offer), offer.call, offer.title, offer.below)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for offer in self._offers():
            score = max(map(matcher.match, (offer.title, *offer.names)))
            if score > 0:
                score = score * _SINKS if offer.why_not else score
                shown = _shown(matcher.highlight(offer.title), offer)
                yield Hit(score, shown, offer.call, offer.title, offer.below)


def _shown(title: Content, offer: Offer) -> Content:
    return title.stylize("dim") if offer.why_not else title

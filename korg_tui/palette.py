"""The command palette, fed from the keymap in force: what can be given, and what cannot now, and why not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from korg_tui.commands import Command
from korg_tui.screens import KorgScreen

_SINKS = 0.5
"""What cannot be given now stands behind what can, unless it fits much better."""


class TablePalette(Provider):
    """The commands of the place that is open. One that cannot be given now says why, chosen or not."""

    def _offered(self) -> Iterator[tuple[Command, str, KorgScreen]]:
        """Each command with the reason why it cannot be given now; empty when it can."""
        screen = self.screen
        if isinstance(screen, KorgScreen):
            now = screen.situation
            for entry in screen.keymap.at(now.place):
                yield entry, screen.keymap.reason(entry.id, now), screen

    async def discover(self) -> Hits:
        for entry, why_not, screen in sorted(self._offered(), key=lambda offer: bool(offer[1])):
            title = _title(entry, screen)
            call = partial(screen.give, entry.id)
            yield DiscoveryHit(_shown(Content(title), why_not), call, text=title, help=_help(entry, why_not))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for entry, why_not, screen in self._offered():
            title = _title(entry, screen)
            score = max(matcher.match(title), matcher.match(entry.label), matcher.match(entry.id))
            if score > 0:
                call = partial(screen.give, entry.id)
                shown = _shown(matcher.highlight(title), why_not)
                score = score * _SINKS if why_not else score
                yield Hit(score, shown, call, text=title, help=_help(entry, why_not))


def _title(entry: Command, screen: KorgScreen) -> str:
    keys = screen.keymap.keys_of(entry.id)
    return f"{entry.help} ({keys})" if keys else entry.help


def _shown(title: Content, why_not: str) -> Content:
    return title.stylize("dim") if why_not else title


def _help(entry: Command, why_not: str) -> str:
    return f"not now: {why_not}" if why_not else entry.group

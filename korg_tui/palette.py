"""The command palette, fed from the command table."""

from __future__ import annotations

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from korg_tui import commands
from korg_tui.commands import Command
from korg_tui.screens import KorgScreen


class TablePalette(Provider):
    """The commands that can be given now."""

    def _offered(self) -> list[tuple[Command, KorgScreen]]:
        screen = self.screen
        if not isinstance(screen, KorgScreen):
            return []
        now = screen.situation
        return [(entry, screen) for entry in commands.at(now.place) if not entry.rule(now)]

    async def discover(self) -> Hits:
        for entry, screen in self._offered():
            call = partial(screen.give, entry.id)
            yield DiscoveryHit(Content(_title(entry)), call, text=_title(entry), help=entry.group)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for entry, screen in self._offered():
            score = matcher.match(_title(entry))
            if score > 0:
                call = partial(screen.give, entry.id)
                yield Hit(score, matcher.highlight(_title(entry)), call, text=_title(entry), help=entry.group)


def _title(entry: Command) -> str:
    return f"{entry.help} ({commands.keys_of(entry)})"

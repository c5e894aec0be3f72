"""Settings: everything that a person can choose of the screen, in force from its start to its end."""

from __future__ import annotations

from dataclasses import dataclass, replace

from korg_tui.commands import DEFAULT, Keymap


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of a person; the defaults are what holds where nothing was chosen."""

    theme: str = "dark"
    """A name of `korg_tui.themes.THEMES`."""
    utc: bool = False
    """Times in UTC at the start, instead of those of this machine."""
    ascii: bool = False
    """For fonts without box drawing."""
    bell: bool = False
    """A bell when a call fails while one follows."""
    follow: bool = True
    """Follow a live source from the start."""
    mouse: bool = True
    """Take the mouse; without it the terminal selects text as always."""
    remember: bool = True
    """Keep bookmarks, places, searches and the sizes of panes in the state folder."""
    every: float = 1.0
    """Seconds between two looks at an http:// address, 0.2 to 60."""
    keymap: Keymap = DEFAULT
    """The commands with the keys in force."""

    @property
    def spelled(self) -> Settings:
        """The same, with keys that are written as its fonts can show them."""
        return replace(self, keymap=replace(self.keymap, ascii_only=self.ascii))

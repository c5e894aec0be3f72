"""The command line: what `korg-tui` and `korg` run. Textual is imported only for the screen.

Standard output is data, standard error is narration. Exit codes: 0 fine, 1 findings, 2 usage or
configuration, 3 a source that cannot be read, 70 an internal fault, 74 no room for the output, 130
interrupted (EXPERIENCE, "Without the screen").
"""

from __future__ import annotations

from korg_tui.cli.running import main

__all__ = ["main"]

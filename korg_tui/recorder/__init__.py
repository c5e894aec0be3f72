"""The recorder writes a ledger: as a server (`korg-tui serve`) and as its client (SPEC §1.2, §5, §7)."""

from __future__ import annotations

from korg_tui.recorder.serve import serve, serve_options

__all__ = ["serve", "serve_options"]

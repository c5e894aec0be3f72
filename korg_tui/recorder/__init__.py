"""The recorder writes a ledger: as a server (`korg-tui serve`) and as its client (SPEC §1.2, §5, §7)."""

from __future__ import annotations

import argparse

from korg_tui.recorder.redact import redact
from korg_tui.recorder.serve import serve, serve_options
from korg_tui.recorder.tokens import redact_text

__all__ = ["demo_options", "demo_serve", "redact", "redact_text", "serve", "serve_options"]


def demo_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `demo --serve`."""
    from korg_tui.recorder import demo

    demo.demo_options(parser)


def demo_serve(arguments: argparse.Namespace) -> int:
    """`korg-tui demo --serve`: a server of its own, and a simulated run of several agents to record. The
    exit code; raises `SourceError`."""
    from korg_tui.recorder import demo

    return demo.demo_serve(arguments)

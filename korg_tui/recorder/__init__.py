"""The recorder: what writes a ledger, as a server (`korg-tui serve`) and as its client (SPEC §1.2, §5, §7)."""

from __future__ import annotations

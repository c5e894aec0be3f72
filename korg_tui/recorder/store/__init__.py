"""The store: a ledger on the disk that loses no acknowledged event, and the blobs beside it."""

from __future__ import annotations

from korg_tui.recorder.store.disk import StoreChanged
from korg_tui.recorder.store.store import CUT, LEDGER, Head, Rewound, Span, Store, View

__all__ = ["CUT", "LEDGER", "Head", "Rewound", "Span", "Store", "StoreChanged", "View"]

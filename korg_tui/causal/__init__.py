"""The causal model: lanes, links, edges, sessions, rewind sets (CAUSALITY §1–§8)."""

from __future__ import annotations

from korg_tui.causal.edges import Edge, Weave, edges_from, edges_into, links, weave
from korg_tui.causal.graph import session_graph
from korg_tui.causal.guests import Origin, has_room, is_key, origin_of
from korg_tui.causal.journal import Appended, Change, HolesChanged, Journal, NewLedger, Rewound, Vanished
from korg_tui.causal.lanes import NO_ROUND, Lane
from korg_tui.causal.ledger import Gone, Ledger
from korg_tui.causal.links import Link
from korg_tui.causal.pointers import Pointer
from korg_tui.causal.rewind import NoDecision, NoSuchEvent, Rewind, nearest, rewind
from korg_tui.causal.rounds import Rounds
from korg_tui.causal.sessions import Session

__all__ = [
    "NO_ROUND",
    "Appended",
    "Change",
    "Edge",
    "Gone",
    "HolesChanged",
    "Journal",
    "Lane",
    "Ledger",
    "Link",
    "NewLedger",
    "NoDecision",
    "NoSuchEvent",
    "Origin",
    "Pointer",
    "Rewind",
    "Rewound",
    "Rounds",
    "Session",
    "Vanished",
    "Weave",
    "edges_from",
    "edges_into",
    "has_room",
    "is_key",
    "links",
    "nearest",
    "origin_of",
    "rewind",
    "session_graph",
    "weave",
]

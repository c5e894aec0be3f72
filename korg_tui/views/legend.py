"""Legend: what the words for states mean, a short sentence each (CAUSALITY §1, §2)."""

from __future__ import annotations

STATUS_MEANS = {
    "complete": "it begins with a prompt",
    "partial": "its beginning is missing",
    "detached": "bookkeeping without a prompt",
    "malformed": "its first cause cannot be read",
}
"""What the status of a session says of how it begins; it may still grow."""

LEGEND = {
    "complete": "a session whose causes all lead to a prompt; it may still grow",
    "partial": "a session whose first cause is missing or not loaded",
    "detached": "a session of bookkeeping that no prompt led to",
    "malformed": "a line, or the first cause of a session, that makes no sense",
    "late": "an event behind later ones, or whose lane had gone on",
    "off-spine": "an inference that does not go on from the one before it",
    "dead": "dead pointers: causes that are named, and not in the ledger",
    "not loaded": "the source has it, and could not give it",
    "synthesized": "a prompt that an adapter wrote, without the real one",
    "events": "what agents did; rows: with governance, malformed lines, gaps",
    ":5": "event 5 of the file that a sub-agent keeps of its own",
    "✓ intact": "the chain: every link and hash fits; a cut tail does not show",
    "✓ intact here": "its own events fit; the ledger is broken further on",
    "✓ window": "the chain fits; what came before its first event is not here",
    "✗ broken": "the chain: an event of the session does not fit, or its link",
    "? after 42": "its own events fit; the chain breaks before them, at 42",
    "? needs key": "links fit; only the key can tell of hashes (--key-file)",
    "? unverifiable": "a number that writers spell differently: see findings",
    "– unchained": "no event has a hash: nothing shows whether one was changed",
    "╳─": "the chain breaks between the rows above and below this line",
    "≠": "evidence speaks against the event: altered, or without a hash",
    "●": "in the list: it is live, and has the newest event",
}
"""The words and signs of states, for the help."""

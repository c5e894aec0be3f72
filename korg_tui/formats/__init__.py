"""Formats: records of a ledger, one by one, to `Event` or `Malformed`; and what a file is, by its content.

A new dialect joins here and changes nothing outside this folder."""

from __future__ import annotations

from korg_tui.formats.canonical import (
    NOT_PLAIN,
    PLAINLY,
    Preimage,
    canonical,
    decode_lines_plainly,
    decode_plainly,
    preimage,
    with_signature,
)
from korg_tui.formats.detect import (
    BYTE_ORDER_MARK,
    HEAD,
    Container,
    NotALedger,
    behind,
    detect,
    enclosed,
    is_ledger,
)
from korg_tui.formats.fields import digest
from korg_tui.formats.korg import Body, body, decode, may_hold_event
from korg_tui.formats.parse import MAX_DEPTH, Unreadable, loads, too_deep
from korg_tui.formats.recover import records_of_line, recover
from korg_tui.formats.scan import Elements, elements, members, one_by_one, outermost, value_end

__all__ = [
    "BYTE_ORDER_MARK",
    "HEAD",
    "MAX_DEPTH",
    "NOT_PLAIN",
    "PLAINLY",
    "Body",
    "Container",
    "Elements",
    "NotALedger",
    "Preimage",
    "Unreadable",
    "behind",
    "body",
    "canonical",
    "decode",
    "decode_lines_plainly",
    "decode_plainly",
    "detect",
    "digest",
    "elements",
    "enclosed",
    "is_ledger",
    "loads",
    "may_hold_event",
    "members",
    "one_by_one",
    "outermost",
    "preimage",
    "records_of_line",
    "recover",
    "too_deep",
    "value_end",
    "with_signature",
]

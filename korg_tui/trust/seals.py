"""Seals: what a certificate or a receipt around a ledger claims of it, and who stands for that.

`korgcert@v1` is sealed over the canonical bytes of all that it says beside `events` and `seal`;
`korgex-receipt@v1` over the 32 bytes of its `tip` alone. A seal brings its own public key along: that it fits
proves that whoever has that key made it, not who that is."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from korg_tui.formats import canonical
from korg_tui.text import visible
from korg_tui.trust.anchors import Anchors, anchors_within

CERTIFICATE, RECEIPT = "korgcert@v1", "korgex-receipt@v1"

SealKind = Literal["certificate", "receipt", "unknown"]

_LARGEST = 64 << 20
_HASH = re.compile(r"[0-9a-f]{64}")
_MARKS = re.compile(rb'korgcert|korgex-receipt|"seal"|"signature"')
_LONG = 2_000
_NAME = 200


@dataclass(frozen=True, slots=True)
class Seal:
    """What stands around the events of a certificate or a receipt."""

    kind: SealKind
    schema: str
    """As written. This and all other texts may be shown."""
    claim: str = ""
    issuer: str = ""
    count: int | None = None
    """`event_count`, when it is an integer."""
    tip: str = ""
    issued: str = ""
    """`issued_at` or `generated_at`: ISO 8601 in UTC, or as written when it is no time."""
    algorithm: str = ""
    """How it is sealed; empty for one that is not."""
    pubkey: str = ""
    signature: str = ""
    message: bytes = field(default=b"", repr=False)
    """The bytes that the signature is over; empty where nobody knows which."""
    summary: Mapping[str, Any] | None = field(default=None, repr=False)
    """As written: hostile."""
    anchors: Anchors | None = None
    troubles: tuple[str, ...] = ()
    """What is wrong with it as such."""

    @property
    def word(self) -> str:
        """What to call it."""
        return "wrapper" if self.kind == "unknown" else self.kind

    @property
    def sealed(self) -> bool:
        """Whether it has a seal, good or bad."""
        return bool(self.algorithm or self.pubkey or self.signature)


def seal_of(wrapper: bytes) -> Seal | None:
    """The claims in what stands around the events of a ledger (`Reading.wrapper`); None when it claims
    nothing: without a wrapper, and in the server's. Raises nothing."""
    if not wrapper:
        return None
    if len(wrapper) > _LARGEST:
        return Seal("unknown", "", troubles=("what stands around the events is larger than 64 MB: not read",))
    twice: list[str] = []
    try:
        found = _loaded(wrapper, twice)
    except (ValueError, RecursionError):
        return Seal("unknown", "", troubles=(_DAMAGED,)) if _MARKS.search(wrapper) else None
    if not isinstance(found, dict) or not found.keys() & {"schema", "seal", "signature"}:
        return None
    return _seal(found, twice)


_DAMAGED = "what stands around the events is cut off or damaged: nothing that it claims can be checked"


def _loaded(wrapper: bytes, twice: list[str]) -> Any:
    """The wrapper as Python reads it; keys that an object has twice are added to `twice`. Raises `ValueError`
    and `RecursionError`."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            twice.extend(name for name, count in counts.items() if count > 1)
        return found

    return json.loads(wrapper.decode("utf-8-sig", "replace"), object_pairs_hook=members)


def _seal(found: dict[str, Any], twice: list[str]) -> Seal:
    schema = found.get("schema")
    kind: SealKind = "unknown"
    if schema == CERTIFICATE:
        kind = "certificate"
    elif schema == RECEIPT:
        kind = "receipt"
    mark = found.get("signature" if kind == "receipt" else "seal")
    given = mark if isinstance(mark, dict) else {}
    tip, count, summary = found.get("tip"), found.get("event_count"), found.get("summary")
    return Seal(
        kind=kind,
        schema=_text(schema, _NAME),
        claim=_text(found.get("claim"), _LONG),
        issuer=_issuer(found.get("issuer")),
        count=count if type(count) is int else None,
        tip=tip if isinstance(tip, str) and _HASH.fullmatch(tip) else "",
        issued=_time(found.get("issued_at", found.get("generated_at"))),
        algorithm=_exact(given.get("alg")),
        pubkey=_exact(given.get("pubkey")),
        signature=_exact(given.get("sig")),
        message=_message(kind, found),
        summary=summary if isinstance(summary, dict) else None,
        anchors=anchors_within(found["anchors"], f"the {kind}") if "anchors" in found else None,
        troubles=() if kind == "unknown" else tuple(_troubles(found, mark, twice)),
    )


def _message(kind: SealKind, found: dict[str, Any]) -> bytes:
    """The bytes that a seal is over."""
    tip = found.get("tip")
    if kind == "certificate":
        return canonical({name: value for name, value in found.items() if name not in ("events", "seal")})
    if kind == "receipt" and isinstance(tip, str) and _HASH.fullmatch(tip):
        return bytes.fromhex(tip)
    return b""


def _troubles(found: dict[str, Any], mark: object, twice: list[str]) -> Iterator[str]:
    for name in dict.fromkeys(twice):
        yield f"it has the key {visible(name, _NAME)} twice in one object: readers differ on which counts"
    tip, count, summary = found.get("tip"), found.get("event_count"), found.get("summary")
    if "event_count" in found and type(count) is not int:
        yield f"its event_count is no integer: {_text(count, _NAME)}"
    if "tip" in found and not (isinstance(tip, str) and _HASH.fullmatch(tip)):
        yield f"its tip is not 64 lower-case hex digits: {_text(tip, _NAME)}"
    if summary is not None and not isinstance(summary, dict):
        yield "its summary is no object"
    if mark is not None and not (isinstance(mark, dict) and {"alg", "pubkey", "sig"} <= mark.keys()):
        yield "its seal lacks alg, pubkey or sig"


def _issuer(found: object) -> str:
    if not isinstance(found, dict):
        return _text(found, _NAME)
    if found.keys() == {"agent"}:
        return _text(found["agent"], _NAME)
    return visible(", ".join(f"{name} {value}" for name, value in found.items()), _NAME)


def _time(found: object) -> str:
    """Seconds since the epoch as ISO 8601."""
    if isinstance(found, int | float) and not isinstance(found, bool):
        try:
            return datetime.fromtimestamp(found, UTC).isoformat().replace("+00:00", "Z")
        except (ValueError, OverflowError, OSError):
            pass
    return _text(found, _NAME)


def _exact(found: object) -> str:
    """What was written, to be compared and shown: what cannot be shown as it is, or is no text, is spelled
    so that it is like nothing that is known."""
    if found is None:
        return ""
    if not isinstance(found, str):
        return visible(f"no text: {found!r}", _NAME)
    return found if visible(found, _NAME) == found else visible(ascii(found), _NAME)


def _text(found: object, limit: int) -> str:
    """What was written, to be shown; nothing for nothing."""
    return "" if found is None else visible(found if isinstance(found, str) else repr(found), limit)

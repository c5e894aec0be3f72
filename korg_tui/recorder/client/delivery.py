"""Delivery: one attempt to bring one posting to the server, blobs first (SPEC §7.3), and what its answer
means.

What is decided here about a post whose answer was lost: the journal is asked whether it arrived before it is
posted again. If the journal cannot say, it is posted again: an event may then be there twice, but none is
missing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from korg_tui.recorder.client.arrival import arrived
from korg_tui.recorder.client.connection import Answer, Connection, Unanswered, Unreachable
from korg_tui.recorder.client.outbox import LOG, Attempt
from korg_tui.recorder.client.plain import in_base64
from korg_tui.recorder.client.posting import Cuts, Posting, RewindPosting
from korg_tui.recorder.client.shelf import Shelf
from korg_tui.recorder.redact import redact
from korg_tui.recorder.references import reference
from korg_tui.text import visible

FAULTS = 3
"""How often a server may answer one event with a fault of its own (500) before the event is given up."""

_NOT_NOW = frozenset({425, 429, 503, 507})
"""It was not taken; later it may be."""

_PERHAPS = frozenset({408, 502, 504})
"""Something between here and there gave up: it may have been taken."""


@dataclass(slots=True)
class _Parcel:
    """A posting as it is sent."""

    number: int
    body: dict[str, Any]
    """Without secrets, with its large values."""
    sent_ms: int | None = None
    """When it was sent first, in milliseconds since the epoch."""
    unanswered: bool = False
    """The answer to the last post was lost."""
    faults: int = 0


@dataclass(slots=True)
class Delivery:
    """Brings postings to a server, for the one thread that an outbox has."""

    connection: Connection
    shelf: Shelf
    redacts: bool = True
    now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    _cuts: Cuts = field(default_factory=Cuts)
    _parcel: _Parcel | None = None
    _last: int | None = None
    """The last seq that the server gave this client."""
    _away: bool = False

    def __call__(self, posting: Posting) -> Attempt:
        """One attempt. It settles the posting unless it answers that another one is wanted."""
        if isinstance(posting, RewindPosting):
            return self._rewind(posting)
        parcel = self._pack(posting)
        try:
            attempt = self._try(posting, parcel)
        except Unreachable as error:
            return self._later(Attempt.UNREACHABLE, f"no recorder answers at {self.connection.url} ({error})")
        except Unanswered as error:
            return self._later(
                Attempt.AGAIN, f"the recorder at {self.connection.url} gives no answer ({error})"
            )
        if self._away and attempt is Attempt.SETTLED:
            self._away = False
            LOG.warning("the recorder at %s is back", self.connection.url)
        return attempt

    def _later(self, attempt: Attempt, why: str) -> Attempt:
        if not self._away:
            LOG.warning("%s; events wait", visible(why, 300))
        self._away = True
        return attempt

    def _try(self, posting: Posting, parcel: _Parcel) -> Attempt:
        body = self._with_blobs(posting, parcel.body)
        if parcel.unanswered and parcel.sent_ms is not None:
            certain, seq = arrived(self.connection, body, self._last, parcel.sent_ms)
            if seq is not None:
                return self._taken(posting, seq)
            if not certain:
                LOG.warning(
                    "%s is posted again, and may be in the ledger twice: its answer was lost", posting
                )
            parcel.unanswered = False
        parcel.sent_ms = parcel.sent_ms or self.now_ms()
        try:
            answer = self.connection.ask("POST", "/api/agent/tool-call", _bytes(body))
        except Unanswered:
            parcel.unanswered = True
            raise
        return self._read(posting, parcel, answer)

    def _rewind(self, posting: RewindPosting) -> Attempt:
        """Now or never: a rewind that came later would cut off what others wrote meanwhile."""
        body = {"target_seq_id": posting.target, "rewound_by": posting.actor, "reason": posting.reason}
        try:
            answer = self.connection.ask("POST", "/api/rewind", _bytes(body))
        except (Unreachable, Unanswered) as error:
            LOG.warning("lost %s: %s", posting, visible(str(error), 300))
            posting.lost()
            return Attempt.SETTLED
        return self._taken(posting, _seq(answer.body)) if answer.fine else self._refused(posting, answer)

    # --- before

    def _pack(self, posting: Posting) -> _Parcel:
        if self._parcel is None or self._parcel.number != posting.number:
            self._parcel = self._packed(posting)
        return self._parcel

    def _packed(self, posting: Posting) -> _Parcel:
        args, result = posting.args, posting.result
        if self.redacts:
            args, result = redact(args)[0], redact(result)[0]
        root = self._cuts.first_in(posting.returns)
        if root is not None:
            result = (result if isinstance(result, dict) else {"content": result}) | {"root_seq": root}
        body = {
            "event_type": "AgentToolCall",
            "source_agent": posting.actor,
            "tool_name": posting.tool,
            "args": args,
            "result": result,
            "success": posting.success,
            "duration_ms": posting.duration_ms,
            "triggered_by": self._cuts.seq_of(posting.parent),
            "payload_refs": [],
        }
        return _Parcel(posting.number, body)

    def _with_blobs(self, posting: Posting, body: dict[str, Any]) -> dict[str, Any]:
        """The body with references in place of what is too large for an event, when all blobs are kept. For
        each attempt again: another server may answer it."""

        def keep(sha: str, content: bytes) -> None:
            warning = self.shelf.keep(sha, content)
            if warning:
                LOG.warning("%s", visible(warning, 500))

        try:
            args, result, refs = reference(posting.tool, body["args"], body["result"], keep)
        except OSError as error:
            why = visible(str(error), 300)
            LOG.warning(
                "blobs of %s cannot be kept, it is sent with its large values inside: %s", posting, why
            )
            return body
        return body | {"args": args, "result": result, "payload_refs": refs}

    # --- after

    def _read(self, posting: Posting, parcel: _Parcel, answer: Answer) -> Attempt:
        if answer.fine:
            return self._taken(posting, _seq(answer.body))
        if answer.status not in _NOT_NOW | _PERHAPS:
            parcel.faults += 1
            if answer.status < 500 or parcel.faults >= FAULTS:
                return self._refused(posting, answer)
        parcel.unanswered = answer.status not in _NOT_NOW
        return self._later(Attempt.AGAIN, f"the recorder answers {answer.status}: {_reason(answer.body)}")

    def _taken(self, posting: Posting, seq: int | None) -> Attempt:
        if seq is None:
            LOG.warning("%s was taken, but the server did not say its seq: nothing can hang from it", posting)
        else:
            self._last = seq
        if isinstance(posting, RewindPosting):
            self._cuts.add(posting.number, posting.target)
        posting.taken(seq)
        return Attempt.SETTLED

    def _refused(self, posting: Posting, answer: Answer) -> Attempt:
        reason = _reason(answer.body)
        LOG.warning("lost %s: the recorder refused it with %d: %s", posting, answer.status, reason)
        if answer.status == 422 and "triggered_by" in reason and not posting.named:
            # What it hung from is no more: somebody rewound the ledger, or it is another one.
            self._cuts.add(posting.number, None)
        posting.lost()
        return Attempt.SETTLED


def _bytes(body: dict[str, Any]) -> bytes:
    return json.dumps(body, separators=(",", ":"), default=in_base64).encode()


def _seq(answer: bytes) -> int | None:
    try:
        seq = json.loads(answer)["seq_id"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return seq if isinstance(seq, int) and not isinstance(seq, bool) else None


def _reason(answer: bytes) -> str:
    """What a server says in an answer that is no success, as one safe line."""
    text = answer.decode("utf-8", "replace").strip()
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = None
    if isinstance(said, dict):
        text = next(
            (str(said[key]) for key in ("error", "reason", "detail", "message") if said.get(key)), text
        )
    return visible(text, 300) or "no reason given"

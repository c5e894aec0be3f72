"""What single fields of an event mean: times, durations, prompts, returned seqs, names of blobs, digests.

Every function takes whatever a producer wrote, and answers `None` or empty where that says nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LAST_MS = int(datetime(9998, 12, 31, tzinfo=UTC).timestamp() * 1000)

_RETURN_KEYS = frozenset({"root_seq", "child_root_seq", "child_root_seqs"})
_RETURN_LEVELS = 4
_LONG_PROMPT = 1024
_HASH = re.compile(r"[0-9a-f]{64}")
_AGENT_ID = re.compile(rb"(?:(?<=\\n)|(?<![0-9A-Za-z_]))agentId: ([0-9A-Za-z_-]{1,128})(?![0-9A-Za-z_-])")
_BLOB_NAME = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


def clock(found: object) -> int | None:
    """A hybrid clock's physical part: milliseconds since the epoch, within the years a calendar has."""
    return found if type(found) is int and 0 < found <= _LAST_MS else None


def instant(timestamp: object) -> int | None:
    """ISO 8601 (UTC where it names no zone) as milliseconds since the epoch, from 1970 to 9998."""
    if not isinstance(timestamp, str) or len(timestamp) >= 64:
        return None
    try:
        when = datetime.fromisoformat(timestamp)
        since = (when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH
    except (ValueError, OverflowError):
        return None
    milliseconds = since // _MILLISECOND
    return milliseconds if 0 <= milliseconds <= _LAST_MS else None


def duration(found: object) -> float | None:
    """Milliseconds: a finite number that is not negative."""
    if type(found) is not int and type(found) is not float:
        return None
    try:
        milliseconds = float(found)
    except OverflowError:
        return None
    return milliseconds if math.isfinite(milliseconds) and milliseconds >= 0 else None


def digest(entry_hash: object, raw: bytes) -> int:
    """63 bits that stand for the content (CAUSALITY §8): of the entry hash, else of the record's bytes."""
    content = raw
    if isinstance(entry_hash, str) and entry_hash:
        if _HASH.fullmatch(entry_hash):
            return int(entry_hash[:16], 16) & INT64_MAX
        content = entry_hash.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big") & INT64_MAX


def prompt_key(prompt: object) -> str:
    """See `Event.prompt`."""
    if isinstance(prompt, str):
        return f"text:{_shortened(prompt)}" if prompt else ""
    blob = _blob_name(prompt.get("_ref")) if isinstance(prompt, dict) else ""
    return f"ref:{blob}" if blob else ""


def _shortened(prompt: str) -> str:
    """A long prompt by its beginning and a digest: keys stay small, and equal for equal prompts only."""
    if len(prompt) <= _LONG_PROMPT:
        return prompt
    whole = blake2b(prompt.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{prompt[: _LONG_PROMPT // 2]}…{len(prompt)}:{whole}"


def returned_seqs(result: object) -> tuple[int, ...]:
    """The seqs under the return keys of `result`, at most four levels down (CAUSALITY §5 step 2)."""
    seqs: list[int] = []
    level = [result]
    for _ in range(_RETURN_LEVELS):
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                for key, member in value.items():
                    if key in _RETURN_KEYS:
                        seqs.extend(_integers(member))
                    below.append(member)
            elif isinstance(value, list):
                below.extend(value)
        level = [value for value in below if isinstance(value, dict | list)]
    return tuple(dict.fromkeys(seqs))


def _integers(found: object) -> Iterator[int]:
    for value in found if isinstance(found, list) else (found,):
        if type(value) is int and INT64_MIN <= value <= INT64_MAX:
            yield value


def sub_agent(result: bytes) -> str:
    """The id in the last `agentId: <id>` of a spawn call's result, empty without; see `Event.agent`."""
    found = _AGENT_ID.findall(result)
    return found[-1].decode() if found else ""


def named_blobs(value: object, *, anywhere: bool) -> Iterator[str]:
    """The digests of blobs that a JSON value names: under `_ref` and keys such as `original_sha256`, or
    `anywhere`."""
    for key, text in _texts(value):
        if anywhere or key == "_ref" or key.endswith("sha256"):
            blob = _blob_name(text)
            if blob:
                yield blob


def _texts(value: object) -> Iterator[tuple[str, str]]:
    """All strings in a JSON value with the key they stand under, in document order."""
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        key, found = stack.pop()
        if isinstance(found, str):
            yield key, found
        elif isinstance(found, dict):
            stack.extend(reversed(found.items()))
        elif isinstance(found, list):
            stack.extend((key, member) for member in reversed(found))


def _blob_name(text: object) -> str:
    """The 64 lower-case hex digits in `text`, with or without `sha256:` in front; empty without."""
    match = _BLOB_NAME.fullmatch(text) if isinstance(text, str) else None
    return match[1] if match else ""

"""Tampering: every single-byte change of a small ledger, and what can be done to its lines, against a plain
reading with `json` and `hashlib` that shares nothing with what is tested."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from korg_tui.cli import main
from korg_tui.trust import CUT_TAIL, Chain, Standing, public_keys

KEY = b"a key of the tests"
OWNER = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
PUBLIC = OWNER.public_key().public_bytes_raw().hex()
ZEROS = "0" * 64
EVENTS = 60
OTHERS = b'7e" '
"""A digit, a letter that makes numbers of another kind, a quote, a space."""


# the ledger


def _hash(content: bytes, key: bytes | None) -> str:
    return (hashlib.sha256(content) if key is None else hmac.new(key, content, hashlib.sha256)).hexdigest()


def _content(record: dict[str, Any], *left_out: str) -> bytes:
    rest = {name: value for name, value in record.items() if name not in left_out}
    return json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()


def _event(seq: int) -> dict[str, Any]:
    """Nested and flat ones, text that is not ASCII, references to blobs, and one of governance."""
    if seq == 30:
        return {"schema_version": "1.0", "seq_id": seq, "event": {"event_type": "RewindSealed", "to": 3}}
    args: dict[str, Any] = {"file_path": f"src/é{seq}.py"} if seq % 3 else {"text": "naïve 🦉 \"q\" \\"}
    if seq % 7 == 0:
        args = {"_ref": f"sha256:{hashlib.sha256(str(seq).encode()).hexdigest()}", "size_bytes": 1}
    body = {"source_agent": "agent:a@1", "tool_name": "Read" if seq > 1 else "user_prompt", "args": args}
    pointer = {} if seq == 1 else {"triggered_by": seq - 1}
    if seq % 2:
        return {"seq_id": seq, **body, **pointer, "success": True, "duration_ms": seq * 10}
    event = {"event_type": "AgentToolCall", **body, "success": False}
    return {"schema_version": "1.0", "seq_id": seq, "metadata": {**pointer, "n": -seq}, "event": event}


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=record["seq_id"] % 4 == 0).encode()


def ledger(*, key: bytes | None = None, signed: bool = False, first: int = 1) -> list[bytes]:
    """The lines of a ledger that is intact."""
    before, out = ZEROS, []
    for seq in range(first, first + EVENTS):
        record = {**_event(seq), "prev_hash": before}
        content = _content(record)
        before = _hash(content, key)
        if signed:
            record["event_sig"] = OWNER.sign(content).hex()
        out.append(_line({**record, "entry_hash": before}))
    return out


# what a plain reading says

Evidence = set[tuple[int | None, str]]


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        found["twice!"] = True
    return found


def _is_odd(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_is_odd(member) for member in value.values())
    if isinstance(value, list):
        return any(_is_odd(member) for member in value)
    return isinstance(value, float) or (type(value) is int and abs(value) > 2**53 - 1)


def parsed(line: bytes) -> tuple[dict[str, Any] | None, bool]:
    """The event of a line, None when it is none; and whether its text is damaged."""
    try:
        text, damaged = line.decode(), False
    except UnicodeDecodeError:
        text, damaged = line.decode(errors="replace"), True
    try:
        record = json.loads(text)
    except ValueError:
        return None, damaged
    is_event = isinstance(record, dict) and type(record.get("seq_id")) is int
    return (record, damaged) if is_event else (None, damaged)


class Reference:
    """Link by link, hash by hash. Faults by seq and kind; findings by seq."""

    def __init__(self, key: bytes | None = None, tip: str | None = None, signed: bool = False) -> None:
        self.key, self.signed = key, signed
        self.tip: str | None = tip
        self.faults: Evidence = set()
        self.odd = self.lost = self.begun = False

    def line(self, line: bytes) -> None:
        record, damaged = parsed(line)
        if record is None:
            self.lost = True
            if not self.begun and self.tip is None:
                self.tip = ZEROS
            return
        self.begun = True
        seq = record["seq_id"]
        stated = record.get("entry_hash")
        content = _content(record, "entry_hash", "event_sig")
        odd = _is_odd({name: value for name, value in record.items() if name != "entry_hash"})
        if not stated:
            self.faults.add((seq, "unchained"))
        else:
            if self.tip is not None and record.get("prev_hash") != self.tip:
                self.faults.add((seq, "link"))
            if damaged or (_hash(content, self.key) != stated and not odd):
                self.faults.add((seq, "content"))
        if self.signed and not odd and not self._is_signed(record, content):
            self.faults.add((seq, "signature"))
        self.odd = self.odd or odd
        self.tip = stated or None

    def _is_signed(self, record: dict[str, Any], content: bytes) -> bool:
        signature = record.get("event_sig")
        if not isinstance(signature, str) or not re.fullmatch("[0-9a-f]{128}", signature):
            return False
        # Ed25519 signatures of one key over one text are always the same here.
        return OWNER.sign(content).hex() == signature


def feed(chain: Chain, lines: list[bytes], offset: int = 0) -> Standing:
    for line in lines:
        record, _ = parsed(line)
        if record is None:
            chain.unreadable(offset)
        else:
            chain.add(line, record["seq_id"], offset)
        offset += len(line) + 1
    return chain.standing


def evidence(standing: Standing) -> Evidence:
    return {(fault.seq, fault.kind) for fault in standing.faults}


def whole(lines: list[bytes], key: bytes | None = None, signed: bool = False) -> tuple[Standing, Evidence]:
    """What the chain says of these lines, which is what the plain reading says."""
    signers = public_keys([PUBLIC]) if signed else None
    standing = feed(Chain(key, signers=signers), lines)
    plain = Reference(key, signed=signed)
    for line in lines:
        plain.line(line)
    assert evidence(standing) == plain.faults
    return standing, plain.faults


# every byte


def changes(line: bytes, *, twice: bool = False) -> Iterator[bytes]:
    """The line with one byte changed, at every place: the lowest bit, and by turns something else."""
    for place, byte in enumerate(line):
        others = (byte ^ 1, OTHERS[place % len(OTHERS)])
        for other in others if twice else (others[place // len(OTHERS) % 2],):
            if other != byte:
                yield line[:place] + bytes([other]) + line[place + 1 :]


def beginnings(lines: list[bytes], chain: Chain) -> Iterator[tuple[int, int, Chain]]:
    """Each row, its offset, and the chain before it."""
    offset = 0
    for row, line in enumerate(lines):
        yield row, offset, chain.fork()
        feed(chain, [line], offset)
        offset += len(line) + 1


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "keyed"])
def test_every_byte_that_is_changed_is_found_at_its_row(key):
    lines = ledger(key=key)
    for row, offset, before in beginnings(lines, Chain(key)):
        tip = json.loads(lines[row - 1])["entry_hash"] if row else None
        original = json.loads(lines[row])
        for changed in changes(lines[row], twice=key is None):
            standing = feed(before.fork(), [changed, *lines[row + 1 : row + 2]], offset)
            plain = Reference(key, tip)
            for line in (changed, *lines[row + 1 : row + 2]):
                plain.line(line)
            assert evidence(standing) == plain.faults, changed
            record, damaged = parsed(changed)
            here = [(finding.seq, finding.offset) for finding in standing.findings]
            if record is None:
                assert (None, offset) in here, changed
                assert row == EVENTS - 1 or (row + 2, "link") in plain.faults
            elif plain.odd:
                assert (record["seq_id"], offset) in here, changed
            elif record == original and not damaged:
                assert (standing.verdict, standing.faults) == ("intact", ()), changed
            else:
                assert standing.verdict == "broken", changed
                assert any(fault.offset == offset for fault in standing.faults), changed


def test_every_byte_of_a_signed_ledger_and_its_signatures():
    lines = ledger(signed=True)
    signers = public_keys([PUBLIC])
    altered = 0
    for row, offset, before in beginnings(lines, Chain()):
        original = json.loads(lines[row])
        content = _content(original, "entry_hash", "event_sig")
        tip = json.loads(lines[row - 1])["entry_hash"] if row else None
        for changed in changes(lines[row]):
            record, damaged = parsed(changed)
            if record is None or damaged:
                continue
            standing = feed(before.fork(), [changed, *lines[row + 1 : row + 2]], offset)
            plain = Reference(tip=tip)
            for line in (changed, *lines[row + 1 : row + 2]):
                plain.line(line)
            assert evidence(standing) == plain.faults, changed
            only = {**record, "event_sig": ""} == {**original, "event_sig": ""} and record != original
            is_same = _content(record, "entry_hash", "event_sig") == content
            if not only and place_of(changed, lines[row]) % 5:
                continue
            with_key = feed(Chain(signers=signers), [changed], offset)
            if only and is_same:
                altered += 1
                assert not standing.faults, changed
                assert evidence(with_key) == {(row + 1, "signature")}, changed
            elif not plain.odd:
                fits = is_same and record.get("event_sig") == original["event_sig"]
                assert ((record["seq_id"], "signature") in evidence(with_key)) != fits, changed
    assert altered > EVENTS * 100


def place_of(changed: bytes, line: bytes) -> int:
    return next(place for place, (one, other) in enumerate(zip(changed, line, strict=True)) if one != other)


def test_a_line_feed_that_is_changed_joins_two_lines_that_are_none():
    lines = ledger()
    for row in range(EVENTS - 1):
        joined = [*lines[:row], lines[row] + b" " + lines[row + 1], *lines[row + 2 :]]
        standing, _ = whole(joined)
        expected = {(row + 3, "link")} if row + 2 < EVENTS else set()
        assert evidence(standing) == expected
        begin = sum(len(line) + 1 for line in lines[:row])
        assert [finding.offset for finding in standing.findings] == [begin]


# what changes nothing


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "keyed"])
def test_white_space_order_and_another_escape_change_nothing(key):
    lines = ledger(key=key)
    for row, line in enumerate(lines):
        record = json.loads(line)
        escaped = "".join(f"\\u{ord(letter):04x}" for letter in "Read")
        for other in (
            json.dumps(record, indent=1).replace("\n", "\r").encode(),
            json.dumps(record, separators=(" ,\t", " : ")).encode(),
            json.dumps(dict(reversed(record.items())), ensure_ascii=False).encode(),
            json.dumps(record).replace('"Read"', f'"{escaped}"').encode(),
            b"  " + line + b"\t",
        ):
            standing, _ = whole([*lines[:row], other, *lines[row + 1 :]], key)
            assert (standing.verdict, standing.verified_to, standing.findings) == ("intact", EVENTS, ())


# lines


VARIANTS = [(None, False), (KEY, False), (None, True)]
NAMES = ["plain", "keyed", "signed"]


@pytest.mark.parametrize(("key", "signed"), VARIANTS, ids=NAMES)
def test_a_line_that_is_taken_out_is_missed_by_the_next(key, signed):
    lines = ledger(key=key, signed=signed)
    for row in range(EVENTS):
        standing, faults = whole([*lines[:row], *lines[row + 1 :]], key, signed)
        if row == 0:
            assert (standing.verdict, faults) == ("window", set())
            assert "begins at seq 2: what came before is not here" in standing.notes
        elif row == EVENTS - 1:
            assert (standing.verdict, standing.events) == ("intact", EVENTS - 1)
            assert CUT_TAIL in standing.notes
        else:
            assert (standing.verdict, faults) == ("broken", {(row + 2, "link")})
            assert standing.verified_to == row


@pytest.mark.parametrize(("key", "signed"), VARIANTS, ids=NAMES)
def test_a_line_that_is_put_in_follows_on_nothing(key, signed):
    lines = ledger(key=key, signed=signed)
    stranger = ledger(first=1_000)[7]
    for place in range(0, EVENTS + 1, 6 if signed else 1):
        for new in (lines[place % EVENTS], lines[place - 1], lines[(place + 20) % EVENTS], stranger):
            standing, faults = whole([*lines[:place], new, *lines[place:]], key, signed)
            assert (standing.verdict, bool(faults)) == ("broken", True)
            assert min(seq or 0 for seq, _ in faults) >= min(place, json.loads(new)["seq_id"])


@pytest.mark.parametrize(("key", "signed"), VARIANTS, ids=NAMES)
def test_neighbours_that_changed_places_are_both_found(key, signed):
    lines = ledger(key=key, signed=signed)
    for row in range(EVENTS - 1):
        swapped = [*lines[:row], lines[row + 1], lines[row], *lines[row + 2 :]]
        standing, faults = whole(swapped, key, signed)
        links = {(seq, "link") for seq in (row + 2, row + 1, row + 3) if seq <= EVENTS}
        assert standing.verdict == "broken"
        assert faults == (links if row else links - {(2, "link")})


@pytest.mark.parametrize(("key", "signed"), VARIANTS, ids=NAMES)
def test_a_cut_end_is_intact_but_shorter_and_that_is_said(key, signed):
    lines = ledger(key=key, signed=signed)
    for count in range(1, EVENTS):
        standing, _ = whole(lines[:count], key, signed)
        assert (standing.verdict, standing.events, standing.verified_to) == ("intact", count, count)
        assert CUT_TAIL in standing.notes
        chain = Chain(key)
        feed(chain, lines[:count])
        chain.unreadable(sum(len(line) + 1 for line in lines[:count]), torn=True)
        assert chain.standing.verdict == "intact"
        assert "the last line is torn: it is no event" in chain.standing.notes


@pytest.mark.parametrize(("key", "signed"), VARIANTS, ids=NAMES)
def test_other_numbers_are_other_events(key, signed):
    lines = ledger(key=key, signed=signed)
    for row in range(0, EVENTS, 6 if signed else 1):
        numbered = [_line({**json.loads(line), "seq_id": at + 2}) for at, line in enumerate(lines[row:], row)]
        standing, faults = whole([*lines[:row], *numbered[:1], *lines[row + 1 :]], key, signed)
        assert standing.verdict == "broken"
        assert {seq for seq, _ in faults} == {row + 2}
        if row or signed or key:
            _, faults = whole([*lines[:row], *numbered], key, signed)
            assert {seq for seq, _ in faults} == set(range(row + 2, EVENTS + 2))


def test_where_every_hash_differs_only_a_key_could_tell():
    numbered = [_line({**json.loads(line), "seq_id": at + 2}) for at, line in enumerate(ledger())]
    assert feed(Chain(), numbered).verdict == "needs_key"
    assert feed(Chain(KEY), numbered).verdict == "broken"


# by the command


def say(capsys: pytest.CaptureFixture[str], path: Path, lines: list[bytes], *more: str) -> tuple[int, Any]:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    code = main(["verify", str(path), "--json", *more])
    return code, json.loads(capsys.readouterr().out)


def test_the_command_says_the_same(capsys, tmp_path):
    path, lines = tmp_path / "journal.jsonl", ledger()
    code, said = say(capsys, path, lines)
    assert (code, said["verdict"], said["events"], said["errors"]) == (0, "intact", EVENTS, [])
    changed = lines[20].replace(b"Read", b"Reed")
    code, said = say(capsys, path, [*lines[:20], changed, *lines[21:]])
    assert (code, said["verdict"], said["verified_to"]) == (1, "broken", 20)
    assert [(each["seq"], each["kind"]) for each in said["errors"]] == [(21, "content")]
    code, said = say(capsys, path, [*lines[:20], b"{", *lines[21:]])
    assert (code, [(each["seq"], each["kind"]) for each in said["errors"]]) == (1, [(22, "link")])
    assert f"byte {sum(len(line) + 1 for line in lines[:20]):,}" in said["findings"][0]["text"]
    code, said = say(capsys, path, [*lines[:59], b"{"])
    assert (code, said["verdict"], said["errors"], len(said["findings"])) == (1, "intact", [], 1)


def test_only_a_known_tip_or_an_anchor_shows_a_cut_end(capsys, tmp_path):
    path, lines = tmp_path / "journal.jsonl", ledger()
    tip = json.loads(lines[-1])["entry_hash"]
    code, said = say(capsys, path, lines, "--expect-tip", tip)
    assert (code, said["verdict"], CUT_TAIL in said["notes"]) == (0, "intact", False)
    code, said = say(capsys, path, lines[:50])
    assert (code, said["verdict"], said["events"], CUT_TAIL in said["notes"]) == (0, "intact", 50, True)
    code, said = say(capsys, path, lines[:50], "--expect-tip", tip)
    assert (code, said["verdict"]) == (1, "broken")
    assert [(each["seq"], each["kind"]) for each in said["errors"]] == [(50, "tip")]
    (tmp_path / "anchors.jsonl").write_text(json.dumps({"seq_id": 60, "entry_hash": tip}) + "\n")
    code, said = say(capsys, path, lines[:50])
    assert (code, said["verdict"]) == (1, "broken")
    assert [(each["seq"], each["kind"]) for each in said["errors"]] == [(60, "anchor")]

"""What a chain says of events that were changed, taken out, put in, or made without the key."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import Book, canonical, lines
from korg_tui.trust import Chain, Standing
from korg_tui.trust import tally as tallying

Record = dict[str, Any]
KEY = b"a key"


def hashed(record: Record, key: bytes | None = None, *, signature_in: bool = False) -> str:
    without = {"entry_hash"} if signature_in else {"entry_hash", "event_sig"}
    content = canonical({name: value for name, value in record.items() if name not in without})
    return hmac.new(key, content, "sha256").hexdigest() if key else hashlib.sha256(content).hexdigest()


def chained(records: Iterable[Record], key: bytes | None = None, **more: Any) -> list[Record]:
    tip, out = "0" * 64, []
    for record in records:
        record = {**record, "prev_hash": tip}
        tip = hashed(record, key, **more)
        out.append({**record, "entry_hash": tip})
    return out


def book(count: int = 8, **more: Any) -> list[Record]:
    made = Book()
    ask = made.prompt("fix it, é \U0001f600")
    for number in range(count - 1):
        made.tool("Read", ask, args={"file_path": f"{number}.py"}, **more)
    return [{**record, "event": {**record["event"], "duration_ms": 3}} for record in made.records]


def standing(records: Iterable[Record | bytes], **more: Any) -> Standing:
    """Of these records, one a line; bytes are lines as they are, None is a hole."""
    chain, offset = Chain(**more), 0
    for record in records:
        if record is None:
            chain.hole()
            continue
        raw = record if isinstance(record, bytes) else json.dumps(record).encode()
        try:
            seq = json.loads(raw)["seq_id"]
        except ValueError:
            chain.unreadable(offset)
        else:
            chain.add(raw, seq, offset)
        offset += len(raw) + 1
    return chain.standing


def faults(found: Standing) -> list[tuple[int | None, str]]:
    return [(fault.seq, fault.kind) for fault in found.faults]


def test_an_intact_chain_and_what_nobody_can_know():
    records = chained(book())
    found = standing(records)
    assert (found.verdict, found.events, found.verified_to) == ("intact", 8, 8)
    assert found.tip == records[-1]["entry_hash"]
    assert found.notes == (tallying.CUT_TAIL,)
    assert not found.faults
    assert not found.findings
    assert standing([]) == Standing("empty", 0, "", None)


def test_a_cut_tail_is_intact_but_shorter_and_the_text_says_what_could_show_it():
    found = standing(chained(book())[:5])
    assert (found.verdict, found.verified_to) == ("intact", 5)
    assert "--expect-tip" in found.notes[-1]


@pytest.mark.parametrize("seq", range(1, 9))
def test_a_changed_event_is_a_content_fault_at_its_seq(seq: int):
    records = chained(book())
    records[seq - 1] = {**records[seq - 1], "schema_version": "1.1"}
    found = standing(records)
    assert (found.verdict, faults(found)) == ("broken", [(seq, "content")])
    assert found.verified_to == (seq - 1 or None)


def test_a_changed_hash_is_a_content_fault_and_a_broken_link_after_it():
    records = chained(book())
    records[2] = {**records[2], "entry_hash": "f" * 64}
    assert faults(standing(records)) == [(3, "content"), (4, "link")]


@pytest.mark.parametrize("seq", range(2, 8))
def test_an_event_that_was_taken_out_is_a_link_fault_at_the_next_one(seq: int):
    records = chained(book())
    del records[seq - 1]
    found = standing(records)
    assert (found.verdict, faults(found)) == ("broken", [(seq + 1, "link")])
    assert f"seq {seq} is not before it" in found.faults[0].text


def test_events_that_changed_places_break_three_links():
    records = chained(book())
    records[2], records[3] = records[3], records[2]
    assert faults(standing(records)) == [(4, "link"), (3, "link"), (5, "link")]


def test_an_event_that_was_put_in_breaks_the_link_after_it():
    records = chained(book())
    extra = {**records[3], "seq_id": 99, "prev_hash": records[3]["entry_hash"]}
    records.insert(4, {**extra, "entry_hash": hashed(extra)})
    assert faults(standing(records)) == [(5, "link")]


def test_a_window_begins_somewhere_and_says_so():
    found = standing(chained(book())[3:])
    assert (found.verdict, found.verified_to) == ("window", 8)
    assert "begins at seq 4: what came before is not here" in found.notes


def test_without_any_hash_a_ledger_is_unchained_and_one_fault_says_so():
    found = standing(book())
    assert (found.verdict, faults(found), found.tip) == ("unchained", [(1, "unchained")], "")
    assert "8 events" in found.faults[0].text
    assert found.verified_to is None


@pytest.mark.parametrize("nothing", ["", None])
def test_an_event_without_a_hash_among_others_is_a_fault(nothing: str | None):
    records = chained(book())
    records[4] = {**records[4], "entry_hash": nothing}
    found = standing(records)
    assert (found.verdict, faults(found)) == ("broken", [(5, "unchained")])
    assert found.verified_to == 4


@pytest.mark.parametrize("stated", [5, ["a"], {"a": 1}, "A" * 64, "\x1b[31m"])
def test_a_hash_that_is_none_is_a_content_fault_and_safe_to_show(stated: Any):
    records = chained(book())
    records[7] = {**records[7], "entry_hash": stated}
    found = standing(records)
    assert faults(found) == [(8, "content")]
    assert "\x1b" not in found.faults[0].text + found.tip
    assert found.faults[0].text.startswith("its entry_hash is no hash of 64 lower-case hex digits: ")


@pytest.mark.parametrize("stated", [{"a": 1}, [1], 5, "A" * 64, "none"])
def test_no_key_makes_a_hash_of_what_is_none(stated: Any):
    found = standing({**record, "entry_hash": stated, "prev_hash": stated} for record in chained(book()))
    assert found.verdict == "broken"
    assert faults(found) == [(seq, "content") for seq in range(1, 9)]


# keys


def test_a_keyed_ledger_with_the_key_and_without():
    records = chained(book(), KEY)
    assert standing(records, key=KEY).verdict == "intact"
    found = standing(records)
    assert (found.verdict, found.faults, found.misfits) == ("needs_key", (), 8)
    assert found.verified_to is None
    assert "KORG_LEDGER_HMAC_KEY" in found.notes[0]


def test_one_fitting_hash_or_one_broken_link_is_no_matter_of_a_key():
    records = chained(book(), KEY)
    fits = {**records[0], "entry_hash": hashed(records[0])}
    assert standing([fits, *records[1:]]).verdict == "broken"
    del records[3]
    found = standing(records)
    assert found.verdict == "broken"
    assert (5, "link") in faults(found)


def test_another_key_is_broken_and_the_notes_say_what_it_may_be():
    found = standing(chained(book(), KEY), key=b"another")
    assert found.verdict == "broken"
    assert any("may be another" in note for note in found.notes)


def test_plain_hashes_where_a_key_is_given_are_one_fault():
    found = standing(chained(book()), key=KEY)
    assert (found.verdict, faults(found)) == ("broken", [(1, "content")])
    assert "all 8 hashes are plain SHA-256" in found.faults[0].text


def test_a_plain_hash_among_keyed_ones_is_a_fault_of_its_own():
    records = chained(book(), KEY)
    records[7] = {**records[7], "entry_hash": hashed(records[7])}
    found = standing(records, key=KEY)
    assert faults(found) == [(8, "content")]
    assert "plain SHA-256" in found.faults[0].text


# conventions


def test_hashes_with_the_signature_in_are_right_and_named():
    records = chained([{**record, "event_sig": "ab" * 64} for record in book()], signature_in=True)
    found = standing(records)
    assert (found.verdict, found.signed, found.verified_to) == ("intact", 8, 8)
    assert "8 events are hashed with their event_sig, as korgex up to 0.37 did" in found.notes


class _Signers:
    """Knows signatures that are the beginning of the hash of what was signed."""

    def fits(self, preimage: bytes, signature: str) -> bool:
        return hashlib.sha256(preimage).hexdigest().startswith(signature)


def signed(records: Iterable[Record]) -> list[Record]:
    return [{**record, "event_sig": record["entry_hash"][:16]} for record in records]


def test_signatures_are_counted_and_checked_when_keys_are_given():
    records = signed(chained(book()))
    assert "8 events are signed; --pubkey KEY checks them" in standing(records).notes
    found = standing(records, signers=_Signers())
    assert (found.verdict, found.signed, found.faults) == ("intact", 8, ())
    assert not any("--pubkey" in note for note in found.notes)


@pytest.mark.parametrize("signature", ["ffff", "", None, 7])
def test_a_signature_that_does_not_fit_or_is_missing_is_a_fault(signature: Any):
    records = signed(chained(book()))
    records[3] = {**records[3], "event_sig": signature}
    found = standing(records, signers=_Signers())
    assert (found.verdict, faults(found)) == ("broken", [(4, "signature")])


# numbers


@pytest.mark.parametrize("number", [0.5, 2.0, 2**53, -(2**60), float("inf")])
def test_a_number_that_programs_write_differently_cannot_be_verified(number: float):
    records = book()
    records[3]["event"]["args"]["ratio"] = number
    records = chained(records)
    found = standing(records)
    assert (found.verdict, found.misfits, found.verified_to, found.faults) == ("unverifiable", 0, 8, ())
    (finding,) = found.findings
    assert finding.seq == 4
    assert finding.text.startswith("event.args.ratio is a")
    assert finding.text.endswith("its hash fits as this program writes it")
    records[7] = {**records[7], "entry_hash": "f" * 64}
    assert standing(records).verdict == "broken"


def test_a_number_may_be_why_a_hash_does_not_fit_so_that_is_no_fault_but_a_broken_link_is():
    records = book()
    records[3]["event"]["args"]["ratio"] = 0.5
    records = chained(records)
    records[3]["event"]["args"]["ratio"] = 0.25
    found = standing(records)
    assert (found.verdict, found.misfits, found.verified_to, found.faults) == ("unverifiable", 1, 3, ())
    words = "its hash does not fit, which may be the spelling of the number, or a change"
    assert found.findings[0].text.endswith(words)
    del records[2]
    assert faults(standing(records)) == [(4, "link")]


def test_only_odd_events_that_do_not_fit_are_no_matter_of_a_key():
    records = book(1)
    records[0]["event"]["args"]["ratio"] = 0.5
    assert standing(chained(records, KEY)).verdict == "unverifiable"


# lines


def test_a_key_that_stands_twice_is_a_finding():
    raws = [json.dumps(record).encode() for record in chained(book())]
    raws[2] = raws[2].replace(b'"args": {', b'"args": {"file_path": "other", ')
    found = standing(raws)
    assert found.verdict == "intact"
    (finding,) = found.findings
    assert (finding.seq, finding.grave) == (3, True)
    assert "event.args.file_path" in finding.text


def test_a_line_that_cannot_be_read_breaks_the_link_only_if_it_was_an_event():
    raws: list[Any] = [json.dumps(record).encode() for record in chained(book())]
    found = standing([*raws[:3], b'{"torn', *raws[3:]])
    assert (found.verdict, found.verified_to) == ("intact", 8)
    assert [(each.seq, each.grave) for each in found.findings] == [(None, True)]
    found = standing([*raws[:3], raws[3][:-9], *raws[4:]])
    assert faults(found) == [(5, "link")]
    assert "line before it could not be read" in found.faults[0].text
    found = standing([raws[0][:-9], *raws[1:]])
    assert faults(found) == [(2, "link")]


def test_a_hole_leaves_the_link_across_it_unknown():
    records: list[Any] = chained(book())
    found = standing([*records[:3], None, *records[5:]])
    assert (found.verdict, found.verified_to, found.faults) == ("intact", 3, ())
    assert any("1 hole" in note for note in found.notes)


def test_bytes_that_are_no_utf_8_are_a_content_fault_though_the_hash_may_fit():
    records = book()
    records[3]["event"]["args"]["file_path"] = "\ufffd"
    raws = [json.dumps(record, ensure_ascii=False).encode() for record in chained(records)]
    raws[3] = raws[3].replace("\ufffd".encode(), b"\xff")
    chain = Chain()
    for seq, raw in enumerate(raws, 1):
        chain.add(raw, seq, 0)
    assert faults(chain.standing) == [(4, "content")]


def test_since_looks_at_later_events_only_and_knows_the_link_to_them():
    records = chained(book())
    records[1] = {**records[1], "schema_version": "2"}
    found = standing(records, since=4)
    assert (found.verdict, found.events, found.verified_to) == ("intact", 5, 8)
    assert "3 events before were passed over" in found.notes
    del records[2]
    assert faults(standing(records, since=4)) == [(4, "link")]


# many


def test_of_very_many_faults_the_first_are_kept_and_the_others_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tallying, "KEPT", 3)
    records = [{**record, "schema_version": "2"} for record in chained(book())]
    records[0] = chained(book())[0]
    found = standing(records)
    assert [fault.seq for fault in found.faults] == [2, 3, 4]
    assert "and 4 more events whose hash does not fit" in found.notes


def test_a_standing_is_a_snapshot_and_a_fork_leaves_the_chain_as_it_is():
    records = chained(book())
    chain = Chain()
    chain.add(json.dumps(records[0]).encode(), 1, 0)
    before, fork = chain.standing, chain.fork()
    fork.add(json.dumps({**records[1], "schema_version": "2"}).encode(), 2, 1)
    assert chain.standing == before
    assert fork.standing.verdict == "broken"
    assert fork.standing.faults is fork.standing.faults


@st.composite
def tampered(draw: st.DrawFn) -> bytes:
    """A ledger of lines in which something may be wrong, or only spelled differently."""
    records = book(draw(st.integers(1, 70)))
    made = chained(records, draw(st.sampled_from([None, None, KEY])))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(made) - 1))
        change = draw(
            st.sampled_from(
                [{"x": 0.5}, {"x": 1}, {"entry_hash": ""}, {"event_sig": "ab"}, {"prev_hash": "0" * 64}]
            )
        )
        made[place] = {**made[place], **change}
    raws = lines(made).splitlines()
    if draw(st.booleans()):
        raws[0] = json.dumps(made[0], ensure_ascii=False, separators=(",", ":")).encode()
    if draw(st.booleans()):
        raws[-1] = json.dumps(made[-1]).encode().replace(b"Read", b"\\u0052ead")
    return b"\n".join(raws)


@given(tampered(), st.sampled_from([None, KEY]))
def test_many_at_once_say_the_same_as_one_by_one(ledger: bytes, key: bytes | None):
    one, many = Chain(key), Chain(key)
    offsets, lengths, seqs, at = [], [], [], 100
    for seq, raw in enumerate(ledger.split(b"\n"), 1):
        one.add(raw, seq, at)
        offsets.append(at)
        lengths.append(len(raw))
        seqs.append(seq)
        at += len(raw) + 1
    many.extend(ledger, 100, offsets, lengths, seqs)
    assert many.standing == one.standing


def test_many_at_once_where_the_lines_are_not_the_records():
    """White space inside a record, and between two of them."""
    records = chained(book(4))
    raws = [json.dumps(record, indent=1, separators=(",", ":")).encode() for record in records]
    block = b"\n\n".join(raws)
    offsets = [block.index(raw) for raw in raws]
    chain = Chain()
    chain.extend(block, 0, offsets, [len(raw) for raw in raws], [1, 2, 3, 4])
    assert (chain.standing.verdict, chain.standing.verified_to) == ("intact", 4)


# samples

SAMPLES = Path(__file__).parents[2] / "shared" / "ledgers" / "upstream_samples"

if SAMPLES.is_dir():
    VECTORS = json.loads((SAMPLES / "conformance.json").read_text())["vectors"]

    @pytest.mark.parametrize("folder", ["vectors", "vectors-korgex"])
    @pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["file"])
    def test_conformance(vector: dict[str, Any], folder: str):
        raws = (SAMPLES / folder / vector["file"]).read_bytes().splitlines()
        key = vector["key"] and vector["key"].encode()
        found = standing(raws, key=key)
        if vector["verify"] == "intact":
            assert (found.verdict, found.tip) == ("intact", vector["tip_entry_hash"])
        else:
            assert found.verdict == "broken"
            assert [f"seq {fault.seq}" for fault in found.faults] == [vector["error_contains"]]
        if key:
            assert standing(raws).verdict == "needs_key"

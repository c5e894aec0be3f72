"""What certificates and receipts claim is compared with their events, and their seals with their keys."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import builders
from korg_tui.sources import BodyGone
from korg_tui.trust import check_seal, keys_for_events, public_keys, seal_of, sealed
from sealing import ISSUER, STRANGER, certificate, name_of, opened, receipt, records, session
from sealing import sealed as seal_it

SHARED = Path(__file__).parents[2] / "shared" / "ledgers" / "upstream_samples"
EVENTS = records()


def checked(tmp_path, wrapper, keys=None):
    """The seal in a wrapper, and what came out when it was checked."""
    reading, ledger = opened(tmp_path / "wrapper.json", wrapper)
    seal = seal_of(reading.wrapper())
    return seal, check_seal(seal, sealed(ledger, seal), reading.bodies(ledger), keys)


def texts(sealing):
    assert all(fault.seq is None for fault in sealing.faults if fault.kind == "seal")
    return [(fault.kind, fault.text) for fault in sealing.faults]


def changed(wrapper, path, value):
    """A copy in which the member at `path` is another one; None takes it out."""
    copied = copy.deepcopy(wrapper)
    inner = copied
    *way, last = path.split(".")
    for name in way:
        inner = inner[name]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return copied


def test_a_certificate_that_holds(tmp_path):
    seal, sealing = checked(tmp_path, seal_it(certificate(EVENTS)))
    assert (seal.kind, seal.claim, seal.issuer, seal.count) == ("certificate", "it works", "agent:main@1", 5)
    assert (seal.tip, seal.issued) == (EVENTS[-1]["entry_hash"], "2025-10-09T08:53:20Z")
    assert (sealing.status, sealing.faults) == ("fits", ())
    (note,) = sealing.notes
    assert name_of(ISSUER) in note
    assert "which the certificate brings along" in note


def test_a_receipt_that_holds_says_how_little_its_seal_is_over(tmp_path):
    seal, sealing = checked(tmp_path, receipt(EVENTS))
    assert (seal.kind, seal.issued, sealing.status, sealing.faults) == (
        "receipt", "1970-01-01T00:00:01Z", "fits", (),
    )  # fmt: skip
    assert any("over its tip alone" in note for note in sealing.notes)
    assert "summary.cost_usd was not checked: nothing in the events says it" in sealing.notes


@pytest.mark.parametrize("make", [lambda: seal_it(certificate(EVENTS)), lambda: receipt(EVENTS)])
def test_a_key_that_is_given_must_be_that_of_the_seal(tmp_path, make):
    mine = public_keys([name_of(STRANGER), name_of(ISSUER)])
    _, sealing = checked(tmp_path, make(), mine)
    assert (sealing.status, sealing.faults) == ("trusted", ())
    _, sealing = checked(tmp_path, make(), public_keys([name_of(STRANGER)]))
    assert sealing.status == "wrong"
    assert texts(sealing) == [
        ("seal", f"it is sealed with the key {name_of(ISSUER)}, which is none of those given")
    ]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("event_count", 6, "claims 6 events, and 5 are here"),
        ("tip", "ab" * 32, "claims the tip abababababab…, and the last hash here is "),
        ("summary.seq_first", 2, "summary.seq_first is 2, and the events make it 1"),
        ("summary.seq_first", True, "summary.seq_first is True, and the events make it 1"),
        ("summary.seq_last", 5.0, "summary.seq_last is 5.0, and the events make it 5"),
        ("summary.agents", ["agent:x"], "summary.agents names agent:x, and no event does"),
        ("summary.files", ["a.py"], "summary.files leaves out b.py"),
        ("summary.files", "a.py", "summary.files is no list of names"),
        ("summary.files", ["a.py", "b.py", 7], "summary.files is no list of names"),
        ("summary.by_tool.Edit", 2, "summary.by_tool counts 2 of Edit, and 1 are here"),
        ("summary.by_tool.Edit", 1.0, "summary.by_tool counts 1.0 of Edit, and 1 are here"),
        ("summary.by_tool.Bash", None, "summary.by_tool counts 0 of Bash, and 1 are here"),
        ("summary.by_tool.Write", 1, "summary.by_tool counts 1 of Write, and 0 are here"),
        ("summary.by_tool", [], "summary.by_tool is no object of counts"),
    ],
)
def test_a_certificate_that_lies_is_caught_whoever_sealed_it(tmp_path, path, value, words):
    lie = seal_it(changed(certificate(EVENTS), path, value))
    _, sealing = checked(tmp_path, lie, public_keys([name_of(ISSUER)]))
    assert sealing.status == "trusted"
    assert any(words in text for kind, text in texts(sealing) if kind == "seal")
    again = seal_it(certificate(EVENTS))
    _, sealing = checked(tmp_path, changed(again, path, value))
    assert sealing.status == "wrong"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("event_count", 4, "claims 4 events, and 5 are here"),
        ("summary.prompts", 2, "summary.prompts is 2, and the events make it 1"),
        ("summary.inferences", 0, "summary.inferences is 0, and the events make it 1"),
        ("summary.tool_calls", 4, "summary.tool_calls is 4, and the events make it 3"),
        ("summary.files", ["a.py", "b.py", "c.py"], "summary.files names c.py, and no event does"),
        ("summary.by_tool.user_prompt", 1, "summary.by_tool counts 1 of user_prompt, and 0 are here"),
    ],
)
def test_a_receipt_that_lies_is_caught_though_its_seal_fits(tmp_path, path, value, words):
    _, sealing = checked(tmp_path, changed(receipt(EVENTS), path, value))
    assert sealing.status == "fits"
    ((kind, text),) = texts(sealing)
    assert kind == "seal"
    assert words in text


def test_a_flat_receipt_and_a_nested_certificate_count_alike(tmp_path):
    flat = [json.loads(line) for line in session().flat().splitlines()]
    _, sealing = checked(tmp_path, receipt(flat))
    assert sealing.faults == ()


def test_receipts_and_certificates_differ_in_what_they_count(tmp_path):
    book = session()
    book.tool("NotebookEdit", 2, args={"notebook_path": "n.ipynb"})
    book.tool("Write", 2, args={"file_path": "", "path": "c.py"})
    book.governance("LeaseAcquired", 2)
    flat = [json.loads(line) for line in book.flat().splitlines()]
    made = receipt(flat)
    made["summary"] |= {
        "tool_calls": 6,
        "files": ["a.py", "b.py", "n.ipynb", "c.py"],
        "by_tool": made["summary"]["by_tool"] | {"NotebookEdit": 1, "Write": 1, "LeaseAcquired": 1},
    }
    _, sealing = checked(tmp_path, made)
    assert sealing.faults == ()
    made = certificate(records(session()))
    made["summary"] = {
        "agents": ["agent:main@1", "human:dusk"],
        "by_tool": {"Bash": 1, "Edit": 1, "NotebookEdit": 1, "Read": 1, "Write": 1, "llm_inference": 1}
        | {"user_prompt": 1},
        "files": ["", "a.py", "b.py", "c.py"],
        "seq_first": 1,
        "seq_last": 8,
    }
    made |= {"events": flat, "event_count": 8, "tip": flat[-1]["entry_hash"]}
    _, sealing = checked(tmp_path, seal_it(made))
    assert sealing.faults == ()


@pytest.mark.parametrize("path", ["claim", "issuer.agent", "issued_at", "spec", "schema"])
def test_what_is_sealed_cannot_be_changed(tmp_path, path):
    wrapper = changed(seal_it(certificate(EVENTS)), path, "something else")
    _, sealing = checked(tmp_path, wrapper)
    assert sealing.status == ("unknown" if path == "schema" else "wrong")
    if path != "schema":
        assert texts(sealing) == [
            ("seal", "the seal does not fit: the certificate was changed, or another key made it")
        ]


def test_something_added_to_what_is_sealed_breaks_it(tmp_path):
    _, sealing = checked(tmp_path, seal_it(certificate(EVENTS)) | {"remark": "and more"})
    assert sealing.status == "wrong"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("seal.alg", "rsa\x1b", "it is sealed with 'rsa\\x1b', and only ed25519 is known"),
        ("seal.alg", None, "its seal lacks alg, pubkey or sig"),
        ("seal.sig", "00", "its seal is none"),
        ("seal.sig", "00" * 64, "the seal does not fit"),
        ("seal.sig", 7, "its seal is none"),
        ("seal.pubkey", "00", "its seal is none"),
        ("seal.pubkey", name_of(STRANGER), "the seal does not fit"),
        ("seal", "mine", "its seal lacks alg, pubkey or sig"),
        ("seal", [], "its seal lacks alg, pubkey or sig"),
    ],
)
def test_a_seal_that_is_none(tmp_path, path, value, words):
    _, sealing = checked(tmp_path, changed(seal_it(certificate(EVENTS)), path, value))
    assert any(words in text for _, text in texts(sealing))
    assert sealing.status not in ("fits", "trusted")


def test_a_seal_with_a_key_that_everybody_has_is_none(tmp_path):
    neutral = "01" + "00" * 31
    seal = {"alg": "ed25519", "pubkey": neutral, "sig": neutral + "00" * 32}
    _, sealing = checked(tmp_path, certificate(EVENTS) | {"seal": seal})
    assert sealing.status == "wrong"
    assert texts(sealing) == [("seal", f"its seal is of a key with which anybody can sign: {neutral}")]


@pytest.mark.parametrize("make", [certificate, lambda events: receipt(events, None)])
def test_without_a_seal_nobody_stands_for_it(tmp_path, make):
    seal, sealing = checked(tmp_path, make(EVENTS))
    assert (sealing.status, sealing.faults) == ("unsealed", ())
    assert f"the {seal.word} is not sealed: nobody stands for what it claims" in sealing.notes


def test_another_version_is_not_known(tmp_path):
    wrapper = seal_it(certificate(EVENTS, schema="korgcert@v2", event_count=7))
    seal, sealing = checked(tmp_path, wrapper)
    assert (seal.kind, sealing.status, sealing.faults) == ("unknown", "unknown", ())
    assert "its schema korgcert@v2 is not known: nothing that it claims was checked" in sealing.notes


def test_what_it_leaves_out_is_said(tmp_path):
    wrapper = certificate(EVENTS)
    for name in ("event_count", "summary", "tip"):
        del wrapper[name]
    _, sealing = checked(tmp_path, seal_it(wrapper))
    assert sealing.faults == ()
    assert "the certificate does not say its event_count, tip, summary" in sealing.notes


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("event_count", "5", "its event_count is no integer: 5"),
        ("event_count", 5.0, "its event_count is no integer: 5.0"),
        ("event_count", True, "its event_count is no integer: True"),
        ("tip", 7, "its tip is not 64 lower-case hex digits: 7"),
        ("tip", "AB" * 32, "its tip is not 64 lower-case hex digits"),
        ("summary", [], "its summary is no object"),
        ("anchors", {}, "the certificate: its anchors are no list"),
    ],
)
def test_wrong_types_are_told(tmp_path, path, value, words):
    wrapper = seal_it(certificate(EVENTS) | {path: value})
    _, sealing = checked(tmp_path, wrapper)
    assert any(words in text for text in [*(text for _, text in texts(sealing)), *sealing.notes])


def test_a_key_that_stands_twice_is_told_since_readers_differ(tmp_path):
    wrapper = json.dumps(seal_it(certificate(EVENTS)))
    twice = wrapper.replace('"claim": "it works"', '"claim": "it is perfect", "claim": "it works"', 1)
    _, sealing = checked(tmp_path, twice.encode())
    assert sealing.status == "fits"
    assert texts(sealing) == [
        ("seal", "it has the key claim twice in one object: readers differ on which counts")
    ]


def test_anchors_of_a_certificate_are_checked_against_its_events(tmp_path):
    anchor = {"seq_id": 3, "entry_hash": EVENTS[2]["entry_hash"], "anchor_kind": "git-tip"}
    other = anchor | {"seq_id": 4}
    _, sealing = checked(tmp_path, seal_it(certificate(EVENTS, anchors=[anchor])))
    assert sealing.faults == ()
    assert sealing.anchoring.held == (3,)
    assert any("the outside witness was not asked" in note for note in sealing.notes)
    _, sealing = checked(tmp_path, seal_it(certificate(EVENTS, anchors=[anchor, other])))
    ((kind, text),) = texts(sealing)
    assert (kind, sealing.faults[0].seq) == ("anchor", 4)
    assert "that hash is at another seq here" in text


def test_events_that_were_changed_do_not_fit_what_is_claimed(tmp_path):
    wrapper = seal_it(certificate(EVENTS))
    wrapper["events"] = builders.chained(session().records[:4])
    _, sealing = checked(tmp_path, wrapper)
    said = " | ".join(text for _, text in texts(sealing))
    assert sealing.status == "fits"
    for words in ("claims 5 events, and 4 are here", "claims the tip", "seq_last is 5", "1 of Bash, and 0"):
        assert words in said


@pytest.mark.parametrize("other", ["*", "7", '"x"', "{}"])
def test_what_stands_among_the_events_and_is_none_is_told(tmp_path, other):
    data = json.dumps(seal_it(certificate(EVENTS))).replace('"}], "seal"', '"}, ' + other + '], "seal"')
    _, sealing = checked(tmp_path, data.encode())
    assert sealing.status == "fits"
    assert texts(sealing) == [
        ("seal", "among the events of the certificate stands what is none: 1 of its values")
    ]


def test_a_certificate_larger_than_the_first_look_has_its_seal_behind_its_events(tmp_path):
    book = session()
    book.tool("Bash", 2, args={"command": "x" * 2_000_000})
    reading, _ = opened(tmp_path / "large.json", seal_it(certificate(records(book))))
    seal, sealing = checked(tmp_path, seal_it(certificate(records(book))))
    assert (seal.count, sealing.status, sealing.faults) == (6, "fits", ())
    assert "seal" in dict(reading.notes)


def test_a_certificate_that_is_written_again_is_read_again(tmp_path):
    wrapper = seal_it(certificate(EVENTS))
    reading, _ = opened(tmp_path / "again.json", wrapper)
    other = seal_it(wrapper | {"claim": "it failed, really"})
    (tmp_path / "again.json").write_text(json.dumps(other, indent=1))
    for fact in reading.source.poll():
        reading.apply(fact)
    seal = seal_of(reading.wrapper())
    assert seal.claim == "it failed, really"
    assert dict(reading.notes)["claim"] == "it failed, really"


def test_a_byte_order_mark_is_no_part_of_it(tmp_path):
    data = b"\xef\xbb\xbf" + json.dumps(seal_it(certificate(EVENTS))).encode()
    _, sealing = checked(tmp_path, data)
    assert (sealing.status, sealing.faults) == ("fits", ())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        json.dumps({"nodes": [], "active_states": {}, "events": []}).encode(),
        b'{"nodes": [1}, "events": []}',
        b"[1]",
    ],
)
def test_what_claims_nothing_is_no_seal(data):
    assert seal_of(data) is None


@pytest.mark.parametrize("left", [5, 60, 200])
def test_a_certificate_that_is_cut_off_says_so(tmp_path, left):
    data = json.dumps(seal_it(certificate(EVENTS, anchors=[]))).encode()
    seal, sealing = checked(tmp_path, data[:-left])
    assert seal.kind == "unknown"
    assert texts(sealing) == [
        (
            "seal",
            "what stands around the events is cut off or damaged: nothing that it claims can be checked",
        )
    ]


@pytest.mark.parametrize("wrong", [b'{"seal": ' + b"[" * 100_000, b'{"seal": ' + b"9" * 5_000 + b"}"])
def test_what_no_reader_can_hold_is_damaged(wrong):
    assert seal_of(wrong).troubles


@pytest.mark.parametrize("name", ["alg", "pubkey", "sig"])
@pytest.mark.parametrize("hidden", ["\ufe0f", "\u200b", "\0"])
def test_what_looks_like_a_seal_is_compared_as_written(tmp_path, name, hidden):
    wrapper = seal_it(certificate(EVENTS))
    wrapper["seal"] = wrapper["seal"] | {name: wrapper["seal"][name] + hidden}
    seal, sealing = checked(tmp_path, wrapper)
    assert sealing.status == ("unknown" if name == "alg" else "wrong")
    assert sealing.faults
    assert hidden not in seal.algorithm + seal.pubkey + seal.signature


def test_a_number_is_no_key(tmp_path):
    wrapper = seal_it(certificate(EVENTS))
    wrapper["seal"] = wrapper["seal"] | {"pubkey": int("1" * 64)}
    seal, sealing = checked(tmp_path, wrapper)
    assert (seal.pubkey, sealing.status) == ("no text: " + "1" * 64, "wrong")


def test_nothing_in_it_acts_on_a_terminal(tmp_path):
    evil = "\x1b]0;x\x07\u202e\ud800"
    wrapper = certificate(EVENTS, claim=evil, issuer={evil: evil}, issued_at=evil, tip=evil)
    wrapper |= {"seal": {"alg": evil, "pubkey": evil, "sig": evil}, "event_count": evil}
    wrapper["summary"] = {"agents": [evil], "by_tool": {evil: evil}, "files": [evil], evil: evil}
    wrapper["summary"]["seq_last"] = evil
    wrapper["anchors"] = [{"seq_id": 1, "entry_hash": evil, evil: evil}]
    seal, sealing = checked(tmp_path, wrapper)
    shown = [seal.claim, seal.issuer, seal.issued, seal.algorithm, seal.pubkey, seal.signature, seal.schema]
    for text in [*shown, *sealing.notes, *(text for _, text in texts(sealing))]:
        assert text.isprintable()


def test_many_lies_are_bounded(tmp_path):
    wrapper = certificate(EVENTS)
    wrapper["summary"]["by_tool"] = {f"tool{n}": 1 for n in range(5_000)}
    _, sealing = checked(tmp_path, wrapper)
    assert len(sealing.faults) < 50
    assert "summary.by_tool differs in 4,985 more ways" in [text for _, text in texts(sealing)]


def test_records_that_are_gone_are_said(tmp_path):
    reading, ledger = opened(tmp_path / "x.json", seal_it(certificate(EVENTS)))
    seal = seal_of(reading.wrapper())

    def gone(offset, length):
        raise BodyGone("the bytes of this record are gone")

    sealing = check_seal(seal, sealed(ledger, seal), gone)
    assert (sealing.status, sealing.faults) == ("fits", ())
    assert "what the certificate claims was not checked: the bytes of this record are gone" in sealing.notes


def test_who_seals_need_not_have_signed_each_event(tmp_path):
    def wanted(wrapper, keys):
        reading, ledger = opened(tmp_path / "wrapper.json", wrapper)
        seal = seal_of(reading.wrapper())
        return keys_for_events(keys, seal, sealed(ledger, seal), reading.bodies(ledger))

    both, issuer = public_keys([name_of(ISSUER), name_of(STRANGER)]), public_keys([name_of(ISSUER)])
    wrapper = seal_it(certificate(EVENTS))
    assert wanted(wrapper, issuer) is None
    assert wanted(wrapper, both).names == (name_of(STRANGER),)
    assert wanted(wrapper, None) is None
    assert wanted(certificate(EVENTS), issuer) == issuer
    bare = certificate(EVENTS)
    del bare["tip"]
    assert wanted(seal_it(bare), issuer) == issuer
    assert wanted(wrapper | {"events": EVENTS[:-1]}, issuer) == issuer
    assert wanted(wrapper | {"events": []}, issuer) == issuer
    assert wanted(wrapper | {"claim": "another"}, issuer) == issuer
    signed = [*EVENTS[:-1], EVENTS[-1] | {"event_sig": "00"}]
    assert wanted(wrapper | {"events": signed}, issuer) == issuer


def test_without_the_library_a_seal_is_not_checked_and_the_claims_are(tmp_path, monkeypatch):
    key = Ed25519PrivateKey.from_private_bytes(b"\x22" * 32)
    wrapper = seal_it(certificate(EVENTS, event_count=6), key)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    _, sealing = checked(tmp_path, wrapper)
    assert sealing.status == "unchecked"
    assert "the seal was not checked: that needs pip install 'korg-tui[signing]'" in sealing.notes
    assert texts(sealing) == [("seal", "the certificate claims 6 events, and 5 are here")]


if SHARED.is_dir():

    @pytest.mark.parametrize(
        ("name", "key"),
        [
            ("korg-verify-fixtures/korgcert-v1.json", "korg-verify-fixtures/korgcert-v1.pubkey"),
            ("web-samples/korgcert.json", "web-samples/signed.pubkey"),
            ("korg-verify-fixtures/signed-receipt.json", ""),
        ],
    )
    def test_the_published_samples_hold(name, key):
        from korg_tui.reading import Reading
        from korg_tui.sources import FileSource

        reading = Reading.of(FileSource(SHARED / name)).complete()
        (ledger,) = reading.journal.ledgers
        seal = seal_of(reading.wrapper())
        keys = public_keys([str(SHARED / key)]) if key else None
        sealing = check_seal(seal, sealed(ledger, seal), reading.bodies(ledger), keys)
        assert (sealing.status, sealing.faults) == ("trusted" if key else "fits", ())

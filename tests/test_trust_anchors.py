"""Anchors beside a ledger are compared with its events, and nobody asks the witness."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import builders
from korg_tui.causal import Journal, Ledger
from korg_tui.formats import loads
from korg_tui.reading import Reading
from korg_tui.sources import BodyGone, CaughtUp, FileSource, Grew, Holes, Opened, SourceError, holds_events
from korg_tui.trust import anchored, anchors_beside, anchors_named, check_anchors
from korg_tui.trust.anchoring import NOT_ASKED, _hashes_of
from sealing import opened, records, session

EVENTS = records()
SHARED = Path(__file__).parents[2] / "shared" / "ledgers" / "korg-ledger-py" / "anchored"


def anchor(seq, entry_hash=None, **more):
    """An anchor as the public writer makes it, of an event of the session unless it has another hash."""
    return {
        "seq_id": seq,
        "entry_hash": EVENTS[seq - 1]["entry_hash"] if entry_hash is None else entry_hash,
        "anchor_kind": "git-tip",
        "anchor_proof": {"repo": "https://example.invalid/r", "commit": "0" * 40},
        "anchored_at": "2026-06-14T06:01:28Z",
    } | more


def put_anchors(folder, *anchors):
    (folder / "anchors.jsonl").write_text("".join(json.dumps(each) + "\n" for each in anchors))


def compared(path, content=None, *, named=None):
    """What the anchors beside a ledger, or in a `named` file, say of it."""
    reading, ledger = opened(path, builders.lines(EVENTS) if content is None else content)
    anchors = anchors_beside(path) if named is None else anchors_named(str(named))
    found = anchored(ledger, anchors, reading.journal.ledgers)
    return check_anchors(anchors, found, reading.bodies(ledger), alone=named is not None)


def faults(anchoring):
    assert all(fault.kind == "anchor" for fault in anchoring.faults)
    return [(fault.seq, fault.text) for fault in anchoring.faults]


def test_an_anchor_holds_and_its_witness_was_not_asked(tmp_path):
    put_anchors(tmp_path, anchor(4))
    anchoring = compared(tmp_path / "ledger.jsonl")
    assert (anchoring.anchors, anchoring.held, anchoring.faults) == (1, (4,), ())
    witness = f"git-tip, repo https://example.invalid/r, commit {'0' * 40}, 2026-06-14T06:01:28Z"
    assert anchoring.notes == (f"the anchor of seq 4 holds ({witness})", NOT_ASKED)
    assert "was not asked" in NOT_ASKED


def test_without_anchors_there_is_nothing(tmp_path):
    assert anchors_beside(tmp_path / "ledger.jsonl") is None


def test_a_ledger_of_that_name_is_no_witness_of_itself(tmp_path):
    (tmp_path / "anchors.jsonl").write_bytes(builders.lines(EVENTS))
    assert anchors_beside(tmp_path / "anchors.jsonl") is None


def test_an_event_that_was_changed_and_hashed_anew(tmp_path):
    put_anchors(tmp_path, anchor(2), anchor(4))
    book = session()
    book.records[2]["event"]["args"] = {"file_path": "other.py"}
    anchoring = compared(tmp_path / "ledger.jsonl", book.nested())
    here = json.loads(book.nested().splitlines()[3])["entry_hash"]
    text = f"seq 4 is anchored with the hash {EVENTS[3]['entry_hash'][:12]}…, and it has {here[:12]}… here"
    assert faults(anchoring) == [(4, f"{text}: it was changed")]
    assert anchoring.held == (2,)


def test_a_cut_end_is_told(tmp_path):
    put_anchors(tmp_path, anchor(5))
    anchoring = compared(tmp_path / "ledger.jsonl", builders.lines(EVENTS[:3]))
    assert faults(anchoring) == [(5, "seq 5 is anchored, and this ledger ends at 3: its end was cut")]


def test_an_event_that_is_gone_from_the_middle_or_from_the_beginning(tmp_path):
    put_anchors(tmp_path, anchor(1), anchor(3))
    anchoring = compared(tmp_path / "ledger.jsonl", builders.lines([EVENTS[1], *EVENTS[3:]]))
    assert faults(anchoring) == [(3, "seq 3 is anchored, and is not here: it was taken out")]
    assert "seq 1 is anchored, and lies before this window: it was not compared" in anchoring.notes
    begins = builders.chained(session().records[1:])
    anchoring = compared(tmp_path / "ledger.jsonl", builders.lines(begins))
    assert (1, "seq 1 is anchored, and is not here: it was taken out") in faults(anchoring)


def test_an_event_that_was_renumbered(tmp_path):
    put_anchors(tmp_path, anchor(4))
    moved = [event | {"seq_id": event["seq_id"] + 1} for event in EVENTS]
    anchoring = compared(tmp_path / "ledger.jsonl", builders.lines(moved))
    assert faults(anchoring) == [
        (
            4,
            f"seq 4 is anchored with the hash {EVENTS[3]['entry_hash'][:12]}…, and that hash is at another "
            "seq here",
        )
    ]


def test_an_event_that_lost_its_hash(tmp_path):
    put_anchors(tmp_path, anchor(5))
    bare = {name: value for name, value in EVENTS[4].items() if name != "entry_hash"}
    anchoring = compared(tmp_path / "ledger.jsonl", builders.lines([*EVENTS[:4], bare]))
    ((seq, text),) = faults(anchoring)
    assert seq == 5
    assert text.endswith("…, and it has no hash here")


def test_the_same_seq_anchored_twice_with_other_hashes(tmp_path):
    put_anchors(tmp_path, anchor(4), anchor(4), anchor(4, "ab" * 32))
    anchoring = compared(tmp_path / "ledger.jsonl")
    assert (anchoring.anchors, anchoring.held) == (2, (4,))
    ((seq, text),) = faults(anchoring)
    assert (seq, "abababababab…" in text) == (4, True)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"not JSON", "line 2 is no anchor: not JSON"),
        (b"[1]", "line 2 is no anchor: not a JSON object"),
        (b"{}", "line 2 is no anchor: it names no seq_id"),
        (b'{"seq_id": true, "entry_hash": "00"}', "line 2 is no anchor: it names no seq_id"),
        (b'{"seq_id": 4.0, "entry_hash": "00"}', "line 2 is no anchor: it names no seq_id"),
        (json.dumps(EVENTS[3]).encode(), "line 2 is no anchor: it is an event"),
        (b'{"seq_id": 4, "entry_hash": 7}', "the entry_hash of seq 4 is not 64 lower-case hex digits"),
        (b'{"seq_id": 4, "entry_hash": "' + b"AB" * 32 + b'"}', "is not 64 lower-case hex digits"),
        (b'{"seq_id": 4' + b"0" * 500 + b', "entry_hash": ""}', "the entry_hash of seq 400000"),
        (b"[" * 100_000, "line 2 is no anchor: nested too deep"),
        (b'{"seq_id": \xff\x1b[31m', "line 2 is no anchor: not JSON"),
    ],
)
def test_lines_that_are_no_anchors_are_told_and_the_others_count(tmp_path, line, words):
    (tmp_path / "anchors.jsonl").write_bytes(
        b"\xef\xbb\xbf" + json.dumps(anchor(4)).encode() + b"\r\n" + line + b"\n\n// a remark\n"
    )
    anchoring = compared(tmp_path / "ledger.jsonl")
    assert (anchoring.held, anchoring.faults) == ((4,), ())
    (note,) = [note for note in anchoring.notes if "is no anchor" in note]
    assert words in note
    assert note.isprintable()
    assert len(note) < 400 + len(str(tmp_path))


def test_many_lines_that_are_no_anchors_are_counted(tmp_path):
    (tmp_path / "anchors.jsonl").write_text("x\n" * 5_000)
    anchoring = compared(tmp_path / "ledger.jsonl")
    assert len(anchoring.notes) < 30
    assert any(note.endswith("and 4,980 more are none") for note in anchoring.notes)


def test_a_witness_with_wrong_types_is_left_out(tmp_path):
    evil = "\x1b[31m\u202e"
    put_anchors(
        tmp_path,
        anchor(3, anchor_kind=7, anchor_proof=[evil], anchored_at={evil: evil}),
        anchor(4, anchor_kind=evil, anchor_proof={evil: evil, "deep": {}, "n": 3}, anchored_at=evil * 500),
    )
    anchoring = compared(tmp_path / "ledger.jsonl")
    assert anchoring.held == (3, 4)
    assert "the anchor of seq 3 holds" in anchoring.notes
    assert all(note.isprintable() and len(note) < 600 for note in anchoring.notes)


def test_numbers_beyond_all_bounds_are_no_trouble(tmp_path):
    put_anchors(tmp_path, anchor(2**70, "ab" * 32), anchor(-(2**63), "ab" * 32), anchor(0, "ab" * 32))
    anchoring = compared(tmp_path / "ledger.jsonl")
    assert [seq for seq, _ in faults(anchoring)] == [-(2**63), 0, 2**70]


def test_a_ledger_without_events(tmp_path):
    put_anchors(tmp_path, anchor(4))
    anchors = anchors_beside(tmp_path / "ledger.jsonl")
    anchoring = check_anchors(anchors, anchored(Ledger("ledger"), anchors), lambda offset, length: b"")
    assert faults(anchoring) == [(4, "seq 4 is anchored, and this ledger has no events")]


# several ledgers in one folder


def other_session():
    book = session()
    book.records[0]["event"]["args"] = {"prompt": "something else"}
    return book


def test_an_anchor_of_another_ledger_in_the_folder_is_not_ours(tmp_path):
    other = records(other_session())
    (tmp_path / "other.jsonl").write_bytes(builders.lines(other))
    put_anchors(tmp_path, anchor(4), anchor(5, other[4]["entry_hash"]), anchor(9, "ab" * 32))
    anchoring = compared(tmp_path / "ledger.jsonl")
    assert (anchoring.held, anchoring.faults) == ((4,), ())
    assert any(note.endswith("1 of its anchors speak of other ledgers") for note in anchoring.notes)
    (finding,) = anchoring.findings
    assert (finding.seq, finding.grave) == (9, True)
    assert "which no ledger here has: one of them was changed or cut" in finding.text


def test_a_hash_that_only_a_prev_hash_remembers_is_no_event(tmp_path):
    other = records(other_session())
    (tmp_path / "other.jsonl").write_bytes(builders.lines([other[0], other[2]]))
    put_anchors(tmp_path, anchor(2, other[1]["entry_hash"]))
    anchoring = compared(tmp_path / "ledger.jsonl")
    assert [finding.seq for finding in anchoring.findings] == [2]


def test_a_hash_is_found_wherever_it_lies_in_a_large_ledger(tmp_path, monkeypatch):
    monkeypatch.setattr("korg_tui.trust.anchoring._CHUNK", 7)
    other = records(other_session())
    (tmp_path / "other.jsonl").write_bytes(builders.lines(other))
    put_anchors(tmp_path, *(anchor(event["seq_id"], event["entry_hash"]) for event in other))
    anchoring = compared(tmp_path / "ledger.jsonl")
    assert (anchoring.findings, anchoring.faults) == ((), ())
    assert any(note.endswith("5 of its anchors speak of other ledgers") for note in anchoring.notes)


def test_a_file_that_a_person_names_speaks_of_this_ledger(tmp_path):
    (tmp_path / "other.jsonl").write_bytes(other_session().nested())
    put_anchors(tmp_path, anchor(9, "ab" * 32))
    anchoring = compared(tmp_path / "ledger.jsonl", named=tmp_path / "anchors.jsonl")
    assert faults(anchoring) == [(9, "seq 9 is anchored, and this ledger ends at 5: its end was cut")]
    assert anchoring.findings == ()


def test_other_files_and_links_to_the_same_ledger_are_no_other_ledgers(tmp_path):
    (tmp_path / "README").write_text("# words")
    (tmp_path / "again.jsonl").symlink_to(tmp_path / "ledger.jsonl")
    (tmp_path / "ledger.jsonl").write_bytes(builders.lines(EVENTS))
    put_anchors(tmp_path, anchor(9, "ab" * 32))
    assert [seq for seq, _ in faults(compared(tmp_path / "ledger.jsonl"))] == [9]


def test_several_runs_in_one_file_share_its_anchors(tmp_path):
    second = records(other_session())
    put_anchors(tmp_path, anchor(4), anchor(5, second[4]["entry_hash"]), anchor(3, "ab" * 32))
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(builders.lines([*EVENTS, *second]))
    reading = Reading.of(FileSource(path)).complete()
    first, later = reading.journal.ledgers
    anchors = anchors_beside(path)
    for ledger, held in ((first, (4,)), (later, (5,))):
        found = anchored(ledger, anchors, reading.journal.ledgers)
        anchoring = check_anchors(anchors, found, reading.bodies(ledger))
        assert (anchoring.held, anchoring.faults) == (held, ())
        assert [finding.seq for finding in anchoring.findings] == [3]
        assert any(note.endswith("1 of its anchors speak of other ledgers") for note in anchoring.notes)


# what cannot be compared


def test_events_that_are_not_loaded_are_not_called_missing(tmp_path):
    put_anchors(tmp_path, anchor(3))
    facts = [Opened("wire"), Grew(tuple(session().events()[:2])), Grew(tuple(session().events()[4:]))]
    journal = Journal("ledger")
    for fact in [*facts, Holes(((3, 4),)), CaughtUp()]:
        journal.apply(fact)
    anchors = anchors_beside(tmp_path / "ledger.jsonl")
    (ledger,) = journal.ledgers
    anchoring = check_anchors(anchors, anchored(ledger, anchors), lambda offset, length: b"{}")
    assert anchoring.faults == ()
    assert "seq 3 is anchored, and is not loaded" in anchoring.notes


def test_records_that_are_gone_are_said(tmp_path):
    put_anchors(tmp_path, *(anchor(4, f"{n:064x}") for n in range(9)))
    reading, ledger = opened(tmp_path / "ledger.jsonl", builders.lines(EVENTS))
    anchors = anchors_beside(tmp_path / "ledger.jsonl")

    def gone(offset, length):
        raise BodyGone("the bytes of this record are gone")

    anchoring = check_anchors(anchors, anchored(ledger, anchors), gone)
    assert (anchoring.faults, anchoring.held) == ((), ())
    assert "seq 4 is anchored, and cannot be read: the bytes of this record are gone" in anchoring.notes
    assert "and 4 more anchors that could not be compared" in anchoring.notes
    reading.source.close()


def test_anchors_that_cannot_be_read_are_said(tmp_path):
    (tmp_path / "anchors.jsonl").mkdir()
    anchoring = compared(tmp_path / "ledger.jsonl")
    (note,) = anchoring.notes
    assert note == f"{tmp_path / 'anchors.jsonl'}: it cannot be read: it is no regular file"


@pytest.mark.parametrize("target", ["away/anchors.jsonl", "/etc/passwd", "/dev/zero", "/not/there"])
def test_a_link_out_of_the_folder_is_not_followed(tmp_path, target):
    (tmp_path / "away").mkdir()
    put_anchors(tmp_path / "away", anchor(9, "ab" * 32))
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "anchors.jsonl").symlink_to(tmp_path / target)
    anchoring = compared(tmp_path / "here" / "ledger.jsonl")
    assert (anchoring.anchors, anchoring.faults) == (0, ())
    (note,) = anchoring.notes
    assert "it is a link that leads out of the folder, and was not read" in note


def test_a_link_within_the_folder_is_followed(tmp_path):
    put_anchors(tmp_path, anchor(4))
    (tmp_path / "anchors.jsonl").rename(tmp_path / "witness")
    (tmp_path / "anchors.jsonl").symlink_to("witness")
    assert compared(tmp_path / "ledger.jsonl").held == (4,)


def test_a_pipe_of_that_name_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "anchors.jsonl").symlink_to("pipe")
    assert "it is no regular file" in compared(tmp_path / "ledger.jsonl").notes[0]


def test_anchors_that_look_like_a_ledger_do_not_speak_for_themselves(tmp_path):
    """Nothing but a seq and a hash in each line, and so many that they are no longer judged whole."""
    bare = [{"seq_id": seq, "entry_hash": f"{seq:064x}"} for seq in range(1, 2_000)]
    put_anchors(tmp_path, *bare)
    assert holds_events(tmp_path / "anchors.jsonl")
    found = faults(compared(tmp_path / "ledger.jsonl"))
    assert found[0][0] == 1
    assert len(found) == 1_000


def test_the_ledgers_of_a_folder_share_what_is_read_of_it(tmp_path, monkeypatch):
    """Of many ledgers beside the same anchors, each file is searched once, and the anchors are read once."""
    asked = []
    monkeypatch.setattr("korg_tui.trust.anchors.loads", lambda text: asked.append("anchor") or loads(text))
    seen = "korg_tui.trust.anchoring._hashes_of"
    monkeypatch.setattr(seen, lambda path, real=_hashes_of: asked.append(path.name) or real(path))
    paths = [tmp_path / f"ledger{number}.jsonl" for number in range(12)]
    for path in paths:
        path.write_bytes(builders.lines(EVENTS))
    put_anchors(tmp_path, anchor(9, "ab" * 32))
    for path in paths:
        reading = Reading.of(FileSource(path)).complete()
        (ledger,), anchors = reading.journal.ledgers, anchors_beside(path)
        anchoring = check_anchors(anchors, anchored(ledger, anchors), reading.bodies(ledger))
        assert [finding.seq for finding in anchoring.findings] == [9]
    assert sorted(asked) == sorted(["anchor", *(path.name for path in paths)])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        (b"", "no anchor in it: it is empty"),
        (b"hello\n", "no anchor in it: line 1 is no anchor: not JSON"),
    ],
)
def test_a_named_file_without_anchors_is_one_line(tmp_path, content, words):
    path = tmp_path / "witness\x1b.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceError) as refusal:
        anchors_named(str(path))
    assert words in refusal.value.text
    assert refusal.value.text.endswith("; give a file with anchors, one a line")
    assert refusal.value.text.isprintable()


if SHARED.is_dir():

    def test_the_published_anchor_holds():
        reading = Reading.of(FileSource(SHARED / "session.jsonl")).complete()
        (ledger,) = reading.journal.ledgers
        anchors = anchors_beside(SHARED / "session.jsonl")
        anchoring = check_anchors(anchors, anchored(ledger, anchors), reading.bodies(ledger))
        assert (anchoring.held, anchoring.faults, anchoring.findings) == ((7,), (), ())

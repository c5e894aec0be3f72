"""`verify`: verdicts with exit codes for scripts, what nobody can know in words, and no key anywhere."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from builders import WORKED_EXAMPLE, Book, canonical, lines, table
from korg_tui.cli import main
from korg_tui.trust import CUT_TAIL, NO_SECRET

SECRET = "s3cret-of-the-tests"
OWNER = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
PUBLIC = OWNER.public_key().public_bytes_raw().hex()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("KORG_JOURNAL_PATH", "KORG_HOME", "KORG_URL", "KORG_LEDGER_HMAC_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ledger(name: str = "journal.jsonl", *, key: str = "", signed: bool = False) -> list[dict[str, Any]]:
    """Write the worked example; its records."""
    before, out = "0" * 64, []
    for record in table(WORKED_EXAMPLE).records:
        record = {**record, "prev_hash": before}
        content = canonical(record)
        sha = hmac.new(key.encode(), content, hashlib.sha256) if key else hashlib.sha256(content)
        before = sha.hexdigest()
        signature = {"event_sig": OWNER.sign(content).hex()} if signed else {}
        out.append({**record, **signature, "entry_hash": before})
    write(out, name)
    return out


def write(records: list[dict[str, Any]], name: str = "journal.jsonl") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(lines(records))


def tampered(name: str = "journal.jsonl") -> None:
    records = ledger(name)
    records[3] = {**records[3], "schema_version": "1.1"}
    write(records, name)


def say(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code = main(["verify", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_an_intact_ledger_is_fine_and_what_nobody_knows_is_said(capsys):
    tip = ledger()[-1]["entry_hash"]
    assert main(["verify", "journal.jsonl"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines() == [
        "intact  journal.jsonl: 7 events, verified to seq 7",
        f"  tip {tip}",
        f"  {CUT_TAIL}",
        f"  {NO_SECRET}",
    ]
    assert say(capsys, "journal.jsonl") == (
        0,
        {
            "verdict": "intact",
            "events": 7,
            "tip": tip,
            "verified_to": 7,
            "errors": [],
            "findings": [],
            "notes": [CUT_TAIL, NO_SECRET],
            "seal": None,
            "anchors": None,
        },
    )


def test_what_was_changed_is_named_with_its_seq(capsys):
    tampered()
    assert main(["verify", "journal.jsonl"]) == 1
    first, _, fault, *more = capsys.readouterr().out.splitlines()
    assert first == "broken  journal.jsonl: 7 events, verified to seq 3"
    assert fault.startswith("  seq 4  content  what stands here has the hash ")
    assert more == []


def test_a_folder_is_verified_ledger_by_ledger(capsys):
    ledger("run/a.jsonl")
    tampered("run/b.jsonl")
    Path("run/c.jsonl").write_bytes(b"")
    code, said = say(capsys, "run")
    assert code == 1
    assert [(Path(each["ledger"]).name, each["verdict"]) for each in said] == [
        ("a.jsonl", "intact"), ("b.jsonl", "broken"), ("c.jsonl", "empty"),
    ]  # fmt: skip


def test_nothing_named_takes_what_is_found_and_the_demo_is_believed(capsys):
    ledger(".korg/journal.jsonl")
    code, said = say(capsys)
    assert (code, said["verdict"], said["events"]) == (0, "intact", 7)
    code, said = say(capsys, "--demo")
    assert (code, said["verdict"], said["errors"]) == (0, "intact", [])


def test_one_that_cannot_be_read_does_not_hide_the_others(capsys):
    ledger("a.jsonl")
    assert main(["verify", "gone.jsonl"]) == 3
    capsys.readouterr()
    Path("text.jsonl").write_text("no ledger\n")
    assert main(["verify", "text.jsonl", "a.jsonl", "--json"]) == 3
    out, err = capsys.readouterr()
    assert [each["verdict"] for each in json.loads(out)] == ["intact"]
    assert err.startswith("korg-tui: text.jsonl: ")
    assert err.count("\n") == 1


def test_one_ledger_of_a_file_whose_numbers_restart(capsys):
    ledger()
    other = Book()
    other.infer(other.prompt("another run"))
    Path("two.jsonl").write_bytes(Path("journal.jsonl").read_bytes() + other.nested())
    records = [json.loads(line) for line in other.nested().splitlines()]
    code, said = say(capsys, "two.jsonl")
    assert (code, [each["ledger"] for each in said]) == (0, ["two.jsonl", "two.jsonl#2"])
    code, said = say(capsys, "two.jsonl#2", "--expect-tip", records[-1]["entry_hash"])
    assert (code, said["verdict"]) == (0, "intact")
    assert main(["verify", "two.jsonl#3"]) == 2
    assert "two.jsonl holds 2 ledgers" in capsys.readouterr().err


def test_standard_input():
    tampered()
    words = [sys.executable, "-m", "korg_tui", "verify", "-", "--json"]
    done = subprocess.run(words, input=Path("journal.jsonl").read_bytes(), capture_output=True)
    said = json.loads(done.stdout)
    assert (done.returncode, said["verdict"], said["errors"][0]["seq"]) == (1, "broken", 4)


# keys


def test_a_keyed_ledger_needs_its_key(capsys, monkeypatch):
    ledger(key=SECRET)
    code, said = say(capsys, "journal.jsonl")
    assert (code, said["verdict"], said["errors"]) == (1, "needs_key", [])
    Path("key").write_text(SECRET + "\n")
    code, said = say(capsys, "journal.jsonl", "--key-file", "key")
    assert (code, said["verdict"], NO_SECRET in said["notes"]) == (0, "intact", False)
    monkeypatch.setenv("KORG_LEDGER_HMAC_KEY", SECRET)
    assert say(capsys, "journal.jsonl")[1]["verdict"] == "intact"
    assert say(capsys, "--demo")[1]["verdict"] == "intact"


@pytest.mark.parametrize("words", [["--key", SECRET], [f"--key={SECRET}"], ["--ke", SECRET]])
@pytest.mark.parametrize("command", [["verify"], []])
def test_no_key_is_taken_from_the_command_line_nor_repeated(capsys, words, command):
    ledger(key=SECRET)
    assert main([*command, "journal.jsonl", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("korg-tui: unknown option --ke")
    assert SECRET not in err


def test_no_key_is_ever_printed(capsys, monkeypatch):
    ledger(key="another")
    monkeypatch.setenv("KORG_LEDGER_HMAC_KEY", SECRET)
    for more in ([], ["--json"], ["--junit", "out.xml"]):
        assert main(["verify", "journal.jsonl", *more]) == 1
    out, err = capsys.readouterr()
    assert SECRET not in out + err + Path("out.xml").read_text()


def test_a_key_in_the_place_of_its_file_is_not_repeated(capsys):
    ledger(key=SECRET)
    for word in (SECRET, "\0" + SECRET):
        assert main(["verify", "journal.jsonl", "--key-file", word]) == 2
        err = capsys.readouterr().err
        assert err.startswith("korg-tui: --key-file: ")
        assert SECRET not in err


@pytest.mark.parametrize(
    "words",
    [
        ["--key-file", "gone"],
        ["--pubkey", "abc"],
        ["--expect-tip", "abc"],
        ["--expect-tip", ""],
        ["--since", "x"],
    ],
)
def test_wrong_use_is_one_line(capsys, words):
    ledger()
    assert main(["verify", "journal.jsonl", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_signatures_are_checked_with_a_public_key(capsys):
    records = ledger(signed=True)
    code, said = say(capsys, "journal.jsonl")
    assert code == 0
    assert "7 events are signed; --pubkey KEY checks them" in said["notes"]
    code, said = say(capsys, "journal.jsonl", "--pubkey", PUBLIC)
    assert (code, said["verdict"], NO_SECRET in said["notes"]) == (0, "intact", False)
    records[2]["event_sig"] = records[1]["event_sig"]
    write(records)
    assert say(capsys, "journal.jsonl")[0] == 0
    code, said = say(capsys, "journal.jsonl", "--pubkey", "00" * 31 + "07", "--pubkey", PUBLIC)
    assert (code, [(each["seq"], each["kind"]) for each in said["errors"]]) == (1, [(3, "signature")])


# tips, anchors


def test_a_known_tip_shows_a_cut_end_and_one_that_has_grown(capsys):
    records = ledger()
    tip = records[-1]["entry_hash"]
    code, said = say(capsys, "journal.jsonl", "--expect-tip", tip.upper())
    assert (code, said["verdict"]) == (0, "intact")
    assert said["notes"] == ["it ends with the expected tip", NO_SECRET]
    code, said = say(capsys, "journal.jsonl", "--expect-tip", records[4]["entry_hash"])
    (error,) = said["errors"]
    assert (code, said["verdict"], error["seq"], error["kind"]) == (1, "broken", 7, "tip")
    assert error["text"] == "the expected tip is that of seq 5: what follows was added since"
    write(records[:5])
    code, said = say(capsys, "journal.jsonl", "--expect-tip", tip)
    assert (code, [(each["seq"], each["kind"]) for each in said["errors"]]) == (1, [(5, "tip")])
    write([])
    code, said = say(capsys, "journal.jsonl", "--expect-tip", tip)
    assert (code, said["verdict"], [each["seq"] for each in said["errors"]]) == (1, "empty", [None])


def test_a_tip_is_that_of_one_ledger(capsys):
    ledger("run/a.jsonl")
    ledger("run/b.jsonl")
    assert main(["verify", "run", "--expect-tip", "0" * 64]) == 2
    assert "--expect-tip speaks of one ledger, and here are 2" in capsys.readouterr().err


def test_anchors_beside_it_or_named(capsys):
    records = ledger("run/journal.jsonl")
    anchor = {"seq_id": 7, "entry_hash": records[6]["entry_hash"], "anchor_kind": "git-tip"}
    Path("elsewhere.jsonl").write_text(json.dumps(anchor) + "\n")
    code, said = say(capsys, "run/journal.jsonl", "--anchors", "elsewhere.jsonl")
    assert (code, said["anchors"]) == (0, {"where": "elsewhere.jsonl", "count": 1, "held": [7]})
    assert any("witness was not asked" in note for note in said["notes"])
    write(records[:6], "run/journal.jsonl")
    code, said = say(capsys, "run/journal.jsonl", "--anchors", "elsewhere.jsonl")
    assert (code, said["verdict"], said["errors"][0]["kind"]) == (1, "broken", "anchor")
    assert main(["verify", "run/journal.jsonl", "--anchors", "gone.jsonl"]) == 3


def test_since_looks_only_at_what_follows(capsys):
    tampered()
    code, said = say(capsys, "journal.jsonl", "--since", "5")
    assert (code, said["verdict"], said["events"]) == (0, "intact", 3)
    assert "4 events before were passed over" in said["notes"]


# what else is no fine ledger


def test_a_key_that_stands_twice_and_a_line_that_is_none_are_findings(capsys):
    records = ledger()
    text = lines(records).replace(b'"seq_id":3', b'"seq_id":3,"seq_id":3', 1)
    Path("journal.jsonl").write_bytes(text)
    code, said = say(capsys, "journal.jsonl")
    assert (code, said["verdict"], [each["seq"] for each in said["findings"]]) == (1, "intact", [3])
    Path("journal.jsonl").write_bytes(lines(records) + b"{]\n")
    code, said = say(capsys, "journal.jsonl")
    assert (code, said["verdict"], [each["seq"] for each in said["findings"]]) == (1, "intact", [None])


def test_the_first_line_says_that_something_else_was_found(capsys):
    records = ledger()
    main(["verify", "journal.jsonl"])
    assert capsys.readouterr().out.startswith("intact  ")
    Path("journal.jsonl").write_bytes(lines(records) + b"{]\n")
    assert main(["verify", "journal.jsonl"]) == 1
    assert capsys.readouterr().out.startswith("intact, but 1 finding  ")
    Path("journal.jsonl").write_bytes(lines(records) + b"{]\n{]\n")
    main(["verify", "journal.jsonl"])
    assert capsys.readouterr().out.startswith("intact, but 2 findings  ")


@pytest.mark.parametrize("option", ["--key-file", "--pubkey", "--anchors", "--junit"])
@pytest.mark.parametrize("made", [False, True], ids=["missing", "there"])
def test_a_name_of_a_file_acts_on_no_terminal(capsys, option, made):
    ledger()
    name = "\x1b]0;x\x07key"
    if made:
        Path(name).mkdir()
    code = main(["verify", "journal.jsonl", option, name])
    assert (code == 0) == (option == "--junit" and not made)
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "\x07" not in out + err


def test_numbers_that_programs_spell_differently_are_no_evidence(capsys):
    book = table(WORKED_EXAMPLE)
    book.records[2]["event"]["args"] = {"ratio": 0.5}
    Path("journal.jsonl").write_bytes(book.nested())
    code, said = say(capsys, "journal.jsonl")
    assert (code, said["verdict"], said["errors"]) == (0, "unverifiable", [])
    assert "args.ratio" in said["findings"][0]["text"]
    Path("journal.jsonl").write_bytes(book.nested().replace(b"0.5", b"0.25"))
    code, said = say(capsys, "journal.jsonl")
    assert (code, said["verdict"], said["errors"]) == (1, "unverifiable", [])


# JUnit


def test_results_for_continuous_integration(capsys):
    ledger("run/a.jsonl")
    tampered("run/b.jsonl")
    Path("out.xml").write_text("old")
    assert main(["verify", "run", "--junit", "out.xml"]) == 1
    first, second = ET.parse("out.xml").getroot()
    assert [case.get("name") for case in first] == ["chain", "signatures", "seal", "anchors", "tip"]
    assert (first.get("failures"), second.get("failures")) == ("0", "1")
    failure = second.find("testcase[@name='chain']/failure")
    assert failure is not None and failure.text is not None
    assert failure.text.startswith("seq 4 content: ")


def test_no_ledger_is_written_over(capsys):
    ledger()
    before = Path("journal.jsonl").read_bytes()
    assert main(["verify", "journal.jsonl", "--junit", "journal.jsonl"]) == 2
    assert Path("journal.jsonl").read_bytes() == before


def test_on_a_terminal_what_nobody_knows_is_read_to_its_end(monkeypatch):
    ledger()
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["verify", "journal.jsonl"]) == 0
    words = " ".join(terminal.getvalue().split())
    assert words.startswith("intact journal.jsonl: 7 events")
    assert CUT_TAIL in words and NO_SECRET in words
    assert "…" not in words.partition(CUT_TAIL)[2]


@pytest.mark.parametrize("spoil", ["behind", "twice", "comma"])
def test_what_an_array_or_a_wrapper_hides_is_a_finding(capsys, spoil):
    events = [json.dumps(record) for record in ledger()]
    array = f"[{', '.join(events)}]"
    data = {
        "behind": f"{array}\n{events[0]}",
        "twice": f'{{"events": [{events[0]}], "\\u0065vents": {array}}}',
        "comma": f"[{events[0]} {', '.join(events[1:])}]",
    }
    Path("journal.jsonl").write_text(data[spoil])
    code, found = say(capsys, "journal.jsonl")
    assert (code, found["events"], len(found["findings"])) == (1, 7, 1)


@pytest.mark.parametrize("command", ["verify", "check"])
def test_a_since_that_no_event_reaches_is_wrong_use(capsys, command):
    ledger()
    assert main([command, "journal.jsonl", "--since", "7", "--json"]) in (0, 1)
    capsys.readouterr()
    assert main([command, "journal.jsonl", "--since", "8", "--json"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "korg-tui: --since 8: no event has that seq or a later one\n")

"""Every command on a ledger that attacks, as a process of its own: in a pipe, and on a real terminal.

What is asserted are bytes: on a terminal the program's own colours and line ends, in a pipe line ends alone,
and for the rest characters that can be seen."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import category
from xml.etree import ElementTree as ET

import pytest

from builders import canonical
from hostile import ATTACKS, got_through, write_hostile, write_hostile_names
from terminal import DEADLINE, Terminal, Written, environment, korg

NAME = "\x1b[2J\x1b]52;c;cHduZWQ=\x07\x9b66;6H\u202e[@click=app.quit][b +\u2028\x7f\n"
"""The name of a file or a folder that any system takes."""

OPTION = NAME.replace(" ", "")
SEEN = "␛[2J␛]52;c;cHduZWQ=␇\\x9b66;6H\\u202e[@click=app.quit]"
"""How it is shown."""

COLOURS = {"0", "1", "2", "31", "32", "33", "34", "35", "36"}


@dataclass(frozen=True, slots=True)
class Said:
    """What a command said in a pipe, and the same command on a terminal."""

    code: int
    out: bytes
    err: bytes
    on_terminal: bytes


def ask(home: Path, *words: str | Path, more: Mapping[str, str] | None = None, stdin: bytes = b"") -> Said:
    """Run a command twice at once, in a pipe and on a terminal of 80×24. Both end with the same code, and
    neither lets anything through."""
    with (
        Terminal(korg(*words), home=home, more=more) as terminal,
        subprocess.Popen(
            korg(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=home,
            env=environment(home, more),
        ) as pipe,
    ):
        try:
            out, err = pipe.communicate(stdin, timeout=DEADLINE)
            code = terminal.end()
        finally:
            pipe.kill()
    assert code == pipe.returncode, (out[-500:], err, bytes(terminal.raw[-500:]))
    said = Said(code, out, err, bytes(terminal.raw))
    assert_harmless(out, {"C0 \\n"})
    assert_harmless(err, {"C0 \\n"})
    colours = assert_harmless(said.on_terminal, {"C0 \\r", "C0 \\n", "CSI m"}).forms.get("CSI m", ())
    assert set(colours) <= COLOURS
    return said


def assert_harmless(raw: bytes, its_own: set[str]) -> Written:
    """Nothing but what can be seen, and these control sequences."""
    written = Written(raw)
    assert written.forms.keys() <= its_own
    assert written.unseen == set()
    assert written.marks_in_a_row <= 2
    assert got_through(raw) == []
    assert b"Traceback" not in raw
    return written


def assert_refused(said: Said, code: int, *words: str, lines: int = 1) -> None:
    """One line says what, where, and what now; of a filter, two more may point at the word."""
    assert said.code == code, said.err
    assert said.out == b""
    for raw in (said.err, said.on_terminal.replace(b"\r\n", b"\n")):
        assert raw.startswith(b"korg-tui: ")
        assert raw.endswith(b"\n")
        assert raw.count(b"\n") == lines
    for word in words:
        assert word in said.err.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def ledger(folder: Path) -> str:
    """The name of the ledger in the folder; commands run there."""
    return write_hostile(folder).name


@pytest.fixture(scope="module")
def named(folder: Path) -> Path:
    """A folder with a hostile name, and in it ledgers with hostile names."""
    names = folder / "names" / NAME
    assert len(write_hostile_names(names)) > 20
    return names


EVENTS = [str(seq) for seq in range(2, 560, 3)]
"""Of every attack several events, and of every sort of event some."""

COMMANDS: dict[str, Sequence[str]] = {
    "sessions": ["sessions"],
    "lanes": ["lanes"],
    "show": ["show"],
    "show some": ["show", *EVENTS],
    "show filtered": ["show", "--filter", "is:failed"],
    "rewind": ["rewind", "15"],
    "rewind before": ["rewind", "--before", "40"],
    "follow": ["follow", "--until-idle", "0"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_hostile_ledger_as_text(folder: Path, ledger: str, words: Sequence[str]) -> None:
    said = ask(folder, *words, ledger)
    assert said.code == 0
    assert said.err == b""
    assert "[@click=app.quit]" in said.out.decode()
    assert "␛" in said.out.decode()
    assert "␛" in said.on_terminal.decode()
    assert words[0] == "follow" or b"\x1b[" in said.on_terminal


@pytest.mark.parametrize("name", ["sessions", "lanes", "show", "rewind before", "follow"])
def test_a_hostile_ledger_as_json(folder: Path, ledger: str, name: str) -> None:
    said = ask(folder, *COMMANDS[name], ledger, "--json")
    assert (said.code, said.err) == (0, b"")
    assert said.on_terminal == said.out.replace(b"\n", b"\r\n")
    documents = read_json(said.out)
    if name == "show":
        assert {document["ledger"] for document in documents} == {ledger}
        assert "\\u001b]52;c;cHduZWQ=\\u0007" in said.out.decode()


def read_json(out: bytes) -> list[Any]:
    """One document, a list of them, or one on each line."""
    assert out.isascii()
    documents = [json.loads(line) for line in out.splitlines()]
    assert documents
    return documents[0] if isinstance(documents[0], list) else documents


@pytest.mark.parametrize("words", ["sessions", "show"])
def test_ledgers_with_hostile_names(folder: Path, named: Path, words: str) -> None:
    said = ask(folder, *words.split(), named)
    assert (said.code, said.err) == (0, b"")
    assert SEEN in said.out.decode()


def test_hostile_names_as_json(folder: Path, named: Path) -> None:
    said = ask(folder, "follow", "--until-idle", "0", named, "--json")
    assert (said.code, said.err) == (0, b"")
    assert all(NAME in document["ledger"] for document in read_json(said.out))


def test_standard_input(folder: Path, ledger: str) -> None:
    done = subprocess.run(
        korg("show", "-"),
        input=(folder / ledger).read_bytes(),
        capture_output=True,
        env=environment(folder),
        timeout=DEADLINE,
        check=True,
    )
    assert_harmless(done.stdout, {"C0 \\n"})
    assert "␛]52;c;" in done.stdout.decode()


# --- whether a ledger that attacks can be believed


@pytest.fixture(scope="module")
def sealed_attacks(folder: Path) -> str:
    """A folder: a certificate whose every claim attacks, a chained ledger whose events have numbers and keys
    that attack, and anchors of them whose witnesses attack."""
    attacks = folder / "sealed"
    attacks.mkdir()
    everything = {attack[:40]: attack for attack in ATTACKS.values()}
    odd = {"tool_name": "Bash", "source_agent": NAME, "args": dict.fromkeys(ATTACKS.values(), 0.5)}
    events: list[dict[str, Any]] = [{"seq_id": seq, "event": odd} for seq in (1, 2)]
    for event, before in zip(events, ("0" * 64, NAME), strict=True):
        event |= {"prev_hash": before, "event_sig": NAME, "schema_version": NAME}
        event["entry_hash"] = hashlib.sha256(canonical(event)).hexdigest()
    twice = json.dumps(events[1])[:-1] + f',{json.dumps(NAME)}:1,{json.dumps(NAME)}:2}}'
    (attacks / "chained.jsonl").write_text(f"{json.dumps(events[0])}\n{twice}\n")
    hashes = {"bidi": events[0]["entry_hash"], "nul": NAME}
    anchors = [
        {
            "seq_id": seq,
            "entry_hash": hashes.get(name, f"{seq:064x}"),
            "anchor_kind": attack,
            "anchor_proof": everything,
            "anchored_at": attack,
        }
        for seq, (name, attack) in enumerate(ATTACKS.items(), -3)
    ]
    (attacks / "anchors.jsonl").write_text("".join(f"{json.dumps(anchor)}\n" for anchor in anchors))
    for number, schema in enumerate(("korgcert@v1", "korgex-receipt@v1")):
        claims = dict.fromkeys(("claim", "issuer", "issued_at", "generated_at", "tip", "summary"), NAME)
        seal = {"alg": NAME, "pubkey": NAME, "sig": NAME}
        wrapper = {
            "schema": schema, **claims, "event_count": NAME, "anchors": anchors, "seal": seal,
            "signature": seal, "events": events,
        }  # fmt: skip
        (attacks / f"wrapped{number}.json").write_text(json.dumps(wrapper))
    return attacks.name


@pytest.mark.parametrize("command", ["verify", "check"])
@pytest.mark.parametrize("what", ["ledger", "named", "sealed_attacks"])
def test_what_is_found_of_ledgers_that_attack(
    request: pytest.FixtureRequest, folder: Path, command: str, what: str
) -> None:
    """As text, as JSON, and as JUnit XML, which can be read and holds no control character."""
    source = str(request.getfixturevalue(what))
    report = folder / f"{command} {what}.xml"
    said = ask(folder, command, source, "--junit", report)
    found = what != "named"  # there, only the names attack
    assert (said.code, said.err) == (found, b"")
    assert "␛" in said.out.decode()
    assert b"\x1b[" in said.on_terminal
    assert list(ET.parse(report).getroot())
    assert controls_in(report) <= {"\n"}
    told = ask(folder, command, source, "--json")
    assert (told.code, told.err) == (found, b"")
    assert read_json(told.out)
    ask(folder, command, source, "--since", "2")


def controls_in(path: Path) -> set[str]:
    return {character for character in path.read_text() if category(character) == "Cc"}


def test_findings_without_a_screen(folder: Path, ledger: str, sealed_attacks: str) -> None:
    for source in (ledger, f"{sealed_attacks}/chained.jsonl", f"{sealed_attacks}/wrapped0.json"):
        done = subprocess.run(
            korg("--plain", source),
            input=b"open 1\nfindings\nquit\n",
            capture_output=True,
            cwd=folder,
            env=environment(folder),
            timeout=DEADLINE,
            check=True,
        )
        assert_harmless(done.stdout, {"C0 \\n"})
        assert "␛" in done.stdout.decode()
        assert "chain" in done.stdout.decode()


# --- what a person does wrong, in words that attack


def test_files_that_cannot_be_opened(folder: Path, named: Path) -> None:
    readme = folder / f"readme {NAME}"
    readme.write_text("no ledger: \x1b[2J \x9b66;6H\n")
    (folder / "empty" / NAME).mkdir(parents=True)
    for source, *words in (
        (folder / NAME, "no such file", "check the name"),
        (readme, "not a ledger"),
        (folder / "empty" / NAME, "no ledger in this folder"),
    ):
        assert_refused(ask(folder, "show", source), 3, SEEN, *words)


def test_an_address_that_is_none_does_not_give_its_credentials_away(folder: Path) -> None:
    """What stands before the `@` may be a password."""
    said = ask(folder, "show", f"http://{NAME}")
    assert_refused(said, 3, "not an address", "click=app.quit")
    assert b"c;cHduZWQ" not in said.err


def test_a_name_that_is_no_utf_8(folder: Path) -> None:
    assert_refused(ask(folder, "show", os.fsdecode(b"\x9b2J\xff\xed\xa0\x80")), 3, "no such file", "\ufffd")


def test_events_that_are_not_there(folder: Path, ledger: str, named: Path) -> None:
    assert_refused(ask(folder, "show", f"{NAME}:3", named), 2, f"no ledger is called {SEEN}", "there are")
    assert_refused(ask(folder, "rewind", "2", named), 2, "several ledgers have an event 2", SEEN)
    (one, *_) = sorted(named.glob("*click*"))
    assert_refused(ask(folder, "show", f"{one}:99", named), 2, "no event 99", "nearest", SEEN)
    assert_refused(ask(folder, "rewind", "--before", "1", ledger), 2)


@pytest.mark.parametrize(
    "words",
    [
        ["sessions", f"--{OPTION}"],
        ["show", f"--filter=is:{NAME}"],
        ["show", f"--filter=seq:{NAME}"],
        ["follow", "--until-idle", NAME],
        [f"--theme={NAME}"],
    ],
    ids=["option", "filter is", "filter seq", "until idle", "theme"],
)
def test_words_that_nobody_understands(folder: Path, ledger: str, words: Sequence[str]) -> None:
    lines = 3 if "--filter" in words[-1] else 1
    assert_refused(ask(folder, *words, *([ledger] if words[0] in COMMANDS else [])), 2, lines=lines)


def test_a_filter_that_attacks(folder: Path, ledger: str) -> None:
    said = ask(folder, "show", ledger, f'--filter="[/" -"{NAME}" [b')
    assert (said.code, said.err) == (0, b"")


def test_narration_that_attacks(folder: Path, named: Path) -> None:
    (one, *_) = sorted(named.glob("*click*"))
    said = ask(folder, "sessions", more={"KORG_JOURNAL_PATH": str(one)})
    assert said.code == 0
    assert SEEN in said.err.decode()
    assert_refused(
        ask(folder, "sessions", more={"KORG_HOME": str(folder / NAME)}), 3, "no ledger found", SEEN
    )


FAULTY = """
import korg_tui.reports as reports
def sessions(arguments):
    raise RuntimeError(arguments.words[0])
reports.sessions = sessions
"""


def test_a_fault_of_our_own(folder: Path, tmp_path: Path) -> None:
    """One line says where the report lies, or, where no folder takes one, where the fault lies."""
    (tmp_path / "sitecustomize.py").write_text(FAULTY)
    broken = {"PYTHONPATH": str(tmp_path)}
    said = ask(folder, "sessions", NAME, more={**broken, "XDG_STATE_HOME": str(tmp_path / NAME)})
    assert_refused(said, 70, "an internal fault (RuntimeError); please report it with", "␛[2J")
    (tmp_path / "sitecustomize.py").write_text(f"{FAULTY}\nimport tempfile\ntempfile.tempdir = '/dev/null'\n")
    said = ask(folder, "sessions", NAME, more={**broken, "HOME": "/dev/null", "XDG_STATE_HOME": ""})
    assert_refused(said, 70, "an internal fault (RuntimeError at sitecustomize.py:4); no folder")

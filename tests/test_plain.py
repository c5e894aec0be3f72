"""Plain: lines in, sentences out - in a session, through a pipe, and at a terminal."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from builders import FixedClock
from hostile import hostile
from korg_tui.plain import Talk
from korg_tui.plain.telling import spoken
from korg_tui.reading import Reading
from stage import MemorySource, story, worked_example
from terminal import Terminal, Written, korg


def talk_over(*sources: MemorySource) -> Talk:
    readings = []
    for source in sources:
        reading = Reading.of(source)
        source.post = reading.apply
        for fact in source.start():
            reading.apply(fact)
        readings.append(reading)
    return Talk(readings, lambda: FixedClock().now_ms)


def said(talk: Talk, *lines: str) -> list[str]:
    """The answer to the last of these lines."""
    answer: list[str] = []
    for line in lines:
        answer = list(talk.answer(line))
    return answer


def test_the_only_session_is_open_at_once_at_its_end():
    talk = talk_over(MemorySource(worked_example()))
    title, event, helps = talk.begin()
    assert title == "session 1 of .korg/journal.jsonl: complete, 7 events, 2 lanes, 0 failed, 0 dead pointers"
    assert event.startswith("event 7, llm_inference, lane 1 ")
    assert "succeeded, caused by 6" in event
    assert helps == "help lists the commands"


def test_sessions_are_listed_with_the_numbers_that_open_takes():
    talk = talk_over(MemorySource(story()))
    first, *rows, _ = talk.begin()
    assert first == "3 sessions"
    assert [row[:2] for row in rows] == ["1:", "2:", "3:"]
    assert said(talk, "next") == ["no session is open: 'sessions' lists them, 'open 1' opens the first"]
    assert said(talk, "open 9") == ["open takes the number of a session, 1 to 3: 'sessions' lists them"]
    number = next(row[0] for row in rows if "leap days" in row)
    assert said(talk, f"open {number}")[0].startswith("session 1 of .korg/journal.jsonl: ")


@pytest.fixture
def talk() -> Talk:
    """In the story's first session, on its third event."""
    talk = talk_over(MemorySource(story()))
    rows = list(talk.begin())
    said(talk, f"open {next(row[0] for row in rows if 'leap days' in row)}", "3")
    return talk


def test_an_event_is_a_sentence(talk: Talk):
    assert said(talk, "here") == [
        "event 3, Bash, lane 1 main, failed, caused by 2, 3.8 seconds: pytest tests/test_dates.py"
    ]


@pytest.mark.parametrize(
    ("word", "key", "event"),
    [("next", "j", 4), ("previous", "k", 2), ("parent", "p", 2), ("first", "g", 1), ("lane", "}", 4)],
)
def test_words_and_the_keys_of_the_screen_do_the_same(talk: Talk, word: str, key: str, event: int):
    by_word = said(talk, "3", word)
    assert by_word == said(talk, "3", key)
    assert by_word[0].startswith(f"event {event}, ")


def test_the_edges_are_told(talk: Talk):
    assert said(talk, "first", "previous") == ["this is the first event"]
    assert said(talk, "last", "next") == ["this is the last event"]
    assert said(talk, "1", "parent") == ["this event has no parent in the ledger"]


def test_failures_are_listed_and_stepped_through(talk: Talk):
    count, event = said(talk, "failures")
    assert count == "1 failure"
    assert event.startswith("event 3, Bash, lane 1 ") and ", failed, " in event
    assert said(talk, "1", "e")[0].startswith("event 3, ")
    assert said(talk, "e") == ["this is the only failure", event]
    assert said(talk, "first", "E")[:2] == ["there is no earlier failure: this is the last one", event]
    assert said(talk, "dead") == ["0 dead pointers"]


def test_a_search_goes_to_its_first_hit_and_on(talk: Talk):
    assert said(talk, "n") == ["nothing was searched for: search WORDS"]
    count, event = said(talk, "1", "search tool:Bash")
    assert count == "2 hits for “tool:Bash”"
    assert event.startswith("event 3, Bash")
    assert said(talk, "n")[0].startswith("event 18, Bash")
    assert said(talk, "/tool:Edit")[0] == "1 hit for “tool:Edit”"
    assert said(talk, "search") == ["say what to look for, as in: search is:failed tool:Bash"]


def test_a_filter_keeps_what_led_to_it(talk: Talk):
    (told,) = said(talk, "filter is:failed")
    assert told.startswith("1 of 20 rows fit; ")
    assert said(talk, "previous")[0].startswith("event 2, ")
    assert said(talk, "filter")[0].startswith("no filter: all ")


def test_details_are_labelled_lines(talk: Talk):
    lines = said(talk, "details")
    assert lines[0] == "3 Bash:"
    assert "  outcome: ✗ failed" in lines
    assert any("pytest tests/test_dates.py" in line for line in lines)
    assert said(talk, "") == lines
    assert said(talk, "raw")[0].startswith("raw record, ")


def test_a_rewind_is_a_preview_and_why_tells_the_chain(talk: Talk):
    lines = said(talk, "rewind 16")
    assert lines[0].startswith("rewind preview to 16: Keep ≤ 16")
    assert any(line.startswith("goes: 17 Edit, lane 1 ") for line in lines)
    assert lines[-1] == "a preview: nothing was rewound, and nothing on disk would be undone"
    assert said(talk, "why 17") == [
        "why a rewind to 16 drops it:", "rule 1: 17 followed from 16, its parent"
    ]  # fmt: skip
    assert said(talk, "why 3") == ["3 followed from 2, its parent", "2 followed from 1, its parent"]


def test_what_is_not_understood_says_so_and_is_counted(talk: Talk):
    assert said(talk, "xyzzy \x1b[2J") == ["“xyzzy ␛[2J” is no command: help lists them"]
    assert said(talk, "z") == ["“fold level” is for the screen only"]
    assert said(talk, "99999")[0] == "there is no event 99999 in this ledger"
    assert said(talk, "9" * 21)[0] == f"there is no event {'9' * 21} in this ledger"
    assert talk.wrong == 2


def test_new_events_are_told_and_move_only_who_stands_at_the_end():
    source = MemorySource(story())
    talk = talk_over(source)
    rows = list(talk.begin())
    said(talk, f"open {next(row[0] for row in rows if 'leap days' in row)}")
    reading, told = talk.readings[0], []
    source.post = lambda fact: talk.changed(reading, reading.apply(fact), told.append)
    book = story()
    book.tool("Bash", 20, args={"command": "git push"})
    source.append(book.nested()[len(source.epochs[-1]) :])
    assert len(told) == 1 and told[0].startswith("new: event ") and told[0].endswith(": git push")
    assert said(talk, "here") == [told[0].removeprefix("new: ")]
    assert said(talk, "1", "follow") == ["new events are told as they come"]
    assert said(talk, "follow") == ["new events are not told"]
    book.tool("Bash", 20, args={"command": "git pull"})
    source.append(book.nested()[len(source.epochs[-1]) :])
    assert len(told) == 1
    assert said(talk, "here")[0].startswith("event 1, ")


def test_durations_are_words():
    assert spoken("11 ms") == "11 milliseconds"
    assert spoken("1 m 10 s") == "1 minute 10 seconds"
    assert spoken("no time") == "no time"


def through_a_pipe(path: Path, *lines: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        korg("--plain", path),
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(worked_example().nested())
    return path


def test_a_pipe_gives_commands_and_gets_sentences(ledger: Path):
    done = through_a_pipe(ledger, "parent", "rewind 5")
    assert done.returncode == 0
    assert "event 6, Agent, lane 1 " in done.stdout
    assert "goes: 7 llm_inference, lane 1 " in done.stdout
    assert "\x1b" not in done.stdout and done.stderr == ""
    assert through_a_pipe(ledger, "xyzzy").returncode == 2


def test_what_cannot_be_opened_is_one_line(tmp_path: Path):
    done = through_a_pipe(tmp_path / "nothing.jsonl", "quit")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1 and "nothing.jsonl" in done.stderr


def test_nothing_hostile_reaches_the_terminal(tmp_path: Path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(hostile())
    done = through_a_pipe(path, "open 1", "first", *["page", "details", "raw"] * 3, "failures", "rewind 1")
    assert done.returncode in (0, 2)
    bad = [character for character in done.stdout if not character.isprintable() and character != "\n"]
    assert bad == []


def test_at_a_terminal_it_follows_and_quits(ledger: Path):
    with Terminal(korg("--plain", ledger), home=ledger.parent) as terminal:
        terminal.see("help lists the commands")
        with ledger.open("ab") as file:
            book = worked_example()
            book.tool("Bash", 7, args={"command": "make"})
            file.write(book.nested()[ledger.stat().st_size :])
        terminal.see("new: event 8, Bash")
        terminal.send("quit\n")
        assert terminal.end() == 0
        assert Written(terminal.raw).forms.keys() <= {"C0 \\r", "C0 \\n"}


def test_findings_are_told_group_by_group(talk):
    told = said(talk, "findings")
    assert told[0].startswith("chain intact, 24 events")
    assert "event 22, dead: Write: parent 21 missing: not in the ledger" in told
    assert "malformed lines, pass: none" in told
    assert any("who wrote it: no event is signed" in line for line in told)
    assert said(talk, "!") == told


def test_findings_tell_what_anchors_say(ledger: Path):
    anchor = {"seq_id": 99_999, "entry_hash": "ab" * 32}
    (ledger.parent / "anchors.jsonl").write_text(f"{json.dumps(anchor)}\n")
    told = through_a_pipe(ledger, "open 1", "findings").stdout
    assert "1 fault of seal and anchors" in told
    assert "event 99999, anchor: seq 99999 is anchored, and this ledger ends at " in told
    assert "the outside witness was not asked" in told

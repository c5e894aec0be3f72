"""Trust on the screens: chains are checked beside the keys, and what was found is said where one looks."""

from __future__ import annotations

import hmac
import json
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from builders import START_MS, Book, FixedClock, canonical, chained, lines
from korg_tui import watching
from korg_tui.plain import Talk
from korg_tui.screens import LedgersScreen, SessionScreen
from korg_tui.screens.trusting import TrustingScreen
from korg_tui.sources import BodyGone, FileSource, Pool
from korg_tui.trust import vigil as vigils
from korg_tui.views import SessionRow
from stage import MemorySource, app_over, foreign, keys, story
from terminal import environment, korg
from test_screens_families import child, parent
from test_screens_families import settled as all_of

CLOCK = FixedClock(START_MS + 60_000)
KEY = b"a key that nobody knows"


def loop(rounds: int) -> Book:
    """One session of an inference after the other."""
    book = Book()
    last = book.prompt("count")
    for number in range(rounds):
        last = book.infer(last, result={"text": f"{number}"})
    return book


def altered(ledger: Book | bytes, seq: int) -> bytes:
    """The ledger in which somebody changed when an event was written, and nothing else."""
    content = ledger.nested() if isinstance(ledger, Book) else ledger
    was = b'"seq_id":%d,' % seq
    line = next(each for each in content.splitlines() if was in each)
    return content.replace(line, line.replace(b'"schema_version":"1.0"', b'"schema_version":"1.1"'))


def keyed(book: Book, key: bytes = KEY) -> bytes:
    previous, out = "0" * 64, []
    for record in book.records:
        linked = {**record, "prev_hash": previous}
        previous = hmac.new(key, canonical(linked), "sha256").hexdigest()
        out.append({**linked, "entry_hash": previous})
    return lines(out)


def grown(before: bytes, book: Book) -> bytes:
    """What has to be appended so that the ledger is that of this book."""
    assert book.nested().startswith(before)
    return book.nested()[len(before) :]


def status(pilot) -> str:
    return pilot.app.screen.status.plain


def marks(pilot) -> dict[int, str]:
    """What the list says of each session, by the seq of its first event."""
    rows = pilot.app.screen.lines.rows
    return {row.seq: str(row.trust) for row in rows if isinstance(row, SessionRow)}


def drawn(pilot) -> list[str]:
    listed = pilot.app.screen.lines
    return [listed.draw(index, listed.row_width).text.rstrip() for index in range(listed.count)]


def told(pilot) -> str:
    """The details, as text."""
    sections = pilot.app.screen.details.sections
    return "\n".join(f"{line.label} {line.text}" for each in sections for line in each.lines)


async def settled(pilot) -> None:
    """Everything was looked at, and the screens were told."""
    await pilot.app.workers.wait_for_complete()
    while pilot.app._watching.vigil.news:
        await pilot.pause(0.01)
    await pilot.pause()


# the status


async def test_the_status_says_how_far_the_chain_holds_and_follows_what_comes():
    book = loop(40)
    source = MemorySource(book.nested())
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert status(pilot).endswith("0 dead · verified to 41")
        book.infer(41)
        source.append(grown(source.epochs[-1], book))
        await pilot.pause()
        assert status(pilot).endswith("0 dead · verified to 42")


@pytest.mark.parametrize(
    ("ledger", "words"),
    [
        (altered(loop(8), 5), "chain broken at 5"),
        (lines(loop(8).records), "unchained"),
        (keyed(loop(8)), "hashes need a key"),
        (loop(8).nested().split(b"\n", 3)[3], "verified to 9 (window)"),
        (loop(8).nested().replace(b'"duration_ms":0', b'"duration_ms":0.5'), "unverifiable at 1"),
    ],
    ids=["broken", "unchained", "needs key", "window", "unverifiable"],
)
async def test_the_status_says_what_is_wrong_with_a_chain_also_at_80_columns(ledger: bytes, words: str):
    async with app_over(ledger).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert words in status(pilot).split(" · ")


async def test_a_key_tells_what_hashes_cannot_tell_without_it():
    async with app_over(keyed(loop(8)), key=KEY).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "verified to 9" in status(pilot).split(" · ")


async def test_an_empty_ledger_has_nothing_that_could_be_verified():
    async with app_over(b"").run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "verif" not in "\n".join(drawn(pilot)) + status(pilot)


async def test_a_rewind_is_looked_at_from_the_beginning():
    source = MemorySource(loop(30))
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        source.becomes(altered(loop(12), 4))
        await settled(pilot)
        assert "chain broken at 4" in status(pilot)
        source.becomes(loop(20))
        await settled(pilot)
        assert status(pilot).endswith("verified to 21")


async def test_a_ledger_that_vanished_is_forgotten():
    again = loop(3).nested()
    source = MemorySource(again + again)
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert len(pilot.app._watching.vigil) == 2
        source.becomes(again)
        await settled(pilot)
        assert len(pilot.app._watching.vigil) == 1


# beside the keys


class Held(MemorySource):
    """A source that gives no body to another thread before it is let go."""

    def __init__(self, ledger: Book | bytes, name: str = "held") -> None:
        super().__init__(ledger, name)
        self.home = threading.get_ident()
        self.free = threading.Event()
        self.asked = threading.Event()
        self.beside = 0

    def read(self, offset: int, length: int, epoch: int | None = None) -> bytes:
        if threading.get_ident() != self.home:
            self.beside += 1
            self.asked.set()
            if not self.free.wait(60):
                raise BodyGone("nobody let it go")
        return super().read(offset, length, epoch)


async def test_keys_do_not_wait_for_a_chain_that_is_being_checked(monkeypatch):
    source = Held(loop(600))
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        while not source.asked.is_set():
            await pilot.pause(0.01)
        await keys(pilot, "g")
        assert pilot.app.screen.row == 0
        assert "verified" not in status(pilot)
        monkeypatch.setattr(vigils, "MOMENT_SECONDS", -1.0)
        await keys(pilot, "down", "down")
        assert pilot.app.screen.row == 2
        assert "verifying 0 %" in status(pilot).split(" · ")
        source.free.set()
        await settled(pilot)
        assert status(pilot).endswith("verified to 601")
        assert source.beside


async def test_leaving_does_not_wait_for_what_cannot_be_read():
    source = Held(loop(600))
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        while not source.asked.is_set():
            await pilot.pause(0.01)
        pilot.app.exit(0)
        source.free.set()
    assert pilot.app.return_code == 0


async def test_a_ledger_that_is_open_comes_before_those_of_the_list():
    sources = [MemorySource(loop(150), f"/w/{number}.jsonl") for number in range(12)]
    app = app_over(*sources)
    async with app.run_test(size=(80, 24)) as pilot:
        while len(marks(pilot)) < 1:
            await pilot.pause(0.01)
        await settled(pilot)
        assert set(marks(pilot).values()) == {"✓ intact"}
        await keys(pilot, "G", "enter")
        screen = app.screen
        assert isinstance(screen, SessionScreen)
        for reading in app.readings:
            app._watching.vigil.look(reading, reading.journal.ledgers[0])
        app._watching.vigil.prefer(*screen.in_front())
        first = next(iter(app._watching.vigil._in_order()))
        assert first.ledger is screen.ledger


def a_vigil(*ledgers: Book, name: str = "/w/{}.jsonl", key: bytes | None = None):
    """A vigil over ledgers that are read, without a screen."""
    from korg_tui.reading import Reading

    vigil = vigils.Vigil(key, clock=FixedClock())
    readings = []
    for number, book in enumerate(ledgers):
        source = MemorySource(book, name.format(number))
        reading = Reading.of(source)
        for fact in source.start():
            vigil.changed(reading, reading.apply(fact))
        readings.append(reading)
    return vigil, readings


def test_what_is_looked_at_together_is_bounded_by_events():
    vigil, (reading,) = a_vigil(loop(4_500))
    events = []
    while (turn := vigil.turn()) is not None:
        turn.check()
        before = 0 if vigil.standing(reading.journal.ledgers[0]) is None else sum(events)
        vigil.take(turn)
        events.append(vigil.standing(reading.journal.ledgers[0]).events - before)
    assert sum(events) == 4_501
    assert max(events) <= 2_000


def test_what_is_looked_at_together_is_bounded_by_bytes():
    book = Book()
    last = book.prompt("big")
    for _ in range(40):
        last = book.infer(last, result={"text": "x" * 100_000})
    vigil, (reading,) = a_vigil(book)
    turns = 0
    while (turn := vigil.turn()) is not None:
        turn.check()
        vigil.take(turn)
        turns += 1
    assert turns >= 4
    assert vigil.standing(reading.journal.ledgers[0]).verdict == "intact"


def test_many_small_ledgers_take_few_turns():
    vigil, readings = a_vigil(*(loop(4) for _ in range(200)))
    turns = 0
    while (turn := vigil.turn()) is not None:
        assert len(turn.parts) <= vigils.TOGETHER
        turn.check()
        vigil.take(turn)
        turns += 1
    assert turns <= 5
    assert all(vigil.of(reading.journal.ledgers[0]).done for reading in readings)
    assert not vigil.waiting


def test_what_did_not_change_is_not_looked_at_again():
    vigil, (reading,) = a_vigil(loop(4))
    while (turn := vigil.turn()) is not None:
        turn.check()
        vigil.take(turn)
    vigil.news.clear()
    vigil.look(reading, reading.journal.ledgers[0])
    assert vigil.turn() is None
    assert not vigil.news


def test_nothing_is_said_of_progress_before_it_lasts():
    clock = FixedClock()
    vigil, (reading,) = a_vigil(loop(4_000))
    vigil._clock = clock
    ledger = reading.journal.ledgers[0]
    assert vigil.of(ledger) is None
    turn = vigil.turn()
    turn.check()
    vigil.take(turn)
    assert vigil.of(ledger) is None
    clock.move(0.6)
    assert vigil.of(ledger).share == 100 * turn.events // 4_001
    assert not vigil.of(ledger).done


async def test_the_screens_are_told_a_few_times_a_second_at_most(monkeypatch):
    heard = []
    monkeypatch.setattr(
        TrustingScreen, "standing_changed", lambda screen, reading, ledger: heard.append(ledger)
    )
    monkeypatch.setattr(LedgersScreen, "standing_changed", TrustingScreen.standing_changed)
    book = loop(3)
    source = MemorySource(book.nested())
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        heard.clear()
        now = watching.monotonic()
        monkeypatch.setattr(watching, "monotonic", lambda: now)
        for _ in range(20):
            book.infer(4)
            source.append(grown(source.epochs[-1], book))
        await pilot.pause()
        assert len(heard) <= 2
        assert status(pilot).endswith("verified to 24")


# the list


async def test_the_list_says_of_each_session_what_holds():
    async with app_over(altered(story(), 22), clock=CLOCK).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert marks(pilot) == {1: "✓ intact here", 22: "✗ broken at 22", 23: "? after 22"}
        said = [row[55:73].rstrip() for row in drawn(pilot)]
        assert said == ["? after 22", "✗ broken at 22", "✓ intact here"]
        await keys(pilot, "/", *"broken", "enter")
        assert list(marks(pilot)) == [22]
        await keys(pilot, "escape", "s")
        assert list(marks(pilot)) == [1, 23, 22]


async def test_an_event_altered_under_the_reader_is_found_though_its_hash_was_left():
    """Its stated hash is that of the same event: no rewind is told, but the chain is looked at again."""
    source = MemorySource(loop(8))
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "verified to 9" in status(pilot).split(" · ")
        source.becomes(altered(loop(8), 5))
        await settled(pilot)
        assert "chain broken at 5" in status(pilot).split(" · ")
        ledger = pilot.app.screen.ledger
        assert [fault.kind for fault in pilot.app.watched(ledger).standing.faults] == ["content"]
        assert (ledger.generation, ledger.gone) == (0, [])
        assert not pilot.app.screen.query_one("#notices").display


async def test_a_mark_follows_what_happens_to_the_ledger():
    source = MemorySource(story())
    async with app_over(source, clock=CLOCK).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert set(marks(pilot).values()) == {"✓ intact"}
        source.becomes(altered(story(), 3))
        await settled(pilot)
        assert marks(pilot) == {1: "✗ broken at 3", 22: "? after 3", 23: "? after 3"}


@pytest.mark.parametrize(
    ("ledger", "mark"),
    [
        (lines(loop(8).records), "– unchained"),
        (keyed(loop(8)), "? needs key"),
        (loop(8).nested().split(b"\n", 3)[3], "✓ window"),
        (loop(8).nested().replace(b'"duration_ms":0', b'"duration_ms":0.5'), "? unverifiable"),
    ],
    ids=["unchained", "needs key", "window", "unverifiable"],
)
async def test_a_mark_is_a_sign_and_a_word(ledger: bytes, mark: str):
    async with app_over(ledger, b"").run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert set(marks(pilot).values()) == {mark}
        assert any(mark in row for row in drawn(pilot))


async def test_marks_stand_whole_at_80_columns_also_where_ledgers_are_named():
    other = [MemorySource(altered(story(), 22), "/w/a-long-name-here/events.jsonl"), MemorySource(story())]
    async with app_over(altered(story(), 22), clock=CLOCK).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for words in ("? after 22 · Count the", "✗ broken at 22 · partial:", "✓ intact here · The date"):
            assert any(words in row for row in drawn(pilot)), drawn(pilot)
    async with app_over(*other, clock=CLOCK).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for words in ("? after 22 · ", "✗ broken at 22", "  ✓ The date"):
            assert any(words in row for row in drawn(pilot)), drawn(pilot)


async def test_marks_are_plain_letters_where_a_person_wants_ascii():
    app = app_over(altered(story(), 22), clock=CLOCK, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert foreign(app) == set()
        rows = [strip.text for strip in app.screen._compositor.render_strips()]
        assert any("+ intact" in row for row in rows)
        assert any("x broken at 22" in row for row in rows)


# an event


async def test_the_details_say_whether_an_event_fits_as_soon_as_it_is_known():
    async with app_over(altered(loop(8), 5)).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "g")
        assert "prev_hash 64 zeros: the chain begins here" in told(pilot)
        assert "chain ✓ hash and link fit" in told(pilot)
        assert "signature none" in told(pilot)
        await keys(pilot, *":5", "enter")
        assert "chain ✗ content: " in told(pilot)
        await keys(pilot, "down")
        assert "chain ? hash and link fit; the chain is broken before it at 5" in told(pilot)


async def test_the_details_of_an_event_without_a_hash_say_so():
    signed = [{**record, "event_sig": "\x1b[31mno"} for record in loop(2).records]
    async with app_over(lines(signed)).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "g")
        assert "entry_hash none: nothing shows whether this event was changed" in told(pilot)
        assert "signature there, not checked here" in told(pilot)
        assert "\x1b" not in told(pilot)


async def test_the_details_are_shown_again_when_more_is_known():
    source = Held(loop(600))
    async with app_over(source).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        while not source.asked.is_set():
            await pilot.pause(0.01)
        await keys(pilot, "g")
        assert "chain not looked at yet" in told(pilot)
        source.free.set()
        await settled(pilot)
        assert "chain ✓ hash and link fit" in told(pilot)


def test_the_rest_of_the_words():
    from korg_tui.trust import Fault, Standing, Watched
    from korg_tui.views import ledger_sentence, ledger_words

    standing = Standing("broken", 3, "", None, (Fault(None, "tip", "it ends elsewhere"),))
    assert ledger_words(Watched(standing)) == ("chain broken", "bad")
    assert ledger_sentence(Watched(standing)) == "chain broken"
    assert ledger_words(Watched(replace(standing, verdict="intact", faults=(), verified_to=8_112))) == (
        "verified to 8,112", "good",
    )  # fmt: skip
    assert ledger_sentence(Watched(standing, done=False)) == "chain broken"
    assert ledger_sentence(None) == ""
    assert json.dumps(chained(loop(1).records)[0]["prev_hash"]) == f'"{"0" * 64}"'


# without a screen


def plain(home: Path, *words: str, given: str = "", **more: str) -> subprocess.CompletedProcess[bytes]:
    """The program in a process of its own, with these commands."""
    where = environment(home, more)
    command, given_bytes = korg(*words), given.encode()
    return subprocess.run(
        command, input=given_bytes, env=where, capture_output=True, timeout=60, check=False
    )


def spoken(*commands: str, ledger: bytes, key: bytes | None = None, tmp_path: Path) -> list[str]:
    """What is told of a ledger that is read from a file, command by command."""
    path, secret = tmp_path / "journal.jsonl", tmp_path / "key"
    path.write_bytes(ledger)
    secret.write_bytes((key or KEY) + b"\n")
    words = ["--plain", *(["--key-file", str(secret)] if key else []), str(path)]
    done = plain(tmp_path, *words, given="\n".join((*commands, "quit", "")))
    assert done.stderr == b""
    return done.stdout.decode().splitlines()


def test_without_a_screen_the_same_is_said(tmp_path: Path):
    lines_told = spoken("5", "details", ledger=altered(loop(8), 5), tmp_path=tmp_path)
    assert lines_told[0].endswith("0 dead pointers, chain broken at 5")
    assert "  chain: ✗ content: what stands here" in "\n".join(lines_told)
    assert spoken(ledger=keyed(loop(8)), tmp_path=tmp_path)[0].endswith("hashes need a key")
    assert spoken(ledger=keyed(loop(8)), key=KEY, tmp_path=tmp_path)[0].endswith("chain verified to 9")


def test_without_a_screen_every_session_of_the_list_says_it(tmp_path: Path):
    told_rows = "\n".join(spoken("sessions", ledger=altered(story(), 22), tmp_path=tmp_path))
    assert "complete, 20 events, 3 agents, chain intact" in told_rows
    assert "partial, 1 event, 1 agent, chain broken at 22" in told_rows


def test_without_a_screen_a_break_is_told_when_it_comes():
    vigil, (reading,) = a_vigil(loop(4))
    talk = Talk([reading], lambda: CLOCK.now_ms, watched=vigil.of)
    heard: list[str] = []

    def look() -> None:
        while (turn := vigil.turn()) is not None:
            turn.check()
            vigil.take(turn)
        talk.looked(heard.append)

    list(talk.begin())
    look()
    assert heard == ["chain verified to 5"]
    book = loop(6)
    source = reading.source
    source.post = lambda fact: vigil.changed(reading, reading.apply(fact))
    source.append(grown(source.epochs[-1], loop(5)))
    look()
    assert heard == ["chain verified to 5"]
    source.append(altered(book, 7).splitlines(keepends=True)[-1])
    look()
    assert heard == ["chain verified to 5", "chain broken at 7"]


def test_a_key_file_that_cannot_be_read_is_one_line(tmp_path: Path):
    done = plain(tmp_path, "--plain", "--key-file", str(tmp_path / "none"), "--demo")
    assert done.returncode == 2
    assert done.stderr.startswith(b"korg-tui: ") and done.stderr.count(b"\n") == 1


def test_the_demo_needs_no_key_and_is_intact(tmp_path: Path):
    done = plain(tmp_path, "--plain", "--demo", given="quit\n", KORG_LEDGER_HMAC_KEY="of something else")
    assert b", chain intact, " in done.stdout


async def test_one_large_event_is_not_hashed_while_a_key_waits():
    source = Held(loop(3))
    book = loop(3)
    book.infer(4, result={"text": "x" * 200_000})
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        source.append(grown(source.epochs[-1], book))
        while not source.asked.is_set():
            await pilot.pause(0.01)
        source.free.set()
        await settled(pilot)
        assert "verified to 5" in status(pilot).split(" · ")


async def test_a_session_is_broken_where_the_ledger_of_its_sub_agent_is(tmp_path: Path):
    (tmp_path / "parent.jsonl").write_bytes(parent().nested())
    (tmp_path / "agent-one.jsonl").write_bytes(altered(child(), 2))
    app = app_over(FileSource(tmp_path / "parent.jsonl", wait=True), feeds=Pool())
    async with app.run_test(size=(120, 40)) as pilot:
        await all_of(app, pilot, 8)
        await settled(pilot)
        assert "chain broken at :2" in status(pilot).split(" · ")
        await keys(pilot, "escape")
        await pilot.pause()
        assert marks(pilot) == {1: "✗ broken at :2"}

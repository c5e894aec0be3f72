"""Findings on the screen: they lead to their events and back, grow with the ledger, and make nobody wait."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Iterable, Sequence

from builders import Book
from korg_tui.screens import FindingsScreen, LedgersScreen, SessionScreen
from korg_tui.sources import FileSource
from korg_tui.trust import Check, Fault, Finding, Standing, Watched
from korg_tui.widgets.chrome import Line
from sealing import certificate, records, sealed
from stage import MemorySource, app_over, keys, story

IDS = ("6.1", "6.2", "6.3", "6.4", "6.5", "6.6", "7.6", "2a")
MALFORMED = b'{"seq_id": 9, "cut of\n'


class Examiner:
    """Stands in for the checklist: finds a long value in each event from the second on. While `gate` is
    closed, nothing is found."""

    def __init__(self, ledger) -> None:
        self.ledger = ledger
        self.looked = 0
        self.gate = threading.Event()
        self.gate.set()
        self.blocked = threading.Event()
        self.meanwhile: Callable[[], Iterable[None]] = tuple
        """What happens while it tells what it found."""

    @property
    def pending(self) -> int:
        return len(self.ledger) - self.looked

    def batch(self):
        return _Batch(self, self.looked + 3) if self.pending > 0 else None

    def absorb(self, batch) -> None:
        self.looked = min(batch.until, len(self.ledger))

    def telling(self) -> Generator[None, None, Sequence[Check]]:
        yield
        yield from self.meanwhile()
        seqs = [self.ledger.seq_at(row) for row in range(self.looked)]
        found = tuple(Finding(seq, f"a long value in {seq}", True) for seq in seqs if seq and seq > 1)
        named = {"6.3": Check("6.3", "fail" if found else "pass", self.looked, found)}
        return tuple(named.get(each, Check(each, "pass", self.looked)) for each in IDS)


class _Batch:
    def __init__(self, examiner: Examiner, until: int) -> None:
        self.examiner, self.until = examiner, until

    def check(self) -> None:
        if not self.examiner.gate.is_set():
            self.examiner.blocked.set()
        self.examiner.gate.wait(20)


async def settled(pilot) -> None:
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def opened(pilot, *pressed: str) -> FindingsScreen:
    """The findings of the story, from its largest session."""
    await pilot.pause()
    await keys(pilot, "G", "enter", "g", *pressed, "!")
    await settled(pilot)
    assert isinstance(pilot.app.screen, FindingsScreen)
    return pilot.app.screen


async def examined(pilot, standing: Standing) -> tuple[FindingsScreen, Examiner]:
    """Findings over a hand-made examiner and a hand-made chain."""
    await pilot.pause()
    (reading, *_) = pilot.app.readings
    ledger = reading.journal.ledgers[0]
    pilot.app.watched = lambda _: Watched(standing)
    examiner = Examiner(ledger)
    screen = FindingsScreen(reading, ledger, examiner)
    await pilot.app.push_screen(screen)
    await settled(pilot)
    return screen, examiner


def lines(screen: FindingsScreen) -> list[str]:
    return [" ".join(filter(None, (row.word, row.where, row.text))) for row in screen.list.rows]


def head(screen: FindingsScreen) -> str:
    return screen.query_one("#findings-head", Line).plain


def crumbs(pilot) -> str:
    return pilot.app.screen.query_one("#crumbs", Line).plain


BROKEN = Standing("broken", 23, "ab" * 32, 3, (Fault(4, "link", "it names another hash"),))


async def test_a_finding_leads_to_its_event_and_back_to_its_place():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        screen, _ = await examined(pilot, BROKEN)
        assert head(screen).startswith("chain broken at 4, 23 events · 1 check fails")
        await keys(pilot, "n")
        assert screen.list.row.seq == 4
        assert crumbs(pilot).endswith("› chain › 4")
        await keys(pilot, "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, SessionScreen)
        assert pilot.app.screen.ledger.seq_at(pilot.app.screen.row) == 4
        await keys(pilot, "escape")
        assert pilot.app.screen is screen
        assert screen.list.row.seq == 4
        await keys(pilot, "enter")
        await settled(pilot)
        await keys(pilot, "j", "p")
        assert pilot.app.screen.ledger.seq_at(pilot.app.screen.row) == 2
        await keys(pilot, "backspace", "backspace")
        assert pilot.app.screen is screen, "behind the first place lies the screen that led there"
        assert screen.list.row.seq == 4


async def test_a_double_click_leads_there_too():
    async with app_over(story()).run_test(size=(100, 30)) as pilot:
        screen, _ = await examined(pilot, BROKEN)
        index = next(at for at, row in enumerate(screen.list.rows) if row.kind == "finding")
        await pilot.click("#findings", offset=(30, index), times=2)
        await settled(pilot)
        assert isinstance(pilot.app.screen, SessionScreen)
        assert pilot.app.screen.ledger.seq_at(pilot.app.screen.row) == 4


async def test_a_malformed_line_leads_to_its_row():
    async with app_over(story().nested() + MALFORMED).run_test(size=(100, 30)) as pilot:
        screen, _ = await examined(pilot, BROKEN)
        index = next(at for at, row in enumerate(screen.list.rows) if row.offset is not None)
        screen.list.go(index)
        await keys(pilot, "enter")
        await settled(pilot)
        session = pilot.app.screen
        assert isinstance(session, SessionScreen)
        assert session.ledger.seq_at(session.row) is None
        assert session.ledger.offset[session.row] == len(story().nested())
        await keys(pilot, "escape")
        assert pilot.app.screen is screen


async def test_next_and_previous_finding_go_round():
    async with app_over(story()).run_test(size=(100, 30)) as pilot:
        screen, _ = await examined(pilot, BROKEN)
        found = [at for at, row in enumerate(screen.list.rows) if row.kind == "finding"]
        await keys(pilot, "N")
        assert screen.list.cursor == found[-1]
        assert "no earlier finding" in screen.status.plain
        await keys(pilot, "n")
        assert screen.list.cursor == found[0]
        await keys(pilot, "right_square_bracket")
        assert screen.list.cursor == found[1]


async def test_more_findings_are_listed_when_asked_and_folded_again():
    async with app_over(story()).run_test(size=(100, 40)) as pilot:
        screen, _ = await examined(pilot, BROKEN)
        more = next(at for at, row in enumerate(screen.list.rows) if row.kind == "more")
        assert screen.list.rows[more].text == "and 18 more"
        screen.list.go(more)
        await keys(pilot, "enter")
        assert not any(row.kind == "more" for row in screen.list.rows)
        assert sum(row.group == "6.3" and row.kind == "finding" for row in screen.list.rows) == 23
        assert screen.list.row.text == "a long value in 7", "the first of those that were not listed"
        check = next(at for at, row in enumerate(screen.list.rows) if row.group == "6.3")
        screen.list.go(check)
        await keys(pilot, "enter")
        assert screen.list.row.folded
        assert sum(row.group == "6.3" for row in screen.list.rows) == 1


async def test_while_it_grows_the_cursor_stays_on_its_line_and_the_line_on_its_place():
    source = MemorySource(story())
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        screen, examiner = await examined(pilot, BROKEN)
        at = next(index for index, row in enumerate(screen.list.rows) if row.group == "2a")
        screen.list.go(at)
        await pilot.pause()
        place = screen.list.cursor - round(screen.list.scroll_y)
        before = screen.list.row.identity
        book = story()
        grown = len(book.nested())
        book.infer(999, seq=1000)
        source.append(book.nested()[grown:])
        await settled(pilot)
        await settled(pilot)
        assert examiner.pending == 0
        assert any(row.seq == 1000 and row.group == "dead pointers" for row in screen.list.rows)
        assert screen.list.row.identity == before
        assert screen.list.cursor == at + 1, "a dead pointer more stands above"
        assert screen.list.cursor - round(screen.list.scroll_y) == place


async def test_what_comes_while_the_checks_are_told_is_looked_at_too():
    source = MemorySource(story())
    async with app_over(source).run_test(size=(80, 24)) as pilot:
        screen, examiner = await examined(pilot, BROKEN)
        there, book = len(examiner.ledger), story()
        more = len(book.nested())
        book.infer(999, seq=1000)
        book.infer(999, seq=1001)
        first, second = book.nested()[more:].splitlines(keepends=True)

        def grow() -> Iterable[None]:
            """The program takes in what comes, however many steps the telling has left."""
            if len(examiner.ledger) == there + 1:
                source.append(second)
                for _ in range(10_000_000):
                    yield
                    if len(examiner.ledger) > there + 1:
                        break

        examiner.meanwhile = grow
        source.append(first)
        await settled(pilot)
        await settled(pilot)
        assert len(examiner.ledger) == there + 2
        assert (examiner.pending, screen.looking) == (0, False)
        (long_values,) = [check for check in screen.examining.checks if check.check == "6.3"]
        assert long_values.findings[-1].seq == 1001


async def test_one_who_leaves_does_not_wait_and_what_was_looking_ends():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        (reading,) = pilot.app.readings
        examiner = Examiner(reading.journal.ledgers[0])
        examiner.gate.clear()
        pilot.app.watched = lambda _: Watched(BROKEN, done=False, share=40)
        screen = FindingsScreen(reading, reading.journal.ledgers[0], examiner)
        await pilot.app.push_screen(screen)
        while not examiner.blocked.is_set():
            await pilot.pause()
        assert "looking: chain 40 %, checks 0 %" in screen.status.plain
        assert "nothing was found" not in head(screen)
        await keys(pilot, "j", "j")
        assert screen.list.cursor == 2, "keys do not wait"
        await keys(pilot, "escape")
        assert isinstance(pilot.app.screen, LedgersScreen)
        examiner.gate.set()
        await settled(pilot)


async def test_what_it_says_is_copied_and_read_whole_below():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        screen, _ = await examined(pilot, BROKEN)
        await keys(pilot, "n", "y")
        assert pilot.app.clipboard == ".korg/journal.jsonl:4 link: it names another hash"
        await keys(pilot, "y")
        assert pilot.app.clipboard.splitlines()[0] == screen.findings.summary()
        assert any("it names another hash" in line for line in screen.details.plain)
        await keys(pilot, "tab", "j", "j", "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, SessionScreen), "the details lead there, too"


async def test_what_anchors_and_a_seal_say_stands_with_the_chain(tmp_path):
    ledger = tmp_path / "certificate.json"
    wrong = sealed(certificate(records(), event_count=4))
    ledger.write_text(json.dumps(wrong))
    anchor = {"seq_id": 2, "entry_hash": "cd" * 32, "anchor_kind": "git", "anchored_at": "2026-05-01"}
    (tmp_path / "anchors.jsonl").write_text(json.dumps(anchor) + "\n")
    async with app_over(FileSource(ledger)).run_test(size=(120, 40)) as pilot:
        screen, _ = await examined(pilot, Standing("intact", 5, "ab" * 32, 5, signed=5))
        told = "\n".join(lines(screen))
        assert "seal" in [row.word for row in screen.list.rows]
        assert "anchor 2 " in told
        assert "the outside witness was not asked" in told
        assert "faults of seal and anchors" in head(screen)
        screen.list.go(next(at for at, row in enumerate(screen.list.rows) if row.word == "anchor"))
        await keys(pilot, "enter")
        await settled(pilot)
        assert isinstance(pilot.app.screen, SessionScreen)
        assert pilot.app.screen.ledger.seq_at(pilot.app.screen.row) == 2


async def test_from_the_list_it_is_the_ledger_under_the_cursor():
    one, two = MemorySource(story(), "one.jsonl"), MemorySource(Book(), "two.jsonl")
    two.epochs = [b""]
    made = Book()
    made.infer(made.prompt("count"))
    two.epochs = [made.nested()]
    async with app_over(one, two).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for name in ("one.jsonl", "two.jsonl"):
            rows = pilot.app.screen.lines.rows
            pilot.app.screen.lines.go(next(at for at, row in enumerate(rows) if row.ledger == name))
            await keys(pilot, "exclamation_mark")
            await settled(pilot)
            assert f"findings › of {name}" in crumbs(pilot)
            await keys(pilot, "escape")
            await settled(pilot)

"""A ledger that is rewound under the reader, in all the ways that happen, as the screen tells of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from builders import HUMAN, MAIN, SUB, Book, canonical
from korg_tui.causal import Rewound
from korg_tui.reading import Reading
from korg_tui.recorder.store import Store
from korg_tui.recorder.store.calls import Call
from korg_tui.screens import LedgersScreen
from korg_tui.sources import FileSource
from korg_tui.views import rewound_sections, rewound_words
from stage import MemorySource, app_over, keys

SHARED = Path(__file__).parents[2] / "shared" / "ledgers" / "rewound"


def seven() -> Book:
    """A prompt, two rounds, and what another agent did meanwhile, which depends on none of it."""
    book = Book()
    ask = book.prompt("fix the count")
    think = book.infer(ask)
    book.tool("Read", think, args={"file_path": "count.py"})
    again = book.infer(think)
    book.tool("Edit", again, args={"file_path": "count.py", "old_string": "29", "new_string": "28"})
    other = book.prompt("list the tickets", by="human:dawn")
    book.infer(other, by="agent:clerk@2")
    return book


def kept(book: Book, to: int) -> Book:
    """The events up to a seq."""
    shorter = Book()
    shorter.records = book.records[:to]
    shorter.top = to
    return shorter


def sealed(book: Book, to: int, by: str = HUMAN) -> Book:
    """After a sealed rewind: what it leaves, and the event that says so."""
    shorter = kept(book, to)
    shorter.governance(
        "LedgerRewind", to or None, target_seq_id=to, invalidated_through=book.top, rewound_by=by
    )
    return shorter


def details(pilot) -> str:
    return "\n".join(pilot.app.screen.details.plain)


def sections(pilot) -> dict[str, list[str]]:
    """The lines of the details by the titles of their sections."""
    shown = pilot.app.screen.details.sections
    return {section.title: [line.text for line in section.lines] for section in shown}


def row(pilot, seq: int) -> str:
    view = pilot.app.screen.view
    index = pilot.app.screen.spine.index_of(seq)
    return view.draw(index, view.row_width).text.rstrip()


def notice(pilot) -> str:
    return pilot.app.screen.query_one("#notices").plain.split(" · a: seen")[0]


async def stand(pilot, seq: int) -> None:
    """Go to an event, in another session too, and wait for its details."""
    pilot.app.screen.go_to_seq(seq)
    for _ in range(500):
        await pilot.pause()
        shown = pilot.app.screen.details.sections
        if shown and shown[0].title.startswith(f"{seq} "):
            return
    raise AssertionError(f"the details of {seq} are not shown")


def open_session(*sources: MemorySource, size: tuple[int, int] = (160, 60)):
    return app_over(*sources).run_test(size=size)


async def begin(pilot) -> None:
    """The first session."""
    await pilot.pause()
    if isinstance(pilot.app.screen, LedgersScreen):
        await keys(pilot, "G", "enter")


async def test_a_sealed_rewind_lists_what_was_dropped_beside_what_was_invalid():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(sealed(seven(), 3))
        await pilot.pause()
        assert notice(pilot) == "rewound to 3 by human:dusk: 4 dropped; the rules would have kept 2 of them"
        await stand(pilot, 4)
        assert row(pilot, 4).endswith("4 dropped: see the details")
        seen = sections(pilot)
        assert seen["gone: 4 events that a rewind dropped"][:3] == [
            "4–7, 4 events",
            "2 events, by the rules of a rewind",
            "2 events that the rules would not have dropped",
        ]
        assert seen["dropped, and invalid by the rules"] == [
            "llm_inference · rule 2: it read a result that goes",
            "Edit  count.py · rule 1: its cause goes",
        ]
        assert seen["dropped, though the rules would have kept it"] == [
            "user_prompt  list the tickets · no recorded dependence",
            "llm_inference · no recorded dependence",
        ]
        assert [line.split()[-1] for line in seen["gone 5 Edit: change count.py"][-2:]] == ["-29", "+28"]


async def test_what_was_dropped_is_read_until_it_is_dismissed():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(sealed(seven(), 3))
        await pilot.pause()
        await stand(pilot, 4)
        await keys(pilot, "a")
        assert not pilot.app.screen.query_one("#notices").display
        assert "dropped, though the rules would have kept it" in sections(pilot)
        await keys(pilot, "a")
        assert pilot.app.screen.status.plain == "dismissed 4 events that a rewind had dropped"
        assert pilot.app.screen.ledger.gone == []
        assert row(pilot, 4).endswith("what it dropped was dismissed")
        assert "what it dropped was dismissed" in sections(pilot)
        assert "dropped, though" not in details(pilot)
        await keys(pilot, "a")
        assert pilot.app.screen.status.plain == "there is no notice, and nothing dropped"


async def test_a_silent_restore_is_told_at_the_last_row_that_was_kept():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(kept(seven(), 3))
        await pilot.pause()
        assert notice(pilot) == "rewound to 3: 4 dropped; the rules would have kept 2 of them"
        await stand(pilot, 3)
        assert row(pilot, 3).endswith("4 dropped after this: see the details")
        assert "dropped, and invalid by the rules" in sections(pilot)
        again = kept(seven(), 3)
        again.infer(2)
        source.append(again.nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        assert row(pilot, 3).endswith("4 dropped after this: see the details")
        assert "dropped" not in row(pilot, 4)


async def test_a_rewind_to_0_leaves_the_event_that_says_so():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(sealed(seven(), 0))
        await pilot.pause()
        assert notice(pilot) == "rewound to 0 by human:dusk: 7 dropped; the rules would have kept 0 of them"
        assert pilot.app.screen.view.count == 1
        assert row(pilot, 1).endswith("7 dropped: see the details")
        assert len(sections(pilot)["dropped, and invalid by the rules"]) == 7
        source.becomes(b"")
        await pilot.pause()
        assert pilot.app.screen.view.count == 0


async def test_another_ledger_in_its_place_is_no_rewind():
    source, other = MemorySource(seven()), Book()
    other.infer(other.prompt("something else"))
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(other)
        await pilot.pause()
        assert notice(pilot) == "another ledger is there now: none of the 7 events of the old one is in it"
        source.becomes(kept(other, 0))
        await pilot.pause()
        assert notice(pilot).startswith("rewound to 0: 2 dropped")


async def test_our_own_recorder_seals_every_rewind_so_an_empty_store_is_another_one():
    ours = seven()
    for record in ours.records:
        record["metadata"]["tags"] = {"recorder": "korg-tui", "store": "a", "generation": "1"}
    source = MemorySource(ours)
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(b"")
        await pilot.pause()
        assert notice(pilot) == "another ledger is there now: none of the 7 events of the old one is in it"


async def test_what_is_kept_of_a_ledger_that_begins_at_0_is_a_rewind():
    zero = seven()
    for record in zero.records:
        record["seq_id"] -= 1
        if (parent := record["metadata"].get("triggered_by")) is not None:
            record["metadata"]["triggered_by"] = parent - 1
    source = MemorySource(zero)
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(kept(zero, 1))
        await pilot.pause()
        assert notice(pilot).startswith("rewound to 0: 6 dropped")


async def test_numbers_are_used_again_and_a_stale_client_names_what_is_gone():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        book = sealed(seven(), 3)
        source.becomes(book)
        await pilot.pause()
        think = book.infer(2, result={"text": "another way"})
        book.tool("Bash", 7, args={"command": "make"})
        source.append(book.nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        assert think == 5
        assert "another way" in row(pilot, 5)
        await stand(pilot, 6)
        assert row(pilot, 6).endswith("parent 7 gone: a rewind removed it")
        assert "rewound: parent 7 gone: a rewind removed it" in details(pilot)
        await keys(pilot, "escape", "G", "enter")
        await stand(pilot, 4)
        assert "Edit  count.py" in details(pilot)


async def test_each_of_two_rewinds_to_the_same_place_is_told_the_newest_first():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(sealed(seven(), 3))
        source.becomes(kept(seven(), 3))
        await pilot.pause()
        assert "(and 1 earlier)" in notice(pilot)
        await stand(pilot, 3)
        titles = [title for title in sections(pilot) if title.startswith("gone: ")]
        assert titles == ["gone: 1 event that a rewind dropped", "gone: 4 events that a rewind dropped"]
        assert "LedgerRewind" in details(pilot)
        assert "a governance event" in details(pilot)


async def test_a_drop_stands_where_its_place_still_is_by_content_or_where_that_was_dropped():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(kept(seven(), 3))
        await pilot.pause()
        await keys(pilot, "a")
        assert row(pilot, 3).endswith("4 dropped after this: see the details")
        other = Book()
        think = other.prompt("something else")
        for _ in range(5):
            think = other.infer(think)
        source.becomes(b"")
        source.becomes(other)
        await pilot.pause()
        assert "dropped" not in row(pilot, 3)
        assert row(pilot, 1).endswith("3 dropped before this: see the details")
        await stand(pilot, 1)
        titles = [title for title in sections(pilot) if title.startswith("gone: ")]
        assert titles == ["gone: 3 events that a rewind dropped", "gone: 4 events that a rewind dropped"]
        source.becomes(kept(seven(), 3))
        await pilot.pause()
        assert row(pilot, 3).endswith("4 dropped after this: see the details")


async def test_a_rewind_behind_an_earlier_one_takes_its_place():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(kept(seven(), 5))
        source.becomes(kept(seven(), 2))
        source.append(seven().nested()[len(source.epochs[-1]) :])
        await pilot.pause()
        assert row(pilot, 2).endswith("3 dropped after this: see the details")
        assert row(pilot, 5).endswith("2 dropped after this: see the details")
        again = kept(seven(), 2)
        for _ in range(5):
            again.infer(2, result={"text": "another way"})
        source.becomes(again)
        await pilot.pause()
        assert "dropped" not in row(pilot, 5)
        await stand(pilot, 2)
        titles = [title.split()[1] for title in sections(pilot) if title.startswith("gone: ")]
        assert titles == ["5", "3", "2"]


async def test_an_old_writer_that_puts_the_tail_back_is_told():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(sealed(seven(), 3))
        source.becomes(seven())
        await pilot.pause()
        assert notice(pilot).startswith("rewound to 3: 1 dropped; the rules would have kept 1 of them")
        assert "; 4 dropped earlier are back" in notice(pilot)
        assert len(pilot.app.screen.ledger) == 7
        await stand(pilot, 3)
        seen = sections(pilot)
        assert "4 events, in the ledger again" in seen["gone: 4 events that a rewind dropped"]
        assert str(seen).count("in the ledger again") == 5


async def test_a_ledger_that_was_rewound_before_it_was_opened_cannot_tell():
    async with open_session(MemorySource(sealed(seven(), 3))) as pilot:
        await begin(pilot)
        await stand(pilot, 4)
        assert row(pilot, 4).endswith("rewound before it was opened: see the details")
        assert sections(pilot)["what it dropped cannot be known"] == [
            "the ledger was rewound before it was opened here",
            "it says that it went back from 7 to 3",
        ]


@pytest.mark.parametrize("there", [True, False])
def test_what_our_own_recorder_cut_off_is_named_where_it_lies(tmp_path: Path, there: bool):
    store = Store(tmp_path)
    call = Call(MAIN, "user_prompt", {}, {}, success=True, duration_ms=1, triggered_by=None)
    store.append([call] * 4)
    store.rewind(3, HUMAN, "")
    done = store.rewind(2, HUMAN, "")
    store.close()
    if not there:
        done.tail.unlink()
    reading = Reading.of(FileSource(store.path)).complete()
    (ledger,) = reading.journal.ledgers
    (section,) = rewound_sections(reading, ledger, 2)
    reading.source.close()
    assert done.tail.name == "generation-2.jsonl"
    assert section.title == ("what it dropped was put aside" if there else "what it dropped cannot be known")
    assert [line.text for line in section.lines[2:]] == ([str(done.tail)] if there else [])


async def test_what_the_ledger_left_open_is_a_list_of_its_own():
    book = Book()
    ask = book.prompt("go")
    think = book.infer(ask)
    book.prompt("look", think, by=SUB)
    book.prompt("look", think, by=SUB)
    book.infer(3, by=SUB)
    book.infer(4, by=SUB)
    book.spawn(think, "look")
    book.infer(7, by=MAIN)
    source = MemorySource(book)
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(sealed(book, 3))
        await pilot.pause()
        fates = {each.event.seq: each.fate for each in pilot.app.screen.ledger.gone}
        await stand(pilot, 3)
        seen = sections(pilot)
        listed = sum(len(seen.get(title, ())) for title in (
            "dropped, and invalid by the rules",
            "dropped, and the rules leave it open",
            "dropped, though the rules would have kept it",
        ))  # fmt: skip
        assert listed == len(fates) == 5
        assert set(fates.values()) <= {"invalidated", "possible", "independent", "unknown"}
        assert "possible" in fates.values()
        assert ", and perhaps " in notice(pilot)


async def test_hostile_text_in_what_was_dropped_is_made_visible():
    book = Book()
    think = book.infer(book.prompt("go"))
    book.tool("\x1b[31mEdit\u202e", think, args={"file_path": "\x1b]52;c;AAAA\x07.py"})
    source = MemorySource(book)
    async with open_session(source, size=(80, 24)) as pilot:
        await begin(pilot)
        source.becomes(sealed(book, 2, by="\x1b[2Jhuman:\u202edusk"))
        await pilot.pause()
        await stand(pilot, 3)
        text = notice(pilot) + details(pilot).replace("\n", "")
        assert text.isprintable()
        assert "␛]52;c;AAAA␇.py" in text


def without(book: Book, seq: int) -> bytes:
    """The file from which somebody took one line."""
    lines = book.nested().splitlines(keepends=True)
    del lines[seq - 1]
    return b"".join(lines)


def edited(content: bytes, seq: int) -> bytes:
    """The file in which somebody changed one line; its hash, where it has one, was left."""
    lines = content.splitlines(keepends=True)
    lines[seq - 1] = lines[seq - 1].replace(b"count.py", b"other.py")
    return b"".join(lines)


def unhashed(book: Book) -> bytes:
    return b"".join(canonical(record) + b"\n" for record in book.records)


async def test_a_line_taken_from_the_middle_is_told_as_that():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(without(seven(), 5))
        await pilot.pause()
        assert notice(pilot) == "the file was changed at 5: 1 event is gone"
        await stand(pilot, 4)
        assert row(pilot, 4).endswith("changed after this, 1 event is gone: see the details")
        seen = sections(pilot)
        assert seen["changed in the file: 1 event is gone"][:2] == [
            "the events behind stand as they were: this was no rewind",
            "5",
        ]
        assert seen["as they were before"] == ["Edit  count.py"]
        assert "rewind dropped" not in str(seen)
        assert "gone 5 Edit: change count.py" in seen
        await keys(pilot, "a", "a")
        assert pilot.app.screen.status.plain == "dismissed 1 event that a change of the file had dropped"


async def test_a_line_with_other_content_is_told_as_that():
    source = MemorySource(unhashed(seven()))
    async with open_session(source) as pilot:
        await begin(pilot)
        source.becomes(edited(unhashed(seven()), 3))
        await pilot.pause()
        assert notice(pilot) == "the file was changed at 3: 1 event has other content"
        source.becomes(unhashed(seven()))
        await pilot.pause()
        assert notice(pilot).startswith("the file was changed at 3: 1 event has other content")
        assert [gone.event.seq for gone in pilot.app.screen.ledger.gone] == [3, 3]


async def test_a_line_altered_under_its_hash_is_no_rewind_and_its_new_bytes_are_shown():
    source = MemorySource(seven())
    async with open_session(source) as pilot:
        await begin(pilot)
        await stand(pilot, 3)
        assert "count.py" in row(pilot, 3)
        source.becomes(edited(seven().nested(), 3))
        await pilot.pause()
        assert notice(pilot) == ""
        assert "other.py" in row(pilot, 3)
        await stand(pilot, 3)
        for _ in range(500):
            if "other.py" in details(pilot):
                break
            await pilot.pause()
        assert "other.py" in details(pilot)
        assert "count.py" not in details(pilot)


def test_one_line_taken_from_a_large_file_is_one_event(tmp_path):
    path, book = tmp_path / "journal.jsonl", Book()
    ask = book.prompt("count")
    for _ in range(4_500):
        book.infer(ask)
    path.write_bytes(book.nested())
    reading = Reading.of(FileSource(path)).complete()
    new = tmp_path / "new.tmp"
    new.write_bytes(without(book, 40))
    new.rename(path)
    changes = [change for fact in reading.source.poll() for change in reading.apply(fact)]
    told = [rewound_words(reading, each) for each in changes if isinstance(each, Rewound)]
    assert told == ["the file was changed at 40: 1 event is gone"]
    assert len(reading.journal.ledgers[0]) == 4_500
    reading.source.close()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_notice_is_read_whole(size):
    source = MemorySource(seven())
    async with open_session(source, size=size) as pilot:
        await begin(pilot)
        source.becomes(sealed(seven(), 3))
        await pilot.pause()
        bar = pilot.app.screen.query_one("#notices")
        assert len(bar.plain) <= bar.size.height * (size[0] - 2)
        assert "see the details" in row(pilot, 4)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_was_done_to_a_file_is_read_where_it_was_done(size):
    source = MemorySource(seven())
    async with open_session(source, size=size) as pilot:
        await begin(pilot)
        source.becomes(without(seven(), 5))
        await pilot.pause()
        assert "the file was changed at 5: 1 event is gone" in notice(pilot)
        assert "changed after this, 1 event is gone" in row(pilot, 4)


def test_a_file_that_is_replaced_keeps_what_was_dropped_readable(tmp_path):
    """Without a screen: the source, its facts, and the words."""
    path, other = tmp_path / "journal.json", tmp_path / "journal.tmp"
    path.write_bytes(seven().array())
    reading = Reading.of(FileSource(path)).complete()
    other.write_bytes(sealed(seven(), 3).array())
    other.rename(path)
    changes = [change for fact in reading.source.poll() for change in reading.apply(fact)]
    assert rewound_words(reading, changes[0]) == (
        "rewound to 3 by human:dusk: 4 dropped; the rules would have kept 2 of them"
    )
    (ledger,) = reading.journal.ledgers
    gone = ledger.gone[1]
    raw = json.loads(reading.source.read(gone.event.offset, gone.event.length, gone.epoch))
    assert canonical(raw["event"]["args"]) == canonical(seven().records[4]["event"]["args"])
    reading.source.close()


if SHARED.is_dir():

    def test_a_ledger_of_the_rust_shape_played_into_one_file(tmp_path):
        path = tmp_path / "capability_journal.json"
        steps = sorted(SHARED.glob("rewind-*.json"))
        shutil.copy(steps[0], path)
        reading = Reading.of(FileSource(path)).complete()
        told: list[str] = []
        for step in steps[1:]:
            new = tmp_path / "new.tmp"
            shutil.copy(step, new)
            new.rename(path)
            changes = [change for fact in reading.source.poll() for change in reading.apply(fact)]
            told += [rewound_words(reading, each) for each in changes if isinstance(each, Rewound)]
        assert told == [
            "rewound to 3 by korg:cli: 4 dropped; the rules would have kept 0 of them",
            "rewound to 3: 4 dropped; the rules would have kept 1 of them",
            "rewound to 0 by korg:cli: 4 dropped; the rules would have kept 0 of them",
        ]
        assert [ledger.generation for ledger in reading.journal.ledgers] == [3]
        reading.source.close()

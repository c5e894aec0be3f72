"""Copying: what an event has to take away, one thing after the other, safe to be pasted."""

from __future__ import annotations

import json

from builders import Book, ref
from stage import app_over, keys, story


async def taken(pilot, times: int) -> list[str]:
    """What `y` sends to the terminal, pressed so often."""
    sent: list[str] = []
    pilot.app.copy_to_clipboard = sent.append
    await keys(pilot, *["y"] * times)
    return sent


async def test_the_same_key_copies_one_thing_after_the_other_and_says_which():
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", *":3", "enter")
        status = pilot.app.screen.status
        sent = await taken(pilot, 1)
        assert sent == ["korg://local/event/3"]
        assert status.plain == "korg://local/event/3 sent to the terminal's clipboard · y: the seq"
        sent = await taken(pilot, 2)
        assert sent == ["3", "pytest tests/test_dates.py"]
        assert status.plain == (
            "the command pytest tests/test_dates.py sent to the terminal's clipboard · y: the event"
        )
        (event, again) = await taken(pilot, 2)
        assert json.loads(event)["seq_id"] == 3
        assert again == "korg://local/event/3"


async def test_another_row_or_another_key_begins_anew():
    async with app_over(story()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", *":17", "enter", "y")
        assert await taken(pilot, 2) == ["17", "src/dates.py"]
        await keys(pilot, "k", "j")
        assert await taken(pilot, 1) == ["korg://local/event/17"]


async def test_what_is_copied_acts_on_no_terminal_and_keeps_its_lines():
    book = Book()
    ask = book.prompt("go")
    command = "cat <<END\n\x1b[201~rm -rf /\u202e\nEND"
    book.tool("Bash", ask, args={"command": command}, result=ref("out"))
    async with app_over(book).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G")
        sent = await taken(pilot, 5)
        assert sent[2] == "cat <<END\n␛[201~rm -rf /\\u202e\nEND"
        assert len(sent[3]) == 64
        assert sent[4].isascii()
        assert sent[4].isprintable()


async def test_in_little_room_what_was_sent_is_cut_and_not_what_comes_next():
    async with app_over(story()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter", *":3", "enter", "y", "y", "y")
        said = pilot.app.screen.status.plain
        assert said.endswith("… sent to the terminal's clipboard · y: the event") and len(said) <= 80

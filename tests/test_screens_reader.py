"""The reader: a blob or a long value whole, whatever its size; it says where one is and what is wrong."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
import time

import pytest

from builders import Book, ref
from korg_tui.reading import Reading
from korg_tui.screens.matter import BlobMatter, ValueMatter, at_pointer
from korg_tui.screens.reader import ReaderScreen
from korg_tui.sources import BlobFound, BlobStore
from korg_tui.sources.content import FileContent
from stage import MemorySource, app_over, keys

SIZE = (80, 24)


@pytest.fixture
def put(tmp_path):
    """Put content below its name, or another one, where `blobs` finds it."""

    def put(content: bytes, sha: str = "") -> str:
        sha = sha or hashlib.sha256(content).hexdigest()
        path = tmp_path / ".korg" / "blobs" / sha[:2] / sha
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return sha

    return put


@pytest.fixture
def blobs(tmp_path):
    return BlobStore(None, environment={}, here=tmp_path)


async def opened(pilot, matter) -> ReaderScreen:
    await pilot.pause()
    screen = ReaderScreen(matter, [("journal.jsonl", "line--quiet"), (" › ", ""), ("17 Bash", "")])
    pilot.app.push_screen(screen)
    await settled(pilot)
    return screen


async def settled(pilot) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def rows(screen: ReaderScreen, count: int = 100) -> list[str]:
    return [row.text for row in screen.view._rows][:count]


def head(screen: ReaderScreen) -> str:
    return screen.query_one("#reader-head").plain


def nothing(screen: ReaderScreen) -> str:
    return str(screen.query_one("#nothing").render())


async def test_text_is_paged_searched_wrapped_and_left_again(blobs, put):
    lines = [f"line {number}" + " and more words" * (10 if number == 3 else 0) for number in range(1, 501)]
    sha = put("\n".join(lines).encode())
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        before = pilot.app.screen
        screen = await opened(pilot, BlobMatter(sha, blobs))
        assert screen.query_one("#crumbs").plain == f"journal.jsonl › 17 Bash › blob {sha[:15]}…"
        assert head(screen) == "present and right, 4.5 KB · text, UTF-8"
        assert rows(screen, 2) == ["line 1", "line 2"]
        assert screen.status.plain == "lines 1 to 18 of 500, 6 % · text"
        await keys(pilot, "w")
        assert rows(screen)[3:5] == ["line 4", "line 5"]
        await keys(pilot, "greater_than_sign")
        assert screen.view.x == 8
        await keys(pilot, "w", "j", "j", "pagedown", "pageup", "k")
        assert rows(screen, 1) == ["line 2"]
        await keys(pilot, "G")
        assert rows(screen)[-1] == "line 500"
        assert screen.status.plain == "lines 481 to 500 of 500, 100 % · text"
        await keys(pilot, "g", "slash", *"ine 250", "enter")
        await settled(pilot)
        assert screen.view.here == screen.view.lines.offset_of(250)
        assert screen.status.plain.endswith(" % · hit 1 of 1 · text")
        await keys(pilot, "n")
        await settled(pilot)
        assert " · hit 1 of 1, from the beginning again · " in screen.status.plain
        await keys(pilot, "slash", "x", "y", "z", "enter")
        await settled(pilot)
        assert screen.status.plain == "“xyz” is not in it"
        await keys(pilot, *":77", "enter")
        assert "line 77" in rows(screen)
        await keys(pilot, *":900", "enter")
        assert screen.status.plain == "there are only 500 lines: this is the last one"
        await keys(pilot, "escape")
        assert pilot.app.screen is before


async def test_json_is_laid_out_and_can_be_seen_as_it_is(blobs, put):
    sha = put(b'{"name":"leap","days":[29,{"of":"February"}]}')
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        screen = await opened(pilot, BlobMatter(sha, blobs))
        laid_out = ["{", '  "name": "leap",', '  "days": [', "    29,", "    {", '      "of": "February"']
        assert rows(screen) == [*laid_out, "    }", "  ]", "}"]
        assert screen.status.plain == "lines 1 to 9 of 9 · JSON laid out"
        await keys(pilot, "v")
        assert rows(screen) == ['{"name":"leap","days":[29,{"of":"February"}]}']
        await keys(pilot, "v")
        assert rows(screen, 1)[0].startswith("00000000  7b 22 6e 61")
        assert screen.status.plain == "bytes 0 to 45 of 45 · hex"
        await keys(pilot, "slash", *"22 6c", "enter")
        await settled(pilot)
        assert screen._found_at == 8
        await keys(pilot, "v")
        assert rows(screen, 1) == ["{"]


@pytest.mark.parametrize(
    ("content", "name", "first"),
    [
        (gzip.compress(b"packed words\n", mtime=0), "gzip of text, UTF-8", "packed words"),
        ("wide".encode("utf-16"), "text, UTF-16 with a byte-order mark", "wide"),
        ("Gr\u00fc\u00dfe an alle".encode("latin-1"), "text, perhaps Latin-1", "Grüße an alle"),
        (b"\x00\x01binary\xff", "binary", "00000000  00 01 62 69 6e 61 72 79  ff"),
        (b"\x1b]52;c;AAAA\x07 \xe2\x80\xae", "text, UTF-8", "␛]52;c;AAAA␇ \\u202e"),
    ],
)
async def test_every_kind_has_a_form(blobs, put, content, name, first):
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        screen = await opened(pilot, BlobMatter(put(content), blobs))
        assert name in head(screen)
        assert rows(screen, 1)[0].rstrip().startswith(first)


async def test_what_is_wrong_with_a_blob_is_said_and_its_content_shown(blobs, put, tmp_path):
    right = b"the content"
    sha = hashlib.sha256(right).hexdigest()
    put(b"something else", sha)
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        screen = await opened(pilot, BlobMatter(sha, blobs))
        assert (head(screen), rows(screen)) == ("wrong content, 14 B · text, UTF-8", ["something else"])
        put(right)
        screen = await opened(pilot, BlobMatter(sha, blobs, declared=12))
        assert head(screen) == "wrong size: 11 bytes where the event says 12 · text, UTF-8 · 11 B"
        screen = await opened(pilot, BlobMatter("0" * 64, blobs))
        assert head(screen) == "missing"
        assert nothing(screen) == (
            f"missing: not in {tmp_path}/.korg/blobs\n\n"
            "Put the blob into one of these places, or set KORG_BLOB_DIR."
        )
        screen = await opened(pilot, BlobMatter("../../etc/passwd", blobs))
        assert head(screen) == "not a blob name"
        screen = await opened(pilot, BlobMatter(put(b""), blobs))
        assert nothing(screen) == "It is empty: 0 bytes."


async def test_a_large_file_is_seen_before_it_is_verified(blobs, put, monkeypatch):
    monkeypatch.setattr("korg_tui.sources.blobs.AT_ONCE", 10)
    go_on = threading.Event()
    read = FileContent.read
    reads: list[int] = []

    def slow(self, offset, length):
        if length > 200_000:
            assert go_on.wait(30)
        reads.append(length)
        return read(self, offset, length)

    monkeypatch.setattr(FileContent, "read", slow)
    sha = put(b"the very first line\n" * 100_000)
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        await pilot.pause()
        screen = ReaderScreen(BlobMatter(sha, blobs))
        pilot.app.push_screen(screen)
        await pilot.pause()
        assert head(screen).startswith("verifying")
        assert rows(screen, 1) == ["the very first line"]
        await keys(pilot, "j", "G")
        assert screen.view.at_end
        go_on.set()
        await settled(pilot)
        assert head(screen) == "present and right, 2.0 MB · text, UTF-8"


@pytest.mark.parametrize("line", [b"a usual line of text\n", b"one endless line without an end "])
async def test_50_mb_open_as_5_kb(blobs, put, monkeypatch, line):
    monkeypatch.setattr("korg_tui.screens.reader._COUNTED_AT_ONCE", 1)
    monkeypatch.setattr("korg_tui.screens.reader._TICK_SECONDS", 1000)
    monkeypatch.setattr(BlobMatter, "verified", lambda *words: ("present", False))
    monkeypatch.setattr("korg_tui.screens.reader.digest_of", lambda content, progress: "")
    sha = put(line * (50_000_000 // len(line)))
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        screen = await opened(pilot, BlobMatter(sha, blobs))
        assert len(rows(screen)) == 20
        assert screen.document.content.asked < 2_000_000
        await keys(pilot, "G", "k", "pageup")
        assert len(rows(screen)) == 20
        assert screen.document.content.asked < 5_000_000


async def test_too_big_is_verified_only_when_asked(blobs, put, monkeypatch):
    monkeypatch.setattr("korg_tui.sources.blobs.AT_ONCE", 10)
    monkeypatch.setattr("korg_tui.sources.blobs.LARGEST_BLOB", 20)
    sha = put(b"many words, more than twenty bytes")
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        screen = await opened(pilot, BlobMatter(sha, blobs))
        assert head(screen) == "too big to verify unasked, 34 B · text, UTF-8"
        assert screen.status.plain.endswith(" · i verifies it")
        await keys(pilot, "i")
        await settled(pilot)
        assert head(screen) == "present and right, 34 B · text, UTF-8"


class Server:
    """Blobs on a server: a large one, that comes when it is asked for."""

    remote = True
    coming = (0, 0)

    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        assert self.may_answer.wait(30)
        if not whole:
            return BlobFound(sha, "not fetched", "not fetched: 42.0 MB on the server", size=42_000_000)
        return BlobFound(sha, "present", "present", url="u", size=7, content=b"fetched")


async def test_what_lies_on_a_server_is_fetched_when_asked_and_keys_act_meanwhile():
    server = Server()
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        await pilot.pause()
        screen = ReaderScreen(BlobMatter("0" * 64, server))
        pilot.app.push_screen(screen)
        await pilot.pause()
        assert (head(screen), nothing(screen)) == ("looking for it", "Looking for it …")
        server.coming = (5_000_000, 42_000_000)
        screen.settle()
        assert head(screen) == "looking for it: 5.0 MB of 42.0 MB came"
        server.may_answer.set()
        await settled(pilot)
        assert head(screen) == "not fetched, 42.0 MB"
        assert nothing(screen).endswith("Press i to fetch it.")
        await keys(pilot, "i")
        await settled(pilot)
        assert (head(screen), rows(screen)) == ("present and right, 7 B · text, UTF-8", ["fetched"])


async def test_a_search_says_how_far_it_is_and_can_be_stopped(blobs, put, monkeypatch):
    monkeypatch.setattr("korg_tui.screens.leafing.Seeker.step", lambda self: time.sleep(0.005))
    sha = put(b"words\n" * 1000)
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        screen = await opened(pilot, BlobMatter(sha, blobs))
        await keys(pilot, "slash", "q", "enter")
        await pilot.pause()
        assert screen.status.plain.startswith("looking for “q”, 0 %: esc stops")
        await keys(pilot, "j", "escape")
        assert pilot.app.screen is screen
        assert screen.status.plain == "stopped looking"


def long_event() -> MemorySource:
    book = Book()
    think = book.infer(book.prompt("go"))
    result = {"stdout": "x" * 200 + "\n" + "last", "more": [{"a/b": [1, 2]}]}
    book.tool("Read", think, args={"file_path": "src/dates.py"}, result=result)
    return MemorySource(book)


def reading_of(source: MemorySource) -> Reading:
    reading = Reading.of(source)
    for fact in source.start():
        reading.apply(fact)
    return reading


@pytest.mark.parametrize(
    ("pointer", "title", "shown"),
    [
        ("/result/stdout", "result.stdout", ["x" * 70, "x" * 70, "x" * 60, "last"]),
        ("/result/more/0/a~1b/1", "result.more.0.a~1b.1", ["2"]),
        ("/result/more/0", "result.more.0", ["{", '  "a/b": [', "    1,", "    2", "  ]", "}"]),
    ],
)
async def test_a_long_value_of_an_event_is_read_whole(pointer, title, shown):
    reading = reading_of(long_event())
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        screen = await opened(pilot, ValueMatter(reading, reading.journal.ledgers[0], 2, pointer))
        assert screen.query_one("#crumbs").plain.endswith(f" › {title}")
        assert rows(screen)[-1] == shown[-1]
        assert "".join(rows(screen)) == "".join(shown)


async def test_a_value_that_is_gone_is_said():
    reading = reading_of(long_event())
    async with app_over(Book()).run_test(size=SIZE) as pilot:
        screen = await opened(pilot, ValueMatter(reading, reading.journal.ledgers[0], 2, "/result/nowhere"))
        assert (head(screen), nothing(screen)) == ("not there", "this event has no such value any more")


def test_a_pointer_leads_into_args_result_and_references():
    found = reading_of(long_event())
    body = found.body(found.journal.ledgers[0], 2)
    assert at_pointer(body, "/args/file_path") == ("src/dates.py", True)
    assert at_pointer(body, "/payload_refs") == ([], True)
    assert at_pointer(body, "/result/more/7") == (None, False)
    assert at_pointer(body, "/result/more/0/a~1b") == ([1, 2], True)


async def test_an_event_opens_its_blob_and_escape_comes_back_to_the_same_line(put, blobs):
    content = json.dumps({"page": "about dates"}).encode()
    sha = put(content)
    book = Book()
    think = book.infer(book.prompt("go"))
    book.tool("WebFetch", think, args={"url": "https://example.org"}, result=ref(content))
    source = MemorySource(book)
    source.blobs = blobs
    async with app_over(source).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter")
        details = pilot.app.screen.details
        index = next(at for at, row in enumerate(details._rows) if row.opens is not None)
        await keys(pilot, *["j"] * index, "enter")
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, ReaderScreen)
        assert screen.matter.name == sha
        assert rows(screen) == ["{", '  "page": "about dates"', "}"]
        assert screen.query_one("#crumbs").plain.startswith(".korg/journal.jsonl › 3 WebFetch › blob ")
        await keys(pilot, "escape")
        assert pilot.app.screen.details.cursor == index


async def test_a_line_that_opens_something_says_so_and_a_key_opens_it_from_the_rows(put, blobs):
    book = Book()
    out = {"stdout": ref("z" * 5_000), "exit_code": 0}
    book.tool("Bash", book.prompt(), args={"command": "x"}, result=out)
    put(b"z" * 5_000)
    source = MemorySource(book)
    source.blobs = blobs
    async with app_over(source).run_test(size=SIZE) as pilot:
        await pilot.pause()
        await keys(pilot, "G", "enter")
        session = pilot.app.screen
        while session.details.opens is None:
            await keys(pilot, "j")
        assert session.status.plain.startswith("enter: the blob in the reader · ")
        assert session.query_one("#keys").render().plain.startswith(" enter reader ")
        await keys(pilot, "escape", "B")
        await settled(pilot)
        assert isinstance(pilot.app.screen, ReaderScreen)
        assert rows(pilot.app.screen)[0].startswith("zzz")
        await keys(pilot, "escape", "k", "B")
        assert session.status.plain == "the details show all of this event: there is nothing more to read"

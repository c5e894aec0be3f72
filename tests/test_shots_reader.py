"""Shots of the reader, and of blobs in the details: every state, and every kind of content."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from builders import START_MS, Book, FixedClock, ref
from korg_tui.screens import outside
from korg_tui.screens.reader import ReaderScreen
from korg_tui.sources import BlobFound, BlobStore
from korg_tui.views import Opens
from stage import SIZES, MemorySource, app_over, keys

CONTENTS = Path(__file__).parent / "ledgers" / "blobs"
ALL = [(size, theme) for size in SIZES for theme in ("dark", "light")]
SOME = [("80x24", "dark"), ("120x40", "light")]
DARK, LIGHT = [("80x24", "dark")], [("80x24", "light")]


def shots(wanted: list[tuple[str, str]]):
    return pytest.mark.parametrize(
        ("size", "theme"), wanted, ids=[f"{size}-{theme}" for size, theme in wanted]
    )


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blobs lie in this folder, which has the same name wherever the tests run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KORG_IMAGES", "blocks")
    Path(".korg/blobs").mkdir(parents=True)


def put(content: bytes, sha: str = "") -> dict:
    """Lay a blob down, under its own name or another one; returns a reference to it."""
    reference = ref(content) if not sha else {"_ref": f"sha256:{sha}", "size_bytes": len(content)}
    sha = reference["_ref"].removeprefix("sha256:")
    path = Path(".korg/blobs") / sha[:2] / sha
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return reference


def of(name: str) -> dict:
    """A reference to a blob with what lies in a file beside this test."""
    return put((CONTENTS / name).read_bytes())


def over(result: object, theme: str, *, tool: str = "WebFetch", blobs: object = None, **more):
    """An app over a ledger whose last event has this result."""
    book = Book()
    think = book.infer(book.prompt("Why do leap days fail?"))
    book.tool(tool, think, result=result, duration_ms=240, **more)
    source = MemorySource(book, ".korg/journal.jsonl")
    source.blobs = BlobStore(None, environment={}, here=Path()) if blobs is None else blobs
    return app_over(source, theme=theme, clock=FixedClock(START_MS + 60_000))


def reading(reference: dict, *pressed: str, settle: bool = True):
    """Opens the blob, and presses these keys."""

    async def press(pilot) -> None:
        await pilot.pause()
        await keys(pilot, "G")
        pilot.app.screen.open_reader(Opens("blob", reference["_ref"].removeprefix("sha256:")))
        await pilot.pause()
        if settle:
            await pilot.app.workers.wait_for_complete()
        await keys(pilot, *pressed)
        if settle:
            await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(pilot.app.screen, ReaderScreen)

    return press


@shots(ALL)
def test_json(snap_compare, size, theme):
    blob = of("found.json")
    run = reading(blob, "slash", *"parsers", "enter")
    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=run)


@shots([("120x40", "light")])
def test_source(snap_compare, size, theme):
    blob = of("dates.txt")
    app = over({"content": blob}, theme, tool="Read", args={"file_path": "src/dates.py"})
    assert snap_compare(app, terminal_size=SIZES[size], run_before=reading(blob))


@shots(DARK)
def test_hex(snap_compare, size, theme):
    blob = of("table.bin")
    run = reading(blob, "pagedown", "slash", *"14 14 22", "enter")
    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=run)


@shots(DARK)
def test_image(snap_compare, size, theme):
    blob = of("picture.png")
    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=reading(blob))


@shots(DARK)
def test_image_without_a_picture(snap_compare, size, theme, monkeypatch):
    monkeypatch.setenv("KORG_IMAGES", "none")
    blob = of("picture.png")
    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=reading(blob))


@shots(DARK)
def test_50_mb(snap_compare, size, theme):
    lines = "".join(f"14:{n // 60 % 60:02}:{n % 60:02} INFO day {n:06} parsed\n" for n in range(15_000))
    content = lines.encode() * (50_000_000 // len(lines))
    blob = put(content)

    async def press(pilot) -> None:
        await reading(blob)(pilot)
        screen = pilot.app.screen
        while screen.view.lines.work(1000):
            pass
        screen.settle()
        await keys(pilot, "G", "pageup")
        screen.settle()
        await pilot.pause()

    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=press)


# states


@shots(DARK)
def test_missing(snap_compare, size, theme):
    blob = ref("nobody has it")
    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=reading(blob))


@shots(LIGHT)
def test_wrong_content(snap_compare, size, theme):
    blob = put(b"somebody has changed this\n", hashlib.sha256(b"what it was").hexdigest())
    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=reading(blob))


@shots(DARK)
def test_wrong_size(snap_compare, size, theme):
    blob = put(b"this is what was meant\n") | {"size_bytes": 400}
    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=reading(blob))


@shots(LIGHT)
def test_too_big(snap_compare, size, theme, monkeypatch):
    monkeypatch.setattr("korg_tui.sources.blobs.AT_ONCE", 10)
    monkeypatch.setattr("korg_tui.sources.blobs.LARGEST_BLOB", 10)
    blob = put(b"a very large log\n" * 40)
    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=reading(blob))


class Server:
    """A server that has a large blob, and does not answer before it may."""

    remote = True
    coming = (7_300_000, 42_000_000)

    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def find(self, sha: str, *, whole: bool = False) -> BlobFound:
        self.may_answer.wait(20)
        text = "not fetched: 42000000 bytes on the server"
        return BlobFound(sha, "not fetched", text, url="http://127.0.0.1", size=42_000_000)


@shots(DARK)
def test_not_fetched(snap_compare, size, theme):
    server, blob = Server(), ref("a large one")
    server.may_answer.set()
    app = over(blob, theme, blobs=server)
    assert snap_compare(app, terminal_size=SIZES[size], run_before=reading(blob))


@shots(LIGHT)
def test_fetching(snap_compare, monkeypatch, size, theme):
    server, blob = Server(), ref("a large one")

    async def press(pilot) -> None:
        await reading(blob, settle=False)(pilot)
        pilot.app.screen.settle()
        await pilot.pause()

    app = over(blob, theme, blobs=server)
    # Once the shot is taken the app ends, and waits for what it does beside the screen.
    monkeypatch.setattr(app._feeds, "stop", server.may_answer.set)
    assert snap_compare(app, terminal_size=SIZES[size], run_before=press)


# in the details, and on the way out


@shots(SOME)
def test_blobs_in_the_details(snap_compare, size, theme):
    wrong = put(b"changed", hashlib.sha256(b"what it was").hexdigest())
    odd = {"_ref": "../../etc/passwd", "size_bytes": 3}
    result = {"found": of("found.json"), "page": of("log.gz"), "old": wrong, "gone": ref("no"), "odd": odd}
    book = over(result, theme, payload_refs=[put(b"short\n") | {"size_bytes": 99}])
    run = reading_details("G", "enter", *["j"] * 14)
    assert snap_compare(book, terminal_size=SIZES[size], run_before=run)


def reading_details(*pressed: str):
    async def press(pilot) -> None:
        await pilot.pause()
        await keys(pilot, *pressed)

    return press


@shots(LIGHT)
def test_giving_it_to_another_program(snap_compare, size, theme, monkeypatch):
    monkeypatch.setenv("PAGER", "/bin/cat")
    make, path = outside.copy_of, Path("/tmp/korg-tui-5c297dc2/blob-0123")
    monkeypatch.setattr(outside, "copy_of", lambda *words: replace(make(*words), path=path))
    blob = of("found.json")
    assert snap_compare(over(blob, theme), terminal_size=SIZES[size], run_before=reading(blob, "o"))

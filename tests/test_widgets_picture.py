"""Images: drawn where the terminal can, without asking it anything; hostile ones are refused in words."""

from __future__ import annotations

import hashlib
import io
import os
import pty
import struct
import subprocess
import sys
import zlib

import pytest
from PIL import Image

from builders import Book
from korg_tui.screens.matter import BlobMatter
from korg_tui.screens.reader import ReaderScreen
from korg_tui.sources import BlobStore, MemoryContent
from korg_tui.widgets.picture import NoPicture, decoded, fitting, picture, way
from stage import app_over, keys


def png(wide: int, high: int) -> bytes:
    image, out = Image.new("RGB", (wide, high), (200, 30, 60)), io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def bomb(wide: int, high: int) -> bytes:
    """A small file that says that it has so many pixels."""
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(99))))
    packed = (struct.pack(">I", len(c)) + n + c + struct.pack(">I", zlib.crc32(n + c)) for n, c in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


@pytest.mark.parametrize(
    ("environment", "how"),
    [
        ({"TERM": "xterm-256color"}, "blocks"),
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM": "screen-256color", "KITTY_WINDOW_ID": "1"}, "blocks"),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, "blocks"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "sixel"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "sixel"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "dumb", "KORG_IMAGES": "sixel"}, "sixel"),
        ({"TERM": "xterm-kitty", "KORG_IMAGES": "none"}, "none"),
        ({"TERM": "xterm-kitty", "KORG_IMAGES": "what?"}, "kitty"),
        ({}, "blocks"),
    ],
)
def test_what_a_terminal_can_is_told_by_its_environment(environment, how):
    assert way(environment, terminal=True) == how


def test_pixels_are_not_sent_into_a_pipe():
    assert way({"TERM": "xterm-kitty"}, terminal=False) == "blocks"


@pytest.mark.parametrize(
    ("pixels", "cells"),
    [((100, 100), (10, 5)), ((1600, 400), (80, 10)), ((1000, 4000), (10, 20)), ((1, 1), (1, 1))],
)
def test_an_image_keeps_its_shape_and_grows_over_nothing(pixels, cells):
    assert fitting(pixels, (80, 20), (10, 20)) == cells


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bomb(50_000, 50_000), "it would have too many pixels"),
        (bomb(8_000, 8_000), "it would have too many pixels"),
        (bomb(300, 300), "cannot be decoded"),
        (png(9, 9)[:40], "cannot be decoded"),
        (b"no image", "cannot be decoded"),
    ],
)
def test_hostile_images_are_refused_in_words(content, words):
    with pytest.raises(NoPicture, match=words):
        decoded(MemoryContent(content))


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    content = MemoryContent(png(3, 3))
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "PIL", None)
        with pytest.raises(NoPicture, match=r"pip install 'korg-tui\[images\]'"):
            decoded(content)
    monkeypatch.setitem(sys.modules, "textual_image.widget", None)
    with pytest.raises(NoPicture, match=r"pip install 'korg-tui\[images\]'"):
        picture(Image.new("RGB", (3, 3)), "kitty", (10, 10))


@pytest.mark.parametrize("how", ["kitty", "sixel"])
def test_the_library_is_loaded_without_a_word_to_the_terminal(how):
    code = (
        "import os, sys; from PIL import Image; from korg_tui.widgets.picture import picture\n"
        f"drawn = picture(Image.new('RGB', (300, 300)), {how!r}, (80, 20))\n"
        "print(type(drawn).__module__, drawn.styles.width.value, drawn.styles.height.value)\n"
        "print('TEXTUAL_CELL_WIDTH' in os.environ, sys.__stdout__ is sys.stdout)"
    )
    screen, keyboard = pty.openpty()
    words = [sys.executable, "-c", code]
    with subprocess.Popen(words, stdin=keyboard, stdout=keyboard, stderr=keyboard) as run:
        os.close(keyboard)
        run.wait(60)
        said = os.read(screen, 10_000).decode()
    os.close(screen)
    module = {"kitty": "textual_image.widget", "sixel": "textual_image.widget.sixel"}[how]
    assert said.splitlines() == [f"{module} 30.0 15.0", "False True"]


async def test_the_reader_draws_an_image_and_shows_its_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("KORG_IMAGES", "blocks")
    content = png(200, 100)
    sha = hashlib.sha256(content).hexdigest()
    path = tmp_path / ".korg" / "blobs" / sha[:2] / sha
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    async with app_over(Book()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = ReaderScreen(BlobMatter(sha, BlobStore(None, environment={}, here=tmp_path)))
        pilot.app.push_screen(screen)
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.query_one("#reader-head").plain.startswith("present and right, ")
        assert "PNG image, 200 x 100" in screen.query_one("#reader-head").plain
        (drawn,) = screen.query_one("#picture").children
        assert (drawn.size.width, drawn.size.height) == (78, 20)
        assert "▀" in "".join(strip.text for strip in screen._compositor.render_strips())
        await keys(pilot, "v")
        assert screen.view.display
        assert screen.view._rows[0].text.startswith("00000000  89 50 4e 47")
        monkeypatch.setenv("KORG_IMAGES", "none")
        await keys(pilot, "v")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "it is not drawn" in str(screen.query_one("#nothing").render())

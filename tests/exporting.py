"""Exports of small ledgers, as bytes and as what a reader of the format makes of them."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders import MAIN, SUB, Book
from korg_tui.causal import Ledger
from korg_tui.export import Exported, write_export
from korg_tui.reading import Reading
from korg_tui.sources import FileSource

SECRET = "ghp_" + "a1B2c3D4e5" * 4
"""Looks like a token."""


@dataclass(frozen=True)
class Out:
    """What an export wrote, and what it says of it."""

    raw: bytes
    said: Exported

    @property
    def text(self) -> str:
        return self.raw.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


def reading_of(path: Path, content: bytes | Book | None = None) -> Reading:
    """A ledger in a file, read."""
    if content is not None:
        path.write_bytes(content.nested() if isinstance(content, Book) else content)
    return Reading.of(FileSource(path)).complete()


def ledger_of(reading: Reading) -> Ledger:
    return reading.journal.ledgers[0]


def exported(reading: Reading, name: str, **more: Any) -> Out:
    """An export of the first ledger of a reading."""
    out = io.BytesIO()
    said = write_export(name, reading, ledger_of(reading), out, **more)
    assert said.bytes == len(out.getvalue())
    return Out(out.getvalue(), said)


def page_data(html: str) -> dict[str, Any]:
    """The data block of a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


def told_book() -> Book:
    """A prompt, a sub-agent, a failure, a secret, and a home folder, in 9 events."""
    book = Book()
    ask = book.prompt("fix <b>the</b> bug in /home/dusk/work/a.py")
    usage = {"input_tokens": 12, "output_tokens": 3}
    think = book.infer(ask, args={"model": "claude-x"}, result={"text": "ok", "usage": usage})
    sub = book.prompt("look", think, by=SUB)
    inner = book.infer(sub, by=SUB)
    book.tool(
        "Read", inner, by=SUB, args={"file_path": "/home/dusk/work/a.py"}, result={"content": "``` x"},
        duration_ms=200,
    )  # fmt: skip
    agent = book.spawn(think, "look", result={"content": "done"}, duration_ms=2_500)
    after = book.infer(agent)
    book.tool(
        "Bash", after, by=MAIN,
        args={"command": f"curl -H 'x: {SECRET}' /home/dusk/work", "password": "hunter2"},
        result={"stderr": "no\n<script>alert(1)</script>"}, success=False, duration_ms=40,
    )  # fmt: skip
    book.governance("EffectStarted", after)
    return book

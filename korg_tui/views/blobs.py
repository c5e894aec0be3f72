"""Blobs in the details: their states in words, and a preview that stands where the reference stood.

A preview is bounded: it is made from the first `HEAD` bytes. The reader shows the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from korg_tui.formats import Body
from korg_tui.sources import BlobFound
from korg_tui.text import CUT, visible
from korg_tui.views import calls
from korg_tui.views.display import coloured, shown_text
from korg_tui.views.hexdump import COLUMNS, hex_lines
from korg_tui.views.recoding import laid_out
from korg_tui.views.sections import Line, Opens, Style
from korg_tui.views.sniff import HEAD, Sniffed, sniff, unpacked
from korg_tui.views.texts import bounded
from korg_tui.views.words import plural, size

PREVIEW_LINES = 40
"""Lines of the content that a preview shows."""

REFERENCES = 2_000
"""So many references of one event are looked at."""

_HEX_LINES = 8
_SHORT = 12
_WAITING = frozenset({"looking", "verifying", "not fetched", "too big"})
"""States that say nothing against a blob."""
_READABLE = frozenset({"present", "wrong", "wrong size", "too big", "verifying"})
"""States in which there is content to be shown."""
_WORDS = {"present": "present and right", "wrong": "wrong content"}
_TOO_BIG = "too big to verify unasked"


@dataclass(frozen=True, slots=True)
class Reference:
    """A blob that an event names. `pointer`: where (RFC 6901, into args, result, payload_refs)."""

    name: str
    size: int | None
    """Bytes, as the event declares them."""
    pointer: str


def references(found: Body) -> Iterator[Reference]:
    """The content references of an event, at any depth, in document order; those whose name is no digest,
    too."""
    parts = {"args": found.args, "result": found.result, "payload_refs": found.payload_refs}
    stack: list[tuple[str, object]] = [(f"/{key}", part) for key, part in reversed(parts.items())]
    count = 0
    while stack and count < REFERENCES:
        pointer, value = stack.pop()
        named = calls.reference(value)
        if named is not None:
            count += 1
            yield Reference(*named, pointer)
        elif isinstance(value, dict):
            stack += [(f"{pointer}/{_escaped(str(key))}", each) for key, each in reversed(value.items())]
        elif isinstance(value, list):
            stack += [(f"{pointer}/{index}", each) for index, each in reversed(list(enumerate(value)))]


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def declared_sizes(found: Body) -> dict[str, int]:
    """The sizes in bytes that an event declares of its blobs, by name."""
    return {each.name: each.size for each in references(found) if each.size is not None}


def judged(found: BlobFound, declared: int | None) -> BlobFound:
    """What is known of a blob, measured by the size that the event declares: `wrong size` when it is present
    but has another one."""
    if found.state != "present" or declared is None or found.size in (None, declared):
        return found
    text = f"wrong size: {found.size} bytes where the event says {declared}; the digest is right"
    return replace(found, state="wrong size", text=text)


def readable(found: BlobFound) -> bool:
    """Whether there is content to show."""
    return found.state in _READABLE and (found.path is not None or found.content is not None)


def state_words(found: BlobFound) -> str:
    """The state in a few words: `present and right, 1.2 KB`, `wrong content`, `missing`."""
    if found.state == "wrong size":
        return found.text.removesuffix("; the digest is right")
    words = _TOO_BIG if found.state == "too big" and found.path else _WORDS.get(found.state, found.state)
    known = found.size is not None and (found.state in _WAITING or found.state in ("present", "wrong"))
    return f"{words}, {size(found.size or 0)}" if known else words


def state_style(found: BlobFound) -> Style:
    """How the state looks: what is wrong stands out."""
    if found.state == "present":
        return ""
    return "note" if found.state in _WAITING else "error"


def blob_line(found: BlobFound, declared: int | None = None) -> Line:
    """One line of the list of blobs: the whole name, the state, what it is."""
    found = judged(found, declared)
    kind = f", {_told(found).name}" if found.state == "present" else ""
    opens = Opens("blob", found.sha) if _is_name(found) else None
    return Line(visible(f"{found.sha} {state_words(found)}{kind}", 400), state_style(found), opens=opens)


def _told(found: BlobFound) -> Sniffed:
    return sniff(found.read(HEAD), whole=found.size is None or found.size <= HEAD)


def _is_name(found: BlobFound) -> bool:
    return found.state != "not a blob name"


def blob_preview(
    found: BlobFound, declared: int | None = None, *, path: str = "", lines: int = PREVIEW_LINES
) -> list[Line]:
    """What stands in place of a reference: a line that says that this is a blob, which, and in which state;
    then the beginning of its content, as what it is. Choosing the first line opens all of it. Other content
    under its name is only told of: nobody knows whose it is. `path`: the file that it comes from or goes to,
    as far as the event says."""
    found = judged(found, declared)
    opens = Opens("blob", found.sha) if _is_name(found) else None
    name = f"{visible(found.sha, _SHORT)}" if _is_name(found) else f"“{visible(found.sha, 40)}”"
    if not readable(found):
        said = visible(found.text if found.state in ("missing", "unreadable") else state_words(found), 400)
        return [Line(f"blob {name} {said}", state_style(found), opens=opens)]
    told = _told(found)
    title = Line(f"blob {name} {state_words(found)}, {told.name}", state_style(found) or "note", opens=opens)
    if found.state == "wrong":
        return [title, Line("not shown here, as it is other content", "note", opens=opens)]
    return [title, *_content(found, told, path, lines, opens)]


def _content(found: BlobFound, told: Sniffed, path: str, lines: int, opens: Opens | None) -> Iterator[Line]:
    text = content_text(found, told)
    if text is None:
        yield from _hex(found, told, lines, opens)
        return
    if (told.inner or told).kind == "json":
        text = b"".join(laid_out([text.encode("utf-8", "replace")])).decode("utf-8", "replace")
        shown = coloured(bounded(text, limit=lines + 1), "blob.json")
    else:
        shown = shown_text(text, path=path)
    yield from shown[:lines]
    if len(shown) > lines or (found.size or 0) > HEAD or (told.kind == "gzip" and len(text) >= HEAD):
        whole = f" of {size(found.size)}" if found.size is not None and told.kind != "gzip" else ""
        yield Line(f"{CUT} enter opens the whole{whole}", "note", opens=opens)


def content_text(found: BlobFound, told: Sniffed | None = None) -> str | None:
    """The text that content begins with, at most `HEAD` bytes of it, unpacked; None where it is no text.
    Foreign text: it has not passed `korg_tui.text`."""
    head = found.read(HEAD)
    told = _told(found) if told is None else told
    if told.kind == "gzip" and told.inner is not None:
        head, told = unpacked(head, HEAD), told.inner
    if told.kind not in ("text", "json") or not told.encoding:
        return None
    errors = "backslashreplace" if told.encoding == "utf-8" else "replace"
    return head[told.begins :].decode(told.encoding, errors)


def _hex(found: BlobFound, told: Sniffed, lines: int, opens: Opens | None) -> Iterator[Line]:
    if told.kind == "image":
        yield Line("enter shows it", "note", opens=opens)
        return
    count = min(_HEX_LINES, lines)
    head = found.read(count * COLUMNS)
    yield from (Line(line, "output") for line in hex_lines(head, count))
    rest = (found.size or len(head)) - len(head)
    if rest > 0:
        yield Line(f"{CUT} {plural(rest, 'byte')} more: enter opens it whole", "note", opens=opens)

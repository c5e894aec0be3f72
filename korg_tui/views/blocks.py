"""Blocks: lists of content as models take and give them - text, images, what a tool returned - and images in
any form, as facts. Foreign values: any part may be missing or of another kind."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from korg_tui.text import visible
from korg_tui.views.sections import ENTER_SHOWS, Line, Opens
from korg_tui.views.sniff import HEAD, sniff
from korg_tui.views.words import size

BLOCKS = 100
"""Blocks of one list that are shown; the others are told."""

_TEXTS = frozenset({"text", "input_text", "output_text", "thinking", "reasoning", "refusal", "summary_text"})
_IMAGES = frozenset({"image", "input_image", "image_url"})
_NESTS = frozenset({"tool_result"})
_DATA = re.compile(r"data:(?P<media>[\w.+/-]{0,100})(?:;[\w.=+-]{1,100}){0,4};base64,")


@dataclass(frozen=True, slots=True)
class Block:
    """One block. `pointer`: where its value is (RFC 6901, into `{"args": …, "result": …}`)."""

    what: Literal["text", "image", "other"]
    value: Any
    pointer: str


def blocks(value: object, pointer: str) -> list[Block] | None:
    """The blocks of a list of content; None when it is none."""
    if not isinstance(value, list) or not value:
        return None
    if not all(isinstance(each, Mapping) and isinstance(each.get("type"), str) for each in value[:BLOCKS]):
        return None
    heads = enumerate(value[:BLOCKS])
    found = [block for index, each in heads for block in _block(each, f"{pointer}/{index}")]
    return found if any(block.what != "other" for block in found) else None


def _block(value: Mapping[str, Any], pointer: str) -> Iterator[Block]:
    kind = value["type"]
    if kind in _TEXTS:
        for key in ("text", "thinking", "refusal"):
            if isinstance(value.get(key), str):
                yield Block("text", value[key], f"{pointer}/{key}")
                return
    elif kind in _NESTS:
        inner = value.get("content")
        nested = blocks(inner, f"{pointer}/content")
        if nested is not None:
            yield from nested
            return
        if isinstance(inner, str):
            yield Block("text", inner, f"{pointer}/content")
            return
    elif kind in _IMAGES and image_data(value, pointer) is not None:
        yield Block("image", value, pointer)
        return
    yield Block("other", value, pointer)


def image_data(value: object, pointer: str) -> tuple[str, str] | None:
    """The base64 text of an image and the pointer to it; None when this is no image. Taken are data URLs,
    `{source: {data}}`, `{data, mimeType}`, `{image_url: …}`, and `{file: {base64}}`."""
    if isinstance(value, str):
        found = _DATA.match(value, 0, 800)
        return (value, pointer) if found and found["media"].startswith("image/") else None
    if not isinstance(value, Mapping):
        return None
    for keys in (("source", "data"), ("file", "base64"), ("data",), ("image_url", "url"), ("image_url",)):
        inner: Any = value
        for key in keys:
            inner = inner.get(key) if isinstance(inner, Mapping) else None
        if not isinstance(inner, str):
            continue
        if keys[0] == "image_url":
            return image_data(inner, f"{pointer}/{'/'.join(keys)}")
        if keys == ("data",) and "image" not in str(value.get("mimeType", value.get("media_type", "")))[:40]:
            continue
        return inner, f"{pointer}/{'/'.join(keys)}"
    return None


def image_line(value: object, pointer: str) -> Line | None:
    """An image as its facts: kind, pixels, bytes; None when it is none. Chosen, it is drawn."""
    found = image_data(value, pointer)
    if found is None:
        return None
    text, where = found
    begin = text.index(",") + 1 if text.startswith("data:") else 0
    head = _decoded(text[begin : begin + 4 * (HEAD // 3)])
    told = sniff(head, whole=False) if head else None
    name = told.name if told is not None and told.kind == "image" else "data that is no image that is known"
    measure = size(max(0, (len(text) - begin) * 3 // 4 - text[-2:].count("=")))
    return Line(visible(f"{name}, {measure}{ENTER_SHOWS}"), "link", opens=Opens("value", where))


def _decoded(text: str) -> bytes:
    """The bytes that a base64 text begins with; none when it is not base64."""
    whole = text.encode("ascii", "ignore").translate(None, b"\r\n \t")
    try:
        return base64.b64decode(whole[: len(whole) // 4 * 4], validate=True)
    except (binascii.Error, ValueError):
        return b""

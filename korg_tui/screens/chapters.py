"""Chapters: what the help says, in order - the commands of here, those of elsewhere, the words of a filter,
those of states, and the configuration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from korg_tui.commands import Command, Keymap, Place
from korg_tui.views import LEGEND, QUERY_KEYS


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is no command: a name, and what there is to say."""

    name: str
    text: str


Entry = Command | Note
Chapter = tuple[str, list[Entry]]
"""A title and what stands below it."""


def chapters(place: Place, keymap: Keymap, configured_in: str) -> Iterator[Chapter]:
    """The chapters of the help, opened from a place. Every command stands in just one of them."""
    here = list(keymap.at(place))
    for group in dict.fromkeys(entry.group for entry in here):
        yield group, [entry for entry in here if entry.group == group]
    yield from _elsewhere(place, keymap)
    yield "Filters and searches", [*_words()]
    yield "Words", [Note(word, means) for word, means in LEGEND.items()]
    yield "Configuration", [
        Note("file", configured_in),
        Note("shell", "korg-tui config show prints every setting and every key"),
    ]


def _elsewhere(place: Place, keymap: Keymap) -> Iterator[Chapter]:
    told = {entry.id for entry in keymap.at(place)}
    for other in Place:
        entries: list[Entry] = [entry for entry in keymap.at(other) if entry.id not in told]
        told |= {entry.id for entry in keymap.at(other)}
        if entries:
            yield f"Elsewhere: {other.value}", entries


def _words() -> Iterator[Note]:
    for key, asks in QUERY_KEYS.items():
        yield Note(f"{key}:", asks)
    yield Note('"a b"', "exactly this, anywhere in the event")
    yield Note("-word", "not what this asks: -is:failed")


def found(chapter: Chapter, words: str, keymap: Keymap) -> list[Entry]:
    """What of a chapter has all these words."""
    title, entries = chapter
    wanted = words.casefold().split()
    return [entry for entry in entries if all(word in _text(title, entry, keymap) for word in wanted)]


def _text(title: str, entry: Entry, keymap: Keymap) -> str:
    if isinstance(entry, Note):
        return f"{title} {entry.name} {entry.text}".casefold()
    return f"{title} {keymap.keys_of(entry.id)} {entry.label} {entry.help} {entry.group}".casefold()

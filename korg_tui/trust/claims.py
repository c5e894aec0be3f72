"""Claims: what a certificate or a receipt says of its events, compared with them one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from korg_tui.text import visible
from korg_tui.trust.census import Census
from korg_tui.trust.seals import Seal

_AT_MOST = 20
"""Differences that are told of one claim."""
_NAME = 120
_HASH = 13
"""Characters of a hash that are shown, with the mark that there are more."""


def false_claims(seal: Seal, census: Census) -> Iterator[str]:
    """What a known certificate or receipt says that is not so, each in one line."""
    if seal.count is not None and seal.count != census.events:
        yield f"the {seal.word} claims {seal.count} events, and {census.events} are here"
    if seal.tip and seal.tip != census.tip:
        tip = visible(census.tip, _HASH)
        here = f"the last hash here is {tip}" if tip else "the last event here has no hash"
        yield f"the {seal.word} claims the tip {visible(seal.tip, _HASH)}, and {here}"
    if seal.summary is not None:
        summary = _summary_of_certificate if seal.kind == "certificate" else _summary_of_receipt
        yield from summary(seal.summary, census)


def not_checked(seal: Seal) -> Iterator[str]:
    """What a known certificate or receipt says and nothing here can show, and what it leaves out."""
    summary = seal.summary or {}
    known = _CERTIFIED if seal.kind == "certificate" else _RECEIVED
    for name in sorted(summary.keys() - known):
        yield f"summary.{visible(name, _NAME)} was not checked: nothing in the events says it"
    missing = [name for name in ("event_count", "tip", "summary") if _is_missing(seal, name)]
    if missing:
        yield f"the {seal.word} does not say its {', '.join(missing)}"


_CERTIFIED = {"agents", "by_tool", "files", "seq_first", "seq_last"}
_RECEIVED = {"prompts", "inferences", "tool_calls", "files", "by_tool"}


def _is_missing(seal: Seal, name: str) -> bool:
    if any(f" {name} " in trouble for trouble in seal.troubles):
        return False
    return {"event_count": seal.count is None, "tip": not seal.tip, "summary": seal.summary is None}[name]


def _summary_of_certificate(summary: Mapping[str, Any], census: Census) -> Iterator[str]:
    yield from _number(summary, "seq_first", census.first)
    yield from _number(summary, "seq_last", census.last)
    yield from _names(summary, "agents", census.agents)
    yield from _counts(summary, "by_tool", census.by_tool)
    yield from _names(summary, "files", census.files)


def _summary_of_receipt(summary: Mapping[str, Any], census: Census) -> Iterator[str]:
    yield from _number(summary, "prompts", census.prompts)
    yield from _number(summary, "inferences", census.inferences)
    yield from _number(summary, "tool_calls", census.calls.total())
    yield from _counts(summary, "by_tool", census.calls)
    yield from _names(summary, "files", census.touched)


def _number(summary: Mapping[str, Any], name: str, here: int) -> Iterator[str]:
    claimed = summary.get(name, here)
    if type(claimed) is not int or claimed != here:
        yield f"summary.{name} is {_shown(claimed)}, and the events make it {here}"


def _names(summary: Mapping[str, Any], name: str, here: set[str]) -> Iterator[str]:
    claimed = summary.get(name)
    if name not in summary:
        return
    if not isinstance(claimed, list) or not all(isinstance(each, str) for each in claimed):
        yield f"summary.{name} is no list of names"
        return
    told = [f"summary.{name} names {_shown(each)}, and no event does" for each in sorted({*claimed} - here)]
    told += [f"summary.{name} leaves out {_shown(each)}" for each in sorted(here - {*claimed})]
    yield from _bounded(name, told)


def _counts(summary: Mapping[str, Any], name: str, here: Mapping[str, int]) -> Iterator[str]:
    claimed = summary.get(name)
    if name not in summary:
        return
    if not isinstance(claimed, dict):
        yield f"summary.{name} is no object of counts"
        return
    told = []
    for tool in sorted({*claimed, *here}):
        said, counted = claimed.get(tool, 0), here.get(tool, 0)
        if type(said) is not int or said != counted:
            told.append(f"summary.{name} counts {_shown(said)} of {_shown(tool)}, and {counted} are here")
    yield from _bounded(name, told)


def _bounded(name: str, told: list[str]) -> Iterable[str]:
    if len(told) <= _AT_MOST:
        return told
    return [*told[:_AT_MOST], f"summary.{name} differs in {len(told) - _AT_MOST:,} more ways"]


def _shown(found: object) -> str:
    return visible(found if isinstance(found, str) else repr(found), _NAME)

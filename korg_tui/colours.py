"""Colours: whether a person wants any, as the environment says it to every program."""

from __future__ import annotations

from collections.abc import Mapping


def wanted(environment: Mapping[str, str]) -> bool:
    """False with `NO_COLOR` (unless it is empty), with `CLICOLOR=0`, and on a terminal that is `dumb`."""
    refused = environment.get("NO_COLOR") or environment.get("CLICOLOR") == "0"
    return not refused and not is_dumb(environment)


def is_dumb(environment: Mapping[str, str]) -> bool:
    """Whether the terminal can do nothing but print lines."""
    return environment.get("TERM") in ("dumb", "unknown")

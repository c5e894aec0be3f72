"""JUnit: results as XML that continuous integration reads, one test suite per ledger."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from korg_tui.export import spared, written_whole
from korg_tui.reading import Reading
from korg_tui.reports.asked import UsageError
from korg_tui.sources import Source
from korg_tui.text import visible

_NO_XML = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was looked at."""

    name: str
    failures: tuple[str, ...] = ()
    """What speaks against it, a line each; it fails when there is any."""
    said: tuple[str, ...] = ()
    """What else a person should know, a line each."""
    skipped: str = ""
    """Why it was not looked at; empty when it was."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The cases of one ledger."""

    ledger: str
    cases: tuple[Case, ...]


def spare_sources(name: str, sources: Sequence[Source]) -> None:
    """Refuse to write over what is read. Raises `UsageError`."""
    why = spared(Path(name), [Reading.of(source) for source in sources])
    if why:
        raise UsageError(f"{visible(name)} is {why}; give --junit another name")


def write_junit(name: str, command: str, suites: Sequence[Suite]) -> None:
    """Write the results of a command, in the place of what was there. Raises `UsageError`."""
    top = ET.Element("testsuites", _counts(suites))
    for suite in suites:
        _add_suite(top, command, suite)
    ET.indent(top)
    try:
        with written_whole(Path(name)) as file:
            ET.ElementTree(top).write(file, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        text = f"{visible(name)} cannot be written: {error.strerror}; give --junit another name"
        raise UsageError(text) from None


def _counts(suites: Sequence[Suite]) -> dict[str, str]:
    cases = [case for suite in suites for case in suite.cases]
    return {
        "tests": str(len(cases)),
        "failures": str(sum(bool(case.failures) for case in cases)),
        "errors": "0",
        "skipped": str(sum(bool(case.skipped) for case in cases)),
    }


def _add_suite(top: ET.Element, command: str, suite: Suite) -> None:
    element = ET.SubElement(top, "testsuite", {"name": _xml(suite.ledger), **_counts([suite])})
    for case in suite.cases:
        names = {"classname": f"korg-tui.{command}", "name": _xml(case.name)}
        place = ET.SubElement(element, "testcase", names)
        if case.skipped:
            ET.SubElement(place, "skipped", {"message": _xml(case.skipped)})
        if case.failures:
            failure = ET.SubElement(place, "failure", {"message": _xml(case.failures[0])})
            failure.text = _xml("\n".join(case.failures))
        if case.said:
            ET.SubElement(place, "system-out").text = _xml("\n".join(case.said))


def _xml(text: str) -> str:
    """Without the characters that XML cannot hold, and without DEL and C1 controls, which it discourages."""
    return _NO_XML.sub("\ufffd", text)

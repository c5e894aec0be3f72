"""A hostile ledger through the timeline, the numbers and the comparison: all that comes out is safe."""

from __future__ import annotations

import pytest

from hostile import hostile
from korg_tui.export import to_json
from korg_tui.reports.stats import stats_document
from korg_tui.text import visible
from korg_tui.views import Scope, Side, Timeline, compare, scale, stats, stats_lines, time_words
from looking import Glass


def safe(*texts: str) -> bool:
    return all(visible(text, 10**6) == text for text in texts)


@pytest.fixture(scope="module")
def glass() -> Glass:
    return Glass(hostile())


def test_the_timeline_of_a_hostile_ledger(glass):
    timeline = Timeline(glass.ledger, None, glass.read)
    window = timeline.whole(60)
    assert len(scale(timeline, window, None)) == 60
    assert safe(scale(timeline, window, None), *time_words(timeline))
    assert all(len(line.cells(window, timeline.axis)) == 60 and safe(line.title) for line in timeline.lanes)
    for index in range(len(timeline.rows)):
        row = timeline.line(index)
        assert safe(row.number, row.tool, row.argument, row.note)


def test_the_numbers_of_a_hostile_ledger(glass):
    found = stats([Scope(glass.ledger, None, glass.read)])
    assert all(safe(line.text, line.told) for line in stats_lines(found, "name"))
    assert to_json(stats_document(found)).isascii()


def test_hostile_sessions_side_by_side(glass):
    ledger = glass.ledger
    longest = sorted(ledger.sessions, key=lambda session: -session.total_events)[:2]
    found = compare(*(Side("x", ledger, session, glass.read) for session in longest))
    assert found.differences
    for number in found.differences[:40]:
        assert all(safe(act.argument, act.lane) for act in found.acts(number) if act is not None)
        for section in found.sections(number):
            assert safe(section.title, *(line.text for line in section.lines))
            assert len(section.lines) < 3_000

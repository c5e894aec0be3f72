"""Numbers and times as a person reads them."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone

import pytest

from builders import START_MS
from korg_tui.views import words
from korg_tui.views.marks import short_actor


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (None, "no time"), (0, "0 ms"), (0.25, "0.2 ms"), (12, "12 ms"), (999, "999 ms"), (999.6, "1.0 s"),
        (2_100, "2.1 s"), (59_900, "59.9 s"), (59_960, "1 m 0 s"), (190_000, "3 m 10 s"),
        (7_500_000, "2 h 5 m"),
        (360_000_000, "4 d 4 h"), (-5, "-5 ms"), (1e300, "beyond measure"), (float("inf"), "beyond measure"),
    ],
)  # fmt: skip
def test_duration(ms: float | None, said: str):
    assert words.duration(ms) == said


@pytest.mark.parametrize(
    ("ms", "eighths"),
    [
        (None, 0),
        (0, 0),
        (-1, 0),
        (9, 1),
        (10, 2),
        (142, 4),
        (2_100, 6),
        (10_000, 8),
        (1e300, 8),
        (float("nan"), 0),
    ],
)
def test_bar(ms: float | None, eighths: int):
    assert words.bar(ms) == eighths


@pytest.mark.parametrize(
    ("passed_ms", "said"),
    [(0, "0 s ago"), (12_400, "12 s ago"), (61_000, "1 m ago"), (7_200_000, "2 h ago"),
     (90_000_000, "1 d ago"), (-500, "0 s ago"), (-90_000, "in the future")],
)  # fmt: skip
def test_ago(passed_ms: int, said: str):
    assert words.ago(START_MS, START_MS + passed_ms) == said
    assert words.ago(None, START_MS) == "no time"


def test_clock():
    assert words.clock(START_MS + 7, UTC) == "14:00:00.007"
    assert words.clock(START_MS, UTC, date=True) == "2026-03-02 14:00:00.000 UTC"
    assert (
        words.clock(START_MS, timezone(timedelta(hours=2), "CEST"), date=True)
        == "2026-03-02 16:00:00.000 CEST"
    )
    assert words.clock(None) == "no time"
    assert words.clock(10**20) == "100000000000000000000 ms since 1970"


def test_sizes_and_counts():
    assert [words.size(n) for n in (0, 999, 4_200, 4_900_000, 10**13)] == [
        "0 B",
        "999 B",
        "4.2 KB",
        "4.9 MB",
        "10.0 TB",
    ]
    assert [words.number(n) for n in (120, 1_200, 3_400_000)] == ["120", "1.2k", "3.4M"]
    assert words.plural(1, "event") == "1 event"
    assert words.plural(1_200, "event") == "1,200 events"
    assert words.plural(2, "bookkeeping", "bookkeeping") == "2 bookkeeping"


@pytest.mark.parametrize(
    ("actor", "name"),
    [("agent:claude-code/main@2.1.150", "main"), ("agent:claude-code/sub-toolu_01@2.1", "sub-toolu_01"),
     ("agent:korgex@0.38.0", "korgex"), ("agent:claude-code#8f2c", "claude-code"), ("human:dusk", "dusk"),
     ("odd", "odd"), ("agent:\x1b[2J", "␛[2J"), ("", "")],
)  # fmt: skip
def test_the_short_name_of_an_actor(actor: str, name: str):
    assert short_actor(actor) == name

"""What holds for the views of any ledger, however its events lie, and whatever its text is."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from builders import Book
from korg_tui.causal import Journal, Ledger, rewind
from korg_tui.event import Event, Kind
from korg_tui.sources import Grew
from korg_tui.views import Level, LossBook, Preview, Spine, details, session_rows
from looking import Glass, screen
from strategies import ledgers

SETTINGS = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
UP = set("│╵╯╰└┤├┴┼")
DOWN = set("│╷╮╭┌┤├┬┼")
NODES = set("●◌▸…")


def grown(*batches: list[Event]) -> Ledger:
    journal = Journal("drawn")
    for batch in batches:
        journal.apply(Grew(tuple(batch)))
    return journal.ledgers[0]


@given(ledgers(), st.sampled_from(Level), st.booleans())
@SETTINGS
def test_rails_never_break(events: list[Event], level: Level, filtered: bool):
    """Where a rail leaves a row downwards, the next row takes it up, and the other way round."""
    spine = Spine(grown(events))
    spine.set_level(level)
    if filtered:
        spine.set_filter(lambda ledger, row: ledger.kind[row] == Kind.TOOL)
    rows = [spine.line(index).rails for index in range(len(spine))]
    assert {len(row) for row in rows} <= {spine.rails.width}
    for above, below in pairwise(rows):
        for upper, lower in zip(above[::2], below[::2], strict=True):
            if upper in DOWN:
                assert lower in UP | NODES, (above, below)
            if lower in UP:
                assert upper in DOWN | NODES, (above, below)


@given(ledgers())
@SETTINGS
def test_every_row_lies_in_one_session_and_is_drawn_on_its_lane(events: list[Event]):
    ledger = grown(events)
    sessions = [Spine(ledger, index) for index in range(len(ledger.sessions))]
    assert sorted(row for spine in sessions for row in spine.rows) == list(range(len(ledger)))
    for spine in sessions:
        for index in range(len(spine)):
            line = spine.line(index)
            column = spine.rails.column_of(line.lane)
            assert (column is None) == (line.lane < 0)
            if column is not None:
                assert line.rails[2 * column] not in " │…"


@given(ledgers(), st.integers(1, 12), st.sampled_from(Level))
@SETTINGS
def test_growing_shows_the_same_as_reading_at_once(events: list[Event], size: int, level: Level):
    journal = Journal("drawn")
    spine = Spine(journal.ledgers[0])
    spine.set_level(level)
    for start in range(0, len(events), size):
        journal.apply(Grew(tuple(events[start : start + size])))
        spine.extend()
    at_once = Spine(journal.ledgers[0])
    at_once.set_level(level)
    assert screen(spine, marks=True) == screen(at_once, marks=True)


@given(ledgers(), st.data())
@SETTINGS
def test_every_hidden_row_can_be_uncovered(events: list[Event], data: st.DataObject):
    ledger = grown(events)
    spine = Spine(ledger)
    spine.set_level(Level.ROUNDS)
    spine.fold_bookkeeping(True)
    row = data.draw(st.integers(0, len(ledger) - 1))
    index = spine.index_of_row(row, unfold=True)
    assert index is not None
    assert spine.row(index) == row


@given(ledgers(), st.data())
@SETTINGS
def test_a_fold_says_how_many_rows_it_hides(events: list[Event], data: st.DataObject):
    ledger = grown(events)
    spine = Spine(ledger)
    foldable = [row for row in range(len(ledger)) if spine.foldable(row)]
    if not foldable:
        return
    row = data.draw(st.sampled_from(foldable))
    before = len(spine)
    assert spine.fold(row) == row
    index = spine.index_of_row(row)
    assert index is not None
    hidden = before - len(spine)
    assert f"{hidden} event{'' if hidden == 1 else 's'}" in spine.line(index).note.split(" · ")


@given(ledgers(), st.data())
@SETTINGS
def test_the_preview_agrees_with_the_rewind(events: list[Event], data: st.DataObject):
    ledger = grown(events)
    agents = [row for row in range(len(ledger)) if Kind(ledger.kind[row]).agent]
    target = data.draw(st.sampled_from(agents))
    found = rewind(ledger, ledger.seq[target])
    for truncation in (False, True):
        preview = Preview(ledger, found, truncation=truncation)
        later = found.dropped + (found.unknown + found.independent if truncation else ())
        gone = {row for row in agents if preview.state(row).gone}
        assert gone == preview.dropped == {ledger.row_of(seq) for seq in later}
        lost = sum(s.invalidated + s.possible + s.unknown + s.independent for s in preview.sessions())
        assert lost == len(found.dropped + found.unknown + found.independent)
    for seq in found.dropped:
        row = ledger.row_of(seq)
        assert row is not None
        said = [(line.label, line.seq) for line in preview.why(row) if not line.text.startswith("also: ")]
        assert said == [
            (f"rule {rule}", step) for rule, step in found.why(seq)
        ]


@given(ledgers(), st.sampled_from(Level))
@SETTINGS
def test_what_stands_for_hidden_rows_says_so(events: list[Event], level: Level):
    ledger = grown(events)
    spine = Spine(ledger)
    spine.set_level(level)
    hidden = set(range(len(ledger))) - set(spine.rows)
    folded = [line for index in range(len(spine)) if (line := spine.line(index)).folded]
    below = {row for line in folded for row in spine.folds.below(line.row)}
    assert hidden == below - set(spine.rows)
    assert all(line.note for line in folded)


NASTY = st.text(
    st.sampled_from("[/]a\x1b\x9b\x07\x00\x7f\u202e\u2028\x85\t\n\r\u200b\u0301日\ud800@"), max_size=12
)
VALUES = st.recursive(
    NASTY | st.integers() | st.floats() | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NASTY, inner, max_size=3),
    max_leaves=6,
)
TOOLS = st.sampled_from(
    ["user_prompt", "llm_inference", "Bash", "Edit", "Write", "apply_patch", "Read", "hook.x"]
)
KEYS = st.sampled_from(
    ["command", "file_path", "prompt", "content", "old_string", "new_string", "edits", "text"]
)
ARGS = VALUES | st.dictionaries(KEYS, VALUES, max_size=4)


@given(st.lists(st.tuples(TOOLS | NASTY, ARGS, ARGS, NASTY), min_size=1, max_size=4))
@SETTINGS
def test_no_view_lets_a_control_through(calls: list[tuple[str, object, object, str]]):
    book = Book()
    for number, (tool, args, result, actor) in enumerate(calls):
        book.add(tool, number or None, actor, args=args, result=result, success=bool(number % 2))
    glass = Glass(book)
    glass.grow(json.dumps(calls[0][3]).encode() + b"\xff\x1b\n")
    spine = glass.spine(None)
    shown = list(screen(spine, marks=True))
    preview = Preview(glass.ledger, rewind(glass.ledger, 1), LossBook(glass.ledger, glass.raw))
    sections = preview.sections()
    for row in range(len(glass.ledger)):
        sections += details(glass.ledger, row, glass.read)
        shown += [preview.state(row).words, *(line.text for line in preview.why(row))]
    shown += [
        text for each in sections for line in each.lines for text in (each.title, line.label, line.text)
    ]
    shown += [text for row in session_rows(glass.ledger) for text in (row.title, row.prompt, row.status)]
    for text in shown:
        text.encode()
        assert all(unicodedata.category(each) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for each in text), ascii(
            text
        )

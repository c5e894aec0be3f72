"""Whatever is pressed, clicked, resized or appended: nothing breaks, and no cursor is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from monkey import failure, inputs, run, told

SEEDS = (1, 2, 3, 5, 8)
EACH = 200
"""Inputs for one seed: 1,000 together. `python tests/monkey.py` gives 10,000."""


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_thousand_inputs(seed: int) -> None:
    given = list(inputs(seed, EACH))
    before = set(Path.cwd().iterdir())
    try:
        cage = await run(given)
    except Exception as error:
        pytest.fail(told(seed, given, error), pytrace=False)
    assert len(cage.done) == EACH
    assert set(Path.cwd().iterdir()) == before


def test_a_seed_always_gives_the_same_inputs() -> None:
    assert list(inputs(1, 300)) == list(inputs(1, 300)) != list(inputs(2, 300))
    kinds = {kind for kind, *_ in inputs(1, 300)}
    assert kinds == {"key", "click", "wheel", "type", "resize", "grow", "rewind", "state"}


def test_a_monkey_notices_a_lost_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(self, index: int, *, jump: bool = False) -> None:
        self.cursor = index

    monkeypatch.setattr("korg_tui.widgets.lines.LineList.go", lost)
    error = failure([("key", "k"), ("key", "k"), ("key", "k"), ("key", "k")])
    assert "the cursor is on -" in str(error)
    assert "('key', 'k')," in told(0, [("key", "k")], error)

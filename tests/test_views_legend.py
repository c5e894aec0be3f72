"""The words of states: short enough for the help at 80 columns, and none is left out."""

from __future__ import annotations

from korg_tui.causal.pointers import STATUS
from korg_tui.commands import DEFAULT, Place
from korg_tui.screens.chapters import chapters
from korg_tui.views import LEGEND
from korg_tui.views.legend import STATUS_MEANS


def test_every_status_of_a_session_is_explained():
    assert set(STATUS.values()) == set(STATUS_MEANS) <= set(LEGEND)
    assert all(len(text) <= 64 for text in LEGEND.values())


def test_the_help_explains_the_words():
    words = dict(chapters(Place.SESSION, DEFAULT, ""))["Words"]
    assert [note.name for note in words] == list(LEGEND)

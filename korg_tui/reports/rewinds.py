"""`rewind`: what a rewind to N would carry away, as a report to paste or as JSON. Nothing is rewound."""

from __future__ import annotations

import argparse
from pathlib import Path

from korg_tui.causal import NoDecision, Rewind
from korg_tui.causal import rewind as find_rewind
from korg_tui.export import rewind_document, rewind_lines, to_json
from korg_tui.reports.asked import Pick, Place, UsageError, find, narrate, read_places, sort_words
from korg_tui.reports.page import print_page


def rewind(arguments: argparse.Namespace) -> int:
    """Preview one rewind."""
    picks, sources = sort_words(arguments.words)
    if len(picks) != 1:
        given = _not_one(sources) if not picks else f"{len(picks)} were given"
        raise UsageError(f"rewind takes one N, the last event to keep; {given}")
    if arguments.json and arguments.text:
        raise UsageError("--json and --text are two ways to print; leave one of them out")
    _, every = read_places(sources, arguments.demo)
    place, found = _preview(picks[0], every, before=arguments.before)
    if arguments.json:
        document = rewind_document(place.reading, place.ledger, found)
        if document["why"] is None:
            narrate(f"why is left out: it would have {found.why_steps:,} steps")
        print(to_json(document if len(every) == 1 else [{"ledger": place.ledger.name, **document}]))
    else:
        print_page(rewind_lines(place.ledger, found, place.reading.bodies(place.ledger)))
    return 0


def _not_one(sources: list[str]) -> str:
    """What is wrong where no event was named."""
    nothing = (word for word in sources if word != "-" and "://" not in word and not Path(word).exists())
    wrong = next(nothing, None)
    return "none was given" if wrong is None else f"{wrong} is no number, and no file is called so"


def _preview(pick: Pick, every: list[Place], *, before: bool) -> tuple[Place, Rewind]:
    if pick.seq == 0 and len(every) == 1 and not before and every[0].ledger.row_of(0) is None:
        return every[0], find_rewind(every[0].ledger, 0)
    hit = find(pick, every, agent=True)
    ledger = hit.place.ledger
    try:
        return hit.place, find_rewind(ledger, ledger.seq[hit.row], before=before)
    except NoDecision as none:
        raise UsageError(str(none)) from none

"""Query: the language of filter and search (EXPERIENCE, "Filters and search").

    tool:Bash agent:sub is:failed has:blob lane:2 seq:>100 ms:>500 path:src/ since:10m "two words" -not

All words must fit; `-` before one turns it round. Letters' case never matters. `terms.py` says how a query is
written, `meanings.py` what its words ask, `contents.py` what is looked for in records.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, tzinfo

from korg_tui.causal import Ledger
from korg_tui.event import Kind
from korg_tui.views.arguments import Read
from korg_tui.views.contents import Blobs, Content, FindBlob, Unseen
from korg_tui.views.meanings import ALIASES, Asked, Meaning, meaning
from korg_tui.views.terms import Term, terms

_REMEMBERED = 500_000


class Look:
    """The part of an answer for which a record has to be looked at. Any thread may, one at a time."""

    def __init__(
        self, content: Content, words: list[tuple[bool, Meaning]], keep: Callable[[bool], None]
    ) -> None:
        self._content = content
        self._words = words
        self._keep = keep

    @property
    def length(self) -> int:
        """Bytes of the record."""
        return self._content.length

    def answer(self) -> bool:
        """Whether the event is meant."""
        found = all(_fits(self._content, each) != negated for negated, each in self._words)
        self._keep(found)
        return found


def _fits(content: Content, meant: Meaning) -> bool:
    return meant.look is not None and meant.look(content)


class Query:
    """A predicate over the rows of a ledger. What a record has answered is remembered."""

    def __init__(
        self, text: str, words: list[tuple[Term, Meaning]], read: Read | None, blobs: FindBlob | None
    ) -> None:
        self.text = text
        self.terms = tuple(term for term, _ in words)
        self.unseen = Unseen()
        """What could not be looked at."""
        self._words = [(term.negated, meant) for term, meant in words]
        self._read = read
        self._blobs = Blobs(blobs)
        self._known: dict[int, bool] = {}

    @property
    def asks_blobs(self) -> bool:
        """Whether the contents of blobs are looked at, which can take long."""
        return any(term.key == "blob" for term in self.terms)

    @property
    def asks_time(self) -> bool:
        """Whether it asks when something was."""
        return any(ALIASES.get(term.key, term.key) in ("since", "until") for term in self.terms)

    @property
    def asks_records(self) -> bool:
        """Whether a record has to be looked at for some events."""
        return any(meant.look is not None for _, meant in self._words)

    def __call__(self, ledger: Ledger, row: int) -> bool:
        """Whether a row is meant, at once."""
        answer = self.ask(ledger, row)
        return answer if isinstance(answer, bool) else answer.answer()

    def ask(self, ledger: Ledger, row: int) -> bool | Look:
        """Whether a row is meant; where only its record can tell, what is to be looked at."""
        open_: list[tuple[bool, Meaning]] = []
        for negated, meant in self._words:
            answer = meant.quick(ledger, row)
            if answer is None:
                open_.append((negated, meant))
            elif answer is negated:
                return False
        return self._look(ledger, row, open_) if open_ else True

    def _look(self, ledger: Ledger, row: int, open_: list[tuple[bool, Meaning]]) -> bool | Look:
        offset, length, digest = ledger.offset[row], ledger.length[row], ledger.columns.digest[row]
        key = hash((digest, offset, length))
        known = self._known.get(key)
        if known is not None:
            return known
        read, kind = self._read, Kind(ledger.kind[row])
        content = Content(
            ledger.tool_at(row),
            kind,
            ledger.success_at(row) is False,
            (offset, length),
            ledger.blobs_at(row),
            None if read is None or kind is Kind.GAP else lambda: read(offset, length),
            self._blobs,
            self.unseen,
        )
        return Look(content, open_, lambda found: self._keep(key, found))

    def _keep(self, key: int, found: bool) -> None:
        if len(self._known) < _REMEMBERED:
            self._known[key] = found


def parse_query(
    text: str,
    read: Read | None = None,
    dropped: Callable[[int], bool] | None = None,
    *,
    blobs: FindBlob | None = None,
    now_ms: int | None = None,
    zone: tzinfo | None = UTC,
) -> Query:
    """What a query means. `read` lets it look into arguments and results, `blobs` into the contents of blobs;
    `dropped` says which rows a rewind preview drops; `since:` and `until:` count from `now_ms` (ms since the
    epoch; now, by default), and read times without a zone as those of `zone`. An empty query means every row.
    Raises `QueryError`."""
    asked = Asked(time.time_ns() // 1_000_000 if now_ms is None else now_ms, zone, dropped)
    return Query(text, [(term, meaning(term, asked)) for term in terms(text)], read, blobs)


"""Examining: a ledger is looked through beside the screen, batch by batch, and on from there as it grows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from typing import Any, Protocol, TypeVar

from korg_tui.causal import Ledger, is_key
from korg_tui.reading import Reading
from korg_tui.screens.base import KorgScreen
from korg_tui.screens.vouching import Vouched, vouched
from korg_tui.trust import Check
from korg_tui.views import Findings

_ROWS = 4_000
"""Rows that are looked at for damage at once."""
_SHOWN_SECONDS = 0.4
"""What was found so far is shown so often, and in a tenth of the time at most."""


_TOLD_SECONDS = 0.01
"""What was found is told so long at a time: a key that is pressed meanwhile does not wait longer."""
_STEPS = 200
"""Steps of that between two looks at the clock."""


class Batch(Protocol):
    """Events that are looked at together."""

    def check(self) -> None:
        """Read and check them. Any thread may, one at a time."""


_B = TypeVar("_B", bound=Batch)


class Looking(Protocol[_B]):
    """What is asked of the events of a ledger: what is needed of `Checklist`."""

    @property
    def pending(self) -> int:
        """Rows that were not looked at yet."""

    def batch(self) -> _B | None:
        """The next events; None when nothing is left."""

    def absorb(self, batch: _B, /) -> None:
        """Take in what was found."""

    def telling(self) -> Generator[None, None, Sequence[Check]]:
        """What all of them have found so far, in small steps."""


class Reader:
    """`read(offset, length)` for the records of a ledger as they stood when the last batch was taken,
    whatever the source has become meanwhile."""

    def __init__(self, reading: Reading, ledger: Ledger) -> None:
        self.reading, self._ledger = reading, ledger
        self.epoch = ledger.epoch

    def __call__(self, offset: int, length: int) -> bytes:
        if is_key(offset):
            return self.reading.bodies(self._ledger)(offset, length)
        return self.reading.source.read(offset, length, self.epoch)


class Examining:
    """The examination of the ledger of one screen. `shown` is called when there is more to show."""

    def __init__(
        self,
        screen: KorgScreen,
        findings: Findings,
        looking: Looking[Any],
        reader: Reader,
        shown: Callable[[], None],
    ) -> None:
        self.checks: tuple[Check, ...] = ()
        self.vouched = Vouched()
        """What seal and anchors say."""
        self.running = False
        self._shape = (-1, -1, -1)
        self._screen, self._findings, self._shown = screen, findings, shown
        self._looking, self._reader = looking, reader

    def go_on(self) -> None:
        """Look at what was not looked at yet, unless that is being done."""
        if not self.running:
            self.running = True
            self._screen.work_beside(self._run, "examining")

    @property
    def share(self) -> int | None:
        """Percent of the ledger that were looked at; None where it is empty."""
        count = len(self._findings.ledger)
        return max(0, 100 * (count - self._looking.pending) // count) if count else None

    async def _run(self) -> None:
        while True:
            while self._findings.damage.look(_ROWS):
                await asyncio.sleep(0)
            await self._look()
            if not await self._compare_what_others_say() and await self._tell():
                break
        self.running = False
        self._shown()

    async def _look(self) -> None:
        clock, looking = asyncio.get_running_loop().time, self._looking
        shown = clock()
        while True:
            self._reader.epoch = self._findings.ledger.epoch
            batch = looking.batch()
            if batch is None:
                break
            await asyncio.to_thread(batch.check)
            looking.absorb(batch)
            self._findings.damage.look(_ROWS)
            now = clock()
            if now > shown:
                await self._tell()
                self._shown()
                took = clock() - now
                shown = clock() + max(_SHOWN_SECONDS, 9 * took)

    async def _tell(self) -> bool:
        """Have the checks told, and let keys be answered meanwhile. False when the ledger has changed since
        they began."""
        ledger, clock = self._findings.ledger, asyncio.get_running_loop().time
        shape, steps = _shape(ledger), self._looking.telling()
        until = clock() + _TOLD_SECONDS
        while True:
            try:
                for _ in range(_STEPS):
                    next(steps)
            except StopIteration as told:
                self.checks = tuple(told.value)
                return not self._looking.pending
            if clock() > until:
                await asyncio.sleep(0)
                until = clock() + _TOLD_SECONDS
            if _shape(ledger) != shape:
                return False

    async def _compare_what_others_say(self) -> bool:
        """Compare seal and anchors, unless that was done for these events. False when it was."""
        ledger, reading = self._findings.ledger, self._reader.reading
        sure = reading.container == "lines" and not (self.vouched.faults or self.vouched.findings)
        shape = (ledger.generation, ledger.revision, 0 if sure else len(ledger))
        if shape == self._shape:
            return False
        self._shape = shape
        self.vouched = await vouched(reading, ledger, self._reader)
        return True


def _shape(ledger: Ledger) -> tuple[int, ...]:
    """Another one when rows, or sessions, moved or went."""
    return ledger.epoch, ledger.generation, ledger.revision, ledger.merges

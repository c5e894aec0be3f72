"""A ledger on a server, and somebody who follows it over HTTP: what tests of the HTTP source share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from builders import MAIN, canonical
from korg_tui.causal import Journal, Ledger
from korg_tui.event import Event
from korg_tui.sources import Fact, Filled, Grew, Replaced, State
from korg_tui.sources.http.source import HttpSource
from wire_server import WireServer, seq_of

NONE_BEFORE = "0" * 64


class Running:
    """A chained ledger that a server holds and that can be cut. Every event is unlike any other.

    Rounds are an inference, which follows the last one, and three tool calls under it."""

    def __init__(self, server: WireServer, name: str = "a", *, chained: bool = True) -> None:
        self.server = server
        self.name = name
        self.chained = chained
        self.written = 0
        self.round = 0
        server.lines = []

    @property
    def lines(self) -> list[bytes]:
        return self.server.lines

    @property
    def last(self) -> int:
        return seq_of(self.lines[-1]) if self.lines else 0

    def add(self, count: int = 1) -> None:
        """Append so many events."""
        for _ in range(count):
            seq = self.last + 1
            if seq == 1:
                self.round = 1
                self.write(seq, "user_prompt", None)
            elif seq % 4 == 2:
                self.write(seq, "llm_inference", max(1, seq - 4))
            else:
                self.write(seq, "Read", max(1, seq - (seq - 2) % 4))

    def write(self, seq: int, tool: str, parent: int | None, **more: Any) -> None:
        self.written += 1
        event = {"event_type": "AgentToolCall", "tool_name": tool, "source_agent": MAIN}
        event |= {"args": {"number": self.written, "of": self.name}, "result": {}, "success": True, **more}
        self._append({"seq_id": seq, "metadata": {"triggered_by": parent}, "event": event})

    def _append(self, record: dict[str, Any]) -> None:
        if self.chained:
            before = json.loads(self.lines[-1])["entry_hash"] if self.lines else NONE_BEFORE
            record["prev_hash"] = before
            record["entry_hash"] = hashlib.sha256(canonical(record)).hexdigest()
        self.lines.append(json.dumps({"schema_version": "1.0", **record}).encode())

    def rewind(self, to: int, *, sealed: bool = True) -> list[bytes]:
        """Cut what comes after `to`; returns it. Sealed: say so in an event of its own."""
        kept = [line for line in self.lines if seq_of(line) <= to]
        gone = self.lines[len(kept) :]
        self.server.lines = kept
        self.server.generation += 1
        if sealed:
            self.written += 1
            event = {"event_type": "LedgerRewind", "target_seq_id": to, "rewound_by": f"human:{self.written}"}
            self._append({"seq_id": to + 1, "metadata": {"triggered_by": to or None}, "event": event})
        return gone


class Clock:
    """Seconds that pass when somebody says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Following:
    """A source over HTTP, and the journal that its facts make. Bodies are compared with the server's."""

    def __init__(self, server: WireServer, **more: Any) -> None:
        self.server = server
        self.clock = Clock()
        more = {"environment": {}, **more}
        self.source = HttpSource(
            server.url, clock=self.clock, chance=lambda: 0.5, now=lambda: int(self.clock() * 1000), **more
        )
        self.journal = Journal(self.source.name)
        try:
            self.first = self.apply(self.source.start())
        except Exception:
            self.source.close()
            raise

    def apply(self, facts: Iterable[Fact]) -> list[Fact]:
        taken = list(facts)
        for fact in taken:
            self.journal.apply(fact)
        return taken

    def poll(self, after: float = 1.0) -> list[Fact]:
        """What a look brings, so many seconds later."""
        self.clock.seconds += after
        return self.apply(self.source.poll())

    def settle(self) -> None:
        """Look until nothing more comes, with time enough for everything that is done seldom."""
        for _ in range(3):
            self.poll(after=61)

    @property
    def ledger(self) -> Ledger:
        assert len(self.journal.ledgers) == 1, "a run over HTTP is never split"
        return self.journal.ledgers[0]

    @property
    def rows(self) -> list[int]:
        return [row for row in range(len(self.ledger)) if self.ledger.seq_at(row) is not None]

    @property
    def seqs(self) -> list[int]:
        return [self.ledger.seq[row] for row in self.rows]

    @property
    def holes(self) -> list[tuple[int, int]]:
        return [(gap.first, gap.last) for gap in self.ledger.holes]

    def bodies(self) -> list[bytes]:
        """The records as they can be read now, in order of seq."""
        ledger = self.ledger
        return [self.source.read(ledger.offset[row], ledger.length[row], ledger.epoch) for row in self.rows]

    def contents(self) -> list[str]:
        return [content(raw) for raw in self.bodies()]


def content(raw: bytes) -> str:
    """A record whatever its white space."""
    return json.dumps(json.loads(raw), sort_keys=True)


def contents(lines: Iterable[bytes]) -> list[str]:
    return [content(line) for line in lines]


def kinds(facts: Iterable[Fact]) -> list[str]:
    """The names of facts; of a `State`, the state."""
    return [fact.state if isinstance(fact, State) else type(fact).__name__ for fact in facts]


def seqs(fact: Fact) -> list[int | str]:
    """The seqs of the records of a fact; the reason of a malformed one."""
    assert isinstance(fact, Grew | Filled | Replaced)
    return [each.seq if isinstance(each, Event) else each.reason for each in fact.records]

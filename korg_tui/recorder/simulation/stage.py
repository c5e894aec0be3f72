"""A stage for agents that are played: stories in a time of their own, told one step after the other.

A story is a generator. It yields seconds to let them pass, or several stories to play at the same time and go
on when the last of them has ended. However many run at once, their steps happen in one thread and in an order
that depends on nothing but their times: the same play is recorded the same way every time.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from korg_tui.recorder.client.agents import AgentRecorder
from korg_tui.recorder.client.posting import Posting

Story = Generator["float | Sequence[Story]", None, Any]


class Failed(Exception):
    """A sub-agent gave up; the text is what it returns."""


@dataclass(slots=True)
class _Role:
    """A story that is being played, and who waits for it."""

    story: Story
    waiting: _Role | None = None
    """The role that goes on when this one, and all others that it waits for, have ended."""
    running: int = 0
    """How many it waits for."""


@dataclass(slots=True)
class Stage:
    """Plays stories. `sleep` gets the seconds to the next step, divided by `speed`."""

    sleep: Callable[[float], None]
    speed: float = 1.0
    now: float = 0.0
    """Seconds since the beginning, in the time of the play."""
    _due: list[tuple[float, int, _Role]] = field(default_factory=list)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    def play(self, story: Story) -> None:
        """Play a story to its end."""
        self._at(self.now, _Role(story))
        while self._due:
            when, _, role = heapq.heappop(self._due)
            if when > self.now:
                self.sleep((when - self.now) / self.speed)
                self.now = when
            self._step(role)

    def start(self, story: Story) -> None:
        """Begin a story in the background: nobody waits for it."""
        self._at(self.now, _Role(story))

    def _at(self, when: float, role: _Role) -> None:
        heapq.heappush(self._due, (when, next(self._numbers), role))

    def _step(self, role: _Role) -> None:
        try:
            wanted = next(role.story)
        except StopIteration:
            self._end(role)
            return
        if isinstance(wanted, int | float):
            self._at(self.now + wanted, role)
            return
        role.running = len(wanted)
        for story in wanted:
            self._at(self.now, _Role(story, role))

    def _end(self, role: _Role) -> None:
        if role.waiting is None:
            return
        role.waiting.running -= 1
        if not role.waiting.running:
            self._at(self.now, role.waiting)


@dataclass(frozen=True, slots=True)
class Player:
    """An agent on a stage: what it does takes time, and is recorded when it is done."""

    stage: Stage
    agent: AgentRecorder

    def think(self, text: str, seconds: float, tokens: int) -> Generator[float, None, int | None]:
        """An answer of the model. Returns its seq."""
        yield seconds
        usage = {"input_tokens": tokens, "output_tokens": 20 + len(text) // 4}
        return self.agent.inference(
            {"text": text, "usage": usage}, args={"model": "wren-large"}, duration_ms=1000 * seconds
        )

    def call(
        self,
        tool: str,
        args: Mapping[str, Any],
        result: object,
        seconds: float,
        *,
        ok: bool = True,
        after: Posting | None = None,
    ) -> Generator[float, None, Posting]:
        """A tool call; `after` is the failed one that it repeats."""
        yield seconds
        return self.agent.tool(tool, args, result, success=ok, duration_ms=1000 * seconds, triggered_by=after)

    def send(
        self, name: str, prompt: str, script: Callable[[Player], Generator[Any, None, str]]
    ) -> Generator[Any, None, None]:
        """A sub-agent from its prompt to its return; `script` is its story, and returns what it found."""
        sub, began = self.agent.sub_agent(name, prompt), self.stage.now
        try:
            found, ok = (yield from script(Player(self.stage, sub))), True
        except Failed as failed:
            found, ok = str(failed), False
        sub.close(found, success=ok, duration_ms=1000 * (self.stage.now - began))

"""The agents of a run, and what hangs from what among the events they record (SPEC §2, §2a, §2b)."""

from __future__ import annotations

import contextlib
import math
import re
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from korg_tui.recorder.client.outbox import LOG, Outbox
from korg_tui.recorder.client.plain import Budget, name_of, plain
from korg_tui.recorder.client.posting import Posting

LONGEST_MS = float(1 << 53)
"""A duration that every server can hold."""


@dataclass(slots=True)
class Run:
    """What all agents of one client share."""

    outbox: Outbox
    timeout: float
    """Seconds that somebody waits for a seq, unless another time is given."""
    clock: Callable[[], float]
    """Seconds, monotonic."""
    names: set[str] = field(default_factory=set)
    """Actor names that are taken."""
    spines: list[array[int]] = field(default_factory=list)
    """The seqs of the prompts and inferences of each agent."""

    def post(self, make: Callable[[], Posting], timeout: float | None) -> int | None:
        """Put a posting into the outbox, and wait for its seq."""
        posting = self.outbox.put(make)
        return self.outbox.wait(posting, self.timeout if timeout is None else timeout)

    def new_spine(self) -> array[int]:
        """The spine of one more agent."""
        spine = array("q")
        self.spines.append(spine)
        return spine

    def actor_for(self, word: str, parent: str) -> str:
        """A name that no agent of this run has: sub-agents of `agent:mine/main@1` are
        `agent:mine/sub-…@1`."""
        runtime, at, version = parent.partition("@")
        runtime = re.sub(r"/(main|sub-[^/]*)$", "", runtime)
        word = re.sub(r"[^A-Za-z0-9._]+", "-", word).strip("-")[:32] or "agent"
        with self.outbox.order:
            number, actor = 1, f"{runtime}/sub-{word}{at}{version}"
            while actor in self.names:
                number += 1
                actor = f"{runtime}/sub-{word}-{number}{at}{version}"
            self.names.add(actor)
        return actor


class AgentRecorder:
    """What the main agent and its sub-agents can record. Its methods may be called from any thread."""

    def __init__(self, run: Run, actor: str) -> None:
        self.actor = actor
        """`source_agent` of its events."""
        self.run = run
        self.spine = run.new_spine()
        self.round: Posting | None = None
        """What its calls hang from: its latest inference, else its prompt."""
        self.next: Posting | None = None
        """What its next inference hangs from."""

    def inference(
        self,
        result: object = None,
        *,
        args: Mapping[str, Any] | None = None,
        success: bool = True,
        duration_ms: float = 0,
        timeout: float | None = None,
    ) -> int | None:
        """Record an answer of the model (`llm_inference`), and return its seq, or None when it has none
        within `timeout` seconds (by default the client's; 0 does not wait). It begins a round: later calls
        hang from it. `result` is an object or text, `args` what was asked with (the name of the model,
        say)."""
        values = values_of(args, result)
        how = truth(success), whole_ms(duration_ms)

        def make() -> Posting:
            made = Posting("llm_inference", self.actor, *values, *how, self.next)
            made.spine = self.spine
            self.round = self.next = made
            return made

        return self.run.post(make, timeout)

    def tool(
        self,
        name: str,
        args: Mapping[str, Any] | None = None,
        result: object = None,
        *,
        success: bool = True,
        duration_ms: float = 0,
        triggered_by: Posting | int | None = None,
    ) -> Posting:
        """Record a tool call that has ended. Returns at once.

        It hangs from the latest inference; a retry hangs from the call that failed (§2): give what that
        `tool` returned, or its seq, as `triggered_by`. `result` is an object or text."""
        called, values = name_of(name), values_of(args, result)
        how = truth(success), whole_ms(duration_ms)
        cause = cause_of(triggered_by)

        def make() -> Posting:
            made = Posting(called, self.actor, *values, *how)
            made.parent = self.round if cause is None else cause
            made.named = isinstance(cause, int)
            made.spine = self.spine
            return made

        return self.run.outbox.put(make)

    def sub_agent(self, name: str, prompt: str, *, args: Mapping[str, Any] | None = None) -> SubAgent:
        """A sub-agent that this agent starts now, with an actor name of its own: `agent:mine/sub-NAME@1.0`,
        and `sub-NAME-2` when there was one (§2b). Its prompt hangs from this agent's latest inference. Close
        it when it has returned, or use it in a `with` block. `args` are more arguments of the `Agent`
        call."""
        return SubAgent(self, name, prompt, args)


class SubAgent(AgentRecorder):
    """A sub-agent from its prompt to its return. Made by `sub_agent`."""

    def __init__(
        self, parent: AgentRecorder, name: str, prompt: str, args: Mapping[str, Any] | None
    ) -> None:
        called = name_of(name)
        super().__init__(parent.run, parent.run.actor_for(called, parent.actor))
        self._parent = parent
        self._args = {"description": called, "prompt": prompt, **members_of(args)}
        self._began = self.run.clock()
        self._closed = False
        asked = values_of({"prompt": prompt}, None)

        def make() -> Posting:
            self._decision = parent.round
            self._prompt = Posting("user_prompt", self.actor, *asked, parent=parent.round)
            self._prompt.spine = self.spine
            self.round = self.next = self._prompt
            return self._prompt

        self.run.outbox.put(make)

    def close(self, result: object = None, *, success: bool = True, duration_ms: float | None = None) -> None:
        """The sub-agent returned `result` (an object or text): record the parent's `Agent` call. It hangs
        from the inference that decided on it, and its result carries `root_seq`, the seq of the sub-agent's
        prompt, so that the link is certain (CAUSALITY §5). The duration is taken from the clock unless it is
        given. Closing again does nothing. Close nested sub-agents first."""
        if self._closed:
            return
        self._closed = True
        took = 1000 * (self.run.clock() - self._began) if duration_ms is None else duration_ms
        values = values_of(self._args, result)
        how = truth(success), whole_ms(took)

        def make() -> Posting:
            made = Posting("Agent", self._parent.actor, *values, *how, self._decision)
            made.spine = self._parent.spine
            made.returns = tuple(each for each in (self._prompt, self.round) if each is not None)
            # An inference that came in between did not wait for this: it goes on from that one (§2a).
            if self._parent.round is self._decision:
                self._parent.next = made
            return made

        self.run.outbox.put(make)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
            return
        with contextlib.suppress(Exception):  # the agent's own is on its way, and no other takes its place
            self.close({"error": f"{type(error).__name__}: {name_of(error)}"}, success=False)


def values_of(args: object, result: object) -> tuple[Any, Any, int]:
    """Arguments and result as the append shape has them, an object, and an object or text; and the bytes
    that they take."""
    budget = Budget()
    given = plain({} if args is None else args, budget)
    returned = plain({} if result is None else result, budget)
    if not isinstance(given, dict):
        given = {"value": given} if given else {}
    if not isinstance(returned, dict | str):
        returned = {"content": returned}
    return given, returned, budget.spent


def members_of(args: object) -> Mapping[str, Any]:
    """Arguments that others can be added to."""
    if args is None:
        return {}
    return args if isinstance(args, dict) else {"value": args}


def whole_ms(duration_ms: object) -> int:
    """A duration as the append shape has it; 0 for what is none."""
    try:
        took = float(duration_ms)  # type: ignore[arg-type]
    except Exception:
        return 0
    return round(min(took, LONGEST_MS)) if took > 0 and math.isfinite(took) else 0


def truth(success: object) -> bool:
    """Whether it went well; what cannot be told went well."""
    try:
        return bool(success)
    except Exception:
        return True


def cause_of(triggered_by: object) -> Posting | int | None:
    """What an event hangs from, when the agent has named something that it can hang from."""
    if triggered_by is None or isinstance(triggered_by, Posting):
        return triggered_by
    if isinstance(triggered_by, int) and not isinstance(triggered_by, bool):
        return int.__int__(triggered_by)
    LOG.warning("triggered_by takes a seq or what tool() returned, not a %s", type(triggered_by).__name__)
    return None

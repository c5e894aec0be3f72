"""Ledgers for hypothesis: agent loops that spawn, return, overlap and lose events, as real producers do.

`ledgers()` gives lists of events in the order of writing: seqs ascend, but for a late line now and then. One
is grown by a few loops at once; what a loop does next is drawn from `MOVES`, where a move that matters to the
causal model stands more often than a real ledger would have it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import msgspec
from hypothesis import strategies as st

from korg_tui.event import DEFAULT_KINDS, Event, Kind

PROMPTS = ("text:a", "text:b", "ref:a", "")
"""Few, so that they tie; a text and a digest that look alike are not equal."""

MOVES = (
    *["infer"] * 7,
    *["tool"] * 6,
    *["fork"] * 6,
    *["return"] * 8,
    *["launch"] * 2,
    *["claim"] * 3,
    *["follow_up"] * 2,
    *["late_sibling"] * 2,
    *["step_up"] * 3,
    *["lost"] * 4,
    *["governance"] * 2,
    *["crooked"] * 2,
    "root", "bookkeeping", "human", "hole",
)  # fmt: skip


@dataclass
class Loop:
    """One agent at work, as its producer sees it. What the lanes are is for the model to find."""

    actor: str
    opener: int
    last_inference: int
    last: int
    naive: bool
    prompt: str
    fork: int
    above: Loop | None = None


@dataclass
class Growth:
    """A ledger while it is drawn."""

    draw: Any
    first: int
    names: str
    events: list[Event] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    holes: list[int] = field(default_factory=list)
    next_seq: int = 0

    def pick(self, choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(0, one_in - 1)) == one_in - 1

    def write(self, tool: str, parent: int | None, actor: str, **more: Any) -> int:
        seq = self.next_seq
        kind = more.pop("kind", None) or DEFAULT_KINDS[tool]
        self.events.append(Event(seq=seq, kind=kind, tool=tool, actor=actor, parent=parent, **more))
        self.next_seq += 1
        return seq

    def actor_below(self, loop: Loop) -> str:
        """One name for all, one for every sub-agent, or a name each; sometimes a name from above."""
        if self.names == "one" or self.chance(8):
            return loop.actor
        if self.names == "two":
            return "agent:sub"
        if loop.above is not None and self.chance(3):
            return loop.above.actor
        return self.pick(("agent:x", "agent:y", "agent:z"))

    def open_loop(self, opener: int, actor: str, prompt: str, fork: int, above: Loop | None) -> Loop:
        loop = Loop(actor, opener, opener, opener, self.chance(3), prompt, fork, above)
        self.loops.append(loop)
        return loop

    # --- moves: each writes one event, or a few that belong together

    def root(self, _: Loop | None = None) -> None:
        actor = self.pick(("human:u", "human:u", "agent:main"))
        opener = self.write("user_prompt", None, actor, prompt=self.pick(PROMPTS))
        self.open_loop(opener, "agent:main", "", opener, None)

    def infer(self, loop: Loop) -> None:
        """§2a hangs it under the inference before, naive chaining under whatever came last."""
        parent = loop.last if loop.naive else loop.last_inference
        loop.last_inference = loop.last = self.write("llm_inference", parent, loop.actor)

    def tool(self, loop: Loop) -> None:
        parent = loop.last if loop.naive and self.chance(2) else loop.last_inference
        loop.last = self.write(self.pick(("Read", "Bash")), parent, loop.actor)

    def fork(self, loop: Loop) -> None:
        """A sub-agent begins: mostly by a prompt, with a prompt that others may have too."""
        parent = loop.last if self.chance(4) else loop.last_inference
        actor, prompt = self.actor_below(loop), self.pick(PROMPTS)
        tool = self.pick(("user_prompt", "user_prompt", "user_prompt", "llm_inference", "Read", "Agent"))
        opener = self.write(tool, parent, actor, prompt=prompt)
        below = self.open_loop(opener, actor, prompt, parent, loop)
        if self.chance(2):
            self.infer(below)

    def return_(self, loop: Loop) -> None:
        """The spawn call of this loop, recorded in the loop above when it has returned."""
        above = loop.above
        if above is None:
            return self.fork(loop)
        prompt = self.pick((loop.prompt, loop.prompt, loop.prompt, *PROMPTS))
        parent = self.pick((loop.fork, loop.fork, above.last_inference, above.last))
        returns = (self.pick((loop.opener, loop.last, loop.last_inference)),) if self.chance(4) else ()
        above.last = self.write(
            self.pick(("Agent", "Task")), parent, above.actor, prompt=prompt, returns=returns
        )
        what_follows = self.pick(("nothing", "an inference of the next round", "an inference under the call"))
        if what_follows == "an inference under the call":
            above.last_inference = above.last
        if what_follows != "nothing":
            self.infer(above)
        return None

    def launch(self, loop: Loop) -> None:
        """A background launch: the call comes first; its lane hangs from the same round or from the call."""
        prompt, round_ = self.pick(PROMPTS), loop.last_inference
        loop.last = self.write("Agent", round_, loop.actor, prompt=prompt)
        actor, parent = self.actor_below(loop), self.pick((round_, loop.last))
        opener = self.write("user_prompt", parent, actor, prompt=self.pick((prompt, "")))
        self.infer(self.open_loop(opener, actor, prompt, parent, loop))

    def claim(self, loop: Loop) -> None:
        """A result that names events by `root_seq`, of this session or of another, spawn call or not."""
        known = [event.seq for event in self.events]
        roots = tuple(self.draw(st.lists(st.sampled_from(known), min_size=1, max_size=2, unique=True)))
        loop.last = self.write(
            self.pick(("subagent.result", "Agent", "Read", "llm_inference")),
            loop.last_inference,
            loop.actor,
            returns=roots,
        )

    def follow_up(self, loop: Loop) -> None:
        """A later prompt in the loop; when something hangs from it, and it is an agent's, it is a lane."""
        actor = self.pick(("human:u", loop.actor, loop.actor))
        prompt = self.write("user_prompt", loop.last, actor, prompt=self.pick(PROMPTS))
        if self.chance(2):
            loop.last_inference = loop.last = prompt

    def late_sibling(self, loop: Loop) -> None:
        """An asynchronous writer: a tool call of a round that has been read already."""
        inferences = [event.seq for event in self.events if event.kind is Kind.INFERENCE]
        parent = self.pick(inferences) if inferences else loop.opener
        actor = next(event.actor for event in self.events if event.seq == parent)
        self.write(self.pick(("Read", "Agent", "hook.done")), parent, actor, prompt=self.pick(PROMPTS))

    def step_up(self, loop: Loop) -> None:
        """An event that hangs in a sub-agent's tree and carries a name from above, or one never seen."""
        actor = (
            loop.above.actor
            if loop.above is not None and not self.chance(4)
            else self.pick(("agent:x", "agent:w", ""))
        )
        loop.last = self.write(self.pick(("llm_inference", "Read", "Agent")), loop.last, actor)

    def lost(self, _: Loop) -> None:
        """A head whose parent is missing: dropped from a queue, before the window, or never known."""
        missing = [*self.holes, -1] if self.first < 2 else [*self.holes, 10, 20, self.first - 1]
        state = self.pick(("missing", "missing", "missing", "orphan"))
        parent = self.pick(missing) if state == "missing" else None
        actor = self.pick(("agent:main", "agent:main", "agent:x", "human:u"))
        tool = self.pick(("llm_inference", "Read", "user_prompt", "hook.done"))
        group = self.pick(("", "g1", "g1", "g2")) if self.first > 1 else ""
        opener = self.write(tool, parent, actor, root_event_id=group, prompt=self.pick(PROMPTS))
        self.open_loop(opener, actor if actor != "human:u" else "agent:main", "", opener, None)

    def bookkeeping(self, loop: Loop) -> None:
        parent = self.pick((None, loop.last, loop.last_inference))
        seq = self.write(self.pick(("session_start", "stall.verdict")), parent, loop.actor)
        if self.chance(3):
            loop.last = seq

    def human(self, loop: Loop) -> None:
        loop.last = self.write(
            self.pick(("Edit", "llm_inference")), loop.last, self.pick(("human:u", "korg:replay"))
        )

    def governance(self, loop: Loop) -> None:
        self.write("EffectStarted", loop.last, "", kind=Kind.GOVERNANCE)

    def crooked(self, loop: Loop) -> None:
        """A pointer that is no integer, points forward or at itself, or names a governance event."""
        governance = [event.seq for event in self.events if event.kind is Kind.GOVERNANCE]
        parent = self.pick((self.next_seq, self.next_seq + 2, *governance[-1:] * 3))
        bad = self.chance(4)
        tool = self.pick(("user_prompt", "llm_inference", "Read", "hook.done"))
        opener = self.write(tool, None if bad else parent, loop.actor, bad_parent=bad)
        self.open_loop(opener, loop.actor, "", opener, None)

    def hole(self, _: Loop) -> None:
        """An event that never arrived, and a head that names it."""
        self.holes.append(self.next_seq)
        self.next_seq += 1
        self.lost(_)


@st.composite
def ledgers(draw: Any, max_moves: int = 32) -> list[Event]:
    """Events of one ledger in the order of writing, at most about 40, beginning at 0, 1 or 50."""
    first = draw(st.sampled_from((1, 1, 50, 0)))
    growth = Growth(draw, first, draw(st.sampled_from(("one", "two", "many"))), next_seq=first)
    if draw(st.integers(0, 5)) != 5:
        growth.root()
    else:
        growth.lost(None)
    at_least = draw(st.sampled_from((1, max_moves // 2, max_moves * 3 // 4)))
    for move in draw(st.lists(st.sampled_from(MOVES), min_size=at_least, max_size=max_moves)):
        loop = draw(st.sampled_from(growth.loops[-4:]))
        getattr(growth, "return_" if move == "return" else move)(loop)
    return with_late_lines(draw, growth.events)


def with_late_lines(draw: Any, events: list[Event]) -> list[Event]:
    """Sometimes one or two records are written a little after others with larger numbers."""
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 2)))):
        if len(events) > 3:
            early = draw(st.integers(1, len(events) - 2))
            late = draw(st.integers(early + 1, len(events) - 1))
            events.insert(late, events.pop(early))
    return laid_out(events)


def laid_out(events: list[Event]) -> list[Event]:
    """The events where they would stand in a file, with a digest of what they say."""
    return [
        msgspec.structs.replace(event, offset=at * 100, length=99, digest=_digest(event))
        for at, event in enumerate(events)
    ]


def _digest(event: Event) -> int:
    said = msgspec.structs.replace(event, offset=0, length=0, digest=0)
    return int.from_bytes(hashlib.blake2b(repr(said).encode(), digest_size=8).digest()) >> 1

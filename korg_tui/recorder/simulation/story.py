"""The simulated run: an agent is asked why an export is slow, goes the wrong way, and is sent back."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from korg_tui.recorder.client import RecorderClient
from korg_tui.recorder.simulation import props
from korg_tui.recorder.simulation.stage import Failed, Player, Stage

ACTOR = "agent:wren/main@3.2.0"
JO = "human:jo"

Script = Generator[Any, None, str]
Scene = Generator[Any, None, None]


@dataclass(slots=True)
class Run:
    """What became of a run."""

    rewinds: bool = True
    """Whether the ledger is to be rewound half-way."""
    rewound_to: int | None = None
    """The seq that it was rewound to."""
    seconds: float = 0.0
    """How long it was, in its own time."""
    taken: bool = False
    """Whether the server has answered for everything."""


def run(stage: Stage, client: RecorderClient, done: Run) -> Scene:
    """The whole run."""
    wren = Player(stage, client)
    client.prompt(props.ASK, by=JO)
    yield from _look(wren)
    plan = yield from _investigate(wren)
    yield from _go_the_wrong_way(wren)
    if done.rewinds and plan is not None:
        sealed = client.rewind(plan, by=JO, reason="a cache hides the cause; load the lines with one query")
        done.rewound_to = None if sealed is None else plan
        yield 1.5
    client.prompt(props.SEND_BACK, by=JO)
    yield from _go_the_right_way(wren)
    yield from _finish(wren)


def _look(wren: Player) -> Scene:
    yield from wren.think("I read the ticket, and see what has changed since Friday.", 2.1, 1_820)
    yield [
        wren.call("mcp__tickets__get", {"ticket": 571}, props.TICKET, 0.7),
        wren.call("Bash", {"command": "git log --oneline --since=friday"}, props.out(props.LOG), 0.2),
        wren.call("Grep", {"pattern": "def export", "path": "shop/"}, {"matches": props.EXPORTS}, 0.1),
    ]
    yield from wren.think("The export itself, before I ask anybody.", 1.4, 2_640)
    yield from wren.call("Read", {"file_path": "shop/export.py"}, {"content": props.EXPORT}, 0.1)


def _investigate(wren: Player) -> Generator[Any, None, int | None]:
    ask = "Four questions at once; for the count of all orders I do not wait."
    yield from wren.think(ask, 2.6, 4_310)
    wren.stage.start(wren.send("orders", props.ASK_ORDERS, _orders))
    yield [
        wren.send("profile", props.ASK_PROFILE, _profile),
        wren.send("history", props.ASK_HISTORY, _history),
        wren.send("callers", props.ASK_CALLERS, _callers),
    ]
    found = "One query for each line: 48,213 of them. I could remember articles, or load all lines at once."
    seq = yield from wren.think(found, 2.8, 7_950)
    return seq


def _profile(sub: Player) -> Script:
    yield from sub.think("I run the export of the largest customer under the profiler.", 1.3, 910)
    wrong = yield from sub.call(
        "Bash", {"command": "python -m profile_export --customer 88"}, props.NO_MODULE, 0.4, ok=False
    )
    right = {"command": "python -m tools.profile_export --customer 88"}
    yield from sub.call("Bash", right, props.out(props.PROFILE), 5.2, after=wrong)
    yield from sub.think(
        "98 % of it waits for the database. What does the driver say about that?", 1.5, 2_480
    )
    yield [sub.send("docs", props.ASK_DOCS, _docs)]
    yield from sub.think("It is as the documentation says: lazy lines, one query each.", 1.2, 3_120)
    return "94.1 of 96.0 s in Order.lines: it is loaded lazily, with one query for each of 48,213 lines."


def _docs(sub: Player) -> Script:
    yield from sub.think("I look it up.", 0.8, 640)
    page = {"url": "https://docs.example/mapper/3/loading"}
    late = yield from sub.call("WebFetch", page, {"error": "timed out after 3 s"}, 3.0, ok=False)
    yield from sub.call("WebFetch", page, {"text": props.LOADING}, 0.9, after=late)
    yield from sub.think("Found: the default is lazy since version 3.", 0.9, 1_730)
    return "Collections are lazy by default since mapper 3. `load='together'` gets them with one more query."


def _history(sub: Player) -> Script:
    yield from sub.think("I bisect between Thursday's tag and now.", 1.2, 830)
    yield from sub.call(
        "Bash", {"command": "git bisect run tools/export_is_fast.sh"}, props.out(props.BISECT), 6.5
    )
    yield from sub.think("The first slow commit, and what it did.", 1.0, 1_640)
    yield [
        sub.call("Bash", {"command": "git show --stat 4be1d07"}, props.out(props.COMMIT), 0.2),
        sub.call("Bash", {"command": "env | sort"}, props.out(props.environment()), 0.1),
    ]
    yield from sub.think("mapper went from 2.8 to 3.0 with everything else.", 1.1, 2_210)
    return '4be1d07 "Refresh dependencies": mapper 2.8.4 -> 3.0.1.'


def _callers(sub: Player) -> Script:
    yield from sub.think("Everything that walks over order.lines.", 1.0, 720)
    yield [
        sub.call("Grep", {"pattern": r"\.lines\b", "path": "shop/"}, {"matches": props.WALKS}, 0.1),
        sub.call("Glob", {"pattern": "tests/**/test_export*.py"}, {"files": ["tests/test_export.py"]}, 0.1),
    ]
    yield from sub.think("Two of them may be slow as well.", 1.2, 1_290)
    yield [
        sub.call("Read", {"file_path": "shop/invoice.py", "offset": 20, "limit": 40}, props.INVOICE, 0.1),
        sub.call("Read", {"file_path": "shop/report.py"}, {"error": "no such file"}, 0.1, ok=False),
    ]
    yield from sub.think("The invoice has few lines. Only the export has many.", 1.1, 1_980)
    return "shop/export.py:31 is the only place with more than 100 lines."


def _orders(sub: Player) -> Script:
    """Takes its time, whatever the others do. A rewind to what it does not depend on cuts it off as well."""
    yield from sub.think("I count on the replica, so that nobody notices.", 1.8, 560)
    yield from sub.call("Bash", {"command": "tools/replica.sh count-lines"}, props.out(props.COUNT), 19.0)
    yield from sub.think("And by month, to see whether it grows.", 1.3, 1_020)
    by_month = {"command": "tools/replica.sh count-lines --by month"}
    yield from sub.call("Bash", by_month, props.out(props.MONTHS), 11.0)
    yield from sub.think("It grows. The largest ones?", 1.6, 1_480)
    yield from sub.call("Bash", {"command": "tools/replica.sh largest"}, props.out(props.LARGEST), 9.0)
    yield from sub.think("Customer 88 is the largest, and alone.", 1.2, 1_890)
    return "Nobody but customer 88 has more than 4,000 lines; it grows by 3 % a month."


def _go_the_wrong_way(wren: Player) -> Scene:
    yield from wren.think("A cache for articles is quickly written.", 1.9, 8_420)
    yield from wren.call(
        "Write", {"file_path": "shop/article_cache.py", "content": props.CACHE}, {"written": True}, 0.1
    )
    yield from wren.call(
        "Edit",
        {"file_path": "shop/export.py", "old_string": "line.article", "new_string": "cached(line.article)"},
        {"replaced": 2},
        0.1,
    )
    yield from wren.think("Does it hold?", 1.1, 8_790)
    tests = {"command": "python -m pytest -q tests/test_export.py"}
    yield from wren.call("Bash", tests, props.out(props.STALE, 1), 3.1, ok=False)
    yield from wren.think("A price changed in between. The cache has to forget, then.", 1.7, 9_510)
    yield from wren.call(
        "Edit",
        {"file_path": "shop/article_cache.py", "old_string": "TTL = None", "new_string": "TTL = 1.0"},
        {"replaced": 1},
        0.1,
    )
    yield from wren.call("Bash", tests, props.out(props.STALE, 1), 3.0, ok=False)
    yield from wren.think("Still red. A shorter time would help, but I begin to doubt it.", 1.6, 10_080)


def _go_the_right_way(wren: Player) -> Scene:
    yield from wren.think(
        "Back to the files as they were. Then one query; somebody writes the test, somebody reviews.",
        2.2,
        6_130,
    )
    undo = {"command": "git checkout -q -- shop/export.py && rm -f shop/article_cache.py"}
    yield from wren.call("Bash", undo, props.out(""), 0.2)
    yield from wren.call("Edit", props.FIX, {"replaced": 1}, 0.1)
    yield [
        wren.send("test", props.ASK_TEST, _write_the_test),
        wren.send("review", props.ASK_REVIEW, _review_the_query),
        wren.send("review", props.ASK_MEMORY, _review_the_memory),
    ]
    yield from wren.think(
        "The test is there, and the first reviewer is right: in steps, not all at once.", 2.0, 7_480
    )
    yield from wren.call("Edit", props.IN_STEPS, {"replaced": 1}, 0.1)
    tests = {"command": "python -m pytest -q tests/test_export.py"}
    yield from wren.call("Bash", tests, props.out("...........\n11 passed in 2.04s\n"), 2.6)


def _write_the_test(sub: Player) -> Script:
    yield from sub.think("A test that counts queries.", 1.2, 980)
    yield from sub.call(
        "Write", {"file_path": "tests/test_export_queries.py", "content": props.TEST}, {"written": True}, 0.1
    )
    tests = {"command": "python -m pytest -q tests/test_export_queries.py"}
    yield from sub.call("Bash", tests, props.out(props.NO_FIXTURE, 1), 1.9, ok=False)
    yield from sub.think("The fixture has another name here.", 1.1, 1_720)
    yield from sub.call(
        "Edit",
        {"file_path": "tests/test_export_queries.py", "old_string": "queries", "new_string": "count_queries"},
        {"replaced": 3},
        0.1,
    )
    yield from sub.call("Bash", tests, props.out("..\n2 passed in 0.71s\n"), 1.4)
    yield from sub.think("Green, and red without the fix.", 0.9, 2_050)
    return "tests/test_export_queries.py: at most three queries, whatever the number of lines."


def _review_the_query(sub: Player) -> Script:
    yield from sub.think("I read the change, and ask the database how it would do it.", 1.4, 1_110)
    yield [
        sub.call("Bash", {"command": "git diff"}, props.out(props.DIFF), 0.1),
        sub.call("Bash", {"command": "tools/explain.sh export"}, props.out(props.PLAN), 1.2),
    ]
    yield from sub.think("Good, but 48,213 lines at once are 310 MB.", 1.5, 2_360)
    return "The index is used. Load 1,000 orders at a time: all lines at once take 310 MB."


def _review_the_memory(sub: Player) -> Script:
    yield from sub.think("I measure the memory of the export.", 1.2, 890)
    yield from sub.call(
        "Bash", {"command": "python -m tools.memory export --customer 88"}, props.KILLED, 4.1, ok=False
    )
    yield from sub.think("Killed at 512 MB. I cannot measure it on this machine.", 1.0, 1_350)
    raise Failed("not measured: the process was killed at 512 MB")


def _finish(wren: Player) -> Scene:
    yield from wren.think("The whole suite, and the export of the largest customer once more.", 1.8, 8_020)
    yield [
        wren.call("Bash", {"command": "python -m pytest -q"}, props.out(props.SUITE), 5.4),
        wren.call(
            "Bash", {"command": "python -m tools.profile_export --customer 88"}, props.out(props.FAST), 2.2
        ),
    ]
    yield from wren.think("From 96 s to 1.3 s. I commit, and write to the ticket.", 1.7, 8_660)
    yield from wren.call(
        "Bash",
        {"command": 'git commit -qam "Export: load the lines of 1,000 orders at a time"'},
        props.out(""),
        0.3,
    )
    comment = {"ticket": 571, "text": props.COMMENT}
    down = yield from wren.call("mcp__tickets__comment", comment, props.TICKETS_DOWN, 1.1, ok=False)
    yield from wren.call("mcp__tickets__comment", comment, {"comment": 20_417}, 0.8, after=down)
    yield from wren.think(
        "Done: it was mapper 3, which loads lines lazily; now they come in steps.", 1.9, 9_070
    )

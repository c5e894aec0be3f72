"""Stats: sums, percentiles, tokens and cost as a ledger says them; slices and growth change nothing."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from builders import SUB, Book
from korg_tui.views.groups import ORDERS, Scope, percentile
from korg_tui.views.stats import Stats, StatsBook, stats
from korg_tui.views.stats_lines import stats_lines, summary_words
from looking import Glass


def counted(glass: Glass) -> Stats:
    return stats([Scope(glass.ledger, None, glass.read)])


def busy() -> Book:
    book = Book()
    ask = book.prompt("go")
    think = book.infer(
        ask, args={"prompt_tokens": 1000}, result={"completion_tokens": 50, "cached_tokens": 300}
    )
    for number, ms in enumerate((10, 20, 30, 40, 1000)):
        book.tool("Bash", think, args={"command": "x"}, duration_ms=ms, success=number != 4)
    sub = book.prompt("part", think, by=SUB)
    more = book.infer(sub, by=SUB, args={"usage": {"input_tokens": 70, "output_tokens": 7}})
    book.tool("Write", more, by=SUB, args={"file_path": "a.py", "content": "1"}, duration_ms=5)
    book.tool("Edit", more, by=SUB, args={"file_path": "a.py", "old_string": "1", "new_string": "2"})
    book.note(think, tool="session_complete", result={"total_cost_usd": 0.42})
    return book


def test_calls_failures_and_percentiles_of_each_tool():
    (bash,) = [group for group in counted(Glass(busy())).tools if group.name == "Bash"]
    assert (bash.calls, bash.failed, bash.total_ms, bash.mean_ms) == (5, 1, 1100, 220)
    assert (bash.p50_ms, bash.p90_ms, bash.p99_ms, bash.max_ms) == (30, 1000, 1000, 1000)
    assert bash.slowest.seq == 7


def test_tokens_and_cost_are_what_the_ledger_says():
    found = counted(Glass(busy()))
    used = found.usage
    assert (used.tokens_in, used.tokens_out, used.cached, found.cost) == (1070, 57, 300, 0.42)
    by_agent = {group.name: group.usage.tokens for group in found.agents}
    assert by_agent == {"agent:main@1": 1050, SUB: 77}
    assert summary_words(found, None)[2] == "tokens: 1.1k in, 57 out (300 from a cache) · cost: $0.42"


def test_what_is_not_said_is_not_invented():
    book = Book()
    think = book.infer(
        book.prompt("go"), args={"prompt_tokens": -3, "tokens": True, "total_cost_usd": "much"}
    )
    book.tool("Bash", think, result={"usage": {"total_tokens": 12}})
    found = counted(Glass(book))
    assert (found.usage.tokens_in, found.usage.unsplit, found.cost) == (None, 12, None)
    lines = [line.text for line in stats_lines(found, "time")]
    assert "tokens: 12 not split · cost: not said" in lines
    assert "no call says how long it took" in lines
    assert "no call names a file that it wrote" in lines


def test_the_cost_of_a_whole_run_stands_for_that_of_its_events():
    book = Book()
    think = book.infer(book.prompt("one"), result={"cost_usd": 0.1})
    book.note(think, tool="session_complete", result={"total_cost_usd": 0.5})
    book.infer(book.prompt("two"), result={"cost_usd": 0.25})
    assert counted(Glass(book)).cost == 0.75


def test_a_session_is_counted_alone_and_files_by_how_often_they_were_written():
    book = busy()
    other = book.infer(book.prompt("other"))
    book.tool("Write", other, args={"file_path": "b.py"}, duration_ms=1)
    glass = Glass(book)
    alone = stats([Scope(glass.ledger, glass.ledger.sessions[1], glass.read)])
    assert (alone.events, alone.sessions, [file.path for file in alone.files]) == (3, 1, ["b.py"])
    assert [(file.path, file.writes) for file in counted(glass).files] == [("a.py", 2), ("b.py", 1)]


def test_slices_and_growth_give_the_same_numbers():
    whole = busy()
    short = Book()
    short.records = whole.records[:5]
    glass = Glass(short)
    book = StatsBook([Scope(glass.ledger, None, glass.read)])
    book.work(lambda: False)
    assert book.done
    glass.grow(whole.nested()[len(short.nested()) :])
    assert not book.done
    while not book.done:
        book.work(lambda: True)
    assert plain(book.stats()) == plain(counted(glass))


def plain(found: Stats) -> Stats:
    """Without the places, which name the scopes that were asked."""

    def groups(these):
        return tuple(replace(each, slowest=None) for each in these)

    return replace(
        found,
        tools=groups(found.tools),
        agents=groups(found.agents),
        lanes=groups(found.lanes),
        slowest=(),
        files=(),
    )


def test_a_record_that_is_gone_is_counted_as_unread():
    glass = Glass(busy())
    glass.lost = True
    found = counted(glass)
    assert (found.unread, found.usage.tokens, found.failed) == (10, None, 1)
    assert summary_words(found, None)[-1].startswith("10 records could not be read")


def test_every_order_is_an_order_of_all_groups():
    tools = counted(Glass(busy())).tools
    for key in ORDERS.values():
        assert sorted(group.name for group in sorted(tools, key=key)) == sorted(group.name for group in tools)
    assert min(tools, key=ORDERS["failed"]).name == "Bash"


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.integers(1, 100))
def test_a_percentile_is_the_smallest_that_so_many_keep_to(numbers, percent):
    ordered = sorted(numbers)
    found = percentile(ordered, percent)
    assert sum(number <= found for number in ordered) * 100 >= percent * len(ordered)
    assert sum(number < found for number in ordered) * 100 < percent * len(ordered)

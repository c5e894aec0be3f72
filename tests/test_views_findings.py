"""The lines of what was found: grouped, counted honestly, and not told twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from builders import Book
from hostile import ATTACKS, got_through
from korg_tui.causal import Journal
from korg_tui.formats import decode
from korg_tui.sources import Grew
from korg_tui.trust import Check, Fault, Finding, Standing
from korg_tui.views import Examination, Findings, about_finding
from korg_tui.views.findings import FIRST, FURTHER
from korg_tui.views.trust_words import chain_words, unknowable

IDS = ("6.1", "6.2", "6.3", "6.4", "6.5", "6.6", "7.6", "2a")
INTACT = Standing("intact", 4, "ab" * 32, 4)


def passed(**other: Check) -> tuple[Check, ...]:
    """All checks, passed, but for these: `c6_4=Check(…)`."""
    named = {name[1:].replace("_", "."): check for name, check in other.items()}
    return tuple(named.get(each, Check(each, "pass", 4)) for each in IDS)


def book() -> Book:
    """Four events; two of them have lost their parents."""
    made = Book()
    ask = made.prompt("go")
    made.infer(ask)
    made.tool("Bash", 3, seq=5, args={"command": "ls"})
    made.infer(4, seq=6)
    return made


def findings(content: bytes, examination: Examination) -> Findings:
    journal = Journal("ledger.jsonl")
    feed(journal, content)
    found = Findings(journal.ledgers[0])
    found.damage.look()
    found.examination = examination
    return found


def feed(journal: Journal, content: bytes, offset: int = 0) -> None:
    records, at = [], 0
    for line in content.splitlines(keepends=True):
        if offset <= at and line.strip():
            records.append(decode(line.rstrip(b"\n"), at))
        at += len(line)
    journal.apply(Grew(tuple(records)))


def texts(found: Findings, group: str) -> list[str]:
    return [" ".join(filter(None, (line.word, line.where, line.text)))
            for line in found.lines() if line.group == group]  # fmt: skip


def clean() -> Book:
    made = Book()
    made.infer(made.prompt("go"))
    return made


def test_a_ledger_without_fault_says_so_and_what_nobody_can_know():
    found = findings(clean().nested(), Examination(replace(INTACT, events=2, verified_to=2), passed()))
    assert found.nothing_found
    assert found.summary() == (
        "chain intact, 2 events · nothing was found: 8 checks passed · 4 things nobody can know"
    )
    assert len(texts(found, "nobody can know")) == 1 + 4
    titles = [line.group for line in found.lines() if line.kind == "title"]
    assert titles == ["chain", "dead pointers", "malformed lines", "blobs", "checks", "nobody can know"]
    assert {line.weight for line in found.lines() if line.kind in ("title", "check")} == {"pass", "note"}
    assert any("cut from the end" in text for text in texts(found, "nobody can know"))
    assert any("no event is signed" in text for text in texts(found, "nobody can know"))


def test_before_anything_was_looked_at_nothing_is_said_to_be_found_or_not():
    found = findings(clean().nested(), Examination(done=False))
    assert not found.nothing_found
    assert found.summary() == ""
    assert [line.weight for line in found.lines()] == ["wait", "pass", "pass", "wait", "wait"]
    found.examination = Examination(INTACT)
    assert texts(found, "checks") == ["not looked at"]
    assert not found.nothing_found


def test_the_summary_counts_what_speaks_against_it():
    broken = replace(
        INTACT, verdict="broken", events=8112, faults=(Fault(42, "link", "it names another"),)
    )
    blobs = Check("6.4", "fail", 3, (Finding(2, "missing", True), Finding(5, "too big, not fetched")))
    checks = passed(c6_4=blobs, c6_5=Check("6.5", "warn", 4, (Finding(1, "no version"),)))
    found = findings(book().nested() + b"{not json\n", Examination(broken, checks))
    assert found.summary() == (
        "chain broken at 42, 8,112 events · 1 check fails · 1 check warns · 1 blob missing or wrong "
        "· 1 malformed line · 2 dead pointers"
    )
    assert texts(found, "chain")[:2] == ["fail broken at 42, 8,112 events", "link 42 it names another"]
    assert texts(found, "blobs")[1:] == ["fail 2 missing", "warn 5 too big, not fetched"]


@pytest.mark.parametrize(
    ("standing", "said"),
    [
        (INTACT, "chain intact, 4 events"),
        (replace(INTACT, verdict="window"), "chain intact, 4 events, begins in the middle"),
        (replace(INTACT, verdict="empty", events=0), "no events"),
        (replace(INTACT, verdict="unchained"), "no chain: none of 4 events has a hash"),
        (replace(INTACT, verdict="needs_key"), "links hold, hashes need a key, 4 events"),
        (replace(INTACT, verdict="broken"), "chain broken, 4 events"),
        (replace(INTACT, verdict="unverifiable", findings=(Finding(3, "args.x is a float: 0.5"),)),
         "chain unverifiable at 3, 4 events"),
    ],
    ids=lambda each: each.verdict if isinstance(each, Standing) else "",
)  # fmt: skip
def test_every_verdict_is_told_in_words(standing: Standing, said: str):
    assert chain_words(standing) == said
    assert findings(book().nested(), Examination(standing)).summary().startswith(said)


def test_without_a_chain_a_cut_tail_is_not_all_that_cannot_be_known():
    (first, *_) = unknowable(replace(INTACT, verdict="unchained"))
    assert first.startswith("whether anything was changed")
    assert not any("no event is signed" in text for text in unknowable(replace(INTACT, signed=2)))


def test_dead_pointers_and_malformed_lines_say_where_they_are():
    content = book().nested() + b"{not json\n"
    found = findings(content, Examination(INTACT, passed()))
    assert texts(found, "dead pointers") == [
        "warn 2",
        "dead 5 Bash: parent 3 missing: not in the ledger",
        "dead 6 llm_inference: parent 4 missing: not in the ledger",
    ]
    (line,) = [each for each in found.lines() if each.group == "malformed lines" and each.leads]
    assert line.offset == content.index(b"{not json")
    assert line.where == f"byte {line.offset:,}"
    assert line.text
    assert not found.nothing_found


DEAD = Finding(5, "parent 3 missing", about="pointer")
LINE = Finding(None, "not json", True, 900, "line")


def test_what_has_a_group_of_its_own_is_not_told_again_below_a_check():
    checks = passed(
        c6_1=Check("6.1", "warn", 4, (DEAD, Finding(2, "a walk of 300 steps"))),
        c6_4=Check("6.4", "fail", 1, (Finding(2, "missing", True, about="blob"),)),
        c7_6=Check("7.6", "fail", 2, (LINE, Finding(1, "two roots", True))),
    )
    found = findings(book().nested() + b"{not json\n", Examination(INTACT, checks))
    assert texts(found, "6.1") == [
        "warn 6.1 causes lead back to a root: 4 looked at, 1 above: dead pointers",
        "warn 2 a walk of 300 steps",
    ]
    assert texts(found, "6.4") == ["fail 6.4 every blob is there, and right: 1 looked at, 1 above: blobs"]
    assert texts(found, "7.6")[1:] == ["fail 1 two roots"]
    assert texts(found, "checks") == ["fail 2 fail, 1 warn, 5 pass"]


def test_long_lists_say_how_many_more_there_are_and_list_them_when_asked():
    many = tuple(Finding(1, f"value {number}", True) for number in range(FIRST + FURTHER + 2))
    found = findings(book().nested(), Examination(INTACT, passed(c6_3=Check("6.3", "fail", 400, many))))

    def listed() -> int:
        return sum(line.kind == "finding" and line.group == "6.3" for line in found.lines())

    def line(kind: str):
        return next(each for each in found.lines() if (each.group, each.kind) == ("6.3", kind))

    assert listed() == FIRST
    assert line("more").text == f"and {FURTHER + 2} more"
    assert found.toggle(line("more"))
    assert listed() == FIRST + FURTHER
    assert line("more").text == "and 2 more"
    assert found.toggle(line("check"))
    assert listed() == 0
    assert line("check").folded
    assert found.toggle(line("check"))
    assert listed() == FIRST
    assert not found.toggle(line("finding"))


def test_informative_findings_of_a_check_that_passes_are_no_faults():
    check = Check("7.6", "pass", 1, (Finding(1, "root 1 is synthesized, and says so"),))
    found = findings(clean().nested(), Examination(INTACT, passed(c7_6=check)))
    assert found.nothing_found
    assert [line.weight for line in found.lines() if line.group == "7.6"] == ["pass", "note"]


def test_a_ledger_that_grows_is_looked_at_from_where_one_was():
    content = book().nested()
    journal = Journal("ledger.jsonl")
    feed(journal, content)
    found = Findings(journal.ledgers[0])
    assert found.damage.look(3)
    assert list(found.damage.dead) == [2]
    assert found.damage.look()
    assert not found.damage.look()
    assert list(found.damage.dead) == [2, 3]
    made = book()
    made.tool("Bash", 4)
    feed(journal, made.nested(), len(content))
    assert found.damage.look()
    assert list(found.damage.dead) == [2, 3, 4]
    late = Book()
    late.tool("Read", 1, seq=3)
    feed(journal, late.nested())
    found.damage.look()
    assert [journal.ledgers[0].seq[row] for row in found.damage.dead] == [6, 7], "5 has its parent"


def test_whatever_a_ledger_says_is_made_visible():
    every = "".join(ATTACKS.values())
    wicked = tuple(Finding(1, attack, True) for attack in ATTACKS.values())
    standing = replace(
        INTACT, verdict="broken", faults=(Fault(None, "seal", every),), findings=wicked, notes=(every,)
    )
    checks = passed(c6_5=Check("6.5", "fail", 1, wicked))
    found = findings(book().nested(), Examination(standing, checks, notes=(every,)))
    lines = found.lines()
    assert len(lines) > 20
    said = "\n".join(f"{line.word} {line.where} {line.text}" for line in lines)
    details = "\n".join(each.text for line in lines for each in about_finding(line).lines)
    assert got_through((said + details).encode("utf-8", "surrogateescape")) == []
    assert max(len(line.text) for line in lines) <= 400


def test_every_line_has_more_to_say_below():
    blobs = Check("6.4", "fail", 1, (Finding(2, "missing: looked in blobs", True),))
    found = findings(book().nested() + b"{not json\n", Examination(INTACT, passed(c6_4=blobs)))
    for line in found.lines():
        section = about_finding(line)
        assert section.title
        assert any(each.style == "note" for each in section.lines)
    (blob,) = [line for line in found.lines() if line.group == "blobs" and line.kind == "finding"]
    assert about_finding(blob).title == "blobs · 2"
    assert about_finding(blob).lines[1].seq == 2

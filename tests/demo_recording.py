"""What the demo plays: a developer asks an agent why a test fails; the agent finds out, fails, and fixes it.

`python tests/demo_recording.py` writes it again; a test compares what is there with what this makes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builders import Book

FOLDER = Path(__file__).parents[1] / "korg_tui" / "sources" / "recorded"

MIRA = "human:mira"
MAIN = "agent:rook/main@2.1.0"
ROUNDING = "agent:rook/sub-tu_7f3a1@2.1.0"
BUILDS = "agent:rook/sub-tu_9c02e@2.1.0"
CHANGES = "agent:rook/sub-tu_b51d8@2.1.0"
TYPES = "agent:rook/sub-tu_e4470@2.1.0"

ASK_ROUNDING = "Find every place under shop/ that rounds money, and say by which rule it rounds."
ASK_BUILDS = "Compare the last green build with the first red one: which commit, and which dependency moved?"
ASK_CHANGES = "Read the changelog of taxtable 4.3 and say what it changed about rounding."
ASK_TYPES = "Run the type checker over shop/ while I edit, and report errors that are new."

TOTAL = "self.net() + sum((line.tax() for line in self.lines), Decimal(0))"

INVOICE = '''"""Invoices: lines, taxes, and the total that a customer is asked to pay."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from shop.money import cents
from taxtable import rate


@dataclass
class Line:
    """One position: so many pieces of an article, at a net price each."""

    article: str
    pieces: int
    net: Decimal
    country: str = "AT"

    def tax(self) -> Decimal:
        """The tax of this line, in the currency of the invoice."""
        return cents(self.net * self.pieces * rate(self.country, self.article))


@dataclass
class Invoice:
    """A number, a customer, and lines in the order in which they were entered."""

    number: str
    customer: str
    lines: list[Line] = field(default_factory=list)

    def net(self) -> Decimal:
        """What the lines cost without tax."""
        return sum((line.net * line.pieces for line in self.lines), Decimal(0))

    def total(self) -> Decimal:
        """What the customer pays: net and tax of every line."""
        return self.net() + sum((line.tax() for line in self.lines), Decimal(0))
'''

BUILD_LOG = """build 4182 · branch main · commit 9f31c0a "Refresh locked dependencies"
step 1/5  checkout                                   ok      2.1 s
step 2/5  set up Python 3.12                         ok      6.8 s
step 3/5  install
    taxtable        4.2.1 -> 4.3.0
    typing-tools    1.9.0 -> 1.9.2
    webkit-stub     0.8.4 (unchanged)
                                                     ok     31.4 s
step 4/5  check types                                ok     12.0 s
step 5/5  test
    tests/test_cart.py ..............                         [  6%]
    tests/test_catalogue.py .........................         [ 18%]
    tests/test_invoice.py ....F...                            [ 22%]
    tests/test_refund.py .........                            [ 26%]
    tests/test_shipping.py ................................   [ 41%]
    tests/test_stock.py .....................................  [ 58%]
    tests/test_users.py ...................................... [100%]

    ================================ FAILURES ================================
    _________________________ test_total_with_tax ____________________________

        def test_total_with_tax():
            invoice = Invoice("2026-014", "Huber")
            invoice.lines = [Line("book", 3, Decimal("9.99")), Line("pen", 7, Decimal("0.35"))]
    >       assert invoice.total() == Decimal("35.72")
    E       AssertionError: assert Decimal('35.71') == Decimal('35.72')

    tests/test_invoice.py:58: AssertionError
    ==================== 1 failed, 211 passed in 36.90s ======================
                                                     failed 39.2 s
build 4181 · branch main · commit 02be77d "Stock: count what is reserved"     passed  1 min 24 s
"""


@dataclass
class Recording:
    """The demo's ledger while it is written. Time passes by what each event took."""

    book: Book = field(default_factory=lambda: Book(step_ms=0))
    blobs: dict[str, bytes] = field(default_factory=dict)

    def wait(self, seconds: float) -> None:
        self.book.now_ms += round(seconds * 1000)

    def ask(self, text: str, parent: int | None = None, by: str = MIRA) -> int:
        self.wait(0.4)
        return self.book.prompt(text, parent, by)

    def think(self, parent: int, says: str, *, by: str = MAIN, used: tuple[int, int], ms: int) -> int:
        self.wait(ms / 1000)
        result = {"text": says, "usage": {"input_tokens": used[0], "output_tokens": used[1]}}
        return self.book.infer(parent, by, args={"model": "rook-large"}, result=result, duration_ms=ms)

    def call(
        self, tool: str, parent: int, args: Any, result: Any, *, ms: int, by: str = MAIN, success: bool = True
    ) -> int:
        self.wait(ms / 1000)
        refs = [self.blob(result, name, tool) for name in list(result) if len(str(result[name])) > 1000]
        return self.book.add(
            tool, parent, by, args=args, result=result, duration_ms=ms, success=success, payload_refs=refs
        )

    def bash(self, parent: int, command: str, out: str, *, ms: int, by: str = MAIN, code: int = 0) -> int:
        result = {"stdout": out, "exit_code": code}
        return self.call("Bash", parent, {"command": command}, result, ms=ms, by=by, success=code == 0)

    def returns(self, parent: int, prompt: str, says: str, *, ms: int, by: str = MAIN) -> int:
        """The spawn call of a sub-agent that has come back: it took as long as all the sub-agent did."""
        self.wait(0.2)
        args = {"description": prompt.split(",")[0].split(":")[0].lower(), "prompt": prompt}
        return self.book.add("Agent", parent, by, args=args, result={"content": says}, duration_ms=ms)

    def note(self, tool: str, parent: int, result: Any, by: str = MAIN) -> int:
        return self.book.note(parent, tool, by, result=result)

    def blob(self, result: dict[str, Any], name: str, tool: str) -> dict[str, Any]:
        """Put a value over 1,024 bytes beside the ledger, and a reference in its place (SPEC §7.3)."""
        raw = result[name].encode()
        digest = hashlib.sha256(raw).hexdigest()
        self.blobs[digest] = raw
        result[name] = {"_ref": f"sha256:{digest}", "size_bytes": len(raw)}
        return {"sha256": digest, "size_bytes": len(raw), "label": f"{tool}.{name}"}

    def lose_one(self) -> int:
        """A number that went to an event which a full queue dropped (SPEC §7.5)."""
        assert self.book.top is not None
        self.book.top += 1
        return self.book.top


def recording() -> Recording:
    it = Recording()
    looked = _look(it)
    understood = _send_two_helpers(it, looked)
    fixed = _fix(it, understood)
    _finish(it, fixed)
    _second_session(it)
    return it


def _look(it: Recording) -> int:
    ask = it.ask(
        "tests/test_invoice.py::test_total_with_tax fails since this morning. Find out why, and fix it."
    )
    it.note("edit_policy", ask, {"mode": "edit inside the project", "ask_before": ["git push", "rm"]})
    it.book.governance("CapabilityEnabled", ask, capability="shell", enabled_by=MIRA)
    look = it.think(ask, "I look at the test, and at the code that it calls.", used=(1840, 96), ms=2310)
    it.call(
        "Read",
        look,
        {"file_path": "tests/test_invoice.py", "offset": 50, "limit": 10},
        {
            "content": 'def test_total_with_tax():\n    invoice = Invoice("2026-014", "Huber")\n'
            '    invoice.lines = [Line("book", 3, Decimal("9.99")), Line("pen", 7, Decimal("0.35"))]\n'
            '    assert invoice.total() == Decimal("35.72")\n'
        },
        ms=38,
    )
    it.call(
        "Grep",
        look,
        {"pattern": "def (total|tax)", "path": "shop/"},
        {"matches": ["shop/invoice.py:24:    def tax(self)", "shop/invoice.py:41:    def total(self)"]},
        ms=61,
    )
    it.call("Read", look, {"file_path": "shop/invoice.py"}, {"content": INVOICE}, ms=44)
    return look


def _send_two_helpers(it: Recording, look: int) -> int:
    says = "Each line is rounded by itself. Two questions: where else do we round, and what changed today?"
    send = it.think(look, says, used=(3120, 204), ms=4020)
    rounding, builds = it.ask(ASK_ROUNDING, send, ROUNDING), it.ask(ASK_BUILDS, send, BUILDS)
    r1 = it.think(rounding, "I search for what rounds.", by=ROUNDING, used=(910, 48), ms=1420)
    b1 = it.think(
        builds, "The log of the red build, and the commits before it.", by=BUILDS, used=(930, 71), ms=1610
    )
    it.call(
        "Grep",
        r1,
        {"pattern": "quantize|round\\(", "path": "shop/"},
        {
            "matches": [
                "shop/money.py:12:    return amount.quantize(CENT)",
                "shop/cart.py:33:    round(total, 2)",
                "shop/refund.py:19:    round(share, 2)",
            ]
        },
        ms=72,
        by=ROUNDING,
    )
    it.bash(
        b1,
        "git log --oneline -4",
        "9f31c0a Refresh locked dependencies\n02be77d Stock: count what is reserved\n"
        "c41d9e2 Cart: empty it after the order\n77a0b13 Users: longer names\n",
        ms=118,
        by=BUILDS,
    )
    log = it.bash(b1, "builds show 4182 --log", BUILD_LOG, ms=2890, by=BUILDS)
    it.call(
        "Read",
        r1,
        {"file_path": "shop/cart.py", "offset": 25, "limit": 12},
        {
            "content": "def subtotal(lines):\n    total = sum(line.net * line.pieces for line in lines)\n"
            "    return round(total, 2)\n"
        },
        ms=35,
        by=ROUNDING,
    )
    it.book.governance("EffectStarted", log, effect="network", target="package index")
    b2 = it.think(
        b1,
        "taxtable went from 4.2.1 to 4.3.0 in the red build. A helper reads its changelog.",
        by=BUILDS,
        used=(2480, 133),
        ms=3150,
    )
    r2 = it.think(
        r1, "Two of three use round(). What does money.py say?", by=ROUNDING, used=(1460, 55), ms=1700
    )
    changes = it.ask(ASK_CHANGES, b2, CHANGES)
    it.call(
        "Read",
        r2,
        {"file_path": "shop/money.py"},
        {
            "content": 'from decimal import Decimal\n\nCENT = Decimal("0.01")\n\n\n'
            "def cents(amount: Decimal) -> Decimal:\n    return amount.quantize(CENT)\n"
        },
        ms=29,
        by=ROUNDING,
    )
    c1 = it.think(changes, "The package has its changelog with it.", by=CHANGES, used=(720, 39), ms=1190)
    it.bash(
        c1, "pip download --no-deps taxtable==4.3.0", "Saved ./taxtable-4.3.0.tar.gz\n", ms=3340, by=CHANGES
    )
    it.call("Grep", r2, {"pattern": "ROUND_", "path": "shop/"}, {"matches": []}, ms=58, by=ROUNDING)
    c2 = it.think(c1, "Now the entry for 4.3.", by=CHANGES, used=(990, 41), ms=1240)
    it.call(
        "Read",
        c2,
        {"file_path": "taxtable-4.3.0/CHANGELOG.md", "limit": 12},
        {"content": "## 4.3.0\n\n- rate() gives four places, not two.\n- See the notes on rounding.\n"},
        ms=31,
        by=CHANGES,
    )
    lost = it.lose_one()
    it.call(
        "WebFetch",
        lost,
        {"url": "https://taxtable.example/notes/rounding"},
        {
            "text": "Rates have four places since 4.3. Whoever rounded each product to cents before, and "
            "relied on two places, should add up first and round once, half up."
        },
        ms=1870,
        by=CHANGES,
    )
    it.note("stall.verdict", r2, {"verdict": "working", "idle_ms": 2600}, by=ROUNDING)
    it.think(
        r2,
        "Three places round: money.cents and two round(). All three go to the even digit; none says so.",
        by=ROUNDING,
        used=(1890, 160),
        ms=2050,
    )
    it.returns(
        send,
        ASK_ROUNDING,
        "shop/money.py:12, shop/cart.py:33, shop/refund.py:19. Nobody names a rule, so it is half to even.",
        ms=21_400,
    )
    it.returns(
        b2,
        ASK_CHANGES,
        "4.3 gives rates with four places; add up first, then round once, half up.",
        ms=14_900,
        by=BUILDS,
    )
    it.think(
        b2,
        "9f31c0a moved taxtable to 4.3.0. With four places, rounding each line loses a cent.",
        by=BUILDS,
        used=(3010, 142),
        ms=2260,
    )
    it.book.governance("EffectCompleted", log, effect="network", target="package index")
    it.returns(
        send,
        ASK_BUILDS,
        "Commit 9f31c0a, taxtable 4.2.1 to 4.3.0. Rates have four places now: round once, at the end.",
        ms=26_700,
    )
    return send


def _fix(it: Recording, send: int) -> int:
    says = "The cause is clear: we round every line. I add up first and round once, half up."
    fix = it.think(send, says, used=(5230, 318), ms=4470)
    it.call(
        "Agent",
        fix,
        {"description": "watch the types", "prompt": ASK_TYPES, "run_in_background": True},
        {"status": "launched", "agent": "tu_e4470"},
        ms=90,
    )
    types = it.ask(ASK_TYPES, fix, TYPES)
    lease = it.book.governance("LeaseAcquired", types, resource="shop/invoice.py", holder=MAIN)
    assert lease
    it.call(
        "Edit",
        fix,
        {
            "file_path": "shop/invoice.py",
            "old_string": f"        return {TOTAL}\n",
            "new_string": f"        exact = {TOTAL}\n        return exact.quantize(CENT, ROUND_HALF_UP)\n",
        },
        {"replaced": 1},
        ms=52,
    )
    it.call(
        "Edit",
        fix,
        {
            "file_path": "shop/invoice.py",
            "old_string": "        return cents(self.net * self.pieces * rate(self.country, self.article))\n",
            "new_string": "        return self.net * self.pieces * rate(self.country, self.article)\n",
        },
        {"replaced": 1},
        ms=47,
    )
    t1 = it.think(types, "I run mypy as it is set up here.", by=TYPES, used=(640, 33), ms=1130)
    run = it.think(fix, "Now the test that failed.", used=(5710, 41), ms=1540)
    it.bash(
        run,
        "python -m pytest -q tests/test_invoice.py",
        "....F...\n    def total(self):\n"
        f"        exact = {TOTAL}\n"
        ">       return exact.quantize(CENT, ROUND_HALF_UP)\n"
        "E       NameError: name 'CENT' is not defined\n\n"
        "shop/invoice.py:44: NameError\n1 failed, 7 passed in 1.92s\n",
        ms=4210,
        code=1,
    )
    it.bash(
        t1,
        "mypy shop/ || true",
        'shop/invoice.py:44: error: Name "CENT" is not defined  [name-defined]\n'
        'shop/invoice.py:44: error: Name "ROUND_HALF_UP" is not defined  [name-defined]\n'
        "Found 2 errors in 1 file (checked 11 source files)\n",
        ms=6120,
        by=TYPES,
    )
    repair = it.think(
        run,
        "My edit names CENT and ROUND_HALF_UP and imports neither. I import both, and run it again.",
        used=(6040, 127),
        ms=2380,
    )
    it.call(
        "Edit",
        repair,
        {
            "file_path": "shop/invoice.py",
            "old_string": "from decimal import Decimal\n\nfrom shop.money import cents\n",
            "new_string": "from decimal import ROUND_HALF_UP, Decimal\n\nfrom shop.money import CENT\n",
        },
        {"replaced": 1},
        ms=49,
    )
    it.think(t1, "Two errors, both new, both in line 44.", by=TYPES, used=(980, 44), ms=1290)
    it.bash(repair, "python -m pytest -q tests/test_invoice.py", "........\n8 passed in 1.77s\n", ms=3980)
    return repair


def _finish(it: Recording, repair: int) -> None:
    whole = it.think(repair, "Green. The whole suite before I stop.", used=(6390, 38), ms=1480)
    it.bash(whole, "python -m pytest -q", "212 passed in 36.12s\n", ms=38_300)
    it.book.governance("LeaseReleased", whole, resource="shop/invoice.py", holder=MAIN)
    it.note("context.compress", whole, {"before_tokens": 6428, "after_tokens": 2110})
    done = it.think(
        whole,
        "Fixed: taxtable 4.3 gives finer rates, and we rounded line by line. Now it is once, half up.",
        used=(2190, 176),
        ms=2870,
    )
    it.wait(41)
    more = it.ask("Good. Add a line to CHANGELOG.md, keep taxtable below 4.4, and tell the ticket.", done)
    write = it.think(more, "Two edits.", used=(2420, 66), ms=1720)
    it.call(
        "Read",
        write,
        {"file_path": "CHANGELOG.md", "limit": 6},
        {"content": "# Changes\n\n## Unreleased\n\n- Stock: count what is reserved\n"},
        ms=27,
    )
    it.call(
        "Edit",
        write,
        {
            "file_path": "CHANGELOG.md",
            "old_string": "- Stock: count what is reserved\n",
            "new_string": "- Stock: count what is reserved\n- Invoice: totals are rounded once, half up\n",
        },
        {"replaced": 1},
        ms=45,
    )
    it.call(
        "Edit",
        write,
        {
            "file_path": "pyproject.toml",
            "old_string": '"taxtable>=4.2"',
            "new_string": '"taxtable>=4.3,<4.4"',
        },
        {"replaced": 1},
        ms=43,
    )
    commit = it.think(write, "I commit that, and write to the ticket.", used=(2690, 82), ms=1650)
    it.bash(
        commit,
        "git diff --stat",
        " CHANGELOG.md    | 1 +\n pyproject.toml  | 2 +-\n shop/invoice.py | 9 +++++----\n",
        ms=96,
    )
    it.bash(commit, 'git commit -qam "Invoice: round once, half up"', "", ms=310)
    it.call(
        "mcp__tickets__comment",
        commit,
        {"ticket": 318, "text": "Fixed: totals are rounded once, half up. taxtable stays below 4.4."},
        {"comment": 9921},
        ms=820,
    )
    last = it.think(commit, "Committed, and the ticket knows.", used=(2870, 44), ms=1310)
    it.note("session_complete", last, {"edits": 5, "commands": 8})


def _second_session(it: Recording) -> None:
    it.wait(312)
    ask = it.ask("What is the difference between ROUND_HALF_UP and ROUND_HALF_EVEN, in one line?")
    show = it.think(ask, "An example says it best.", used=(420, 58), ms=1360)
    it.bash(
        show,
        'python -c "from decimal import *; print([Decimal(x).quantize(Decimal(1), r) '
        "for x in ('0.5', '1.5') "
        'for r in (ROUND_HALF_UP, ROUND_HALF_EVEN)])"',
        "[Decimal('1'), Decimal('0'), Decimal('2'), Decimal('2')]\n",
        ms=140,
    )
    it.think(
        show, "A half goes away from zero, or to the even neighbour: 0.5 is 1, or 0.", used=(560, 47), ms=1420
    )


def write(folder: Path = FOLDER) -> None:
    made = recording()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "session.jsonl").write_bytes(made.book.nested())
    for digest, raw in made.blobs.items():
        path = folder / "blobs" / digest[:2] / digest
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)


if __name__ == "__main__":
    write()

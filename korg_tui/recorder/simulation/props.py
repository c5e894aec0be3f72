"""The texts of the simulated run: what is asked, read, and answered. Some are large enough to be blobs."""

from __future__ import annotations

from typing import Any

ASK = "Exports of large orders time out since Friday (ticket 571). Find out why, fix it, and prove it."
SEND_BACK = "No cache: it hides the cause. Load the lines of all orders with one query."
ASK_PROFILE = "Profile the export of customer 88, and say where the time goes."
ASK_DOCS = "How does mapper 3 load collections, and how are they loaded together? Quote the documentation."
ASK_HISTORY = "Which commit since Thursday made the export slow? Bisect with tools/export_is_fast.sh."
ASK_CALLERS = "Who else walks over order.lines, and how many lines are there in each of these places?"
ASK_ORDERS = "How many lines do the orders of each customer have, and is that growing? There is time."
ASK_TEST = "Write a test that fails when the export needs a query for each line."
ASK_REVIEW = "Review the change in shop/export.py: is the index used, and what does it cost?"
ASK_MEMORY = "Measure how much memory the export of customer 88 needs with the change."

COMMENT = "Fixed: the export needs three queries for 1,000 orders. Customer 88: 1.3 s, was 96 s."

TICKET = {
    "ticket": 571,
    "title": "Export times out",
    "text": "Customer 88 gets a time-out after 60 s. Until Thursday the same export took 2 s.",
    "priority": "high",
}

LOG = """\
4be1d07 Refresh dependencies
c0a9f3e Cart: keep the voucher after a failed payment
71d25b8 Export: add the column of the country
"""

EXPORTS = ["shop/export.py:24:def export(customer, out):", "shop/report.py:11:def export_month(month):"]

WALKS = [
    "shop/cart.py:40:    return sum(line.total for line in cart.lines)",
    "shop/export.py:31:        for line in order.lines:",
    "shop/invoice.py:27:    for line in order.lines:",
]

EXPORT = '''"""Exports: all orders of a customer as CSV, one row for each line of an order."""

from __future__ import annotations

import csv
from typing import TextIO

from shop.countries import name_of
from shop.database import session
from shop.orders import Order

COLUMNS = ("order", "date", "country", "article", "pieces", "net", "tax", "total")


def rows_of(order: Order):
    """The rows of one order."""
    for line in order.lines:
        yield (
            order.number,
            order.date.isoformat(),
            name_of(order.country),
            line.article.name,
            line.pieces,
            line.net,
            line.tax,
            line.total,
        )


def export(customer: int, out: TextIO) -> int:
    """Write all orders of a customer; how many rows that were."""
    writer = csv.writer(out, lineterminator="\\n")
    writer.writerow(COLUMNS)
    count = 0
    with session() as database:
        for order in database.all(Order, Order.customer == customer):
            for row in rows_of(order):
                writer.writerow(row)
                count += 1
    return count
'''

INVOICE = {
    "content": "    for line in order.lines:\n        page.row(line.article.name, line.pieces, line.total)\n"
}

CACHE = '''"""Articles that were looked at lately."""

from __future__ import annotations

import time
from collections import OrderedDict

from shop.articles import Article

TTL = None
"""Seconds for which an article is remembered; None: for ever."""

LARGEST = 10_000


class ArticleCache:
    """Remembers articles by their number; the one that was not asked for longest goes first."""

    def __init__(self) -> None:
        self._articles: OrderedDict[int, tuple[float, Article]] = OrderedDict()

    def get(self, number: int) -> Article | None:
        """The article, if it is remembered and not too old."""
        found = self._articles.get(number)
        if found is None:
            return None
        since, article = found
        if TTL is not None and time.monotonic() - since > TTL:
            del self._articles[number]
            return None
        self._articles.move_to_end(number)
        return article

    def put(self, article: Article) -> None:
        """Remember an article."""
        self._articles[article.number] = (time.monotonic(), article)
        while len(self._articles) > LARGEST:
            self._articles.popitem(last=False)


_cache = ArticleCache()


def cached(article: Article) -> Article:
    """The remembered article of this number, or this one, remembered."""
    known = _cache.get(article.number)
    if known is None:
        _cache.put(article)
    return known or article
'''

NO_MODULE = {
    "stdout": "",
    "stderr": "/usr/bin/python: No module named profile_export\n",
    "exit_code": 1,
}

STALE = """\
....F......
================================= FAILURES =================================
_______________ test_a_price_that_changed_is_exported_as_it_is ______________

    def test_a_price_that_changed_is_exported_as_it_is(shop, out):
        shop.set_price("pen", "0.35")
        export(88, out)
        shop.set_price("pen", "0.40")
        export(88, out)
>       assert out.rows()[-1].net == Decimal("0.40")
E       AssertionError: assert Decimal('0.35') == Decimal('0.40')

tests/test_export.py:71: AssertionError
1 failed, 10 passed in 2.31s
"""

NO_FIXTURE = """\
EE
E       fixture 'queries' not found
>       available fixtures: cache, count_queries, customer, out, shop, tmp_path
2 errors in 0.40s
"""

LOADING = """\
Loading collections

A collection of an object is loaded when it is first looked at: one query for each object. (Until version 2
it was loaded with the object; since version 3 this has to be asked for.) When many objects are walked
through, ask for it:

    database.all(Order, load="together")

gets the orders with one query, and the collections of all of them with one more. With

    database.all(Order, load="together", step=1000)

this is done for 1,000 orders at a time, so that no more than these are held in memory. Between two steps
other transactions may be seen; if that matters, use a snapshot:

    with session(snapshot=True) as database: ...

A collection of a collection (order.lines, line.article) is loaded together as well, as long as it is named:

    database.all(Order, load=("lines", "lines.article"), step=1000)

What is not named stays lazy. To find lazy loads, count them: `mapper.testing.count_queries()` is a context
manager that knows how many queries there were, and where each came from.
"""

COMMIT = """\
commit 4be1d07
    Refresh dependencies

 constraints.txt | 14 +++++++-------
 1 file changed, 7 insertions(+), 7 deletions(-)
"""

FIX = {
    "file_path": "shop/export.py",
    "old_string": "database.all(Order, Order.customer == customer)",
    "new_string": 'database.all(Order, Order.customer == customer, load=("lines", "lines.article"))',
}

IN_STEPS = {
    "file_path": "shop/export.py",
    "old_string": '"lines.article"))',
    "new_string": '"lines.article"), step=1000)',
}

TEST = '''"""The export asks the database a few times, not once for each line."""

from __future__ import annotations

import pytest

from shop.export import export


@pytest.mark.parametrize("lines", [1, 10, 500])
def test_the_number_of_queries_does_not_grow_with_the_lines(shop, out, queries, lines):
    shop.order(customer=88, lines=lines)
    with queries() as count:
        export(88, out)
    assert count.total <= 3, count.origins


def test_orders_come_in_steps(shop, out, queries):
    for _ in range(2_500):
        shop.order(customer=88, lines=1)
    with queries() as count:
        export(88, out)
    assert count.total <= 9, count.origins
    assert out.row_count == 2_501


@pytest.fixture
def out(tmp_path):
    """A file that counts its rows when it is read again."""
    with (tmp_path / "export.csv").open("w+") as file:
        yield Rows(file)


class Rows:
    def __init__(self, file):
        self.file = file

    def write(self, text):
        self.file.write(text)

    @property
    def row_count(self):
        self.file.seek(0)
        return sum(1 for _ in self.file)
'''

DIFF = """\
--- a/shop/export.py
+++ b/shop/export.py
@@ -37,1 +37,1 @@
-        for order in database.all(Order, Order.customer == customer):
+        for order in database.all(Order, Order.customer == customer, load=("lines", "lines.article")):
"""

PLAN = """\
index scan of orders_by_customer (customer = 88)      rows 6,120     0.004 s
  index scan of lines_by_order (order = any)          rows 48,213    0.310 s
    hash join with articles                           rows 48,213    0.120 s
"""

COUNT = "customers 8,204   lines 1,310,554   most 48,213 (88)   next 3,907 (1204)\n"
MONTHS = "2026-07 1.17M\n2026-08 1.21M\n2026-09 1.24M\n2026-10 1.28M\n2026-11 1.31M\n"
LARGEST = "88     48,213\n1204    3,907\n31      2,240\n5077    1,988\n"

KILLED = {"stdout": "", "stderr": "Killed\n", "exit_code": 137}

FAST = "48,213 rows in 1.31 s, 21 queries\n"


TICKETS_DOWN = {"error": "503: the ticket system is being updated"}


def out(text: str, exit_code: int = 0) -> dict[str, Any]:
    """What a command printed."""
    return {"stdout": text, "exit_code": exit_code}


def _profile() -> str:
    lines = ["   calls   seconds   each s  where"]
    places = ("mapper/lazy.py:88 load", "driver/socket.py:212 recv", "shop/export.py:16 rows_of",
              "mapper/identity.py:41 get", "csv.writer.writerow", "shop/countries.py:9 name_of")  # fmt: skip
    for number, place in enumerate(places * 5):
        calls, seconds = 48_213 // (number + 1), 94.1 / (number + 1) ** 2
        lines.append(f"{calls:8,} {seconds:9.3f} {seconds / calls:8.5f}  {place}")
    return "\n".join([*lines, "48,213 rows in 96.04 s, 48,216 queries", ""])


def _bisect() -> str:
    steps = []
    for number, (commit, word) in enumerate((("c0a9f3e", "good"), ("71d25b8", "good"), ("4be1d07", "bad"))):
        steps += [
            f"Bisecting: {2 - number} revisions left to test",
            f"running tools/export_is_fast.sh at {commit}",
        ]
        steps += [
            f"  export of customer {88 + each}: {'96.0' if word == 'bad' else '2.1'} s" for each in range(9)
        ]
        steps.append(f"  {word}")
    return "\n".join([*steps, "4be1d07 is the first bad commit", ""])


def _suite() -> str:
    rooms = (
        *("articles", "cart", "countries", "export", "export_queries", "invoice", "orders", "payment"),
        *("refund", "search", "shipping", "stock", "tax", "users", "vouchers"),
    )
    lines = [f"tests/test_{room}.py {'.' * (12 + 7 * number % 40)}" for number, room in enumerate(rooms)]
    return "\n".join([*lines * 2, "412 passed in 5.02s", ""])


def environment() -> str:
    """An environment with a secret in it, which the client takes out. It is put together here, so that
    nobody who searches this file for secrets finds one."""
    token = "sk-" + "demo0" * 6
    return f"CI=1\nHOME=/home/jo\nMODEL_API_KEY={token}\nPATH=/usr/bin:/bin\n"


PROFILE, BISECT, SUITE = _profile(), _bisect(), _suite()

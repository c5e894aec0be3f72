"""Who touched this path: the events of several ledgers that a query means, newest first, in slices."""

from __future__ import annotations

import pytest

from builders import START_MS, Book
from korg_tui.formats import body
from korg_tui.views import EventRows, EventSearch, QueryError, Where, path_query, paths_of
from looking import Glass


def edits(*paths: str, start_ms: int = START_MS) -> Book:
    """A session that edits these files, a second apart."""
    book = Book(now_ms=start_ms)
    think = book.infer(book.prompt("mend it"))
    for path in paths:
        book.tool("Edit", think, args={"file_path": path, "old_string": "a", "new_string": "b"})
    return book


def where(content: Book | bytes) -> tuple[Glass, Where]:
    glass = Glass(content)
    return glass, Where(glass.ledger, glass.read)


def found(query: str, *among: Where, most: int = 100) -> EventSearch:
    search = EventSearch(query, among, most)
    search.work(lambda: False)
    assert search.done
    return search


def test_newest_first_across_ledgers_and_those_without_a_time_last():
    _, old = where(edits("src/a.py", "src/b.py", "src/a.py"))
    _, new = where(edits("lib/a.py", start_ms=START_MS + 60_000))
    _, timeless = where(edits("src/a.py", "docs/a.py", "src/a.py").flat())
    search = found("path:src/a.py", old, new, timeless)
    assert [(hit.where, hit.seq) for hit in search.hits] == [(old, 5), (old, 3), (timeless, 5), (timeless, 3)]
    assert [hit.where for hit in found("path:a.py tool:Edit", old, new).hits] == [new, old, old]
    assert (search.found, search.looked, search.total) == (4, 13, 13)


def test_it_works_in_slices_and_counts_what_it_does_not_keep():
    _, here = where(edits(*["src/a.py"] * 7))
    search = EventSearch("path:src/a.py", [here], most=3)
    steps = 0
    while not search.done:
        search.work(lambda: True)
        steps += 1
    assert steps == 10
    assert [hit.seq for hit in search.hits] == [9, 8, 7]
    assert (search.found, search.cut) == (7, True)


def test_a_query_that_cannot_be_understood_is_said_at_once():
    with pytest.raises(QueryError, match="colour:red"):
        EventSearch("colour:red", [])


def test_an_event_is_known_by_its_content_when_rows_move_and_when_it_is_gone():
    glass, here = where(edits("a.py", "b.py"))
    hits = {hit.seq: hit for hit in found("tool:Edit", here).hits}
    rows = EventRows()
    assert (rows.of(hits[4]).argument, rows.of(hits[4]).gone) == ("b.py", False)
    other = Glass(edits("a.py", "other.py", "b.py"))
    records = [other.ledger.columns.record_at(row) for row in range(4)]
    glass.ledger.replace(0, records, 1, lambda to, count: lambda seq: ("invalidated", ()))
    glass.held = other.held
    assert rows.of(hits[3]).argument == "a.py"
    row = rows.of(hits[4])
    assert (row.gone, row.number, row.argument) == (True, 4, "a rewind dropped it since it was found")


def test_a_ledger_whose_rows_move_while_it_is_looked_through_is_looked_through_again():
    book = edits(*["a.py"] * 4)
    lines = book.nested().splitlines(keepends=True)
    glass, here = where(b"".join([lines[0], *lines[2:]]))
    search = EventSearch("tool:Edit", [here])
    search.work(lambda: search.looked == 3)
    glass.grow(lines[1])
    search.work(lambda: False)
    assert sorted(hit.seq for hit in search.hits) == [3, 4, 5]
    assert all(hit.row_now == hit.row for hit in search.hits)


def test_a_row_says_session_lane_sign_and_the_argument_that_matters():
    book = edits("src/a.py")
    book.tool("Bash", 2, args={"command": "pytest"}, success=False)
    book.governance("LeaseAcquired", 2)
    _, here = where(book)
    hits = found("-is:prompt -is:inference", here).hits
    edit, bash, lease = (EventRows().of(hit) for hit in reversed(hits))
    assert (edit.prompt, edit.lane, edit.session, edit.tool) == ("mend it", "1 main", 0, "Edit")
    assert (bash.sign, bash.argument, bash.marks) == ("✗", "pytest", ("failed",))
    assert (lease.lane, lease.session, lease.tool) == ("", 0, "LeaseAcquired")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("src/dates.py", 'path:"src/dates.py"'),
        ("my notes/a b.md", 'path:"my notes/a b.md"'),
        ('odd "name" here.md', r'path:"odd \"name\" here.md"'),
        ("e\x1b[31m/\u202ey.py", 'path:"e␛[31m/\\u202ey.py"'),
        ("d/" * 500, f'path:"{"d/" * 200}"'),
    ],
    ids=["plain", "blanks", "quotes", "hostile", "long"],
)
def test_the_query_of_a_path_is_safe_text_that_finds_it(path, query):
    assert path_query(path) == query
    _, here = where(edits("other", path))
    assert [hit.seq for hit in found(query, here).hits] == [4]


def test_a_patch_names_every_file_that_it_changes():
    patch = "*** Begin Patch\n*** Update File: src/a.py\n*** Add File: src/b.py\n*** End Patch"
    book = edits("c.py")
    book.tool("apply_patch", 2, args={"input": patch})
    glass, here = where(book)
    assert [hit.seq for hit in found("path:src/b.py", here).hits] == [4]
    record = body(glass.raw(glass.row(4)))
    assert paths_of(glass.ledger, glass.row(4), record) == ("src/a.py", "src/b.py")
    assert paths_of(glass.ledger, glass.row(4), None) == ()

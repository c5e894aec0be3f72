"""What can go wrong between a reader and a ledger server: each is said once, in words, and nothing is lost
(SPEC §8.5.1)."""

from __future__ import annotations

import errno
import queue
import threading
from collections.abc import Callable
from contextlib import closing

import pytest

from korg_tui.event import Event, Malformed
from korg_tui.sources import BodyGone, CaughtUp, Fact, Feed, Filled, Grew, SourceError, State, open_sources
from korg_tui.sources.http import wire
from korg_tui.sources.http.address import address
from korg_tui.sources.http.pauses import Pauses
from korg_tui.sources.http.source import HttpSource
from korg_tui.sources.http.web import Answer, Away, Nonsense, NotKorg, Received, TooLarge, Web
from running_ledger import Following, Running, contents, kinds
from wire_server import WireServer

PATIENCE = 30


@pytest.fixture
def server():
    with WireServer() as running:
        yield running


@pytest.fixture
def ledger(server):
    ledger = Running(server)
    ledger.add(5)
    return ledger


@pytest.fixture
def follow(server, ledger):
    opened: list[Following] = []

    def begin(**more) -> Following:
        opened.append(Following(server, **more))
        return opened[-1]

    yield begin
    for following in opened:
        following.source.close()


@pytest.fixture
def web(server, ledger):
    opened: list[Web] = []

    def ask(**more) -> Web:
        opened.append(Web(address(server.url), **more))
        return opened[-1]

    yield ask
    for each in opened:
        each.close()


# the first reading


def test_nobody_listens_at_the_first_reading(server, follow):
    server.goes()
    with pytest.raises(SourceError) as refused:
        follow()
    assert refused.value.exit_code == 3
    why = "cannot be reached: connection refused; start the server, or give a ledger file"
    assert refused.value.text == f"{server.url}: {why}"
    server.comes()


def test_a_server_that_is_not_there_yet_is_waited_for(server, ledger, follow):
    server.goes()
    following = follow(wait=True)
    (offline,) = following.first
    assert offline.state == "offline"
    assert offline.text.startswith(f"{server.url} cannot be reached (connection refused);")
    assert following.poll() == []
    server.comes()
    facts = following.poll()
    assert kinds(facts) == ["live", "Opened", "Grew", "CaughtUp"]
    assert facts[0].text == f"{server.url} has appeared, and is followed"
    assert following.contents() == contents(ledger.lines)


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("404", "it has no /api/journal"),
        ("html", "the answer is a web page"),
        ("garbage", "the answer does not begin with the number of events"),
        ("redirect", "it redirects to another address, which is not followed"),
        ("not http", "it does not speak HTTP"),
        ("401", "it answers 401: set KORG_TOKEN to a token that it knows"),
        ("400", "it answers 400"),
    ],
)
def test_what_is_no_korg_server_is_refused(server, follow, wait, wrong, why):
    server.wrong = wrong
    with pytest.raises(SourceError) as refused:
        follow(wait=wait)
    hint = "give the address of one, or a ledger file"
    assert refused.value.text == f"{server.url}: not a Korg server: {why}; {hint}"
    assert refused.value.exit_code == 3


def test_what_was_refused_at_first_may_become_a_korg_server(server, ledger):
    server.wrong = "404"
    source = HttpSource(server.url, environment={}, wait=True)
    with pytest.raises(SourceError):
        list(source.start())
    server.wrong = ""
    assert kinds(source.poll()) == ["live", "Opened", "Grew", "CaughtUp"]
    source.close()


def test_a_first_answer_that_was_cut_off_is_asked_for_again(server, ledger, follow):
    server.wrong = "cut"
    following = follow(wait=True)
    assert kinds(following.first) == ["warned"]
    server.wrong = ""
    assert kinds(following.poll()) == ["live", "Opened", "Grew", "CaughtUp"]


# later


@pytest.mark.parametrize("wrong", ["500", "503", "429"])
def test_a_server_that_cannot_answer_is_offline(server, ledger, follow, wrong):
    following = follow()
    server.wrong = wrong
    (offline,) = following.poll()
    assert (offline.state, offline.at_ms) == ("offline", 1_000)
    said = f"{server.url} cannot be reached (it answers {wrong}); what was read stays, and it is asked again"
    assert offline.text == said
    assert following.poll() == []
    server.wrong = ""
    assert kinds(following.poll()) == ["back"]


def test_a_server_that_goes_and_comes_back(server, ledger, follow):
    following = follow()
    server.goes()
    assert kinds(following.poll()) == ["offline"]
    assert [following.poll() for _ in range(3)] == [[], [], []]
    assert len(following.bodies()) == 5
    ledger.add(2)
    server.comes()
    assert kinds(following.poll()) == ["back", "Grew"]
    assert following.contents() == contents(ledger.lines)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("html", "the answer is a web page"),
        ("garbage", "the answer does not begin with the number of events"),
        ("torn", "one of its lines is cut off or damaged: not JSON"),
        ("cut", "the answer is cut off"),
        ("lies", "it says that there are 1 events and gives 5"),
        ("redirect", "it redirects to another address, which is not followed"),
        ("packed", "the answer is packed in a way that was not asked for"),
        ("not http", "it does not speak HTTP"),
        ("404", "it has no /api/journal"),
        ("403", "it answers 403"),
    ],
)
def test_an_answer_that_makes_no_sense_is_warned_of_and_changes_nothing(server, ledger, follow, wrong, why):
    following = follow()
    server.wrong = wrong
    (warned,) = following.poll()
    assert warned.state == "warned"
    assert f"gives no journal ({why}" in warned.text
    assert following.poll() == []
    assert following.contents() == contents(ledger.lines)
    ledger.add(1)
    server.wrong = ""
    assert kinds(following.poll()) == ["back", "Grew"]
    assert following.poll() == []


def test_from_nonsense_to_silence(server, follow):
    following = follow()
    server.wrong = "html"
    assert kinds(following.poll()) == ["warned"]
    server.goes()
    assert kinds(following.poll()) == ["offline"]
    server.comes()
    server.wrong = ""
    assert kinds(following.poll()) == ["back"]


def test_a_window_that_ends_too_early_is_no_rewind(server, ledger, follow):
    following = follow()
    journal = server.journal
    server.journal = lambda asked: journal(asked).rpartition(b"\n")[0]
    (warned,) = following.poll()
    assert "it ends before the last event" in warned.text
    assert len(following.seqs) == 5


def test_no_room_for_what_is_read(server, ledger, follow, monkeypatch):
    following = follow()
    spool = following.source._records.spool
    write = spool.write

    def full(raws):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spool, "write", full)
    ledger.add(3)
    (failed,) = following.poll()
    assert failed.state == "failed"
    assert "cannot be kept (no space left on device)" in failed.text
    monkeypatch.setattr(spool, "write", write)
    assert kinds(following.poll()) == ["back", "Grew"]
    assert following.contents() == contents(ledger.lines)


def test_a_ledger_that_cannot_be_read_whole_is_still_followed(server, ledger, follow):
    for wrong in ("garbage", "none"):
        server.capabilities = wrong
        following = follow(wait=True)
        ledger.add(200)
        assert kinds(following.poll())[0] == "Grew"
        assert following.holes


# asking


def test_pauses_grow_up_to_ten_seconds_and_begin_anew():
    pauses = Pauses(1.0, lambda: 0.5)
    grown = [pauses.failed() for _ in range(8)]
    assert grown[0] == 1.0
    assert grown == sorted(grown)
    assert grown[-1] == 10.0
    assert pauses.worked() == 1.0
    assert pauses.failed() == 1.0


def test_pauses_differ_and_stay_within_bounds():
    for chance in (0.0, 0.3, 1.0):
        for every in (0.2, 1.0, 60.0):
            pauses = Pauses(every, lambda chance=chance: chance)
            found = [pauses.failed() for _ in range(12)]
            assert 0.2 <= min(found) <= max(found) <= max(10, every)
    assert Pauses(1.0, lambda: 0.0).failed() < Pauses(1.0, lambda: 1.0).failed()


def test_a_failing_source_wants_to_be_polled_less_often(server, follow):
    following = follow(every=0.5)
    assert following.source.poll_after == 0.5
    server.goes()
    waits = []
    for _ in range(10):
        following.poll()
        waits.append(following.source.poll_after)
    assert waits == sorted(waits)
    assert waits[-1] == 10
    server.comes()
    following.poll()
    assert following.source.poll_after == 0.5


@pytest.mark.parametrize("every", [0.1, 61, -1, float("nan")])
def test_how_often_is_within_bounds(every):
    with pytest.raises(SourceError, match=r"every 0\.2 to 60 seconds") as refused:
        HttpSource("http://127.0.0.1:1", every=every)
    assert refused.value.exit_code == 2


def test_one_connection_is_kept(server, ledger, follow):
    ledger.add(200)
    following = follow()
    for _ in range(10):
        following.poll()
    assert server.connections == 1


def test_a_connection_that_the_server_closed_is_no_failure(server, ledger, follow):
    following = follow()
    server.hangs_up()
    ledger.add(1)
    assert kinds(following.poll()) == ["Grew"]


def test_an_answer_like_the_last_one_is_not_read_again(server, follow, monkeypatch):
    following = follow()
    monkeypatch.setattr("korg_tui.sources.http.wire.journal", None)
    assert following.poll() == []
    assert kinds(following.poll()) == []


def test_conditional_requests_where_the_server_can(server, ledger, follow):
    server.etag = True
    following = follow()
    assert following.poll() == []
    assert "if-none-match" in server.headers[-1]
    ledger.add(1)
    assert kinds(following.poll()) == ["Grew"]


def test_packed_answers(server, ledger, follow):
    server.gzip = True
    ledger.add(200)
    following = follow()
    assert server.headers[0]["accept-encoding"] == "gzip"
    assert following.contents() == contents(ledger.lines)


def test_no_cookies_are_kept(server, follow):
    server.cookie = "who=you; Path=/"
    following = follow()
    following.poll()
    assert all("cookie" not in headers for headers in server.headers)


def test_no_proxy_stands_between_this_machine_and_itself(server, follow, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert follow().seqs == [1, 2, 3, 4, 5]


def test_a_token_is_sent(server, follow):
    server.token = "open-sesame"
    with pytest.raises(SourceError, match="set KORG_TOKEN"):
        follow()
    assert follow(environment={"KORG_TOKEN": "open-sesame\n"}).seqs == [1, 2, 3, 4, 5]
    with pytest.raises(SourceError, match="KORG_TOKEN holds") as refused:
        follow(environment={"KORG_TOKEN": "ü"})
    assert refused.value.exit_code == 2


def test_credentials_of_an_address_are_used_and_never_shown(server):
    source = HttpSource(server.url.replace("//", "//me:secret@"), environment={})
    list(source.start())
    assert source.name == server.url
    assert server.headers[0]["authorization"].startswith("Basic ")
    server.goes()
    (offline,) = source.poll()
    assert "secret" not in offline.text
    source.close()
    server.comes()


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("HTTP://LOCALHOST/api/journal/", "http://localhost"),
        ("https://host/korg/api/journal?x=1#y", "https://host/korg"),
        ("http://[::1]:8080/api/journal", "http://[::1]:8080"),
        ("http://host:80", "http://host"),
        ("https://host:443/korg", "https://host/korg"),
        ("https://host:80", "https://host:80"),
    ],
)
def test_addresses(url, base):
    assert address(url).base == base


def test_one_server_is_opened_once_however_its_address_is_written():
    urls = ["http://Host:80", "http://host/api/journal", "http://host/", "http://me:secret@host/api/journal/"]
    sources = open_sources([*urls, "http://host/korg", "https://host"], wait=True)
    assert [source.name for source in sources] == ["http://host", "http://host/korg", "https://host"]


@pytest.mark.parametrize(
    "url", ["http://", "http://a:b", "ftp://a", "http://[", "http://me:secret@", "http://a:99999"]
)
def test_what_is_no_address(url):
    with pytest.raises(SourceError, match="not an address") as refused:
        address(url)
    assert "secret" not in refused.value.text


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.2", True),
        ("http://[::1]", True),
        ("http://localhost:1", True),
        ("http://10.0.0.1", False),
    ],
)
def test_this_machine_is_known_by_its_address(url, loopback):
    assert address(url).loopback is loopback


# limits


def test_an_answer_without_an_end_is_refused_while_it_comes(server, web):
    server.wrong = "endless"
    with pytest.raises(TooLarge, match="larger than 1 MB"):
        web(largest=1 << 20).get("/api/journal")


def test_a_large_answer_is_refused_before_it_comes(server, ledger, web):
    ledger.add(50)
    with pytest.raises(TooLarge) as refused:
        web(largest=2_000).get("/api/journal")
    assert refused.value.size is not None


def test_a_small_answer_that_unpacks_to_a_large_one_is_refused(server, web):
    server.wrong = "bomb"
    with pytest.raises(TooLarge):
        web(largest=1 << 20).get("/api/journal")
    assert web(largest=16 << 20).get("/api/journal").status == 200


def test_a_ledger_too_large_to_be_read_whole_is_followed_all_the_same(server, ledger, follow):
    following = follow()
    following.source._web._largest = 1 << 20
    server.capabilities = "endless"
    ledger.add(300)
    following.poll()
    assert following.holes
    assert following.seqs[-1] == 305


def test_an_answer_that_drips_is_given_up(server, web):
    server.wrong = "slow"
    with pytest.raises(Away, match=r"longer than 0\.3 s"):
        web(seconds=0.3).get("/api/journal")


def test_an_answer_that_never_begins_is_given_up(server, web, monkeypatch):
    monkeypatch.setattr("korg_tui.sources.http.web.READ_SECONDS", 0.2)
    server.wrong = "silent"
    with pytest.raises(Away, match=r"no answer within 0\.2 s"):
        web().get("/api/journal")


def test_a_server_that_hangs_is_offline_since_it_was_asked(server, follow, monkeypatch):
    following = follow()
    get = following.source._web.get

    def hangs(path, **more):
        following.clock.seconds += 10
        raise Away("no answer within 10 s")

    monkeypatch.setattr(following.source._web, "get", hangs)
    (offline,) = following.poll(after=3)
    assert (offline.state, offline.at_ms, following.clock()) == ("offline", 3_000, 13)
    monkeypatch.setattr(following.source._web, "get", get)
    (back,) = following.poll(after=2)
    assert (back.state, back.at_ms) == ("back", 15_000)


def test_who_hangs_up_is_not_kept_waiting(server):
    server.wrong = "silent"
    source = HttpSource(server.url, environment={}, wait=True)
    ended = threading.Event()

    def read() -> None:
        assert list(source.start()) == []
        ended.set()

    threading.Thread(target=read, daemon=True).start()
    while not server.asked:
        threading.Event().wait(0.01)
    source.close()
    assert ended.wait(PATIENCE / 10)
    with pytest.raises(BodyGone):
        source.read(0, 1)


def test_kinds_of_failures(server, web):
    server.goes()
    with pytest.raises(Away, match="refused"):
        web().get("/")
    server.comes()
    with pytest.raises(Away, match="its name cannot be found"):
        Web(address("http://nowhere.invalid")).get("/")
    with pytest.raises(Away, match="no secure connection"):
        Web(address(server.url.replace("http:", "https:"))).get("/")
    for wrong, kind in (("302", NotKorg), ("cut", Nonsense), ("418", NotKorg)):
        server.wrong = wrong
        with pytest.raises(kind):
            web().get("/api/journal")


# with a feed


def test_a_feed_follows_a_server_through_its_absence(server, ledger):
    facts: queue.Queue[Fact] = queue.Queue()
    feed = Feed(HttpSource(server.url, every=0.2, environment={}, wait=True), facts.put)

    def until(wanted: type[Fact], state: str = "") -> Fact:
        while True:
            fact = facts.get(timeout=PATIENCE)
            if isinstance(fact, wanted) and (not isinstance(fact, State) or fact.state == state):
                return fact

    feed.start()
    try:
        until(CaughtUp)
        ledger.add(2)
        assert len(until(Grew).records) <= 2
        server.goes()
        until(State, "offline")
        server.comes()
        until(State, "back")
    finally:
        feed.stop()


# what a hostile server gives


@pytest.fixture
def answers(monkeypatch):
    """Answers by path, instead of a server's: the longest beginning of the path counts."""
    given: dict[str, tuple[dict[str, str], Callable[[str], bytes]]] = {}

    def get(web: Web, path: str, *, etag: str = "", largest: int | None = None) -> Answer:
        found = max((each for each in given if path.startswith(each)), key=len, default="")
        if not found:
            return Answer(404, {}, b"")
        headers, body = given[found]
        return Answer(200, headers, body(path))

    def receive(web: Web, path: str, **more: object) -> Received:
        yield 0, 0
        return get(web, path)

    monkeypatch.setattr(Web, "get", get)
    monkeypatch.setattr(Web, "receive", receive)
    return given


def reading() -> HttpSource:
    return HttpSource("http://127.0.0.1:9", environment={})


def event(seq: int) -> bytes:
    return b'{"seq_id": %d, "tool_name": "llm_inference"}' % seq


OURS = {"korg-tui-journal": "store=a; generation=1; total=999999999; last=999999999; tip=ab"}


def test_a_window_of_millions_of_lines_is_refused(answers):
    answers["/api/journal"] = {}, lambda _: b"// total events: 999999999\n" + b"1\n" * 3_000_000
    with pytest.raises(SourceError, match="more than 20,000 lines at once"):
        list(reading().start())


def test_a_window_of_worthless_lines_is_counted():
    window = wire.journal(b"// total events: 99999\n" + b"1\n" * 15_000 + event(7))
    assert len(window.taken) == 102
    assert window.taken[-2].seq == 7


def test_a_whole_ledger_of_worthless_records_is_counted(answers):
    events = b", ".join([event(1), *[b"1"] * 50_000, event(2)])
    answers["/api/journal"] = {}, lambda _: b"// total events: 50002\n" + event(2)
    answers["/api/capabilities"] = {}, lambda _: b'{"events": [' + events + b"]}"
    records = [
        record for fact in reading().start() if isinstance(fact, Grew | Filled) for record in fact.records
    ]
    assert [record.seq for record in records if isinstance(record, Event)] == [1, 2]
    assert len(records) == 103
    assert "and 49,900 more records that are no events" in {
        record.reason for record in records if isinstance(record, Malformed)
    }


def test_a_whole_ledger_of_more_records_than_memory_holds_is_refused():
    with pytest.raises(wire.NoWireForm, match="more than 1,000,000 records"):
        wire.capabilities(b'{"events": [' + b"1," * 2_100_000 + b"1]}")
    with pytest.raises(wire.NoWireForm, match="cut off"):
        wire.capabilities(b'{"events": [' + event(1) + b", }]}")
    with pytest.raises(wire.NoWireForm, match="names no events"):
        wire.capabilities(b'{"events": 7}')


def test_a_whole_ledger_that_only_patient_parsers_take_is_read():
    events = b", ".join([event(1), b'{"seq_id": NaN}', event(2)])
    found = wire.capabilities(b'{"a": [NaN], "events": [' + events + b"]}")
    assert [each.seq for each in found] == [1, None, 2]


def test_a_server_that_says_only_sometimes_that_it_is_our_own_is_read_like_any_other(answers):
    answers["/api/journal"] = OURS, lambda _: b"// total events: 1\n" + event(1)
    answers["/api/journal?"] = {}, lambda _: b"// total events: 1\n" + event(1)
    source = reading()
    facts = list(source.start())
    assert kinds(facts) == ["Opened", "Grew", "CaughtUp"]
    assert source.poll() == []
    source.close()


def test_the_first_reading_of_a_ledger_without_an_end_ends(answers, monkeypatch):
    def page(path: str) -> bytes:
        after = int(path.partition("after=")[2].partition("&")[0] or 0)
        return b"// total events: 999999999\n" + b"\n".join(map(event, range(after + 1, after + 201)))

    monkeypatch.setattr("korg_tui.sources.http.source.FIRST_READING", 1 << 20)
    answers["/api/journal"] = OURS, page
    source = reading()
    facts = list(source.start())
    assert kinds(facts)[-2:] == ["warned", "CaughtUp"]
    assert source._records.spool.size < 3 << 20
    known = len(source._records)
    assert "Grew" in kinds(source.poll())
    assert len(source._records) > known
    assert source.poll_after == 0
    source.close()


def test_a_tag_that_cannot_be_sent_is_not(server, ledger, web):
    assert web().get("/api/journal", etag="\xff\x9b").status == 200
    assert "if-none-match" not in server.headers[-1]


def test_whatever_a_server_gives_is_at_worst_a_state(server, ledger, follow, monkeypatch):
    following = follow()

    def fails(body: bytes) -> wire.Window:
        raise ZeroDivisionError("by it")

    with monkeypatch.context() as patched:
        patched.setattr("korg_tui.sources.http.wire.journal", fails)
        ledger.add(1)
        (state,) = following.poll()
        assert isinstance(state, State)
        assert (state.state, "ZeroDivisionError: by it" in state.text) == ("warned", True)
        another = HttpSource(server.url, environment={})
        with closing(another), pytest.raises(SourceError, match="ZeroDivisionError"):
            list(another.start())
    following.poll()
    assert following.contents() == contents(ledger.lines)

"""A ledger that attacks, through every export: what comes out is inert, and whole."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from exporting import Out, exported, page_data, reading_of
from hostile import ATTACKS, got_through, write_hostile
from korg_tui.export import FORMATS
from korg_tui.reading import Reading
from test_export_markdown import OF_OURS
from test_export_otlp import parsed


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    return reading_of(write_hostile(tmp_path_factory.mktemp("hostile")))


@pytest.fixture(scope="module")
def outs(reading: Reading) -> dict[str, Out]:
    """Every export of it, with a preview where there is a place for one."""
    return {name: exported(reading, name, rewind_to=5) for name in FORMATS}


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_in_it_can_act_on_a_terminal(outs: dict[str, Out], name: str) -> None:
    raw = outs[name].raw
    assert got_through(raw) == []
    assert not set(raw) & (set(range(32)) - {0x0A}), "control characters"
    raw.decode()


@pytest.mark.parametrize("name", ["json", "ndjson", "graphml", "otlp"])
def test_data_is_ascii(outs: dict[str, Out], name: str) -> None:
    assert outs[name].raw.isascii()


def test_json_says_all_of_it(outs: dict[str, Out]) -> None:
    tools = {event["tool"] for event in outs["json"].json["events"]}
    assert {attack for attack in ATTACKS.values() if attack} <= tools
    assert len(outs["ndjson"].raw.splitlines()) == len(outs["json"].json["events"])
    for line in outs["ndjson"].raw.splitlines():
        json.loads(line)


@pytest.mark.parametrize("name", ["svg", "graphml"])
def test_xml_parses_and_draws_nothing_of_the_ledgers(outs: dict[str, Out], name: str) -> None:
    root = ET.parse(io.BytesIO(outs[name].raw)).getroot()
    tags = {each.tag.rpartition("}")[2] for each in root.iter()}
    ours = {"svg", "title", "style", "rect", "text", "g", "path", "circle"}
    assert tags <= (ours if name == "svg" else {"graphml", "key", "graph", "node", "edge", "data"})
    text = "".join(root.itertext())
    assert "␛]52;c;cHduZWQ=" in text
    assert "\ufffd" in text, "surrogates are replaced"
    assert "␀" in text, "NUL is replaced"


def test_the_page_has_two_scripts_and_its_data_is_inert(outs: dict[str, Out]) -> None:
    html = outs["html"].text
    assert html.count("<script") == html.count("</script>") == 2
    (block,) = re.findall(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert block.isascii()
    assert not set(block) & set("<>&")
    assert "[@click=app.quit]quit[/]" in {row.get("tool") for row in page_data(html)["rows"]}


def test_markdown_makes_nothing_of_it_but_code(outs: dict[str, Out]) -> None:
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": True, "typographer": False})
    found = {
        each.type.removesuffix("_open").removesuffix("_close")
        for token in parser.parse(outs["markdown"].text)
        for each in (token, *(token.children or ()))
    }
    assert found <= OF_OURS


def test_the_trace_is_one_that_opentelemetry_reads(outs: dict[str, Out]) -> None:
    request = parsed(outs["otlp"].json)
    assert len(request.resource_spans) > 10


def test_a_name_that_attacks(tmp_path: Path) -> None:
    name = "\x1b[2J\x9b66;6H\u202e<b>`[x](y)\u2028\x7f {script} {data}.jsonl"
    reading = reading_of(tmp_path / name, b'{"seq_id":1,"tool_name":"user_prompt","args":{"prompt":"x"}}\n')
    for form in FORMATS:
        if form != "otlp":
            out = exported(reading, form, rewind_to=1)
            assert got_through(out.raw) == [], form
            assert "Traceback" not in out.said.words

"""Views: pure functions from the causal ledger to what a screen or a page shows. No Textual below here."""

from __future__ import annotations

from korg_tui.views.acts import Act, ReadGone, Side, SideBefore, SideInOrder
from korg_tui.views.ancestry import Step, cause_walk
from korg_tui.views.arguments import LARGE, Read
from korg_tui.views.blobs import (
    Reference,
    blob_line,
    blob_preview,
    content_text,
    declared_sizes,
    judged,
    readable,
    references,
    state_style,
    state_words,
)
from korg_tui.views.bookmarked import Marked, bookmark, ledger_identity, lost_words, marked
from korg_tui.views.breaks import BREAK, SPOKEN_AGAINST, BreakLine
from korg_tui.views.calls import paths_named
from korg_tui.views.compare import SIGNS as COMPARE_SIGNS
from korg_tui.views.compare import WORDS as COMPARE_WORDS
from korg_tui.views.compare import Comparison, Match, compare, outcome
from korg_tui.views.completion import Candidate, Completion, Known, complete, ghost
from korg_tui.views.copies import Copy, copies, ledger_copies
from korg_tui.views.details import HUGE, Blobs, details
from korg_tui.views.display import shown_text
from korg_tui.views.document import Document, Form
from korg_tui.views.effects import Effect, Effects
from korg_tui.views.facts import FACTS, Facts, facts
from korg_tui.views.findings import Examination, Findings
from korg_tui.views.folding import Tree
from korg_tui.views.folds import Level
from korg_tui.views.found import FoundLine
from korg_tui.views.found import about as about_finding
from korg_tui.views.groups import ORDERS as STATS_ORDERS
from korg_tui.views.groups import At, Group, Scope
from korg_tui.views.hexdump import COLUMNS, hex_line
from korg_tui.views.legend import LEGEND
from korg_tui.views.lines import SpineLine
from korg_tui.views.losses import CommandRun, FileTouched, LossBook, Losses, OutsideEffect, losses
from korg_tui.views.marks import lane_name, lane_number, lane_title, short_actor
from korg_tui.views.meanings import KEYS as QUERY_KEYS
from korg_tui.views.named import Named, event_words, named
from korg_tui.views.pages import HexPages, LineCount, Pages, Row, TextPages
from korg_tui.views.preview import Fate, Preview, RowState, Share
from korg_tui.views.query import Look, Query, parse_query
from korg_tui.views.rails import Join, LaneSpan, Node, RailRun, Rails, to_ascii
from korg_tui.views.reasons import reasons
from korg_tui.views.relations import relations
from korg_tui.views.rewound import rewound_sections, rewound_words
from korg_tui.views.sections import JsonKey, JsonNode, Line, Opens, Section, Shape, Sides, Span, Style
from korg_tui.views.seeking import HitCount, Needle, Seeker, needle
from korg_tui.views.session_book import SessionBook
from korg_tui.views.sessions import SORTS, SessionRow, has_words, session_rows, sort_sessions
from korg_tui.views.shown import Predicate
from korg_tui.views.sniff import HEAD, Sniffed, sniff
from korg_tui.views.spine import Spine
from korg_tui.views.stats import Stats, StatsBook, stats
from korg_tui.views.stats_lines import (
    StatsLine,
    count_words,
    dollars,
    failed_words,
    stats_lines,
    summary_words,
)
from korg_tui.views.summary import argument
from korg_tui.views.sweep import COSTLY, Patient, Sweep
from korg_tui.views.syntax import Room, at_once, highlight
from korg_tui.views.terminal import terminal
from korg_tui.views.terms import NoRewind, QueryError, nearby, pointed
from korg_tui.views.timeline import Timeline, TimeRow
from korg_tui.views.timescale import scale, time_words
from korg_tui.views.touched import EventRow, EventRows, EventSearch, Hit, Where, path_query, paths_of
from korg_tui.views.tracks import LaneLine, Window
from korg_tui.views.trust_words import CHECK_TITLES
from korg_tui.views.trusted import (
    Tone,
    TrustMark,
    TrustMarks,
    Watch,
    broken_guests,
    event_chain,
    event_fits,
    ledger_sentence,
    ledger_words,
    nobody_watches,
)
from korg_tui.views.vocabulary import Vocabulary
from korg_tui.views.walk import in_turn, neighbour
from korg_tui.views.why import chain, sentence
from korg_tui.views.words import ago, clock, duration, label, plural, size
from korg_tui.views.words import gap as gap_words
from korg_tui.views.words import pointer as pointer_words

__all__ = [
    "BREAK",
    "CHECK_TITLES",
    "COLUMNS",
    "COMPARE_SIGNS",
    "COMPARE_WORDS",
    "COSTLY",
    "FACTS",
    "HEAD",
    "HUGE",
    "LARGE",
    "LEGEND",
    "QUERY_KEYS",
    "SORTS",
    "SPOKEN_AGAINST",
    "STATS_ORDERS",
    "Act",
    "At",
    "Blobs",
    "BreakLine",
    "Candidate",
    "CommandRun",
    "Comparison",
    "Completion",
    "Copy",
    "Document",
    "Effect",
    "Effects",
    "EventRow",
    "EventRows",
    "EventSearch",
    "Examination",
    "Facts",
    "Fate",
    "FileTouched",
    "Findings",
    "Form",
    "FoundLine",
    "Group",
    "HexPages",
    "Hit",
    "HitCount",
    "Join",
    "JsonKey",
    "JsonNode",
    "Known",
    "LaneLine",
    "LaneSpan",
    "Level",
    "Line",
    "LineCount",
    "Look",
    "LossBook",
    "Losses",
    "Marked",
    "Match",
    "Named",
    "Needle",
    "NoRewind",
    "Node",
    "Opens",
    "OutsideEffect",
    "Pages",
    "Patient",
    "Predicate",
    "Preview",
    "Query",
    "QueryError",
    "RailRun",
    "Rails",
    "Read",
    "ReadGone",
    "Reference",
    "Room",
    "Row",
    "RowState",
    "Scope",
    "Section",
    "Seeker",
    "SessionBook",
    "SessionRow",
    "Shape",
    "Share",
    "Side",
    "SideBefore",
    "SideInOrder",
    "Sides",
    "Sniffed",
    "Span",
    "Spine",
    "SpineLine",
    "Stats",
    "StatsBook",
    "StatsLine",
    "Step",
    "Style",
    "Sweep",
    "TextPages",
    "TimeRow",
    "Timeline",
    "Tone",
    "Tree",
    "TrustMark",
    "TrustMarks",
    "Vocabulary",
    "Watch",
    "Where",
    "Window",
    "about_finding",
    "ago",
    "argument",
    "at_once",
    "blob_line",
    "blob_preview",
    "bookmark",
    "broken_guests",
    "cause_walk",
    "chain",
    "clock",
    "compare",
    "complete",
    "content_text",
    "copies",
    "count_words",
    "declared_sizes",
    "details",
    "dollars",
    "duration",
    "event_chain",
    "event_fits",
    "event_words",
    "facts",
    "failed_words",
    "gap_words",
    "ghost",
    "has_words",
    "hex_line",
    "highlight",
    "in_turn",
    "judged",
    "label",
    "lane_name",
    "lane_number",
    "lane_title",
    "ledger_copies",
    "ledger_identity",
    "ledger_sentence",
    "ledger_words",
    "losses",
    "lost_words",
    "marked",
    "named",
    "nearby",
    "needle",
    "neighbour",
    "nobody_watches",
    "outcome",
    "parse_query",
    "path_query",
    "paths_named",
    "paths_of",
    "plural",
    "pointed",
    "pointer_words",
    "readable",
    "reasons",
    "references",
    "relations",
    "rewound_sections",
    "rewound_words",
    "scale",
    "sentence",
    "session_rows",
    "short_actor",
    "shown_text",
    "size",
    "sniff",
    "sort_sessions",
    "state_style",
    "state_words",
    "stats",
    "stats_lines",
    "summary_words",
    "terminal",
    "time_words",
    "to_ascii",
]

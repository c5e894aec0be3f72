"""What can be asked of the rows of a ledger (CAUSALITY §1–§4)."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

from korg_tui.causal.columns import BAD, NONE, UNKNOWN, Columns
from korg_tui.causal.guests import Origin, is_key, origin_of
from korg_tui.causal.pointers import Pointer
from korg_tui.event import Gap, Kind

if TYPE_CHECKING:
    from korg_tui.causal.lanes import Lane, LaneBook
    from korg_tui.causal.sessions import Session, SessionBook

_POINTERS, _KINDS = tuple(Pointer), tuple(Kind)
_MALFORMED = int(Kind.MALFORMED)


class Rows:
    """The read side of a ledger. A row is a number; what is unknown is `None`.

    `parent_rows` has the parent's row where the pointer is ok, else -1; `heads` the row where the walk along
    parents ends, -1 off lanes.
    """

    name: str
    columns: Columns
    origins: list[Origin | None]
    session_book: SessionBook
    lane_book: LaneBook
    late: set[int]

    def __init__(self) -> None:
        self.columns = Columns()
        self.parent_rows = array("i")
        self.heads = array("i")
        self.late = set()
        self._pointers = array("b")
        self._last_child = array("i")
        self._sibling = array("i")

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def seq(self) -> array[int]:
        """seq by row; a malformed line has that of the event before it."""
        return self.columns.seq

    @property
    def kind(self) -> array[int]:
        """`Kind` by row."""
        return self.columns.kind

    @property
    def offset(self) -> array[int]:
        """Where the record begins in the source, bytes."""
        return self.columns.offset

    @property
    def length(self) -> array[int]:
        """The length of the record, bytes."""
        return self.columns.length

    @property
    def lanes(self) -> list[Lane]:
        """The lanes, numbered in the order of their openers."""
        return self.lane_book.in_order

    @property
    def sessions(self) -> list[Session]:
        """The sessions, in the order of their first heads."""
        return self.session_book.standing()

    def row_of(self, seq: int) -> int | None:
        """The row of the event with this seq in the current generation, `None` if there is none."""
        row = self.columns.row_of(seq)
        return None if row < 0 else row

    def seq_at(self, row: int) -> int | None:
        """The seq of a row, `None` for a malformed line and for a gap."""
        return None if self.kind[row] >= _MALFORMED else self.columns.seq[row]

    def number_at(self, row: int) -> int | None:
        """The seq that a row has in its own ledger; `None` like `seq_at`."""
        seq = self.seq_at(row)
        return None if seq is None else self.address(seq)[1]

    def address(self, seq: int) -> tuple[str, int]:
        """What an event is called outside: its ledger, and its seq there. `seq` may be the key of a guest."""
        if not (self.columns.guests and is_key(seq)):
            return self.name, seq
        origin = self.origins[origin_of(seq)]
        return (self.name, seq) if origin is None else (origin.name, origin.number(seq))

    def guest_lane(self, lane: Lane) -> str | None:
        """The name of the ledger whose events this lane holds, `None` for a lane of this ledger."""
        name = self.address(self.seq[lane.opener])[0]
        return None if name == self.name else name

    def kind_at(self, row: int) -> Kind:
        """The kind of a row."""
        return _KINDS[self.kind[row]]

    def actor_at(self, row: int) -> str:
        """`source_agent`, as written."""
        return self.columns.names[self.columns.actor[row]]

    def tool_at(self, row: int) -> str:
        """`tool_name`, or the `event_type` of a governance event, as written."""
        return self.columns.names[self.columns.tool[row]]

    def schema_at(self, row: int) -> str:
        """`schema_version`, as written."""
        return self.columns.names[self.columns.schema[row]]

    def success_at(self, row: int) -> bool | None:
        """Whether the call succeeded, `None` if the record does not say."""
        success = self.columns.success[row]
        return None if success == UNKNOWN else bool(success)

    def duration_at(self, row: int) -> float | None:
        """Wall-clock duration in ms, `None` if the record does not say."""
        duration = self.columns.duration[row]
        return None if duration != duration else duration

    def time_at(self, row: int) -> int | None:
        """Milliseconds since the epoch, UTC; `None` if the record has no time."""
        time = self.columns.time[row]
        return None if time == NONE else time

    def parent_at(self, row: int) -> int | None:
        """The seq that `triggered_by` names, whatever its state; `None` if it names none."""
        parent = self.columns.parent[row]
        return None if parent in (NONE, BAD) else parent

    def parent_row(self, row: int) -> int:
        """The row of the parent, -1 unless the pointer is ok."""
        return self.parent_rows[row]

    def head_at(self, row: int) -> int:
        """The row of the head where the walk along parents ends; -1 off lanes."""
        return self.heads[row]

    def pointer_at(self, row: int) -> Pointer:
        """The state of the parent pointer (CAUSALITY §2)."""
        return _POINTERS[self._pointers[row]]

    def reason_at(self, row: int) -> str:
        """Why a malformed line could not be read; empty for events."""
        return self.columns.reasons.get(row, "")

    def gap_at(self, row: int) -> Gap | None:
        """The seqs that are missing at a row of kind `GAP`, `None` for other rows."""
        return self.columns.gaps.get(row)

    @property
    def holes(self) -> tuple[Gap, ...]:
        """The seqs that the source has and could not give, ascending."""
        return tuple(self.columns.gaps_in_order)

    @property
    def not_loaded(self) -> int:
        """How many events these are."""
        return self.columns.missing

    def blobs_at(self, row: int) -> tuple[str, ...]:
        """Digests of the blobs that the record names."""
        return self.columns.blobs.get(row, ())

    def synthesized_at(self, row: int) -> bool:
        """Whether this is a prompt that an adapter wrote in place of the one it did not see."""
        return row in self.columns.synthesized

    def prompt_key(self, row: int) -> str:
        """Equal for equal prompts, empty for none (CAUSALITY §5 step 3)."""
        return self.columns.prompts.get(row, "")

    def lane_at(self, row: int) -> Lane | None:
        """The lane of a row, `None` for governance events and malformed lines."""
        return self.lane_book.lane(row)

    def session_at(self, row: int) -> Session | None:
        """The session of a row, `None` for governance events and malformed lines."""
        lane = self.lane_at(row)
        return None if lane is None else lane.home.standing()

    def round_at(self, row: int) -> int:
        """The row of the inference or opener in whose round the event is; `NO_ROUND` for a lane's opener;
        smaller codes stand for a missing seq (`lane_book.missing_seq`). For an inference this is `prior`."""
        return self.lane_book.round[row]

    def is_late(self, row: int) -> bool:
        """Whether the line stood in the file after one with a larger seq (CAUSALITY §1)."""
        return self.columns.seq[row] in self.late

    def children(self, row: int) -> list[int]:
        """The rows whose ok parent this is, ascending."""
        return list(self._children_back(row))[::-1]

    def last_child(self, row: int) -> int:
        """The last child, -1 if there is none."""
        return self._last_child[row]

    def previous_sibling(self, row: int) -> int:
        """The child before this one of the same parent, -1 if there is none."""
        return self._sibling[row]

    def _children_back(self, row: int) -> Iterator[int]:
        child = self._last_child[row]
        while child >= 0:
            yield child
            child = self._sibling[child]

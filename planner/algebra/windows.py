"""Windows in relational algebra: the tables of window table functions, and operations per window.

The binder creates `WindowTable` and `GroupWindowAggregate`. Rules create the others where rows are grouped, joined or
ranked by window columns: state is then per window, and cleared when the window ends.

Source: Flink's pages "Windowing table-valued functions", "Window Aggregation", "Window JOIN", "Window Top-N".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from compiled_plan.planner.algebra.nodes import AggregateCall, NewColumns, Pair, Single, SortKey
from compiled_plan.planner.algebra.rows import named_row
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import RowType, TimestampBase, TimestampType


class WindowKind(Enum):
    TUMBLE = "TUMBLE"
    HOP = "HOP"
    CUMULATE = "CUMULATE"
    SESSION = "SESSION"


@dataclass(frozen=True, slots=True)
class Window:
    """A window. Lengths in milliseconds.

    Args:
        size: the length; the maximum length for CUMULATE, the gap for SESSION.
        step: the slide of HOP, the step of CUMULATE; None for others.
        offset: the shift of window starts, or None.
        partition: the columns that partition sessions.
    """

    kind: WindowKind
    size: int
    step: int | None = None
    offset: int | None = None
    partition: tuple[int, ...] = ()

    @property
    def is_session(self) -> bool:
        """Return True if the window's ends depend on its rows."""
        return self.kind is WindowKind.SESSION


class Property(Enum):
    """Window properties of a row, with their names in plans."""

    START = "WindowStart"
    END = "WindowEnd"
    ROWTIME = "Rowtime"
    PROCTIME = "Proctime"


@dataclass(frozen=True, slots=True)
class ByTime:
    """Windows derived from the row's time attribute, column `index`."""

    window: Window
    time: TimestampBase
    index: int


@dataclass(frozen=True, slots=True)
class Attached:
    """Windows carried by the row in columns `start` and `end`. `time` is the type of their time attribute."""

    window: Window
    time: TimestampBase
    start: int
    end: int


Windowing = ByTime | Attached


@dataclass(frozen=True, slots=True)
class WindowTable(Single):
    """Each row once for every window it falls into, with the window's start, end and time appended to its columns.

    `index` is the time attribute.
    """

    window: Window
    index: int

    @property
    def row_type(self) -> RowType:
        input_type = self.input.row_type
        time = input_type.types[self.index]
        assert isinstance(time, TimestampBase)
        names = (*input_type.names, "window_start", "window_end", "window_time")
        stamp = TimestampType(precision=3, nullable=False)
        return named_row(names, (*input_type.types, stamp, stamp, replace(time, nullable=False)))


@dataclass(frozen=True, slots=True)
class WindowAggregate(NewColumns):
    """Aggregates by window and `grouping`. Columns: those of `grouping`, the calls, then `properties` by name."""

    grouping: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    windowing: Windowing
    properties: tuple[tuple[str, Property], ...]
    columns: RowType


@dataclass(frozen=True, slots=True)
class GroupWindowAggregate(NewColumns):
    """The legacy GROUP BY TUMBLE(ts, ...), else as `WindowAggregate`; column `index` is the time, of type `time`."""

    grouping: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    window: Window
    time: TimestampBase
    index: int
    properties: tuple[tuple[str, Property], ...]
    columns: RowType


@dataclass(frozen=True, slots=True)
class WindowJoin(Pair):
    """Joins rows of equal windows; `condition` are the remaining conjuncts, over left and right columns."""

    EXPRESSIONS = "condition"

    condition: RexNode
    left_windowing: Attached
    right_windowing: Attached


@dataclass(frozen=True, slots=True)
class WindowRank(NewColumns):
    """Per window and `partition`, the rows ranked `start` to `end` (None: no end). As `Rank`."""

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    start: int
    end: int | None
    windowing: Attached
    columns: RowType
    function: str = "ROW_NUMBER"


@dataclass(frozen=True, slots=True)
class WindowDeduplicate(Single):
    """Per window and `keys`, the first or last row by the time attribute `order`."""

    keys: tuple[int, ...]
    order: int
    keep_last: bool
    windowing: Attached

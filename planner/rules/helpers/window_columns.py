"""Window columns of a query, tracked from the window table functions upwards.

Only rows with the start and the end of the same windows can be grouped, joined or ranked per window.

Source: Flink's pages on windowing table-valued functions; Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.kinds import JoinKind, SetKind
from compiled_plan.planner.algebra.nodes import (
    Aggregate,
    Barrier,
    Correlate,
    Expand,
    Filter,
    Join,
    Project,
    Rank,
    RelNode,
    Scan,
    SetOp,
    Sort,
    TableFunctionScan,
    Values,
    WatermarkAssigner,
)
from compiled_plan.planner.algebra.timed import IntervalJoin, OverAggregate, TemporalJoin
from compiled_plan.planner.algebra.windows import (
    Attached,
    GroupWindowAggregate,
    Property,
    Window,
    WindowAggregate,
    WindowDeduplicate,
    WindowJoin,
    WindowRank,
    WindowTable,
)
from compiled_plan.planner.diagnostics.internal import unknown_node
from compiled_plan.plans.rex import InputRef
from compiled_plan.plans.types import TimestampBase
from compiled_plan.plans.types.temporal import is_rowtime

Columns = frozenset[int]


@dataclass(frozen=True, slots=True)
class WindowColumns:
    """The start, end and time columns of windows, and the windows themselves."""

    window: Window
    time: TimestampBase
    starts: Columns
    ends: Columns
    times: Columns

    @property
    def every(self) -> Columns:
        return self.starts | self.ends | self.times

    @property
    def attached(self) -> Attached:
        """The attached windowing: rows carry their window."""
        return Attached(self.window, self.time, min(self.starts), min(self.ends))

    def has_bounds(self, columns: Columns) -> bool:
        """Return True if a start and an end are among `columns`."""
        return bool(self.starts & columns and self.ends & columns)

    def moved(self, places: Mapping[int, Columns]) -> WindowColumns | None:
        """The window columns of a row with column `i` at `places[i]`; None if a start, an end or a key is lost."""

        def all_of(columns: Columns) -> Columns:
            return frozenset().union(*(places.get(index, frozenset()) for index in columns)) if columns else columns

        starts, ends = all_of(self.starts), all_of(self.ends)
        if not starts or not ends or not all(places.get(index) for index in self.window.partition):
            return None
        partition = tuple(sorted(min(places[index]) for index in self.window.partition))
        return WindowColumns(replace(self.window, partition=partition), self.time, starts, ends, all_of(self.times))

    def shifted(self, by: int) -> WindowColumns:
        """The window columns with every index increased by `by`."""
        shifted = self.moved({index: frozenset({index + by}) for index in (*self.every, *self.window.partition)})
        assert shifted is not None
        return shifted


class Windows:
    """Window columns of relational nodes, computed once per node."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[RelNode, WindowColumns | None]] = {}

    def of(self, rel: RelNode) -> WindowColumns | None:
        """The window columns of a node; None for rows without windows, or with several kinds."""
        cached = self._known.get(id(rel))
        if cached is None:
            cached = self._known[id(rel)] = (rel, self._read(rel))
        return cached[1]

    def _read(self, rel: RelNode) -> WindowColumns | None:
        match rel:
            case Correlate():
                return self.of(rel.left)
            case Expand():
                return _expand(rel, self.of(rel.input))
            case Filter() | WindowDeduplicate() | WindowRank():
                return self.of(rel.input)
            case Project():
                return _project(rel, self.of(rel.input))
            case SetOp():
                return _union(rel, [self.of(source) for source in rel.sources])
            case WindowAggregate():
                return _aggregate(rel)
            case WindowJoin():
                return _join(rel, self.of(rel.left), self.of(rel.right))
            case WindowTable():
                return _table(rel)
        if isinstance(rel, _WITHOUT_WINDOWS):
            return None
        raise unknown_node("following windows", rel)


#: Nodes whose rows have no windows, regardless of their inputs.
_WITHOUT_WINDOWS = (
    *(Aggregate, Barrier, GroupWindowAggregate, IntervalJoin, Join, OverAggregate, Rank, Scan, Sort),
    *(TableFunctionScan, TemporalJoin, Values, WatermarkAssigner),
)


def _table(rel: WindowTable) -> WindowColumns | None:
    width = len(rel.input.row_type.fields)
    time = rel.input.row_type.types[rel.index]
    assert isinstance(time, TimestampBase)
    return WindowColumns(rel.window, time, *(frozenset({width + at}) for at in range(3)))


def _project(rel: Project, below: WindowColumns | None) -> WindowColumns | None:
    places: dict[int, Columns] = {}
    for at, rex in enumerate(rel.exprs):
        if isinstance(rex, InputRef):
            places[rex.index] = places.get(rex.index, frozenset()) | {at}
    return None if below is None else below.moved(places)


def _expand(rel: Expand, below: WindowColumns | None) -> WindowColumns | None:
    places: dict[int, Columns] = {}
    for at, cells in enumerate(zip(*rel.projects, strict=True)):
        first = cells[0]
        if isinstance(first, InputRef) and all(cell == first for cell in cells):
            places[first.index] = places.get(first.index, frozenset()) | {at}
    return None if below is None else below.moved(places)


def _aggregate(rel: WindowAggregate) -> WindowColumns | None:
    shown = {
        kind: frozenset(
            len(rel.grouping) + len(rel.calls) + at for at, (_, kind) in enumerate(rel.properties) if kind in kinds
        )
        for kind, kinds in {
            "start": (Property.START,),
            "end": (Property.END,),
            "time": (Property.ROWTIME, Property.PROCTIME),
        }.items()
    }
    partition = tuple(rel.grouping.index(index) for index in rel.windowing.window.partition)
    window = replace(rel.windowing.window, partition=partition)
    return WindowColumns(window, rel.windowing.time, shown["start"], shown["end"], shown["time"])


def _join(rel: WindowJoin, left: WindowColumns | None, right: WindowColumns | None) -> WindowColumns | None:
    # The window of a padded side is null, so such a row has no window.
    if left is None or right is None or rel.kind in (JoinKind.SEMI, JoinKind.ANTI, JoinKind.LEFT):
        return left
    right_columns = right.shifted(len(rel.left.row_type.fields))
    if rel.kind in (JoinKind.RIGHT, JoinKind.FULL):
        return right_columns if rel.kind is JoinKind.RIGHT else None
    return replace(
        left,
        starts=left.starts | right_columns.starts,
        ends=left.ends | right_columns.ends,
        times=left.times | right_columns.times,
    )


def _union(rel: SetOp, inputs: Sequence[WindowColumns | None]) -> WindowColumns | None:
    if rel.kind is not SetKind.UNION or not rel.all:
        return None
    first = inputs[0]
    if first is None:
        return None
    for columns in inputs[1:]:
        if columns is None or columns.window != first.window or is_rowtime(columns.time) != is_rowtime(first.time):
            return None
        first = replace(
            first,
            starts=first.starts & columns.starts,
            ends=first.ends & columns.ends,
            times=first.times & columns.times,
        )
    return first if first.starts and first.ends else None

"""Relational nodes of operators that follow time: OVER aggregates, interval and temporal joins.

They are made by rules and by the binder from the plain nodes of `planner.algebra.nodes`.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.nodes import AggregateCall, Barrier, NewColumns, Pair, Single, SortKey
from compiled_plan.planner.algebra.rex import FrameEnd, FrameUnit
from compiled_plan.plans.rex import Literal, RexNode
from compiled_plan.plans.types import RowType


@dataclass(frozen=True, slots=True)
class OverAggregate(NewColumns):
    """Adds aggregates over earlier rows to each row: the input's columns, then a column for each call.

    An argument of a call that is not below the number of input columns stands for one of `constants`. The offsets of
    `lower` and `upper` are literals.
    """

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    unit: FrameUnit
    lower: FrameEnd
    upper: FrameEnd
    calls: tuple[AggregateCall, ...]
    constants: tuple[Literal, ...]
    columns: RowType


@dataclass(frozen=True, slots=True)
class TimeBounds:
    """The left time lies from `lower` to `upper` milliseconds after the right time.

    `left` and `right` are the columns with the times, each counted in its own side; `rest` is what else the join asks.
    """

    rowtime: bool
    lower: int
    upper: int
    left: int
    right: int
    rest: tuple[RexNode, ...]


@dataclass(frozen=True, slots=True)
class IntervalJoin(Pair):
    """A join of rows whose times are close; `condition` is the whole one, over left and right columns."""

    EXPRESSIONS = "condition"

    condition: RexNode
    bounds: TimeBounds


@dataclass(frozen=True, slots=True)
class Snapshot(Single):
    """A table FOR SYSTEM_TIME AS OF `time`, an expression over the row to the left of a join.

    Stands on the right of a join in FROM alone, where the binder makes it a TemporalJoin. `EXPRESSIONS` names no field,
    since the time is over another row.
    """

    time: RexNode


@dataclass(frozen=True, slots=True)
class TemporalJoin(Pair):
    """Each left row with the version of the right table that holds at the time in column `time` of the left row.

    `kind` is INNER or LEFT; `condition` is over left and right columns. `version` is the right column with the time
    from which a version holds; None for the version that holds when a left row comes. `lookup`: the right table is
    asked for the rows of each key, as it is at that moment.
    """

    EXPRESSIONS = "condition"

    condition: RexNode
    time: int
    version: int | None
    lookup: bool = False


@dataclass(frozen=True, slots=True)
class Match(NewColumns, Barrier):
    """MATCH_RECOGNIZE: rows in the order of `order` that match `pattern`; one row for each match.

    Columns: those of `partition`, then the measures. `definitions` and `measures` are over PatternInputRefs, which
    count the columns of the input; `pattern` and `after` are written as plans have them.
    """

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    pattern: RexNode
    definitions: tuple[tuple[str, RexNode], ...]
    measures: tuple[tuple[str, RexNode], ...]
    after: RexNode
    subsets: tuple[tuple[str, tuple[str, ...]], ...]
    interval: Literal | None
    columns: RowType

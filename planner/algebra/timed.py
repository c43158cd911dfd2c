"""Relational nodes of time-based operators: OVER aggregates, interval and temporal joins.

Rules and the binder create them from the plain nodes of `planner.algebra.nodes`.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.nodes import AggregateCall, Barrier, Hint, NewColumns, Pair, Single, SortKey
from compiled_plan.planner.algebra.rex import FrameEnd, FrameUnit
from compiled_plan.plans.rex import Literal, RexNode
from compiled_plan.plans.types import RowType


@dataclass(frozen=True, slots=True)
class OverAggregate(NewColumns):
    """Adds aggregates over earlier rows to each row: the input's columns, then a column for each call.

    A call's argument at or above the number of input columns refers to one of `constants`. The offsets of `lower` and
    `upper` are literals.
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
    """Bounds of an interval join: the left time lies `lower` to `upper` milliseconds after the right time.

    `left` and `right` are the time columns, each as an index into its own side; `rest` are the remaining conjuncts.
    """

    rowtime: bool
    lower: int
    upper: int
    left: int
    right: int
    rest: tuple[RexNode, ...]


@dataclass(frozen=True, slots=True)
class IntervalJoin(Pair):
    """A join of rows within a time interval; `condition` is the complete one, over left and right columns."""

    EXPRESSIONS = "condition"

    condition: RexNode
    bounds: TimeBounds


@dataclass(frozen=True, slots=True)
class Snapshot(Single):
    """A table FOR SYSTEM_TIME AS OF `time`, an expression over the row to the left of a join.

    Occurs only on the right of a join in FROM, where the binder replaces it by a TemporalJoin. `EXPRESSIONS` names no
    field, since the time is over another row.
    """

    time: RexNode


@dataclass(frozen=True, slots=True)
class TemporalJoin(Pair):
    """Each left row with the version of the right table that is valid at the time in column `time` of the left row.

    `kind` is INNER or LEFT; `condition` is over left and right columns. `version` is the right column with the start of
    a version's validity; None for the version that is current when the left row arrives. `lookup`: the right table is
    queried by key when the left row arrives; `hint` is its LOOKUP hint.
    """

    EXPRESSIONS = "condition"

    condition: RexNode
    time: int
    version: int | None
    lookup: bool = False
    hint: Hint | None = None


@dataclass(frozen=True, slots=True)
class Match(NewColumns, Barrier):
    """MATCH_RECOGNIZE: rows ordered by `order` that match `pattern`; one row for each match.

    Columns: those of `partition`, then the measures. `definitions` and `measures` are over PatternInputRefs, which
    index the columns of the input; `pattern` and `after` are in the form of plans.
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

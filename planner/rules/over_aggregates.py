"""OVER aggregates: window functions outside of a top-n become OverAggregates, below projections.

SUM, AVG and the like are expanded into COUNT and SUM0 over the same window. Constant arguments are separate from
columns, as in plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from compiled_plan.planner.algebra.nodes import AggregateCall, Project, RelNode, SortKey
from compiled_plan.planner.algebra.rex import FrameEnd, Over
from compiled_plan.planner.algebra.timed import OverAggregate
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.planner.functions.casts import cast, supports_argument
from compiled_plan.planner.functions.fold import fold
from compiled_plan.planner.rules.helpers.aggregate_expansion import expand_over
from compiled_plan.planner.rules.helpers.computed_columns import ComputedColumns
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import InputRef, Literal, RexNode, transform, type_of
from compiled_plan.plans.types import Field, RowType

_COUNT = "$COUNT$1"
_SHIFTS = ("$LAG$1", "$LEAD$1")


def plan_over_aggregates(rel: RelNode) -> RelNode:
    """The tree with its window functions in OverAggregates.

    Raises:
        ProgramError: functions over different windows in one SELECT.
    """
    return rewrite_shared(rel, lambda node: _planned(node) if isinstance(node, Project) else node)


def _planned(project: Project) -> RelNode:
    if not any(True for rex in project.exprs for _ in _windows(rex)):
        return project
    exprs = tuple(
        transform(rex, lambda node: expand_over(node) if isinstance(node, Over) else node) for rex in project.exprs
    )
    windows = list(dict.fromkeys(window for rex in exprs for window in _windows(rex)))
    builder = _Builder(ComputedColumns(project.input))
    shapes = {builder.shape(window) for window in windows}
    if len(shapes) > 1:
        second = next(window for window in windows if builder.shape(window) != builder.shape(windows[0]))
        raise ProgramError(
            "all functions over windows of one SELECT must be computed on the same window",
            where=second.where,
            remedy="compute each window in a subquery of its own",
        )
    calls = {window: builder.call(window, at) for at, window in enumerate(windows)}
    source = builder.columns.source("$")
    width = len(source.row_type.fields)
    ((partition, order, _, _, _),) = shapes
    first = windows[0]
    over = OverAggregate(
        source,
        partition,
        order,
        first.unit,
        _constant(first.lower),
        _constant(first.upper),
        tuple(
            replace(call, args=tuple(width - 1 - arg if arg < 0 else arg for arg in call.args))
            for call in calls.values()
        ),
        tuple(builder.constants),
        RowType(fields=(*source.row_type.fields, *(Field(call.column, call.type) for call in calls.values()))),
        where=first.where,
    )
    places = {window: InputRef(width + at, call.type) for at, (window, call) in enumerate(calls.items())}
    above = tuple(transform(rex, lambda node: places[node] if isinstance(node, Over) else node) for rex in exprs)
    return Project(over, above, project.columns)


def _windows(rex: RexNode) -> Iterator[Over]:
    """The window functions in an expression, in the order of the text."""
    if isinstance(rex, Over):
        yield rex
        return
    for child in rex.children():
        yield from _windows(child)


Shape = tuple[tuple[int, ...], tuple[SortKey, ...], object, FrameEnd, FrameEnd]


@dataclass
class _Builder:
    """The columns below a window, and its constants.

    Constant `n` is argument `-1 - n` until the number of columns is known.
    """

    columns: ComputedColumns
    constants: list[Literal] = field(default_factory=list)

    def shape(self, over: Over) -> Shape:
        """The shared properties of functions in one operator; constants do not affect the order."""
        partition = (self.columns.place(rex) for rex in over.partition if not isinstance(fold(rex), Literal))
        order = tuple(
            SortKey(self.columns.place(rex), ascending, nulls_last)
            for rex, ascending, nulls_last in over.order
            if not isinstance(fold(rex), Literal)
        )
        return tuple(sorted(set(partition))), order, over.unit, _constant(over.lower), _constant(over.upper)

    def call(self, over: Over, at: int) -> AggregateCall:
        operands = _defaulted(over) if over.name in _SHIFTS else over.operands
        return AggregateCall(
            name=over.name,
            args=tuple(self._argument(rex) for rex in operands),
            type=over.type,
            column=f"w0$o{at}",
            distinct=over.distinct,
            ignore_nulls=over.ignore_nulls,
            syntax="FUNCTION_STAR" if over.name == _COUNT else None,
        )

    def _argument(self, rex: RexNode) -> int:
        folded = fold(rex)
        if not isinstance(folded, Literal):
            return self.columns.place(rex)
        if folded not in self.constants:
            self.constants.append(folded)
        return -1 - self.constants.index(folded)


def _defaulted(over: Over) -> tuple[RexNode, ...]:
    """The operands of LAG and LEAD with the default cast to the value's type.

    Raises:
        ProgramError: a default of an incompatible type, or an offset below 0.
    """
    if len(over.operands) < 2:
        return over.operands
    value, offset, *defaults = over.operands
    known = fold(offset)
    if isinstance(known, Literal) and isinstance(known.value, int) and known.value < 0:
        raise ProgramError(
            f"the offset {known.value} of LAG is below 0",
            where=over.where,
            remedy="count back with a number from 0 on",
        )
    if not defaults:
        return over.operands
    (default,) = defaults
    default_type, wanted = type_of(default), type_of(value).with_nullability(type_of(default).nullable)
    if not supports_argument(default_type, wanted):
        raise ProgramError(
            f"the default of LAG is of type {default_type}, its value of type {type_of(value)}",
            where=over.where,
            remedy=f"cast the default: CAST(... AS {type_of(value).with_nullability(True)})",
        )
    return (value, offset, fold(cast(default, wanted)))


def _constant(bound: FrameEnd) -> FrameEnd:
    """The bound with its offset folded to a constant.

    Raises:
        ProgramError: the offset is not constant.
    """
    if bound.offset is None:
        return bound
    offset = fold(bound.offset)
    if not isinstance(offset, Literal):
        raise ProgramError("the offset of a window's frame must be a constant", remedy="write the number out")
    return FrameEnd(bound.kind, offset)

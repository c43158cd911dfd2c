"""INTERSECT, EXCEPT and UNION as in Flink's plans: joins, aggregates, and row replication.

- UNION: DISTINCT over UNION ALL
- INTERSECT: DISTINCT over a null-safe semi join; EXCEPT: over an anti join
- ALL: count each row on both sides, then replicate it according to the counts
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from compiled_plan.planner.algebra.expressions import bigint, case, cast, comparison, conjunction, not_distinct
from compiled_plan.planner.algebra.kinds import JoinKind, SetKind
from compiled_plan.planner.algebra.nodes import (
    Aggregate,
    AggregateCall,
    Correlate,
    Filter,
    Join,
    Project,
    RelNode,
    SetOp,
    TableFunctionScan,
)
from compiled_plan.planner.algebra.rex import OuterRef
from compiled_plan.planner.algebra.rows import identity, named_row
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, type_of
from compiled_plan.plans.types import BIGINT, BOOLEAN, RowType, row_of

_CORRELATION = "$replicate"


def expand_set_operations(rel: RelNode) -> RelNode:
    """The tree with UNION ALL as its only set operation."""
    return rewrite_shared(rel, _expand)


def _expand(rel: RelNode) -> RelNode:
    if not isinstance(rel, SetOp):
        return rel
    rel = replace(rel, sources=tuple(_nullable(source, rel.columns) for source in rel.sources))
    if rel.kind is SetKind.UNION:
        return rel if rel.all else _distinct(SetOp(rel.sources, SetKind.UNION, True, rel.columns))
    expand = {
        (SetKind.INTERSECT, False): _intersect,
        (SetKind.INTERSECT, True): _intersect_all,
        (SetKind.MINUS, False): _except,
        (SetKind.MINUS, True): _except_all,
    }[rel.kind, rel.all]
    return reduce(lambda left, right: expand(left, right, rel.columns), rel.sources)


def _nullable(rel: RelNode, row: RowType) -> RelNode:
    """A source with its NOT NULL columns cast to those of the set operation that are not."""
    exprs = tuple(cast(rex, type_) for rex, type_ in zip(identity(rel.row_type), row.types, strict=True))
    return rel if exprs == identity(rel.row_type) else Project(rel, exprs, row_of(rel.row_type.names, row.types))


def _distinct(rel: RelNode) -> RelNode:
    return Aggregate(rel, tuple(range(len(rel.row_type.fields))), (), rel.row_type)


def _by_all(left: RelNode, right: RelNode, kind: JoinKind) -> Join:
    """A null-safe semi or anti join by all columns."""
    width = len(left.row_type.fields)
    pairs = zip(identity(left.row_type), identity(right.row_type), strict=True)
    same = (not_distinct(left, InputRef(right.index + width, right.type)) for left, right in pairs)
    return Join(left, right, kind, conjunction(same))


def _intersect(left: RelNode, right: RelNode, row: RowType) -> RelNode:
    return _distinct(_by_all(left, right, JoinKind.SEMI))


def _except(left: RelNode, right: RelNode, row: RowType) -> RelNode:
    return _distinct(_by_all(left, right, JoinKind.ANTI))


def _except_all(left: RelNode, right: RelNode, row: RowType) -> RelNode:
    marks = (bigint(1),), (bigint(-1),)
    union = _marked((left, right), marks, row, ("vcol_marker",))
    width = len(row.fields)
    total = AggregateCall("$SUM$1", (width,), BIGINT.not_null(), "sum_vcol_marker")
    names = (*row.names, "sum_vcol_marker")
    counted = Aggregate(union, tuple(range(width)), (total,), row_of(names, (*row.types, total.type)))
    more = comparison("$>$1", InputRef(width, total.type), bigint(0))
    left_over = Filter(counted, more)
    count = InputRef(width, total.type)
    chosen = (count, *identity(row))
    return _replicated(Project(left_over, chosen, _named(("sum_vcol_marker", *row.names), chosen)), row)


def _intersect_all(left: RelNode, right: RelNode, row: RowType) -> RelNode:
    yes, no = Literal(True, BOOLEAN.not_null()), Literal(False, BOOLEAN.not_null())
    union = _marked((left, right), ((yes, no), (no, yes)), row, ("vcol_left_marker", "vcol_right_marker"))
    width = len(row.fields)
    # Count marked rows: COUNT(*) FILTER (WHERE marker).
    calls = tuple(
        AggregateCall("$COUNT$1", (), BIGINT.not_null(), f"vcol_{side}_cnt", filter=width + at, syntax="FUNCTION_STAR")
        for at, side in enumerate(("left", "right"))
    )
    names = (*row.names, *(call.column for call in calls))
    counted = Aggregate(
        union, tuple(range(width)), calls, row_of(names, (*row.types, BIGINT.not_null(), BIGINT.not_null()))
    )
    first, second = (InputRef(width + at, BIGINT.not_null()) for at in range(2))
    least = case([(comparison("$>$1", first, second), second)], first)
    both = Filter(counted, conjunction(comparison("$>=$1", item, bigint(1)) for item in (first, second)))
    chosen = (least, *identity(row))
    return _replicated(Project(both, chosen, _named(("min_cnt", *row.names), chosen)), row)


def _marked(
    sources: Sequence[RelNode], marks: Sequence[tuple[Literal, ...]], row: RowType, names: tuple[str, ...]
) -> RelNode:
    """UNION ALL of the sources, each with its own constant columns."""
    inputs: list[RelNode] = []
    for source, values in zip(sources, marks, strict=True):
        exprs = (*identity(source.row_type), *values)
        inputs.append(Project(source, exprs, _named((*row.names, *names), exprs)))
    columns = row_of((*row.names, *names), (*row.types, *(value.type for value in marks[0])))
    return SetOp(tuple(inputs), SetKind.UNION, True, columns)


def _replicated(rel: RelNode, row: RowType) -> RelNode:
    """Every row replicated by the count in its first column."""
    row_type = rel.row_type
    operands = tuple(OuterRef(_CORRELATION, at, type_) for at, type_ in enumerate(row_type.types))
    replicated = row_of(row.names, row_type.types[1:])
    call = Call("$REPLICATE_ROWS$1", operands, replicated.with_nullability(False))
    joined = Correlate(rel, TableFunctionScan(replicated, call), JoinKind.INNER, _CORRELATION)
    types = joined.row_type.types
    start = len(row_type.fields)
    exprs = tuple(InputRef(start + at, types[start + at]) for at in range(len(row.fields)))
    return Project(joined, exprs, row)


def _named(names: Sequence[str], exprs: Sequence[RexNode]) -> RowType:
    return named_row(names, [type_of(rex) for rex in exprs])

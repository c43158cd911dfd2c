"""LATERAL subqueries become joins; table functions stay, below projections of their columns.

As in Flink, an inner LATERAL over an aggregate has no row if the aggregate has no input; LEFT JOIN LATERAL returns the
row of standard SQL, with counts of 0.

A LATERAL with LIMIT is the top n rows of each enclosing row: a rank by the compared columns, joined. As in Flink the
enclosing rows must be distinct in those columns.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import (
    conjunction,
    contains,
    is_true,
    retype,
    shift,
    stays_small,
    substitute,
)
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import (
    Correlate,
    Filter,
    Join,
    Project,
    RelNode,
    Sort,
    TableFunctionScan,
)
from compiled_plan.planner.algebra.rex import OuterRef
from compiled_plan.planner.algebra.rows import identity
from compiled_plan.planner.algebra.traverse import nodes, outer_refs, rewrite_shared
from compiled_plan.planner.rules.helpers.correlation import Outer, over_join, refused
from compiled_plan.planner.rules.helpers.decorrelation import pull
from compiled_plan.planner.rules.helpers.unique_keys import is_unique
from compiled_plan.plans.rex import InputRef, RexNode, type_of
from compiled_plan.plans.types import row_of


def remove_laterals(rel: RelNode) -> RelNode:
    """The tree with joins for Correlates over subqueries.

    Raises:
        UnsupportedError: a correlation without an equivalent join.
    """
    return rewrite_shared(rel, _without)


def _without(rel: RelNode) -> RelNode:
    if not isinstance(rel, Correlate):
        return rel
    if _over_function(rel.right):
        return _table_function(rel)
    return _subquery(rel)


def _over_function(rel: RelNode) -> bool:
    while isinstance(rel, Project | Filter):
        rel = rel.input
    return isinstance(rel, TableFunctionScan)


def _table_function(rel: Correlate) -> RelNode:
    """Move projections and filters over the function above the Correlate, or for LEFT into its condition."""
    if isinstance(rel.right, TableFunctionScan):
        return rel
    outer, width = Outer(rel.name, rel.left), len(rel.left.row_type.fields)
    exprs: tuple[RexNode, ...] = identity(rel.right.row_type)
    conditions: list[RexNode] = []
    below = rel.right
    while isinstance(below, Project | Filter):
        if isinstance(below, Filter):
            conditions.append(below.condition)
        elif not stays_small([*exprs, *conditions], below.exprs):
            raise refused("a table function whose columns become too large when they are written into each other")
        else:
            exprs = tuple(substitute(rex, below.exprs) for rex in exprs)
            conditions = [substitute(rex, below.exprs) for rex in conditions]
        below = below.input
    left = rel.kind is JoinKind.LEFT
    plain = all(isinstance(rex, InputRef) for rex in exprs)
    if left and not plain:
        raise refused("LEFT JOIN with a table function whose columns are computed")
    condition = conjunction(over_join(item, outer, width) for item in conditions)
    if rel.condition is not None:
        own = substitute(rel.condition, (*identity(rel.left.row_type), *(shift(rex, width) for rex in exprs)))
        condition = conjunction([condition, own]) if not is_true(condition) else own
    correlate: RelNode = replace(rel, right=below, condition=condition if left and not is_true(condition) else None)
    if not left and not is_true(condition):
        correlate = Filter(correlate, condition)
    columns = (*identity(rel.left.row_type), *(over_join(rex, outer, width) for rex in exprs))
    retyped = tuple(retype(rex, correlate.row_type) for rex in columns)
    return Project(correlate, retyped, row_of(rel.row_type.names, [type_of(rex) for rex in retyped]))


def _subquery(rel: Correlate) -> RelNode:
    correlated = bool(outer_refs(rel.right, rel.name))
    if correlated and any(isinstance(node, Sort) and (node.fetch or node.offset) for node in nodes((rel.right,))):
        _check_distinct(rel)
    outer = Outer(rel.name, rel.left)
    pulled = pull(rel.right, outer)
    width = len(rel.left.row_type.fields)
    conditions = [over_join(item, outer, width) for item in pulled.conditions]
    if rel.condition is not None and not is_true(rel.condition):
        columns = (*identity(rel.left.row_type), *(over_join(rex, outer, width) for rex in pulled.columns))
        if pulled.always:
            raise refused("LATERAL over an aggregate with a join condition")
        conditions.append(substitute(rel.condition, columns))
    if (
        rel.kind is JoinKind.LEFT
        and not pulled.always
        and any(not isinstance(rex, InputRef) or contains(rex, OuterRef) for rex in pulled.columns)
    ):
        raise refused("LEFT JOIN LATERAL over columns that are computed from the left side")
    joined = Join(rel.left, pulled.rel, rel.kind, conjunction(conditions))
    row = (*identity(rel.left.row_type), *(over_join(rex, outer, width) for rex in pulled.columns))
    exprs = tuple(retype(rex, joined.row_type) for rex in row)
    return Project(joined, exprs, row_of(rel.row_type.names, [type_of(rex) for rex in exprs]))


def _check_distinct(rel: Correlate) -> None:
    """Raise for a LATERAL with LIMIT whose left side may have duplicate values of the compared columns."""
    used = {node.index for node in outer_refs(rel.right, rel.name)}
    if not is_unique(rel.left, frozenset(used)):
        raise refused("LATERAL with ORDER BY and LIMIT over rows that are not distinct in the compared columns")

"""Subqueries in expressions become joins: EXISTS and IN semi and anti joins, scalar ones left joins.

A subquery that is not itself a conjunct of a condition (under OR, in the SELECT list) becomes a left join with its
distinct rows, and a test for a match.

Source: Flink's plans of such queries; SQL's three-valued logic for NOT IN, ANY and ALL.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import NEGATED, conjunction, conjuncts, contains, is_call
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Filter, Join, Project, RelNode
from compiled_plan.planner.algebra.rex import Subquery, SubqueryKind
from compiled_plan.planner.algebra.rows import identity
from compiled_plan.planner.algebra.traverse import expressions, map_expressions, rewrite_shared
from compiled_plan.planner.rules.helpers.correlation import Outer, over_join, refused
from compiled_plan.planner.rules.helpers.subquery_values import as_value, pull_subquery, tests_of
from compiled_plan.planner.rules.set_operations import expand_set_operations
from compiled_plan.plans.rex import RexNode, transform
from compiled_plan.plans.types import RowType


def remove_subqueries(rel: RelNode) -> RelNode:
    """The tree with joins for all subqueries in its expressions.

    Raises:
        UnsupportedError: a subquery whose correlation has no equivalent join.
    """
    return rewrite_shared(rel, _without)


def _without(rel: RelNode) -> RelNode:
    if not any(contains(rex, Subquery) for rex in expressions(rel)):
        return rel
    rel = map_expressions(rel, lambda rex: transform(rex, _inner))
    match rel:
        case Filter():
            return _filter(rel)
        case Project():
            return _project(rel)
        case Join() if rel.kind is JoinKind.INNER:
            cross = replace(rel, condition=conjunction(_plain(rel.condition)))
            return _filter(Filter(cross, conjunction(_with_subquery(rel.condition))))
    raise refused(f"a subquery in a {type(rel).__name__.lower()}")


def _inner(rex: RexNode) -> RexNode:
    if not isinstance(rex, Subquery):
        return rex
    return replace(rex, rel=remove_subqueries(expand_set_operations(rex.rel)))


def _plain(condition: RexNode) -> list[RexNode]:
    return [part for part in conjuncts(condition) if not contains(part, Subquery)]


def _with_subquery(condition: RexNode) -> list[RexNode]:
    return [part for part in conjuncts(condition) if contains(part, Subquery)]


def _filter(rel: Filter) -> RelNode:
    width = len(rel.input.row_type.fields)
    plain = _plain(rel.condition)
    source: RelNode = Filter(rel.input, conjunction(plain)) if plain else rel.input
    above: list[RexNode] = []
    for part in _with_subquery(rel.condition):
        joined = _semi_join(source, part)
        if joined is not None:
            source = joined
        else:
            source, rex = as_value(source, part, only_true=True)
            above.append(rex)
    if above:
        source = Filter(source, conjunction(above))
    return _first(source, width, rel.row_type)


def _project(rel: Project) -> RelNode:
    source = rel.input
    exprs: list[RexNode] = []
    for rex in rel.exprs:
        source, value = as_value(source, rex, only_true=False)
        exprs.append(value)
    return Project(source, tuple(exprs), rel.columns)


def _first(rel: RelNode, width: int, row: RowType) -> RelNode:
    if len(rel.row_type.fields) == width:
        return rel
    return Project(rel, identity(rel.row_type)[:width], row)


def _semi_join(source: RelNode, part: RexNode) -> RelNode | None:
    """The rows of `source` for which a subquery holds, or does not; None if `part` is another condition."""
    negated = is_call(part, "$NOT$1")
    subquery = part.children()[0] if negated else part
    if not isinstance(subquery, Subquery) or subquery.kind is SubqueryKind.SCALAR:
        return None
    if any(contains(operand, Subquery) for operand in subquery.operands):
        return None
    pulled = pull_subquery(subquery, source)
    if pulled.always:
        return None
    outer, width = Outer(subquery.name, source), len(source.row_type.fields)
    conditions = [over_join(item, outer, width) for item in pulled.conditions]
    columns = [over_join(item, outer, width) for item in pulled.columns]
    anti = negated
    tests: list[RexNode] = []
    if subquery.kind is SubqueryKind.ALL:
        # ALL is true unless one comparison is false or unknown.
        inverse = NEGATED[subquery.operator]
        tests = tests_of(subquery, columns, inverse, unknown=not negated)
        anti = not negated
    elif subquery.kind in (SubqueryKind.IN, SubqueryKind.SOME):
        tests = tests_of(subquery, columns, subquery.operator, unknown=negated)
    kind = JoinKind.ANTI if anti else JoinKind.SEMI
    return Join(source, pulled.rel, kind, conjunction([*tests, *conditions]))

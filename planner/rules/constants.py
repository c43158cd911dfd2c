"""Simplification: fold constants, resolve filters that always or never hold, reduce VALUES to literals."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import (
    NEGATED,
    conjunction,
    conjuncts,
    contains,
    disjunction,
    disjuncts,
    is_call,
    is_false,
    is_true,
    null_of,
)
from compiled_plan.planner.algebra.kinds import JoinKind, SetKind
from compiled_plan.planner.algebra.nodes import Filter, Join, Project, RelNode, SetOp, Sort, Values
from compiled_plan.planner.algebra.rows import identity
from compiled_plan.planner.algebra.timed import TemporalJoin
from compiled_plan.planner.algebra.traverse import map_expressions, rewrite_shared
from compiled_plan.planner.functions.fold import simplify, simplify_condition
from compiled_plan.planner.rules.helpers.factors import factored, without_repeats
from compiled_plan.plans.rex import Call, Literal, RexNode, type_of
from compiled_plan.plans.types import INT, row_of
from compiled_plan.plans.types.temporal import is_attribute


def simplify_expressions(rel: RelNode) -> RelNode:
    """The tree with simplified expressions, without filters that all rows pass."""
    return rewrite_shared(rel, _simplified)


def _simplified(rel: RelNode) -> RelNode:
    if isinstance(rel, Filter | Join | TemporalJoin):
        rel = map_expressions(rel, _condition)
    if isinstance(rel, Project | Values):
        rel = map_expressions(rel, simplify)
    match rel:
        case Filter():
            parts = [inner for part in conjuncts(rel.condition) for inner in _without_case(part)]
            if any(map(is_false, parts)):
                return Values(rel.row_type, ())
            condition = conjunction(part for part in parts if not is_true(part))
            return rel.input if is_true(condition) else replace(rel, condition=condition)
        case Join() if is_false(rel.condition):
            return _never_met(rel)
        case Sort() if rel.fetch == 0:
            return Values(rel.row_type, ())
        case Project() if isinstance(rel.input, Values) and not rel.input.rows:
            return Values(rel.columns, ())
        case Values():
            return _values(rel)
    return rel


def _condition(rex: RexNode) -> RexNode:
    simple = simplify_condition(rex)
    while is_call(simple, "$IS TRUE$1"):  # for a filter, IS TRUE makes no difference
        simple = simplify_condition(simple.children()[0])
    parts = conjuncts(simple)
    required = [inner for part in parts for inner in _required(part)]
    return without_repeats(factored(simple if required == parts else conjunction(required)))


def _required(part: RexNode) -> list[RexNode]:
    """The conjuncts that must be true for a condition to hold, where UNKNOWN passes no row either."""
    if is_call(part, "$OR$1"):
        branches = disjuncts(part)
        possible = [branch for branch in branches if not is_false(branch)]
        return [part] if len(possible) == len(branches) else [disjunction(possible)]
    if is_call(part, "$CASE$1") and len(part.children()) == 3:
        when, then, otherwise = part.children()
        if is_false(otherwise) and not contains(then, _may_fail):
            return [*conjuncts(when), *conjuncts(then)]
    return [part]


#: Functions that never fail, so that they can be evaluated where their condition does not hold.
_SAFE = {*NEGATED, "$AND$1", "$OR$1", "$NOT$1", "$IS NULL$1", "$IS NOT NULL$1", "$IS TRUE$1", "$SEARCH$1"}


def _may_fail(rex: RexNode) -> bool:
    return isinstance(rex, Call) and rex.name not in _SAFE


def _never_met(rel: Join) -> RelNode:
    """A join whose condition never holds."""
    if rel.kind is JoinKind.ANTI:
        return rel.left
    if rel.kind in (JoinKind.INNER, JoinKind.SEMI):
        return Values(rel.row_type, ())
    if rel.kind is not JoinKind.LEFT or any(map(is_attribute, rel.right.row_type.types)):
        return rel
    columns = identity(rel.left.row_type)
    return Project(rel.left, (*columns, *map(null_of, rel.row_type.types[len(columns) :])), rel.row_type)


def _without_case(part: RexNode) -> list[RexNode]:
    """`CASE WHEN c THEN x END > 1` as its required conjuncts: `c` and `x > 1`."""
    if not isinstance(part, Call) or part.name not in NEGATED or not isinstance(part.operands[1], Literal):
        return [part]
    choice, bound = part.operands
    if not isinstance(choice, Call) or choice.name != "$CASE$1" or len(choice.operands) != 3:
        return [part]
    when, then, otherwise = choice.operands
    if not isinstance(otherwise, Literal) or otherwise.value is not None or type_of(when).nullable:
        return [part]
    return [*conjuncts(when), part.with_children((then, bound))]


def _values(rel: Values) -> RelNode:
    """VALUES with calls become one projection of a single row each."""
    if all(_is_constant(cell) for row in rel.rows for cell in row):
        return rel
    one = Values(row_of(("ZERO",), (INT.not_null(),)), ((Literal(0, INT.not_null()),),))
    rows = tuple(Project(one, row, rel.columns) for row in rel.rows)
    return rows[0] if len(rows) == 1 else SetOp(rows, SetKind.UNION, True, rel.columns)


def _is_constant(rex: RexNode) -> bool:
    return isinstance(rex, Literal)

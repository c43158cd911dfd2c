"""Comparisons of one column merged into ranges, checked by evaluation."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.fold import simplify_condition
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, Sarg
from compiled_plan.plans.types import INT

COLUMN = InputRef(0, INT.not_null())

conditions = st.recursive(
    st.tuples(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), st.integers(0, 6)),
    lambda inner: st.tuples(st.sampled_from(["AND", "OR"]), inner, inner),
    max_leaves=6,
)


def build(condition: tuple[object, ...]) -> RexNode:
    name, *parts = condition
    if name in ("AND", "OR"):
        return resolve_call(str(name), [build(part) for part in parts])  # type: ignore[arg-type]
    return resolve_call(str(name), [COLUMN, plan_literals.integer(int(str(parts[0])))])


def holds(rex: RexNode, value: int) -> bool:
    """Evaluate the condition for one value of the column."""
    if isinstance(rex, Literal):
        return bool(rex.value)
    assert isinstance(rex, Call)
    if rex.name == "$AND$1":
        return all(holds(operand, value) for operand in rex.operands)
    if rex.name == "$OR$1":
        return any(holds(operand, value) for operand in rex.operands)
    right = rex.operands[1]
    if isinstance(right, Sarg):
        return any(
            (not r.has_lower or value > int(str(r.lower)) or (r.lower_closed and value == r.lower))
            and (not r.has_upper or value < int(str(r.upper)) or (r.upper_closed and value == r.upper))
            for r in right.ranges
        )
    assert isinstance(right, Literal)
    bound = int(str(right.value))
    return {
        "$=$1": value == bound,
        "$<>$1": value != bound,
        "$<$1": value < bound,
        "$<=$1": value <= bound,
        "$>$1": value > bound,
        "$>=$1": value >= bound,
    }[rex.name]


@given(conditions)
def test_merging_keeps_the_meaning(condition: tuple[object, ...]) -> None:
    rex = build(condition)
    actual = simplify_condition(rex)
    assert [holds(actual, value) for value in range(-1, 8)] == [holds(rex, value) for value in range(-1, 8)]


@given(st.lists(st.integers(0, 9), min_size=1), st.booleans())
def test_in_lists_find_their_items(items: list[int], negated: bool) -> None:
    rex = resolve_call("NOT IN" if negated else "IN", [COLUMN, *map(plan_literals.integer, items)])
    assert [holds(rex, value) for value in range(10)] == [(value in items) is not negated for value in range(10)]


def test_ranges_that_touch_are_one() -> None:
    rex = build(("OR", ("<", 3), (">=", 5)))
    actual = simplify_condition(resolve_call("AND", [rex, build(("<>", 7))]))
    assert isinstance(actual, Call)
    sarg = actual.operands[1]
    assert isinstance(sarg, Sarg)
    assert [(r.lower, r.upper) for r in sarg.ranges] == [(None, 3), (5, 7), (7, None)]

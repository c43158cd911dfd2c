"""Join conditions that call Python functions: a join runs no Python, a Calc above it does."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import conjunction, conjuncts
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Join
from compiled_plan.planner.algebra.rows import identity
from compiled_plan.planner.algebra.timed import IntervalJoin
from compiled_plan.planner.physical.base import OperatorPlanner, PhysicalOperator, unsupported
from compiled_plan.planner.physical.calc import calc_over
from compiled_plan.plans.rex import calls_python


def python_above(rel: Join | IntervalJoin, at: OperatorPlanner) -> PhysicalOperator:
    """An inner join without the conjuncts that call Python, and a Calc above it with these.

    Raises:
        UnsupportedError: an outer join, whose condition cannot be evaluated above it.
    """
    if rel.kind is not JoinKind.INNER:
        raise unsupported(
            f"a Python function in the condition of a {rel.kind.value} join",
            remedy="compute it in a subquery, and join by its result",
        )
    parts = conjuncts(rel.condition)
    above = [part for part in parts if calls_python(part)]
    below = replace(rel, condition=conjunction(part for part in parts if part not in above))
    if isinstance(below, IntervalJoin):
        rest = tuple(part for part in below.bounds.rest if part not in above)
        below = replace(below, bounds=replace(below.bounds, rest=rest))
    return calc_over(at.lower(below), identity(rel.row_type), conjunction(above), rel.row_type)

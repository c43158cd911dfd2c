"""Conditions on one side of a join, derived from its condition and evaluated below it as well.

`(l.a = 1 AND r.b = 2) OR (l.a = 3 AND r.b = 4)` only matches rows of `l` with `a` 1 or 3. The join keeps its condition.
Two columns of one side that equal the same column of the other side are equal, which is a key for the join that they
meet in.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import conjunction, conjuncts, disjunction, disjuncts, is_call
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Join, RelNode
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.planner.functions.registry import is_deterministic
from compiled_plan.planner.rules.helpers.implied_keys import implied_keys
from compiled_plan.planner.rules.push_filters import side_of
from compiled_plan.plans.rex import RexNode


def derive_conditions(rel: RelNode) -> RelNode:
    """Add the derived conditions of inner joins beside their originals; they are pushed down later."""
    return rewrite_shared(rel, _derived)


def _derived(rel: RelNode) -> RelNode:
    if not isinstance(rel, Join) or rel.kind is not JoinKind.INNER:
        return rel
    width = len(rel.left.row_type.fields)
    parts = conjuncts(rel.condition)
    mixed = [part for part in parts if is_call(part, "$OR$1") and side_of(part, width) is None]
    derived = [condition for part in mixed for side in (0, 1) for condition in _of_side(part, side, width)]
    derived += implied_keys(rel)
    return replace(rel, condition=conjunction([*parts, *derived])) if derived else rel


def _of_side(part: RexNode, side: int, width: int) -> list[RexNode]:
    """Per branch, the conjuncts that reference only this side; empty if a branch has none."""
    branches = [
        [item for item in conjuncts(branch) if side_of(item, width) == side and is_deterministic(item)]
        for branch in disjuncts(part)
    ]
    return [disjunction(map(conjunction, branches))] if all(branches) else []

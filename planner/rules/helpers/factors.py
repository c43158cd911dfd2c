"""What all branches of an OR ask for stands before it: `(a AND p) OR (a AND q)` is `a AND (p OR q)`.

A join's sides can only be brought together by an equality that must hold; so one that every branch repeats counts.
Both laws used here (distribution and absorption) hold with UNKNOWN, too.
"""

from __future__ import annotations

from compiled_plan.planner.algebra.expressions import MIRRORED, conjunction, conjuncts, disjunction, disjuncts, is_call
from compiled_plan.planner.functions.registry import is_deterministic
from compiled_plan.plans.rex import Call, RexNode

_SYMMETRIC = MIRRORED | {"$IS NOT DISTINCT FROM$1": "$IS NOT DISTINCT FROM$1"}


def factored(rex: RexNode) -> RexNode:
    """The condition with the common parts of the branches of its ORs in front of them; itself where there are none."""
    if is_call(rex, "$AND$1"):
        parts = [factored(part) for part in rex.children()]
        return rex if all(map(_same, parts, rex.children())) else conjunction(_flat(parts))
    if not is_call(rex, "$OR$1"):
        return rex
    branches = [factored(branch) for branch in disjuncts(rex)]
    split = [conjuncts(branch) for branch in branches]
    first, *others = split
    common = [part for part in first if is_deterministic(part) and all(_has(branch, part) for branch in others)]
    if not common:
        return rex if all(map(_same, branches, disjuncts(rex))) else disjunction(branches)
    rest = [[part for part in parts if not _has(common, part)] for parts in split]
    if not all(rest):
        return conjunction(common)
    return conjunction([*common, disjunction(item for parts in rest for item in disjuncts(conjunction(parts)))])


def without_repeats(rex: RexNode) -> RexNode:
    """The condition without parts that stand before, also with their sides exchanged."""
    parts, seen = conjuncts(rex), set[RexNode]()
    for part in parts:
        if _exchanged(part) not in seen:
            seen.add(part)
    return rex if len(seen) == len(parts) else conjunction(part for part in parts if part in seen)


def _flat(parts: list[RexNode]) -> list[RexNode]:
    return [inner for part in parts for inner in conjuncts(part)]


def _same(left: RexNode, right: RexNode) -> bool:
    return left is right


def _has(parts: list[RexNode], part: RexNode) -> bool:
    """Whether a part is among `parts`, also with its sides exchanged."""
    return part in parts or _exchanged(part) in parts


def _exchanged(part: RexNode) -> RexNode:
    if not isinstance(part, Call) or part.name not in _SYMMETRIC:
        return part
    left, right = part.operands
    return Call(_SYMMETRIC[part.name], (right, left), part.type, part.syntax)

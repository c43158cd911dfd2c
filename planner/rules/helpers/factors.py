"""Common factors of OR branches: `(a AND p) OR (a AND q)` becomes `a AND (p OR q)`.

Only an equality that must hold can be a join key; one that every branch repeats does.
Both laws used here (distribution and absorption) are valid for UNKNOWN, too.
"""

from __future__ import annotations

from compiled_plan.planner.algebra.expressions import MIRRORED, conjunction, conjuncts, disjunction, disjuncts, is_call
from compiled_plan.planner.functions.registry import is_deterministic
from compiled_plan.plans.rex import Call, RexNode

_SYMMETRIC = MIRRORED | {"$IS NOT DISTINCT FROM$1": "$IS NOT DISTINCT FROM$1"}


def factored(rex: RexNode) -> RexNode:
    """The condition with common parts of the branches of its ORs factored out; unchanged without any."""
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
    """The condition without repeated conjuncts; ones with exchanged sides count as repeated."""
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
    """Return True if a part is among `parts`, possibly with its sides exchanged."""
    return part in parts or _exchanged(part) in parts


def _exchanged(part: RexNode) -> RexNode:
    if not isinstance(part, Call) or part.name not in _SYMMETRIC:
        return part
    left, right = part.operands
    return Call(_SYMMETRIC[part.name], (right, left), part.type, part.syntax)

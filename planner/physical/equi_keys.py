"""The equalities of a join's condition: the keys by which its sides are spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.expressions import conjuncts, is_call, null_safe_sides, same_representation
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.plans.rex import InputRef, RexNode

#: The kinds of joins as descriptions have them.
JOIN_TITLES = {
    JoinKind.INNER: "InnerJoin",
    JoinKind.LEFT: "LeftOuterJoin",
    JoinKind.RIGHT: "RightOuterJoin",
    JoinKind.FULL: "FullOuterJoin",
    JoinKind.SEMI: "LeftSemiJoin",
    JoinKind.ANTI: "LeftAntiJoin",
}


@dataclass(frozen=True, slots=True)
class EquiKeys:
    """The equalities of a condition, and what is left of it; `null_safe[i]`: two nulls are equal too."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    null_safe: tuple[bool, ...]
    rest: tuple[RexNode, ...]

    @property
    def filter_nulls(self) -> tuple[bool, ...]:
        """For each key, whether a null in it matches nothing."""
        return tuple(not safe for safe in self.null_safe)


def equi_keys(condition: RexNode, width: int) -> EquiKeys:
    """The equalities between a column of the left (of `width` columns) and one of the right."""
    left, right, safe, rest = [], [], [], []
    for part in conjuncts(condition):
        pair = _pair(part, width)
        if pair is None:
            rest.append(part)
        else:
            left.append(pair[0])
            right.append(pair[1])
            safe.append(pair[2])
    return EquiKeys(tuple(left), tuple(right), tuple(safe), tuple(rest))


def _pair(part: RexNode, width: int) -> tuple[int, int, bool] | None:
    if is_call(part, "$IS TRUE$1"):
        part = part.children()[0]
    plain = is_call(part, "$=$1")
    sides = part.children() if plain or is_call(part, "$IS NOT DISTINCT FROM$1") else null_safe_sides(part)
    found = None if sides is None else _columns(sides, width)
    return None if found is None else (*found, not plain)


def _columns(sides: Sequence[RexNode], width: int) -> tuple[int, int] | None:
    one, other = sides
    if not (isinstance(one, InputRef) and isinstance(other, InputRef)):
        return None
    if not same_representation(one.type, other.type):
        return None
    if one.index < width <= other.index:
        return one.index, other.index - width
    if other.index < width <= one.index:
        return other.index, one.index - width
    return None

"""The equalities of a join's condition: the keys by which its sides are spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.expressions import conjuncts, is_call, same_representation
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.plans.rex import Call, InputRef, RexNode

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
    if isinstance(part, Call) and part.name == "$=$1":
        found = _columns(part, width)
        return None if found is None else (*found, False)
    if isinstance(part, Call) and part.name == "$IS NOT DISTINCT FROM$1":
        found = _columns(part, width)
        return None if found is None else (*found, True)
    if is_call(part, "$OR$1") and len(part.children()) == 2:
        return _null_safe_pair(part.children(), width)
    return None


def _null_safe_pair(branches: Sequence[RexNode], width: int) -> tuple[int, int, bool] | None:
    """The columns of `(a = b) OR (a IS NULL AND b IS NULL)`."""
    for equality, both_null in (branches, tuple(reversed(branches))):
        if is_call(equality, "$IS TRUE$1"):
            equality = equality.children()[0]
        if not (isinstance(equality, Call) and equality.name == "$=$1" and is_call(both_null, "$AND$1")):
            continue
        tests = both_null.children()
        found = _columns(equality, width)
        if found and len(tests) == 2 and all(is_call(test, "$IS NULL$1") for test in tests):
            columns = {test.children()[0] for test in tests}
            if columns == set(equality.operands):
                return (*found, True)
    return None


def _columns(call: Call, width: int) -> tuple[int, int] | None:
    one, other = call.operands
    if not (isinstance(one, InputRef) and isinstance(other, InputRef)):
        return None
    if not same_representation(one.type, other.type):
        return None
    if one.index < width <= other.index:
        return one.index, other.index - width
    if other.index < width <= one.index:
        return other.index, one.index - width
    return None

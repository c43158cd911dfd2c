"""Shared parts of joins: equi-join keys, operators with two inputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.expressions import (
    conjunction,
    conjuncts,
    is_call,
    null_safe_sides,
    same_representation,
)
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.physical.base import PhysicalOperator, make
from compiled_plan.planner.physical.requirements import require_deterministic_condition
from compiled_plan.planner.physical.traits import Key, Keys, Traits
from compiled_plan.plans.nodes.specs import JoinSpec
from compiled_plan.plans.rex import InputRef, RexNode
from compiled_plan.plans.types import RowType

#: The join kinds in the form of descriptions.
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
    """The equalities of a condition and its remaining conjuncts; `null_safe[i]`: nulls are equal in key `i`."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    null_safe: tuple[bool, ...]
    rest: tuple[RexNode, ...]

    @property
    def filter_nulls(self) -> tuple[bool, ...]:
        """Per key, True if a null in it matches nothing."""
        return tuple(not safe for safe in self.null_safe)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSided(PhysicalOperator):
    """A join of two inputs by the equalities of its condition."""

    left: PhysicalOperator
    right: PhysicalOperator
    kind: JoinKind
    keys: EquiKeys
    columns: RowType

    @property
    def inputs(self) -> tuple[PhysicalOperator, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[PhysicalOperator, ...]) -> PhysicalOperator:
        return replace(self, left=inputs[0], right=inputs[1])

    @property
    def row_type(self) -> RowType:
        return self.columns

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        updated = not all(traits.modify_kinds.insert_only for traits in inputs)
        if updated or self.kind not in (JoinKind.INNER, JoinKind.SEMI):
            require_deterministic_condition(self, *self.keys.rest)
        return columns_by_side(self, columns, [traits.upsert_keys for traits in inputs])

    @property
    def spec(self) -> JoinSpec:
        """Kind, keys and the remaining condition, in the form of plans."""
        return make(JoinSpec)(
            join_type=self.kind.value,
            left_keys=self.keys.left,
            right_keys=self.keys.right,
            filter_nulls=self.keys.filter_nulls,
            non_equi_condition=conjunction(self.keys.rest) if self.keys.rest else None,
        )


def columns_by_side(operator: PhysicalOperator, columns: Key, keys: Sequence[Keys]) -> Sequence[Iterable[int]]:
    """Per input, those of `columns` that are its own; all columns of an input whose rows have no key."""
    sides: list[Iterable[int]] = []
    start = 0
    for child, side_keys in zip(operator.inputs, keys, strict=True):
        side = range(start, start + len(child.row_type.fields))
        sides.append([column - start for column in (side if not side_keys else columns) if column in side])
        start = side.stop
    return sides


def equi_keys(condition: RexNode, width: int) -> EquiKeys:
    """The equalities between a column of the left side (of `width` columns) and one of the right side."""
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
    pair = None if sides is None else _columns(sides, width)
    return None if pair is None else (*pair, not plain)


def _columns(sides: Sequence[RexNode], width: int) -> tuple[int, int] | None:
    first, second = sides
    if not (isinstance(first, InputRef) and isinstance(second, InputRef)):
        return None
    if not same_representation(first.type, second.type):
        return None
    if first.index < width <= second.index:
        return first.index, second.index - width
    if second.index < width <= first.index:
        return second.index, first.index - width
    return None

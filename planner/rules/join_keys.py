"""Join keys as columns: expressions and casts of a join's equalities are computed below the join."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import (
    conjunction,
    conjuncts,
    equals,
    is_call,
    null_safe_sides,
    same_representation,
    shift,
)
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Join, Project, RelNode
from compiled_plan.planner.algebra.rows import identity, unique_name
from compiled_plan.planner.algebra.timed import TemporalJoin
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.planner.functions.casts import cast, least_restrictive
from compiled_plan.planner.functions.registry import is_deterministic
from compiled_plan.plans.rex import Call, InputRef, RexNode, input_refs, map_inputs, type_of
from compiled_plan.plans.types import BOOLEAN, Field, RowType

EQUAL, NULL_SAFE = "$=$1", "$IS NOT DISTINCT FROM$1"


def compute_join_keys(rel: RelNode) -> RelNode:
    """The tree with join keys as columns of one type on both sides."""
    return rewrite_shared(rel, _compute)


def _compute(rel: RelNode) -> RelNode:
    if not isinstance(rel, Join | TemporalJoin):
        return rel
    lookup = isinstance(rel, TemporalJoin) and rel.lookup
    width = len(rel.left.row_type.fields)
    sides: tuple[list[RexNode], list[RexNode]] = ([], [])
    parts: list[RexNode] = []
    pending: list[tuple[str, int, int]] = []
    for part in conjuncts(rel.condition):
        name, pair = _sides(part, width)
        if pair is None or _plain(pair):
            parts.append(part if pair is None or is_call(part, name) or lookup else _null_safe(pair, width))
            continue
        common = least_restrictive([type_of(item) for item in pair])
        if common is None:
            parts.append(part)
            continue
        common = common.as_regular()
        if lookup and (not isinstance(pair[1], InputRef) or not is_call(part, name)):
            # A lookup table can only be looked up by its own columns.
            parts.append(part)
            continue
        left, right = (cast(item, common.with_nullability(type_of(item).nullable)) for item in pair)
        pending.append((name, _place(sides[0], left, rel.left), _place(sides[1], right, rel.right)))
    if not pending:
        condition = conjunction(parts)
        return rel if condition == rel.condition else replace(rel, condition=condition)
    return _rebuilt(rel, sides, parts, pending)


def _place(extra: list[RexNode], rex: RexNode, source: RelNode) -> int:
    """The position of the column with `rex`, among the source's columns or appended to them."""
    if isinstance(rex, InputRef):
        return rex.index
    if rex not in extra:
        extra.append(rex)
    return len(source.row_type.fields) + extra.index(rex)


def _rebuilt(
    rel: Join | TemporalJoin,
    sides: tuple[list[RexNode], list[RexNode]],
    parts: list[RexNode],
    pending: list[tuple[str, int, int]],
) -> RelNode:
    old = len(rel.left.row_type.fields)
    left, right = _with(rel.left, sides[0]), _with(rel.right, sides[1])
    new = len(left.row_type.fields)
    moved = [_moved(part, old, new) for part in parts]
    for name, left_index, right_index in pending:
        left_key = InputRef(left_index, left.row_type.types[left_index])
        right_key = InputRef(new + right_index, right.row_type.types[right_index])
        never_null = BOOLEAN.not_null()
        moved.append(
            equals(left_key, right_key) if name == EQUAL else Call(name, (left_key, right_key), never_null, "BINARY")
        )
    rebuilt = replace(rel, left=left, right=right, condition=conjunction(moved))
    types = rebuilt.row_type.types
    columns = list(range(old))
    if rel.kind not in (JoinKind.SEMI, JoinKind.ANTI):
        columns += range(new, new + len(rel.right.row_type.fields))
    return Project(rebuilt, tuple(InputRef(index, types[index]) for index in columns), rel.row_type)


def _moved(part: RexNode, old: int, new: int) -> RexNode:
    return map_inputs(part, lambda index: index if index < old else index - old + new)


def _with(rel: RelNode, extra: list[RexNode]) -> RelNode:
    """The source with computed columns appended."""
    if not extra:
        return rel
    names = list(rel.row_type.names)
    fields = list(rel.row_type.fields)
    for rex in extra:
        first = min(input_refs(rex), default=None)
        name = unique_name(f"$f{len(names)}" if first is None else rel.row_type.names[first], names)
        names.append(name)
        fields.append(Field(name, type_of(rex)))
    return Project(rel, (*identity(rel.row_type), *extra), RowType(fields=tuple(fields)))


def _sides(part: RexNode, width: int) -> tuple[str, tuple[RexNode, RexNode] | None]:
    """The equality operator (`=` or IS NOT DISTINCT FROM) and its sides, each over its own input's columns."""
    name = EQUAL if is_call(part, EQUAL) else NULL_SAFE
    sides = part.children() if is_call(part, name) else null_safe_sides(part)
    if sides is None or not is_deterministic(part):
        return name, None
    left, right = sides
    for own, opposite in ((left, right), (right, left)):
        refs, others = input_refs(own), input_refs(opposite)
        if refs and others and max(refs) < width <= min(others):
            return name, (own, shift(opposite, -width))
    return name, None


def _null_safe(pair: tuple[RexNode, RexNode], width: int) -> RexNode:
    return Call(NULL_SAFE, (pair[0], shift(pair[1], width)), BOOLEAN.not_null(), "BINARY")


def _plain(pair: tuple[RexNode, RexNode]) -> bool:
    if not all(isinstance(item, InputRef) for item in pair):
        return False
    return same_representation(type_of(pair[0]), type_of(pair[1]))

"""Equalities of a join become equalities of columns: what is computed or cast for them is computed below the join."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import (
    conjunction,
    conjuncts,
    equals,
    is_call,
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
from compiled_plan.plans.types import BOOLEAN, Field, RowType, TimestampBase


def compute_join_keys(rel: RelNode) -> RelNode:
    """The tree with the keys of its joins as columns of one type on both sides."""
    return rewrite_shared(rel, _compute)


def _compute(rel: RelNode) -> RelNode:
    if not isinstance(rel, Join | TemporalJoin):
        return rel
    asked = isinstance(rel, TemporalJoin) and rel.lookup
    width = len(rel.left.row_type.fields)
    sides: tuple[list[RexNode], list[RexNode]] = ([], [])
    parts: list[RexNode] = []
    pending: list[tuple[str, int, int]] = []
    for part in conjuncts(rel.condition):
        pair = _sides(part, width)
        if pair is None or _plain(pair):
            parts.append(part)
            continue
        common = least_restrictive([type_of(item) for item in pair])
        if common is None:
            parts.append(part)
            continue
        if isinstance(common, TimestampBase):
            common = common.as_regular()
        name = part.name if isinstance(part, Call) else ""
        if asked and not isinstance(pair[1], InputRef):
            # A table that is asked for rows by key can only be asked by its own columns.
            parts.append(part)
            continue
        mine, theirs = (cast(item, common.with_nullability(type_of(item).nullable)) for item in pair)
        pending.append((name, _place(sides[0], mine, rel.left), _place(sides[1], theirs, rel.right)))
    if not pending:
        return rel
    return _rebuilt(rel, sides, parts, pending)


def _place(extra: list[RexNode], rex: RexNode, source: RelNode) -> int:
    """Where the column that holds `rex` is, or will be, behind the source's own columns."""
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
    for name, one, other in pending:
        mine = InputRef(one, left.row_type.types[one])
        theirs = InputRef(new + other, right.row_type.types[other])
        never_null = BOOLEAN.not_null()
        moved.append(equals(mine, theirs) if name == "$=$1" else Call(name, (mine, theirs), never_null, "BINARY"))
    made = replace(rel, left=left, right=right, condition=conjunction(moved))
    types = made.row_type.types
    kept = list(range(old))
    if rel.kind not in (JoinKind.SEMI, JoinKind.ANTI):
        kept += range(new, new + len(rel.right.row_type.fields))
    return Project(made, tuple(InputRef(index, types[index]) for index in kept), rel.row_type)


def _moved(part: RexNode, old: int, new: int) -> RexNode:
    return map_inputs(part, lambda index: index if index < old else index - old + new)


def _with(rel: RelNode, extra: list[RexNode]) -> RelNode:
    """The source with computed columns behind its own."""
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


def _sides(part: RexNode, width: int) -> tuple[RexNode, RexNode] | None:
    """The left and the right side of an equality between the inputs, each over its own input's columns."""
    if not (is_call(part, "$=$1") or is_call(part, "$IS NOT DISTINCT FROM$1")) or not is_deterministic(part):
        return None
    one, other = part.children()
    for mine, theirs in ((one, other), (other, one)):
        refs, others = input_refs(mine), input_refs(theirs)
        if refs and others and max(refs) < width <= min(others):
            return mine, shift(theirs, -width)
    return None


def _plain(pair: tuple[RexNode, RexNode]) -> bool:
    if not all(isinstance(item, InputRef) for item in pair):
        return False
    return same_representation(type_of(pair[0]), type_of(pair[1]))

"""Filter pushdown through projections, into and through joins, below aggregates.

An outer join whose padded rows a condition drops becomes an inner one. A condition is not moved below a
watermark (the rows that it drops advance the watermark too), below a LIMIT, or past a volatile call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch

from compiled_plan.planner.algebra.expressions import (
    conjunction,
    conjuncts,
    contains,
    is_call,
    shift,
    stays_small,
    substitute,
)
from compiled_plan.planner.algebra.kinds import JoinKind, SetKind
from compiled_plan.planner.algebra.nodes import (
    Aggregate,
    Barrier,
    Correlate,
    Expand,
    Filter,
    Join,
    Project,
    Rank,
    RelNode,
    Scan,
    SetOp,
    Sort,
    TableFunctionScan,
    Values,
    WatermarkAssigner,
)
from compiled_plan.planner.algebra.rex import RANKING, Over
from compiled_plan.planner.algebra.timed import OverAggregate, TemporalJoin
from compiled_plan.planner.algebra.traverse import rewrite_shared
from compiled_plan.planner.algebra.windows import GroupWindowAggregate, WindowTable
from compiled_plan.planner.diagnostics.internal import unknown_node
from compiled_plan.planner.functions.registry import is_deterministic
from compiled_plan.planner.rules.helpers.stacks import stack_of
from compiled_plan.plans.rex import Call, InputRef, RexNode, input_refs, map_inputs, transform, walk


def push_filters(rel: RelNode) -> RelNode:
    """The tree with its conditions as far down as possible."""
    return rewrite_shared(rel, _push)


def _push(rel: RelNode) -> RelNode:
    if isinstance(rel, Filter):
        parts = conjuncts(rel.condition)
        fixed = [part for part in parts if not _may_move(part)]
        moved = push([part for part in parts if _may_move(part)], rel.input)
        if isinstance(moved, Filter) and not moved.where:
            moved = replace(moved, where=rel.where)
        return Filter(moved, conjunction(fixed), where=rel.where) if fixed else moved
    if isinstance(rel, Join | TemporalJoin):
        return _join(rel, [])
    return rel


def _may_move(part: RexNode) -> bool:
    """Return True if a condition has the same value wherever it is evaluated.

    CURRENT_WATERMARK must move, too: above a join there is no watermark of one side.
    """
    return is_deterministic(
        transform(part, lambda node: node.children()[0] if is_call(node, "$CURRENT_WATERMARK$1") else node)
    )


def push(parts: Sequence[RexNode], rel: RelNode) -> RelNode:
    """`rel` with conditions over its columns, as far down as possible."""
    return _into(rel, list(parts)) if parts else rel


def _filtered(rel: RelNode, parts: Sequence[RexNode]) -> RelNode:
    return Filter(rel, conjunction(parts)) if parts else rel


@singledispatch
def _into(rel: RelNode, parts: list[RexNode]) -> RelNode:
    raise unknown_node("pushing conditions down", rel)


@_into.register(Barrier)
@_into.register(Expand)
@_into.register(OverAggregate)
@_into.register(Rank)
@_into.register(Scan)
@_into.register(TableFunctionScan)
@_into.register(Values)
@_into.register(WatermarkAssigner)
@_into.register(WindowTable)
def _stops(rel: RelNode, parts: list[RexNode]) -> RelNode:
    return _filtered(rel, parts)


@_into.register
def _filter(rel: Filter, parts: list[RexNode]) -> RelNode:
    return push([*conjuncts(rel.condition), *parts], rel.input)


@_into.register
def _project(rel: Project, parts: list[RexNode]) -> RelNode:
    stack = stack_of(rel)
    if stack is None:
        return _through(rel, parts)
    moved = stack.below(parts)
    rest = [part for part, lower in zip(parts, moved, strict=True) if lower is None]
    pushed = stack.on(push([lower for lower in moved if lower is not None], stack.bottom))
    return _through(pushed, rest) if rest and isinstance(pushed, Project) else pushed


def _through(rel: Project, parts: list[RexNode]) -> RelNode:
    """One projection, with the conditions that can be checked earlier below it."""
    if not all(map(is_deterministic, rel.exprs)) and any(
        not is_deterministic(rel.exprs[index]) for part in parts for index in input_refs(part)
    ):
        return _filtered(rel, parts)
    windows = [node for rex in rel.exprs for node in walk(rex) if isinstance(node, Over)]
    below: list[RexNode] = []
    above: list[RexNode] = []
    for part in parts:
        if not stays_small([part], rel.exprs):
            above.append(part)
            continue
        moved = substitute(part, rel.exprs)
        # Below a rank a condition must not drop rows of a partition that it keeps others of.
        apart = all(window.name in RANKING and _only_over(moved, window.partition) for window in windows)
        if apart and not contains(moved, Over):
            below.append(moved)
        else:
            above.append(part)
    return _filtered(replace(rel, input=push(below, rel.input)), above)


def _only_over(part: RexNode, columns: Sequence[RexNode]) -> bool:
    plain = {rex.index for rex in columns if isinstance(rex, InputRef)}
    return input_refs(part) <= plain


@_into.register
def _aggregate(rel: Aggregate, parts: list[RexNode]) -> RelNode:
    if not rel.grouping or rel.grouping_sets:
        return _filtered(rel, parts)
    return _below_groups(rel, parts)


@_into.register
def _below_groups(rel: Aggregate | GroupWindowAggregate, parts: list[RexNode]) -> RelNode:
    """Push the conditions on groups alone below the aggregate."""
    own = [part for part in parts if input_refs(part) and max(input_refs(part)) < len(rel.grouping)]
    rest = [part for part in parts if part not in own]
    lower = push([map_inputs(part, lambda index: rel.grouping[index]) for part in own], rel.input)
    return _filtered(replace(rel, input=lower), rest)


@_into.register
def _set_operation(rel: SetOp, parts: list[RexNode]) -> RelNode:
    if rel.kind is not SetKind.UNION:
        return _filtered(rel, parts)
    return replace(rel, sources=tuple(push([_over(part, source) for part in parts], source) for source in rel.sources))


def _over(part: RexNode, rel: RelNode) -> RexNode:
    """The condition with the column types of `rel`."""
    types = rel.row_type.types
    return substitute(part, [InputRef(at, type_) for at, type_ in enumerate(types)])


@_into.register
def _sort(rel: Sort, parts: list[RexNode]) -> RelNode:
    if rel.fetch is not None or rel.offset:
        return _filtered(rel, parts)
    return replace(rel, input=push(parts, rel.input))


@_into.register
def _correlate(rel: Correlate, parts: list[RexNode]) -> RelNode:
    width = len(rel.left.row_type.fields)
    left = [part for part in parts if input_refs(part) and max(input_refs(part)) < width]
    rest = [part for part in parts if part not in left]
    return _filtered(replace(rel, left=push(left, rel.left)), rest)


#: Sides of a join that a condition above it can filter.
_ABOVE = {
    JoinKind.INNER: (True, True),
    JoinKind.LEFT: (True, False),
    JoinKind.RIGHT: (False, True),
    JoinKind.FULL: (False, False),
    JoinKind.SEMI: (True, False),
    JoinKind.ANTI: (True, False),
}
#: Sides of a join that its own condition can filter.
_INSIDE = {
    JoinKind.INNER: (True, True),
    JoinKind.LEFT: (False, True),
    JoinKind.RIGHT: (True, False),
    JoinKind.FULL: (False, False),
    JoinKind.SEMI: (True, True),
    JoinKind.ANTI: (False, True),
}


@_into.register
def _join(rel: Join | TemporalJoin, above: list[RexNode]) -> RelNode:
    """The join with the conditions `above` it, and its own conjuncts, pushed into its inputs."""
    if isinstance(rel, TemporalJoin) and not rel.lookup:
        return _filtered(rel, above)
    width = len(rel.left.row_type.fields)
    kind = _simplified(rel.kind, above, width)
    own = conjuncts(rel.condition)
    remaining: list[RexNode] = []
    sides: tuple[list[RexNode], list[RexNode]] = ([], [])
    for part in above:
        side = side_of(part, width)
        if side is not None and _ABOVE[kind][side]:
            sides[side].append(part)
        elif kind is JoinKind.INNER:
            own.append(part)
        else:
            remaining.append(part)
    inside: list[RexNode] = []
    for part in own:
        side = side_of(part, width)
        if side is not None and _INSIDE[kind][side] and _may_move(part):
            sides[side].append(part)
        else:
            inside.append(part)
    left = push(sides[0], rel.left)
    right = push([_over(shift(part, -width), rel.right) for part in sides[1]], rel.right)
    join = replace(rel, left=left, right=right, kind=kind, condition=conjunction(inside))
    return _filtered(join, [_over(part, join) for part in remaining])


def side_of(part: RexNode, width: int) -> int | None:
    """0 for a condition over the left side alone, 1 for the right side alone, else None."""
    refs = input_refs(part)
    if not refs:
        return None
    if max(refs) < width:
        return 0
    return 1 if min(refs) >= width else None


def _simplified(kind: JoinKind, above: Sequence[RexNode], width: int) -> JoinKind:
    """The join kind without padding of a side whose padded rows a condition above drops."""
    if kind not in (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL):
        return kind
    strong = [columns for part in above for columns in (_null_rejected(part),) if columns]
    left = any(min(columns) < width for columns in strong)
    right = any(max(columns) >= width for columns in strong)
    keeps_left = kind in (JoinKind.LEFT, JoinKind.FULL) and not right
    keeps_right = kind in (JoinKind.RIGHT, JoinKind.FULL) and not left
    if keeps_left and keeps_right:
        return JoinKind.FULL
    if keeps_left:
        return JoinKind.LEFT
    return JoinKind.RIGHT if keeps_right else JoinKind.INNER


#: Operators that return null if an operand is null.
_STRICT = frozenset(
    f"${name}$1" for name in ("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "/INT", "LIKE", "||")
)


def _null_rejected(part: RexNode) -> frozenset[int]:
    """Columns that must not be null for the condition to hold."""
    if not isinstance(part, Call):
        return frozenset({part.index}) if isinstance(part, InputRef) else frozenset()
    if part.name in ("$IS NOT NULL$1", "$IS TRUE$1", "$IS FALSE$1"):
        return _strict_columns(part.operands[0])
    if part.name == "$AND$1":
        return frozenset().union(*map(_null_rejected, part.operands))
    if part.name == "$OR$1":
        return frozenset.intersection(*map(_null_rejected, part.operands))
    if is_call(part, "$NOT$1"):
        return _strict_columns(part.operands[0])
    if part.name == "$SEARCH$1" and getattr(part.operands[1], "null_as", "TRUE") != "TRUE":
        return _strict_columns(part.operands[0])
    return _strict_columns(part)


def _strict_columns(rex: RexNode) -> frozenset[int]:
    """Columns that make the expression null if they are null."""
    if isinstance(rex, InputRef):
        return frozenset({rex.index})
    if isinstance(rex, Call) and (rex.name in _STRICT or rex.name == "$CAST$1"):
        return frozenset().union(*map(_strict_columns, rex.operands))
    return frozenset()

"""Joins in FROM: regular, lateral and temporal; ON, USING and NATURAL; the columns of `*` over them."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.algebra.expressions import TRUE, conjunction, is_true
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Correlate, Filter, Join, RelNode, TableFunctionScan
from compiled_plan.planner.algebra.rex import OuterRef
from compiled_plan.planner.algebra.rows import join_row_type
from compiled_plan.planner.algebra.timed import Snapshot
from compiled_plan.planner.algebra.traverse import outer_refs
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind_condition
from compiled_plan.planner.sql.binding.from_clause import From, Place, binds_relation, relation
from compiled_plan.planner.sql.binding.lookup_hints import lookup_hint
from compiled_plan.planner.sql.binding.scopes import Scope, ScopeColumn
from compiled_plan.planner.sql.binding.temporal import join_snapshot
from compiled_plan.plans.rex import InputRef, RexNode, transform

_KINDS = {
    "INNER": JoinKind.INNER,
    "CROSS": JoinKind.INNER,
    "COMMA": JoinKind.INNER,
    "LEFT": JoinKind.LEFT,
    "RIGHT": JoinKind.RIGHT,
    "FULL": JoinKind.FULL,
}


@binds_relation(ast.Join)
def _join(binder: Binder, node: ast.Join, place: Place) -> From:
    kind = _KINDS[node.kind]
    left = relation(binder, node.left, place)
    correlation = binder.names.correlation()
    lateral = left.scope(left.rel.row_type, place.around.parent, correlation)
    right = relation(binder, node.right, replace(place, lateral=lateral))
    width = len(left.rel.row_type.fields)
    relations = left.relations + tuple(item.shifted(width) for item in right.relations)
    shifted = tuple(column.shifted(width) for column in right.visible)
    inner = join_row_type(left.rel.row_type, right.rel.row_type, JoinKind.INNER)
    both = Scope(relations, left.visible + shifted, inner, place.around.parent, binder.names.correlation())
    common = _common(binder, node, left.visible, shifted)
    condition = _condition(binder, node, both, common, place)
    rel = _joined(binder, node, left, right, kind, condition, correlation, place)
    visible = _visible(left.visible, shifted, common, kind)
    return From(rel, relations, visible)


def _joined(
    binder: Binder,
    node: ast.Join,
    left: From,
    right: From,
    kind: JoinKind,
    condition: RexNode,
    correlation: str,
    place: Place,
) -> RelNode:
    if isinstance(right.rel, Snapshot):
        hint = lookup_hint(place.hints, right.alias)
        return join_snapshot(binder, node, left.rel, right.rel, kind, condition, hint)
    correlated = bool(outer_refs(right.rel, correlation)) or _is_function(right.rel)
    if not correlated:
        hints = tuple(hint for hint in place.hints if hint.name in ("STATE_TTL", "MULTI_JOIN"))
        return Join(
            left.rel, right.rel, kind, condition, hints, left.alias, right.alias, where=binder.source.where(node)
        )
    if kind in (JoinKind.RIGHT, JoinKind.FULL):
        raise binder.source.error(
            node,
            f"{node.kind} JOIN cannot have a right side that depends on the left",
            "use LEFT JOIN, CROSS JOIN, or a plain subquery",
        )
    where = binder.source.where(node)
    if kind is JoinKind.INNER:
        joined: RelNode = Correlate(left.rel, right.rel, kind, correlation, where=where)
        return joined if is_true(condition) else Filter(joined, condition)
    if is_true(condition):
        return Correlate(left.rel, right.rel, kind, correlation, where=where)
    # A condition of a LEFT JOIN belongs to the right side, to which the left columns are those of the enclosing row.
    width = len(left.rel.row_type.fields)
    inside = transform(condition, lambda item: _to_right(item, width, correlation))
    return Correlate(left.rel, Filter(right.rel, inside), kind, correlation, where=where)


def _to_right(node: RexNode, width: int, correlation: str) -> RexNode:
    if not isinstance(node, InputRef):
        return node
    if node.index < width:
        return OuterRef(correlation, node.index, node.type)
    return InputRef(node.index - width, node.type)


def _is_function(rel: RelNode) -> bool:
    return isinstance(rel, TableFunctionScan)


def _common(
    binder: Binder, node: ast.Join, left: tuple[ScopeColumn, ...], right: tuple[ScopeColumn, ...]
) -> list[tuple[ScopeColumn, ScopeColumn]]:
    """The pairs of columns that NATURAL or USING compares."""
    if node.natural:
        names = [column.name for column in left if any(right_column.name == column.name for right_column in right)]
        places: list[ast.Node] = [node] * len(names)
    else:
        names = [column.name for column in node.using]
        places = list(node.using)
    return [
        (_only(binder, name, left, place, "left"), _only(binder, name, right, place, "right"))
        for name, place in zip(names, places, strict=True)
    ]


def _only(binder: Binder, name: str, columns: tuple[ScopeColumn, ...], node: ast.Node, side: str) -> ScopeColumn:
    matches = [column for column in columns if column.name == name]
    if not matches:
        known = [column.name for column in columns]
        raise binder.source.error(
            node, f"column {name!r} not found on the {side} side of the join", did_you_mean(name, known)
        )
    if len(matches) > 1:
        raise binder.source.error(node, f"column {name!r} is ambiguous on the {side} side of the join", "join with ON")
    return matches[0]


def _condition(
    binder: Binder,
    node: ast.Join,
    both: Scope,
    common: list[tuple[ScopeColumn, ScopeColumn]],
    place: Place,
) -> RexNode:
    if node.on is not None:
        return bind_condition(binder, node.on, Context(both, place.around.ctes, "ON clause"))
    parts = [resolve_call("=", [both.reference(left), both.reference(right)]) for left, right in common]
    if not parts and node.kind in ("INNER", "LEFT", "RIGHT", "FULL") and not node.natural:
        raise binder.source.error(node, f"{node.kind} JOIN needs a condition", "add ON or USING")
    return conjunction(parts) if parts else TRUE


def _visible(
    left: tuple[ScopeColumn, ...],
    right: tuple[ScopeColumn, ...],
    common: list[tuple[ScopeColumn, ScopeColumn]],
    kind: JoinKind,
) -> tuple[ScopeColumn, ...]:
    """The columns of `*`: those joined by USING once and first, then the rest of both sides."""
    merged = tuple(
        left if kind in (JoinKind.INNER, JoinKind.LEFT) else replace(left, merged_with=right.index)
        for left, right in common
    )
    gone = {id(column) for pair in common for column in pair}
    return merged + tuple(column for column in (*left, *right) if id(column) not in gone)

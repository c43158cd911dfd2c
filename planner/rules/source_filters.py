"""Pushdown of filters and limits into sources, as far as their connector supports it in Flink.

A pushed filter disappears from the plan above the source; a run applies it to each row of the source. Nothing is
pushed into lookup tables, nor below a watermark, which dropped rows advance too.

Source: `PushFilterIntoTableSourceScanRule` and `PushLimitIntoTableSourceScanRule`, observed in Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from compiled_plan.planner.algebra.expressions import (
    comparison,
    conjunction,
    conjuncts,
    disjunction,
    is_call,
    is_not_null,
    is_null,
    is_true,
    size,
    without_nullable_casts,
)
from compiled_plan.planner.algebra.nodes import Filter, Project, RelNode, Scan, Sort
from compiled_plan.planner.algebra.sources import options_of
from compiled_plan.planner.algebra.timed import TemporalJoin
from compiled_plan.planner.algebra.traverse import nodes
from compiled_plan.planner.functions.sargs import Bound
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.connectors.spec import SourceSpec
from compiled_plan.plans.rex import Call, InputRef, Literal, Range, RexNode, Sarg, transform
from compiled_plan.plans.trees import fold_tree


def push_into_sources(rel: RelNode) -> RelNode:
    """The statement with filters and limits in its sources."""
    every = list(nodes((rel,)))
    filters = {
        id(part) for join in every if isinstance(join, TemporalJoin) and join.lookup for part in nodes((join.right,))
    }
    done: dict[int, RelNode] = {}
    for node in every:
        inputs = tuple(done[id(child)] for child in node.inputs)
        same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
        rewritten = node if same else node.with_inputs(inputs)
        done[id(node)] = rewritten if id(node) in filters else _limited(_filtered(rewritten))
    return done[id(rel)]


def _filtered(rel: RelNode) -> RelNode:
    if not isinstance(rel, Filter) or not isinstance(rel.input, Scan):
        return rel
    scan = rel.input
    source = _source(scan)
    if source is None or source.takes_over is None or scan.filters is not None:
        return rel
    options = options_of(scan.table, scan.hints)
    taken, remaining = list[RexNode](), list[RexNode]()
    for part in conjuncts(rel.condition):
        pieces = [without_nullable_casts(piece, inside=True) for piece in _pieces(part)]
        its = [piece for piece in pieces if source.takes_over(piece, options)]
        taken += its
        remaining += [part] if not its else [piece for piece in pieces if piece not in its]
    read = replace(scan, filters=tuple(taken))
    rest = conjunction(remaining)
    return read if is_true(rest) else replace(rel, input=read, condition=rest)


def _limited(rel: RelNode) -> RelNode:
    if not isinstance(rel, Sort) or rel.keys or rel.fetch is None:
        return rel
    below = rel.input
    project = below if isinstance(below, Project) and all(isinstance(rex, InputRef) for rex in below.exprs) else None
    scan = below if project is None else project.input
    if not isinstance(scan, Scan):
        return rel
    source = _source(scan)
    if source is None or not source.limits:
        return rel
    read: RelNode = replace(scan, limit=rel.offset + rel.fetch)
    return replace(rel, input=read if project is None else replace(project, input=read))


def _source(scan: Scan) -> SourceSpec | None:
    connector = connector_spec(scan.table.option("connector"))
    return None if connector is None else connector.source


def _pieces(rex: RexNode) -> Sequence[RexNode]:
    """A condition as an AND of ORs of simple conditions; unchanged if that would double its length."""
    rex = transform(rex, _expanded)
    most = 2 * size(rex)
    pieces: tuple[RexNode, ...] | None = fold_tree(rex, _branches, lambda node, parts: _normal(node, parts, most))
    return (rex,) if pieces is None or sum(map(size, pieces)) > most else pieces


def _branches(rex: RexNode) -> tuple[RexNode, ...]:
    return rex.children() if is_call(rex, "$AND$1") or is_call(rex, "$OR$1") else ()


def _normal(rex: RexNode, parts: tuple[tuple[RexNode, ...] | None, ...], most: int) -> tuple[RexNode, ...] | None:
    if any(part is None for part in parts):
        return None
    terms = [part for part in parts if part is not None]
    if not terms:
        return (rex,)
    if not is_call(rex, "$OR$1"):
        return tuple(item for part in terms for item in part)
    first, *others = terms
    for branch in others:
        if len(first) * len(branch) > most:
            return None
        first = tuple(disjunction([left, right]) for left in first for right in branch)
    return first


def _expanded(rex: RexNode) -> RexNode:
    """A SEARCH as comparisons; other expressions unchanged."""
    if not isinstance(rex, Call) or rex.name != "$SEARCH$1" or not isinstance(rex.operands[1], Sarg):
        return rex
    value, sarg = rex.operands[0], rex.operands[1]

    def compared(sign: str, bound: Bound) -> RexNode:
        return comparison(f"${sign}$1", value, Literal(bound, sarg.type))

    ranges = sarg.ranges
    if all(item.has_lower and item.has_upper and item.lower == item.upper for item in ranges):
        expanded = disjunction([compared("=", item.lower) for item in ranges])
    elif _all_but_points(ranges):
        expanded = conjunction([compared("<>", item.lower) for item in ranges[1:]])
    else:
        bounds = [
            [
                *([compared(">=" if item.lower_closed else ">", item.lower)] if item.has_lower else []),
                *([compared("<=" if item.upper_closed else "<", item.upper)] if item.has_upper else []),
            ]
            for item in ranges
        ]
        expanded = disjunction([conjunction(tests) for tests in bounds])
    if sarg.null_as == "TRUE":
        return disjunction([is_null(value), expanded])
    return conjunction([is_not_null(value), expanded]) if sarg.null_as == "FALSE" else expanded


def _all_but_points(ranges: Sequence[Range]) -> bool:
    """Return True if the ranges cover everything but the points between them."""
    open_ = not any(item.lower_closed or item.upper_closed for item in ranges)
    ends = not ranges[0].has_lower and not ranges[-1].has_upper and len(ranges) > 1
    pairs = pairwise(ranges)
    return (
        open_
        and ends
        and all(left.has_upper and right.has_lower and left.upper == right.lower for left, right in pairs)
    )

"""Column pruning: unused columns are neither computed nor read from tables.

Works on all statements at once: a node that several of them read stays shared, with the columns that any of them reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from compiled_plan.planner.algebra.expressions import contains, null_of
from compiled_plan.planner.algebra.nodes import Filter, Project, RelNode, Scan, Sink, WatermarkAssigner
from compiled_plan.planner.algebra.rex import RANKING, Over
from compiled_plan.planner.algebra.sources import changelog_of
from compiled_plan.planner.algebra.traverse import nodes, share
from compiled_plan.planner.options.settings import Settings
from compiled_plan.planner.rules.helpers.needed_columns import Columns, needed
from compiled_plan.planner.rules.helpers.pruned_nodes import Pruned, ordered, projected, pruned_scan, rebuild
from compiled_plan.plans.rex import FieldAccess, InputRef, type_of, walk


def prune_columns(trees: Sequence[RelNode], settings: Settings) -> tuple[RelNode, ...]:
    """The statements without unused columns; a normalized changelog keeps its primary key."""

    def keeps_key(scan: Scan) -> bool:
        return changelog_of(scan, settings).normalize

    roots = share(trees)
    wanted = wanted_columns(roots)
    orders = _orders(roots, wanted)
    done: dict[int, Pruned] = {}
    for rel in nodes(roots):
        inputs = tuple(done[id(child)] for child in rel.inputs)
        needs = needed(rel, wanted[id(rel)])
        order = orders.get(id(rel))
        if isinstance(rel, Scan):
            done[id(rel)] = pruned_scan(rel, wanted[id(rel)], order, keeps_key)
        elif isinstance(rel, Project) and order is not None:
            done[id(rel)] = projected(rel, inputs[0], ordered(wanted[id(rel)], order))
        else:
            done[id(rel)] = rebuild(rel, inputs, needs, wanted[id(rel)])
    return share(tuple(done[id(root)].rel for root in roots))


def forget_unused_windows(rel: RelNode) -> RelNode:
    """The statement without unused window functions, so that a single remaining one is recognized.

    Aggregates over one window stay: other statements may read them.
    """
    wanted = wanted_columns((rel,))

    def change(node: RelNode, read: Columns) -> RelNode:
        if not isinstance(node, Project) or len(_windows(node)) < 2:
            return node
        exprs = tuple(
            null_of(type_of(rex)) if contains(rex, Over) and at not in read else rex
            for at, rex in enumerate(node.exprs)
        )
        return replace(node, exprs=exprs)

    done: dict[int, RelNode] = {}
    for node in nodes((rel,)):
        inputs = tuple(done[id(child)] for child in node.inputs)
        done[id(node)] = change(node.with_inputs(inputs), wanted[id(node)])
    return done[id(rel)]


def _windows(rel: Project) -> set[tuple[object, ...]]:
    """The distinct windows of a projection's functions; each ranking function counts as a window of its own."""
    windows: set[tuple[object, ...]] = set()
    for rex in rel.exprs:
        for node in walk(rex):
            if isinstance(node, Over):
                own = (node.name,) if node.name in RANKING else ()
                windows.add((*own, node.partition, node.order, node.unit, node.lower, node.upper))
    return windows


def wanted_columns(roots: Sequence[RelNode]) -> dict[int, Columns]:
    """For each node the columns that any of its consumers reads."""
    every = list(nodes(roots))
    wanted: dict[int, Columns] = {id(rel): frozenset() for rel in every}
    for rel in reversed(every):
        if isinstance(rel, Sink):
            wanted[id(rel)] = frozenset(range(len(rel.row_type.fields)))
        for child, need in zip(rel.inputs, needed(rel, wanted[id(rel)]), strict=True):
            # A row must have a column, so that it can be counted.
            least = need or wanted[id(child)] or frozenset({_cheapest(child)})
            wanted[id(child)] |= least
    return wanted


def _cheapest(rel: RelNode) -> int:
    """The column to keep if only the number of rows matters: one that the node need not compute, if it has any."""
    if isinstance(rel, Project):
        plain = [at for at, rex in enumerate(rel.exprs) if isinstance(rex, InputRef)]
        return plain[0] if plain else 0
    if isinstance(rel, WatermarkAssigner):
        return rel.index
    return 0


def _orders(roots: Sequence[RelNode], wanted: Mapping[int, Columns]) -> dict[int, list[int]]:
    """For nodes whose only consumer is a projection, their columns in the order of the projection.

    Includes scans below filters, and nodes below a watermark whose rowtime is unused or projected.
    """
    readers: dict[int, list[RelNode]] = {}
    for rel in nodes(roots):
        for child in rel.inputs:
            readers.setdefault(id(child), []).append(rel)

    def alone(rel: RelNode) -> bool:
        return len(readers[id(rel)]) == 1

    orders: dict[int, list[int]] = {}
    for rel in reversed(list(nodes(roots))):
        if not isinstance(rel, Project | Filter):
            for child, need in zip(rel.inputs, needed(rel, wanted[id(rel)]), strict=True):
                if isinstance(child, WatermarkAssigner) and need and child.index not in need and alone(child):
                    orders[id(child.input)] = [*sorted(need), child.index]
        if not isinstance(rel, Project):
            continue
        exprs = [rel.exprs[at] for at in orders.get(id(rel), range(len(rel.exprs)))]
        seen = list(dict.fromkeys(node.index for rex in exprs for node in walk(rex) if isinstance(node, InputRef)))
        below = rel.input
        while isinstance(below, Filter) and alone(below):
            below = below.input
        if isinstance(below, Scan) and alone(below):
            orders[id(below)] = seen
        elif isinstance(below, WatermarkAssigner) and below is rel.input and alone(below):
            nested = any(contains(rex, FieldAccess) for rex in exprs)
            if isinstance(below.input, Scan | Project) and alone(below.input) and not nested:
                orders[id(below.input)] = [*seen, *({below.index} - set(seen))]
    return orders

"""Traversal and rewriting of relational trees with shared subtrees: a shared node is visited once and stays shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar, cast

from compiled_plan.planner.algebra.nodes import Project, RelNode, Scan, Sort
from compiled_plan.planner.algebra.rex import OuterRef, Subquery
from compiled_plan.planner.diagnostics.placing import placed
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.rex import RexNode, transform, walk

AnyNode = TypeVar("AnyNode", bound=RelNode)

#: Placeholder for an input that does not matter.
_HOLE = RelNode()


def bare(rel: AnyNode) -> AnyNode:
    """The node without its inputs."""
    return cast("AnyNode", rel.with_inputs((_HOLE,) * len(rel.inputs)))


Change = Callable[[RelNode], RelNode]
RexChange = Callable[[RexNode], RexNode]
#: Content of a field of expressions.
_Expressions: TypeAlias = "RexNode | tuple[_Expressions, ...] | None"


def rewrite_shared(rel: RelNode, change: Change) -> RelNode:
    """The tree rebuilt bottom-up with `change` applied once to every node."""
    return rewrite_all((rel,), change)[0]


def rewrite_all(rels: Sequence[RelNode], change: Change) -> tuple[RelNode, ...]:
    """Several trees rebuilt bottom-up; shared subtrees stay shared."""
    done: dict[int, RelNode] = {}

    def visit(rel: RelNode) -> RelNode:
        rewritten = done.get(id(rel))
        if rewritten is None:
            try:
                inputs = tuple(visit(child) for child in rel.inputs)
                same = all(new is old for new, old in zip(inputs, rel.inputs, strict=True))
                rewritten = done[id(rel)] = change(rel if same else rel.with_inputs(inputs))
            except CompiledPlanError as fault:
                raise placed(fault, rel.where) from None
        return rewritten

    return tuple(visit(rel) for rel in rels)


def share(rels: Sequence[RelNode]) -> tuple[RelNode, ...]:
    """The trees with equal subtrees merged into one object; scans that differ in their alias alone are equal."""
    known: dict[tuple[RelNode, tuple[int, ...]], RelNode] = {}

    def canonical(rel: RelNode) -> RelNode:
        if isinstance(rel, Scan) and rel.alias:
            rel = replace(rel, alias="")
        # The inputs are canonical already: equal inputs are the same object.
        return known.setdefault((bare(rel), tuple(map(id, rel.inputs))), rel)

    return rewrite_all(rels, canonical)


def nodes(rels: Sequence[RelNode]) -> Iterator[RelNode]:
    """All nodes once, inputs before their readers."""
    seen: set[int] = set()

    def visit(rel: RelNode) -> Iterator[RelNode]:
        if id(rel) not in seen:
            seen.add(id(rel))
            for child in rel.inputs:
                yield from visit(child)
            yield rel

    for rel in rels:
        yield from visit(rel)


def expressions(rel: RelNode) -> tuple[RexNode, ...]:
    """The expressions of one node."""
    return () if rel.EXPRESSIONS is None else tuple(_flattened(getattr(rel, rel.EXPRESSIONS)))


def _flattened(value: _Expressions) -> Iterator[RexNode]:
    if isinstance(value, tuple):
        for item in value:
            yield from _flattened(item)
    elif value is not None:
        yield value


def map_expressions(rel: RelNode, change: RexChange) -> RelNode:
    """The node with `change` applied to each of its top-level expressions."""
    if rel.EXPRESSIONS is None:
        return rel
    # The field is one of the node's own.
    changed: Any = {rel.EXPRESSIONS: _changed(getattr(rel, rel.EXPRESSIONS), change)}
    return replace(rel, **changed)


def _changed(value: _Expressions, change: RexChange) -> _Expressions:
    if isinstance(value, tuple):
        return tuple(_changed(item, change) for item in value)
    return None if value is None else change(value)


def unordered(rel: RelNode) -> RelNode:
    """The query without a top-level ORDER BY that has no LIMIT; a table has no order."""
    if isinstance(rel, Project):
        below = unordered(rel.input)
        return rel if below is rel.input else replace(rel, input=below)
    if isinstance(rel, Sort) and rel.fetch is None and not rel.offset:
        return rel.input
    return rel


def outer_refs(rel: RelNode, name: str | None = None) -> list[OuterRef]:
    """References to columns of an enclosing query: of the correlation `name`, or by default of any not bound inside."""
    references: list[OuterRef] = []

    def visit_rex(rex: RexNode) -> None:
        for node in walk(rex):
            if isinstance(node, OuterRef) and (name is None or node.name == name):
                references.append(node)
            elif isinstance(node, Subquery):
                visit(node.rel)

    def visit(node: RelNode) -> None:
        for rex in expressions(node):
            visit_rex(rex)
        for child in node.inputs:
            visit(child)

    visit(rel)
    return references


def replace_outer(rex: RexNode, name: str, change: Callable[[OuterRef], RexNode]) -> RexNode:
    """The expression with references to the correlation `name` replaced, also inside its subqueries."""

    def visit(node: RexNode) -> RexNode:
        if isinstance(node, OuterRef) and node.name == name:
            return change(node)
        if isinstance(node, Subquery):
            inner = rewrite_shared(node.rel, lambda rel: map_expressions(rel, lambda item: transform(item, visit)))
            return node if inner is node.rel else replace(node, rel=inner)
        return node

    return transform(rex, visit)

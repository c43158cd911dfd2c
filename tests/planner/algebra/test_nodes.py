"""Declarations of relational nodes."""

from __future__ import annotations

from dataclasses import fields

import pytest

from compiled_plan.planner.algebra import changelogs, nodes, timed, windows
from compiled_plan.planner.algebra.nodes import Barrier, RelNode, Scan
from compiled_plan.planner.algebra.timed import Snapshot

KINDS = {
    value
    for module in (changelogs, nodes, timed, windows)
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, RelNode)
}
#: Nodes whose expressions are over other columns than those of their inputs.
ELSEWHERE = (Barrier, Scan, Snapshot)


@pytest.mark.parametrize("kind", sorted(KINDS, key=str), ids=lambda kind: kind.__name__)
def test_a_node_names_the_field_of_its_expressions(kind: type[RelNode]) -> None:
    """Otherwise rules that rewrite expressions silently skip those of the node."""
    holding = {field.name for field in fields(kind) if "RexNode" in str(field.type)}
    named = set() if kind.EXPRESSIONS is None else {kind.EXPRESSIONS}
    assert named == (set() if issubclass(kind, ELSEWHERE) else holding)

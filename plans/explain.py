"""A plan as text for people: the operators as trees from the sinks down, each with what it keeps and for how long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plans.nodes.base import PlanNode
    from plans.plan import CompiledPlan


def explain(plan: CompiledPlan) -> str:
    """One operator a line: its id and description; below it `state:` lines with name and TTL of each entry.

    An operator that several others read is shown once, and named by its id afterwards.
    """
    seen: set[int] = set()

    def lines(node: PlanNode, depth: int) -> Iterator[str]:
        lead = "   " * (depth - 1) + "+- " if depth else ""
        if node.id in seen and plan.inputs(node):
            yield f"{lead}[{node.id}] again"
            return
        seen.add(node.id)
        yield f"{lead}[{node.id}] {node.description or node.type}"
        for entry in node.ttl_entries:
            yield f"{'   ' * depth}   state: {entry.name}, ttl {entry.ttl}"
        for child in plan.inputs(node):
            yield from lines(child, depth + 1)

    return "\n".join("\n".join(lines(sink, 0)) for sink in plan.sinks)

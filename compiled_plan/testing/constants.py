"""The constants of a plan to which values of rows are compared, or which are computed with them."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.nodes.match import Match
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.patterns import NAVIGATION
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Call, Literal, RexNode, Sarg


def constants_of(plan: CompiledPlan) -> Iterator[Literal]:
    """The constants of all expressions of a plan, among them each bound of IN and BETWEEN."""
    for node in plan.nodes:
        # The other expressions of a match are its pattern, where it goes on, and its longest duration.
        values = [node.match_spec.pattern_definitions, node.match_spec.measures] if isinstance(node, Match) else node
        for rex in objects_in(values, RexNode):
            yield from _constants(rex)


def _constants(rex: RexNode) -> Iterator[Literal]:
    waiting = [rex]
    while waiting:
        node = waiting.pop()
        match node:
            case Literal(symbol=None):
                yield node
            case Sarg():
                for bounds in node.ranges:
                    yield from (Literal(bounds.lower, node.type),) if bounds.has_lower else ()
                    yield from (Literal(bounds.upper, node.type),) if bounds.has_upper else ()
            case Call() if node.name in NAVIGATION:
                # The second operand is a number of rows.
                waiting += node.operands[:1]
            case _:
                waiting += reversed(node.children())

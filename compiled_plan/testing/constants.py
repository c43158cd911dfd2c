"""The constants of a plan to which values of rows are compared, or with which values are computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.match import Match
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.patterns import NAVIGATION
from compiled_plan.plans.nodes.stateless import Calc
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Call, InputRef, Literal, PatternInputRef, RexNode, Sarg, walk

_COMPARISONS = frozenset(f"${name}$1" for name in ("=", "<>", "<", "<=", ">", ">="))


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of an expression.

    Args:
        literal: the constant, or a bound of IN or BETWEEN.
        columns: the names of the columns in its call, and of those to which they are compared; empty if it is in none.
    """

    literal: Literal
    columns: frozenset[str]


def constants_of(plan: CompiledPlan) -> Iterator[Constant]:
    """The constants of all expressions of a plan."""
    tops = [(node, rex) for node in plan.nodes for rex in objects_in(_values(node), RexNode)]
    calls = [(node, call) for node, rex in tops for call in walk(rex) if isinstance(call, Call)]
    compared = [_columns(plan, node, call) for node, call in calls if call.name in _COMPARISONS]
    for node, rex in tops:
        for constant, call in _constants(rex):
            columns = _columns(plan, node, call)
            for more in compared:
                columns |= more if columns & more else frozenset()
            yield Constant(constant, columns)


def _columns(plan: CompiledPlan, node: PlanNode, rex: RexNode) -> frozenset[str]:
    names = [name for input_ in plan.inputs(node) for name in input_.output_type.names]
    refs = (ref for ref in walk(rex) if isinstance(ref, InputRef | PatternInputRef))
    return frozenset(names[ref.index] for ref in refs if ref.index < len(names))


def _values(node: PlanNode) -> object:
    """The parts of a node with expressions that compare or compute values."""
    if isinstance(node, Match):
        # Its other expressions are the pattern, the place where it goes on, and its duration.
        return node.match_spec.pattern_definitions, node.match_spec.measures
    if isinstance(node, Calc):
        # Constants that are a column themselves are compared to nothing here.
        return node.condition, [rex for rex in node.projection if any(isinstance(at, InputRef) for at in walk(rex))]
    return node


def _constants(rex: RexNode) -> Iterator[tuple[Literal, RexNode]]:
    """Constants, each with the call that has it as an operand."""
    waiting = [(rex, rex)]
    while waiting:
        node, parent = waiting.pop()
        match node:
            case Literal(symbol=None):
                yield node, parent
            case Sarg():
                for bounds in node.ranges:
                    yield from [(Literal(bounds.lower, node.type), parent)] if bounds.has_lower else ()
                    yield from [(Literal(bounds.upper, node.type), parent)] if bounds.has_upper else ()
            case Call() if node.name in NAVIGATION:
                # The second operand is a number of rows.
                waiting += [(child, node) for child in node.operands[:1]]
            case _:
                waiting += [(child, node) for child in reversed(node.children())]

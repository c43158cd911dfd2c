"""The constants of a plan to which values of rows are compared, or with which values are computed."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.match import Match
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.patterns import NAVIGATION
from compiled_plan.plans.nodes.stateless import Calc
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import Call, InputRef, Literal, PatternInputRef, RexNode, Sarg, walk

_Test = Callable[[Any, Any], bool]
#: By the name of a comparison: of its first operand with the second one, and of the second one with the first.
_COMPARISONS: Mapping[str, tuple[_Test, _Test]] = {
    "$=$1": (operator.eq, operator.eq),
    "$<>$1": (operator.ne, operator.ne),
    "$<$1": (operator.lt, operator.gt),
    "$<=$1": (operator.le, operator.ge),
    "$>$1": (operator.gt, operator.lt),
    "$>=$1": (operator.ge, operator.le),
}


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of an expression.

    Args:
        literal: the constant, or a bound of IN or BETWEEN.
        columns: the names of the columns in its call, and of those to which they are compared; empty if it is in none.
        passes: compares a value with the constant, as its call or bound does; None for other calls.
    """

    literal: Literal
    columns: frozenset[str]
    passes: _Test | None = None


def constants_of(plan: CompiledPlan) -> Iterator[Constant]:
    """The constants of all expressions of a plan."""
    tops = [(node, rex) for node in plan.nodes for rex in objects_in(_values(node), RexNode)]
    calls = [(node, call) for node, rex in tops for call in walk(rex) if isinstance(call, Call)]
    compared = [_columns(plan, node, call) for node, call in calls if call.name in _COMPARISONS]
    for node, rex in tops:
        for constant, call, passes in _constants(rex):
            columns = _columns(plan, node, call)
            for more in compared:
                columns |= more if columns & more else frozenset()
            yield Constant(constant, columns, passes)


def _test(constant: Literal, rex: RexNode) -> _Test | None:
    if not isinstance(rex, Call) or rex.name not in _COMPARISONS:
        return None
    return _COMPARISONS[rex.name][rex.operands[0] is constant]


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


def _constants(rex: RexNode) -> Iterator[tuple[Literal, RexNode, _Test | None]]:
    """Constants, each with the call that has it as an operand, and the comparison with it."""
    waiting = [(rex, rex)]
    while waiting:
        node, parent = waiting.pop()
        match node:
            case Literal(symbol=None):
                yield node, parent, _test(node, parent)
            case Sarg():
                for bounds in node.ranges:
                    if bounds.has_lower:
                        yield (
                            Literal(bounds.lower, node.type),
                            parent,
                            operator.ge if bounds.lower_closed else operator.gt,
                        )
                    if bounds.has_upper:
                        yield (
                            Literal(bounds.upper, node.type),
                            parent,
                            operator.le if bounds.upper_closed else operator.lt,
                        )
            case Call() if node.name in NAVIGATION:
                # The second operand is a number of rows.
                waiting += [(child, node) for child in node.operands[:1]]
            case _:
                waiting += [(child, node) for child in reversed(node.children())]

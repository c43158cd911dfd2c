"""Functions in Python with fixed results: their calls become constants, or choices by their arguments."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from compiled_plan.plans import types as t
from compiled_plan.plans.inspection.placement import calls_of
from compiled_plan.plans.nodes.python import with_calls
from compiled_plan.plans.rex import Call, Literal, RexNode, transform, type_of
from compiled_plan.plans.rex.python import user_name
from compiled_plan.testing.cases import Case
from compiled_plan.testing.values import ValueFault, internal_value, written_value

if TYPE_CHECKING:
    from compiled_plan.plans.errors import ProgramError
    from compiled_plan.plans.plan import CompiledPlan

#: Texts that CAST reads.
_SPECIAL_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_SIMPLE = (t.NumericType, t.CharacterType, t.BooleanType, t.DateType, t.TimeType, t.TimestampType)


def with_results(plan: CompiledPlan, case: Case) -> CompiledPlan:
    """The plan with the fixed results of a test instead of calls.

    Raises:
        ProgramError: a value is none of a function's type.
    """
    if not case.functions:
        return plan

    def fixed(rex: RexNode) -> RexNode:
        name = user_name(rex)
        return _result(case, name, rex) if isinstance(rex, Call) and name in case.functions else rex

    def changed(part: object) -> Any:
        return transform(part, fixed) if isinstance(part, RexNode) else part

    return plan.with_nodes([with_calls(node, changed) for node in plan.nodes])


def called_functions(plan: CompiledPlan) -> set[str]:
    """The names of the functions that a plan calls."""
    return {name for node in plan.nodes for call in calls_of(node) if (name := user_name(call))}


def check_called(plan: CompiledPlan, case: Case) -> None:
    """Raise ProgramError if a test fixes the results of a function that the plan does not call.

    A program that the test upgrades to may call others.
    """
    if not case.functions or case.upgrades:
        return
    called = called_functions(plan)
    missing = next((name for name in case.functions if name not in called), None)
    if missing is not None:
        raise _fault(case, missing, f"the program calls no function {missing!r}", "name a scalar function of it")


def _result(case: Case, name: str, call: Call) -> RexNode:
    value = case.functions[name]
    if not isinstance(value, list):
        return _literal(case, name, value, call.type)
    width = len(call.operands) + 1
    wrong = next((row for row in value if len(row) != width), None)
    if wrong is not None:
        raise _fault(case, name, f"{len(wrong)} values for {width - 1} arguments and a result", "write all of them")
    choices = [(_matches(case, name, row[:-1], call), _literal(case, name, row[-1], call.type)) for row in value]
    nothing = _literal(case, name, None, call.type.with_nullability(True))
    operands = (*(part for choice in choices for part in choice), nothing)
    return Call("$CASE$1", operands, call.type.with_nullability(True), "SPECIAL")


def _matches(case: Case, name: str, arguments: list[object], call: Call) -> RexNode:
    equal = [_equals(case, name, *pair) for pair in zip(call.operands, arguments, strict=True)]
    if not equal:
        return Literal(True, t.BOOLEAN)
    return reduce(lambda left, right: Call("$AND$1", (left, right), t.BOOLEAN, "BINARY"), equal)


def _equals(case: Case, name: str, operand: RexNode, value: object) -> RexNode:
    if value is None:
        return Call("$IS NULL$1", (operand,), t.BOOLEAN, "POSTFIX")
    literal = _literal(case, name, value, type_of(operand))
    return Call("$=$1", (operand, literal), t.BOOLEAN, "BINARY")


def _literal(case: Case, name: str, value: object, type_: t.LogicalType) -> RexNode:
    """A value as a cast of its text, which has one form for all types."""
    if value is None:
        return Literal(None, type_.with_nullability(True))
    if not isinstance(type_, _SIMPLE):
        remedy = "leave it out: the function itself runs, on Spark"
        raise _fault(case, name, f"no fixed values of type {type_.text()}", remedy)
    try:
        written = written_value(internal_value(value, type_), type_)
    except ValueFault as fault:
        raise _fault(case, name, fault.message, fault.remedy) from None
    text = _SPECIAL_NUMBERS.get(str(written)) if isinstance(written, float) else None
    text = text or (str(written).lower() if isinstance(written, bool) else str(written))
    return Call("$CAST$1", (Literal(text, t.STRING.not_null()),), type_, "SPECIAL")


def _fault(case: Case, name: str, message: str, remedy: str) -> ProgramError:
    return case.document.error((*case.place("functions"), name), message, remedy)

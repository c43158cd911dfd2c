from __future__ import annotations

import pytest

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.fold import fold, simplify, simplify_condition
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode
from compiled_plan.plans.types import BOOLEAN, INT, STRING

FLAG = InputRef(0, BOOLEAN)
NUMBER = InputRef(1, INT)
KNOWN = InputRef(2, INT.not_null())


def call(name: str, *operands: RexNode) -> RexNode:
    return resolve_call(name, operands)


def number(text: str) -> RexNode:
    return plan_literals.number(text)


@pytest.mark.parametrize(
    ("name", "operands", "value"),
    [
        ("+", ("2147483647", "1"), -2147483648),
        ("/", ("-7", "2"), -3),
        ("%", ("-7", "3"), -1),
        ("*", ("1.5", "2"), "3.0"),
        ("/", ("7.0", "2"), "3.500000000000"),
        ("-", ("1", "2.5"), "-1.5"),
        ("<", ("1.10", "1.2"), True),
        ("=", ("1.10", "1.1"), True),
    ],
)
def test_arithmetic_of_constants(name: str, operands: tuple[str, ...], value: object) -> None:
    actual = fold(call(name, *map(number, operands)))
    assert isinstance(actual, Literal)
    assert actual.value == value


def test_a_division_by_zero_stays_for_run_time() -> None:
    rex = call("/", number("1"), number("0"))
    assert fold(rex) == rex


def test_a_decimal_that_does_not_fit_stays_for_run_time() -> None:
    big = plan_literals.decimal("9" * 37 + ".9")
    rex = call("*", big, big)
    assert fold(rex) == rex


def test_columns_are_not_folded() -> None:
    rex = call("+", NUMBER, number("1"))
    assert simplify(rex) == rex


@pytest.mark.parametrize(
    ("rex", "wanted"),
    [
        (call("AND", FLAG, plan_literals.boolean(True)), FLAG),
        (call("OR", FLAG, plan_literals.boolean(False)), FLAG),
        (call("AND", FLAG, plan_literals.boolean(False)), plan_literals.boolean(False)),
        (call("OR", FLAG, plan_literals.boolean(True)), plan_literals.boolean(True)),
        (call("NOT", call("NOT", FLAG)), FLAG),
        (call("IS NULL", KNOWN), plan_literals.boolean(False)),
        (call("IS NOT NULL", KNOWN), plan_literals.boolean(True)),
        (call("=", FLAG, plan_literals.boolean(False)), call("NOT", FLAG)),
        (call("CASE", plan_literals.boolean(True), NUMBER, KNOWN), NUMBER),
        (call("CASE", FLAG, NUMBER, NUMBER), NUMBER),
        (call("COALESCE", KNOWN, number("1")), KNOWN),
        (call("COALESCE", plan_literals.null(INT), NUMBER), NUMBER),
        (call("=", NUMBER, plan_literals.null()), plan_literals.null(BOOLEAN)),
        (call("+", NUMBER, plan_literals.null(INT)), plan_literals.null(INT)),
    ],
)
def test_conditions_get_simpler(rex: RexNode, wanted: RexNode) -> None:
    assert simplify_condition(rex) == wanted


def test_a_projection_keeps_its_type_by_a_cast() -> None:
    actual = simplify(call("AND", FLAG, plan_literals.boolean(False)))
    assert actual == Call("$CAST$1", (plan_literals.boolean(False),), BOOLEAN, "SPECIAL")


def test_null_and_false_is_false_but_null_or_false_is_not() -> None:
    unknown = plan_literals.null(BOOLEAN)
    assert simplify_condition(call("AND", unknown, plan_literals.boolean(False))) == plan_literals.boolean(False)
    assert simplify_condition(call("OR", unknown, plan_literals.boolean(False))) == unknown


def test_text_compares_by_its_bytes() -> None:
    rex = call("<", plan_literals.string("a"), plan_literals.string("b"))
    assert fold(rex) == plan_literals.boolean(True)


def test_negation_of_a_conjunction_goes_inside() -> None:
    rex = call("NOT", call("AND", FLAG, call("<", NUMBER, KNOWN)))
    assert rex == call("OR", call("NOT", FLAG), call(">=", NUMBER, KNOWN))


def test_functions_are_folded_for_ascii_only() -> None:
    assert fold(call("UPPER", plan_literals.string("abc"))) == plan_literals.string("ABC")
    rex = call("UPPER", plan_literals.string("straße"))
    assert fold(rex) == rex
    assert fold(call("UPPER", InputRef(0, STRING))) == call("UPPER", InputRef(0, STRING))

"""Resolved calls against those that Flink 2.3 planned (flink_calls.json)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.planner.functions import casts, plan_literals, registry
from compiled_plan.planner.functions.aggregates import resolve_aggregate
from compiled_plan.planner.functions.fold import simplify
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode, rex_to_json, type_of
from compiled_plan.plans.types import INT, STRING, ArrayType, TimeKind, TimestampLtzType, TimestampType, parse_type
from tests.support.tables import failures

FLINK: dict[str, Any] = json.loads((Path(__file__).parent / "flink_calls.json").read_text(encoding="utf-8"))
COLUMNS: dict[str, str] = FLINK["columns"]
NAMES = list(COLUMNS)

_TYPED = re.compile(r"(DATE|TIMESTAMP|TIME) '(.*)'$")
_INTERVAL = re.compile(r"INTERVAL (-?)'(.*)' (.*)$")


def atom(text: str) -> RexNode:
    """A column of the fixture, or a literal as SQL writes it."""
    if text in COLUMNS:
        return InputRef(NAMES.index(text), parse_type(COLUMNS[text]))
    if text.startswith("unit:"):
        return plan_literals.time_unit(text[5:])
    if text.startswith("flag:"):
        return plan_literals.trim_flag(text[5:])
    if text in ("TRUE", "FALSE"):
        return plan_literals.boolean(text == "TRUE")
    if text == "NULL":
        return plan_literals.null()
    if typed := _TYPED.match(text):
        make = {"DATE": plan_literals.date, "TIME": plan_literals.time, "TIMESTAMP": plan_literals.timestamp}[typed[1]]
        return make(typed[2])
    if interval := _INTERVAL.match(text):
        return plan_literals.interval(interval[1] + interval[2], interval[3])
    return plan_literals.string(text[1:-1]) if text.startswith("'") else plan_literals.number(text)


def build(call: Any) -> RexNode:
    """Resolve a nested list such as ["+", "i", "1"]."""
    if isinstance(call, str):
        return atom(call)
    if call == ["CURRENT_TIMESTAMP"]:
        return registry.resolve_call("CURRENT_TIMESTAMP", ())
    name, *operands = call
    if name in ("CAST", "TRY_CAST"):
        return casts.cast(build(operands[0]), parse_type(operands[1].removeprefix("type:")), try_=name == "TRY_CAST")
    return registry.resolve_call(name, [build(operand) for operand in operands])


def brief(value: Any) -> Any:
    """The JSON of an expression with columns by name, as in the fixture."""
    if isinstance(value, dict):
        if value.get("kind") == "INPUT_REF":
            return NAMES[value["inputIndex"]]
        return {key: brief(item) for key, item in value.items()}
    return [brief(item) for item in value] if isinstance(value, list) else value


def label(call: Any) -> str:
    return call if isinstance(call, str) else f"{call[0]}({', '.join(map(label, call[1:]))})"


def test_calls_are_those_of_flink() -> None:
    wrong = [label(call) for call, wanted in FLINK["calls"] if brief(rex_to_json(build(call))) != wanted]
    assert wrong == []
    assert len(FLINK["calls"]) > 900


def test_folded_calls_are_those_of_flink() -> None:
    wrong = [label(call) for call, wanted in FLINK["folded"] if brief(rex_to_json(simplify(build(call)))) != wanted]
    assert wrong == []


def test_simplifying_keeps_the_type() -> None:
    for call, _ in [*FLINK["calls"], *FLINK["folded"]]:
        rex = build(call)
        assert type_of(simplify(rex)).with_nullability(True) == type_of(rex).with_nullability(True), label(call)


def check_refused(call: Any) -> None:
    with pytest.raises((ProgramError, UnsupportedError)) as caught:
        build(call)
    assert caught.value.remedy


def test_calls_that_flink_refuses_are_refused() -> None:
    assert failures(check_refused, FLINK["refused"]) == {}


def test_unknown_functions_are_answered_with_names_alike() -> None:
    with pytest.raises(ProgramError, match="did you mean 'UPPER'"):
        registry.resolve_call("UPPERR", [atom("s")])
    assert not registry.is_function("UPPERR")


def test_wrong_types_name_function_types_and_signatures() -> None:
    with pytest.raises(ProgramError) as caught:
        registry.resolve_call("upper", [InputRef(0, INT)])
    assert "UPPER(<INT>)" in caught.value.message
    assert "UPPER(<CHARACTER>)" in caught.value.remedy


def test_wrong_number_of_arguments_says_how_many() -> None:
    with pytest.raises(ProgramError, match="2 given, 1 expected"):
        registry.resolve_call("LOWER", [atom("s"), atom("s")])


def test_names_are_case_insensitive_and_ignore_spacing() -> None:
    assert registry.resolve_call("is  not null", [atom("i")]) == registry.resolve_call("IS NOT NULL", [atom("i")])
    assert registry.resolve_call("!=", [atom("i"), atom("j")]) == registry.resolve_call("<>", [atom("i"), atom("j")])


@pytest.mark.parametrize("name", ["RAND", "UUID", "PROCTIME", "NOW", "CURRENT_TIMESTAMP", "CURRENT_ROW_TIMESTAMP"])
def test_functions_of_the_current_time_are_not_deterministic(name: str) -> None:
    assert not registry.is_deterministic(registry.resolve_call(name, []))


def test_calls_of_columns_are_deterministic() -> None:
    assert registry.is_deterministic(build(["UPPER", ["||", "s", "'x'"]]))


def test_not_in_negates_the_search() -> None:
    rex = build(["NOT IN", "i", "1", "3", "NULL"])
    assert isinstance(rex, Call) and rex.name == "$AND$1"
    assert rex.operands[1] == Literal(None, parse_type("BOOLEAN"))


def test_function_of_a_not_null_column_is_not_null() -> None:
    assert type_of(build(["UPPER", "s_n"])) == STRING.not_null()


def test_unknown_units_are_refused() -> None:
    for call in (
        ["EXTRACT", "unit:FORTNIGHT", "ts"],
        ["FLOOR", "ts", "unit:EPOCH"],
        ["TIMESTAMPADD", "unit:X", "1", "ts"],
    ):
        with pytest.raises(ProgramError, match="does not know the unit"):
            build(call)


def test_the_time_of_the_run_is_not_deterministic() -> None:
    assert not registry.is_deterministic(build(["UNIX_TIMESTAMP"]))
    assert registry.is_deterministic(build(["UNIX_TIMESTAMP", "s"]))


@pytest.mark.parametrize("name", ["ML_PREDICT", "VECTOR_SEARCH"])
def test_functions_that_are_not_run_are_refused_by_name(name: str) -> None:
    assert registry.is_function(name)
    with pytest.raises(UnsupportedError, match=f"{name} is not supported"):
        registry.resolve_call(name, [atom("s")])


def test_functions_make_plain_values_of_time_attributes() -> None:
    rowtime = InputRef(0, TimestampType(precision=3, kind=TimeKind.ROWTIME))
    plain = TimestampType(precision=3)
    assert type_of(registry.resolve_call("CASE", [atom("b"), rowtime, rowtime])) == plain
    assert type_of(registry.resolve_call("COALESCE", [rowtime, rowtime])) == plain
    assert type_of(registry.resolve_call("ARRAY", [rowtime])) == ArrayType(element=plain, nullable=False)
    assert resolve_aggregate("MAX", [rowtime.type]).type == plain
    proctime = type_of(registry.resolve_call("PROCTIME", []))
    assert isinstance(proctime, TimestampLtzType) and proctime.kind is TimeKind.PROCTIME


@pytest.mark.parametrize(
    "call", [["=", "i", "s"], ["=", "i", "'1'"], ["<>", "s", "dc"], ["IS DISTINCT FROM", "d", "s"]]
)
def test_numbers_and_text_are_not_tested_for_equality(call: Any) -> None:
    # Flink compiles these, and fails at run time
    with pytest.raises(ProgramError, match="no implicit conversion"):
        build(call)


def test_text_is_read_as_a_number_in_lists_and_orders() -> None:
    assert build(["IN", "i", "'1'", "'2'"]) == build(["IN", "i", "1", "2"])
    assert type_of(build([">", "i", "s"])) == parse_type("BOOLEAN")

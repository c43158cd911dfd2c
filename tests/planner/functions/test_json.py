from __future__ import annotations

import pytest

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.json import json_array, json_exists, json_object, json_query, json_value
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode
from compiled_plan.plans.types import INT, STRING, parse_type

TEXT = InputRef(0, STRING)
PATH = plan_literals.string("$.a")


def flags(rex: RexNode) -> list[str]:
    """The keywords of a call and its constants, as `ENUM.VALUE` and text."""
    assert isinstance(rex, Call)
    literals = [operand for operand in rex.operands if isinstance(operand, Literal)]
    return [f"{item.symbol}.{item.value}" if item.symbol else str(item.value) for item in literals]


def test_json_value_has_its_behaviours_before_their_event() -> None:
    rex = json_value(
        TEXT,
        PATH,
        returning=INT,
        behaviors=[("EMPTY", "DEFAULT", plan_literals.integer(1)), ("ERROR", "ERROR", None)],
    )
    assert flags(rex) == [
        "$.a",
        "JSON_VALUE_ON_EMPTY_OR_ERROR.DEFAULT",
        "1",
        "JSON_EMPTY_OR_ERROR.EMPTY",
        "JSON_VALUE_ON_EMPTY_OR_ERROR.ERROR",
        "JSON_EMPTY_OR_ERROR.ERROR",
    ]
    assert isinstance(rex, Call) and rex.type == INT


def test_json_value_without_clauses_has_none() -> None:
    assert flags(json_value(TEXT, PATH)) == ["$.a"]


@pytest.mark.parametrize(
    ("wrapper", "name"),
    [
        ("WITHOUT_ARRAY", "WITHOUT_ARRAY"),
        ("CONDITIONAL_ARRAY", "CONDITIONAL_ARRAY"),
        ("WITH_CONDITIONAL_ARRAY", "CONDITIONAL_ARRAY"),
        ("UNCONDITIONAL_ARRAY", "WITH_UNCONDITIONAL_ARRAY"),
        ("WITH_UNCONDITIONAL_ARRAY", "WITH_UNCONDITIONAL_ARRAY"),
    ],
)
def test_wrappers_of_json_query_as_plans_name_them(wrapper: str, name: str) -> None:
    rex = json_query(TEXT, PATH, wrapper=wrapper, on_empty="EMPTY_ARRAY")
    assert flags(rex) == [
        "$.a",
        f"JSON_QUERY_WRAPPER.{name}",
        "JSON_QUERY_ON_EMPTY_OR_ERROR.EMPTY_ARRAY",
        "JSON_QUERY_ON_EMPTY_OR_ERROR.NULL",
    ]


def test_objects_keep_nulls_and_arrays_leave_them_out() -> None:
    assert flags(json_object([(plan_literals.string("k"), TEXT)])) == ["JSON_ON_NULL.NULL", "k"]
    assert flags(json_array([TEXT])) == ["JSON_ON_NULL.ABSENT"]
    assert flags(resolve_call("JSON_ARRAY", [TEXT])) == ["JSON_ON_NULL.ABSENT"]


def test_json_exists_has_its_flag_only_when_written() -> None:
    assert flags(json_exists(TEXT, PATH)) == ["$.a"]
    assert flags(json_exists(TEXT, PATH, on_error="TRUE")) == ["$.a", "JSON_EXISTS_ON_ERROR.TRUE"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: json_exists(TEXT, TEXT),
        lambda: json_value(InputRef(0, INT), PATH),
        lambda: json_value(TEXT, PATH, returning=parse_type("DATE")),
        lambda: json_query(TEXT, PATH, returning=INT),
        lambda: json_object([(TEXT, TEXT)]),
        lambda: resolve_call("JSON_STRING", [InputRef(0, parse_type("DATE"))]),
    ],
)
def test_unsupported_json_arguments_are_refused(make: object) -> None:
    with pytest.raises(ProgramError):
        make()  # type: ignore[operator]

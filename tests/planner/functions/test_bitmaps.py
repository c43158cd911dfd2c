"""Aggregates of bitmaps against Flink 2.3's plans, and refused arguments."""

from __future__ import annotations

import pytest

from compiled_plan.planner.functions.aggregates import resolve_aggregate
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import InputRef
from compiled_plan.plans.types import parse_type


@pytest.mark.parametrize("operation", ["BUILD", "AND", "OR", "XOR"])
def test_aggregates(operation: str) -> None:
    argument = parse_type("TINYINT NOT NULL" if operation == "BUILD" else "BITMAP NOT NULL")
    bitmap = resolve_aggregate(f"BITMAP_{operation}_AGG", [argument])
    number = resolve_aggregate(f"BITMAP_{operation}_CARDINALITY_AGG", [argument])
    assert (bitmap.internal_name, str(bitmap.type)) == (f"$BITMAP_{operation}_AGG$1", "BITMAP")
    assert (number.internal_name, str(number.type)) == (f"$BITMAP_{operation}_CARDINALITY_AGG$1", "BIGINT")
    assert list(map(str, bitmap.arg_types)) == ["INT NOT NULL" if operation == "BUILD" else "BITMAP NOT NULL"]


@pytest.mark.parametrize(
    ("name", "type_"),
    [("BITMAP_BUILD_AGG", "BIGINT"), ("BITMAP_OR_AGG", "BYTES"), ("MAX", "BITMAP"), ("MIN", "VARIANT")],
)
def test_refused_aggregates(name: str, type_: str) -> None:
    with pytest.raises(ProgramError, match=f"cannot apply {name}"):
        resolve_aggregate(name, [parse_type(type_)])


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("BITMAP_BUILD", "ARRAY<BIGINT>"),
        ("BITMAP_BUILD", "ARRAY<STRING>"),
        ("BITMAP_BUILD", "BYTES"),
        ("BITMAP_TO_ARRAY", "ARRAY<INT>"),
    ],
)
def test_refused_calls(name: str, type_: str) -> None:
    with pytest.raises(ProgramError, match=f"cannot apply {name}"):
        resolve_call(name, [InputRef(0, parse_type(type_))])


@pytest.mark.parametrize("name", ["<", ">=", "BETWEEN"])
def test_bitmaps_have_no_order(name: str) -> None:
    with pytest.raises(ProgramError, match="cannot apply"):
        resolve_call(name, [InputRef(0, parse_type("BITMAP"))] * (3 if name == "BETWEEN" else 2))

"""Functions and access of VARIANT: result types of Flink 2.3's queries, and refused casts."""

from __future__ import annotations

import re

import pytest

from compiled_plan.planner.functions.casts import cast
from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import InputRef, RexNode, type_of
from compiled_plan.plans.rex.signatures import call_fault
from compiled_plan.plans.types import parse_type


def of(type_: str) -> RexNode:
    return InputRef(0, parse_type(type_))


@pytest.mark.parametrize(
    ("name", "operands", "result"),
    [
        ("PARSE_JSON", ["STRING"], "VARIANT"),
        ("PARSE_JSON", ["STRING NOT NULL"], "VARIANT NOT NULL"),
        ("PARSE_JSON", ["STRING NOT NULL", "BOOLEAN NOT NULL"], "VARIANT NOT NULL"),
        ("TRY_PARSE_JSON", ["STRING NOT NULL"], "VARIANT"),
        ("ITEM", ["VARIANT NOT NULL", "CHAR(1) NOT NULL"], "VARIANT"),
        ("ITEM", ["VARIANT", "BIGINT"], "VARIANT"),
        ("JSON_STRING", ["VARIANT"], "VARCHAR(2147483647)"),
        ("IS NULL", ["VARIANT"], "BOOLEAN NOT NULL"),
        ("COALESCE", ["VARIANT", "VARIANT NOT NULL"], "VARIANT NOT NULL"),
    ],
)
def test_calls(name: str, operands: list[str], result: str) -> None:
    call = resolve_call(name, [of(type_) for type_ in operands])
    assert str(type_of(call)) == result
    assert call_fault(call, tuple(map(parse_type, operands))) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "target", "remedy"),
    [
        ("VARIANT", "INT", r"CAST\(JSON_STRING\(v\) AS INT\)"),
        ("VARIANT", "STRING", r"JSON_UNQUOTE\(JSON_STRING\(v\)\)"),
        ("INT", "VARIANT", r"PARSE_JSON\(JSON_STRING\(x\)\)"),
    ],
)
def test_casts_are_refused_with_what_to_write(source: str, target: str, remedy: str) -> None:
    with pytest.raises(ProgramError, match="cannot cast") as caught:
        cast(of(source), parse_type(target))
    assert re.search(remedy, caught.value.remedy)


@pytest.mark.parametrize("key", ["DOUBLE", "BOOLEAN", "VARIANT"])
def test_other_keys_are_refused(key: str) -> None:
    with pytest.raises(ProgramError, match="cannot apply"):
        resolve_call("ITEM", [of("VARIANT"), of(key)])

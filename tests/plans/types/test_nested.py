"""Nested types have a depth limit, reported by name wherever a type comes from."""

from __future__ import annotations

import json

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import NestingError, PlanError
from compiled_plan.plans.types import parse_type, type_from_json
from compiled_plan.plans.types.nested import MAX_LEVELS

TOO_DEEP = f"nested more than {MAX_LEVELS} levels deep"


@pytest.mark.parametrize("name", ["ARRAY<", "MULTISET<", "MAP<INT, ", "ROW<`a` ", "STRUCTURED<'C', `a` "])
def test_as_many_levels_as_the_limit(name: str) -> None:
    type_ = parse_type(name * MAX_LEVELS + "INT" + ">" * MAX_LEVELS)
    assert parse_type(str(type_)) == type_
    with pytest.raises(PlanError, match=TOO_DEEP):
        parse_type(name * (MAX_LEVELS + 1) + "INT" + ">" * (MAX_LEVELS + 1))


@pytest.mark.parametrize("levels", [MAX_LEVELS + 1, 20_000])
def test_a_type_of_a_plan(levels: int) -> None:
    with pytest.raises(PlanError, match=TOO_DEEP):
        parse_type("ARRAY<" * levels + "INT" + ">" * levels)
    value: object = "INT"
    for _ in range(levels):
        value = {"type": "ROW", "fields": [{"name": "a", "fieldType": value}]}
    with pytest.raises(PlanError, match=TOO_DEEP):
        type_from_json(value)


@pytest.mark.parametrize("levels", [MAX_LEVELS + 1, 1_000, 5_000])
def test_a_type_of_a_program(levels: int) -> None:
    array = "ARRAY<" * levels + "INT" + ">" * levels
    with pytest.raises(NestingError, match=f"(?s){TOO_DEEP}.*at: line 1, column 1"):
        TableEnvironment().execute_sql(f"CREATE TABLE t (a {array}) WITH ('connector' = 'print')")
    with pytest.raises(NestingError, match=f"(?s){TOO_DEEP}.*at: line 1"):
        TableEnvironment().sql_query(f"SELECT {'ARRAY[' * levels}1{']' * levels}")


def test_a_type_in_python() -> None:
    nested: t.LogicalType = t.INT
    for _ in range(MAX_LEVELS):
        nested = t.ArrayType(element=nested)
    assert nested.not_null().with_nullability(True) == nested
    assert json.dumps(str(nested))
    with pytest.raises(NestingError, match=TOO_DEEP):
        t.MapType(key=t.INT, value=nested)

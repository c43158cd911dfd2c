"""Avro schemas in table options, compared with the columns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.avro_schemas import avro_schema, debezium_row, schema_rule

ROW = t.row_of(
    ["id", "name", "at", "d", "tags", "inner"],
    [
        t.BIGINT.not_null(), t.STRING, t.TimestampType(precision=3), t.DecimalType(precision=5, scale=1),
        t.ArrayType(element=t.STRING), t.row_of(["x"], [t.INT]),
    ],
)  # fmt: skip


def said(schema: Any, row: t.RowType = ROW, *, events: bool = False) -> str:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    fault = schema_rule("avro-confluent", events=events)(row, {"schema": text})
    return "" if fault is None else fault.message


def test_the_schema_of_the_columns_fits_whatever_its_names_and_docs() -> None:
    schema = avro_schema(ROW.not_null())
    assert said(schema) == said(["null", schema]) == ""
    assert said({**schema, "name": "Order", "namespace": "com.shop", "doc": "An order."}) == ""
    assert said(avro_schema(debezium_row(ROW)), events=True) == ""
    assert "does not match the table" in said(avro_schema(debezium_row(ROW).not_null()), events=True)


@pytest.mark.parametrize(
    ("types", "text"),
    [
        ([{"name": "id", "type": "int"}], "it says ROW<`id` INT NOT NULL> NOT NULL, and the table ROW<`id` BIGINT"),
        ([{"name": "id", "type": ["null", "long"]}], "ROW<`id` BIGINT> NOT NULL"),
        ([{"name": "key", "type": "long"}], "`key` BIGINT"),
        ([{"name": "id", "type": ["long", "string"]}], "a union of several types"),
        ([{"name": "id", "type": "nothing"}], "no type is named 'nothing'"),
        ([{"name": "id"}], "is no schema of Avro"),
    ],
)
def test_another_schema_is_refused(types: list[Any], text: str) -> None:
    row = t.row_of(["id"], [t.BIGINT.not_null()])
    assert text in said({"type": "record", "name": "r", "fields": types}, row)


def test_types_of_schemas_are_those_of_flink() -> None:
    """Record names are known after their definition; keys of maps are NOT NULL; `fixed` and `enum` are columns."""
    point = {"type": "record", "name": "P", "namespace": "n", "fields": [{"name": "x", "type": "int"}]}
    kinds: list[Any] = [
        point, ["null", "n.P"], {"type": "map", "values": "long"}, {"type": "fixed", "name": "F", "size": 4},
        {"type": "enum", "name": "E", "symbols": ["A"]}, {"type": "long", "logicalType": "timestamp-millis"},
        {"type": "int", "logicalType": "date"}, {"type": "int", "logicalType": "time-millis"},
    ]  # fmt: skip
    fields = [{"name": f"c{at}", "type": kind} for at, kind in enumerate(kinds)]
    inner = t.row_of(["x"], [t.INT.not_null()])
    row = t.row_of(
        [f"c{at}" for at in range(len(kinds))],
        [
            inner.not_null(), inner, t.MapType(key=t.STRING.not_null(), value=t.BIGINT.not_null(), nullable=False),
            t.VarBinaryType(length=4, nullable=False), t.STRING.not_null(),
            t.TimestampType(precision=3, nullable=False), t.DATE.not_null(), t.TimeType(precision=3, nullable=False),
        ],
    )  # fmt: skip
    assert said({"type": "record", "name": "r", "fields": fields}, row) == ""
    assert said("{") == "option 'avro-confluent.schema' is no schema of Avro: " + said("{").partition(": ")[2]

"""Logical types of Spark's types in their JSON form."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.types import parse_type
from compiled_plan.plans.types.spark import logical_type, row_type

ARRAY = {"type": "array", "elementType": "integer", "containsNull": False}
FIELDS = [{"name": "a", "type": "byte", "nullable": False, "metadata": {}}]


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("short", "SMALLINT"),
        ("long", "BIGINT"),
        ("timestamp", "TIMESTAMP_LTZ(6)"),
        ("timestamp_ntz", "TIMESTAMP(6)"),
        ("decimal(10,2)", "DECIMAL(10, 2)"),
        ("decimal(10, 2)", "DECIMAL(10, 2)"),
        ("char(3)", "CHAR(3)"),
        ("varchar(4)", "VARCHAR(4)"),
        ("string collate UTF8_LCASE", "STRING"),
        (ARRAY, "ARRAY<INT NOT NULL>"),
        ({"type": "map", "keyType": "string", "valueType": ARRAY, "valueContainsNull": True}, None),
        ({"type": "struct", "fields": FIELDS}, "ROW<a TINYINT NOT NULL>"),
    ],
)
def test_types(type_: Any, text: str | None) -> None:
    expected = text or "MAP<STRING NOT NULL, ARRAY<INT NOT NULL>>"
    assert logical_type(type_) == parse_type(expected)


@pytest.mark.parametrize("type_", ["void", "variant", "interval day to second", "time(6)", {"type": "udt"}])
def test_others_are_refused_with_their_column(type_: Any) -> None:
    nested = {"type": "array", "elementType": type_, "containsNull": True}
    struct = {"type": "struct", "fields": [{"name": "odd", "type": nested, "nullable": True}]}
    with pytest.raises(UnsupportedError, match="column 'odd' has Spark's type"):
        row_type(struct)

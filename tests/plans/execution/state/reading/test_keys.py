"""Values of keys as texts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.reading.keys import wanted_key
from compiled_plan.plans.execution.state.reading.reader import StoredOperator


def operator(*types: str) -> StoredOperator:
    """An operator with the key columns a, b, ... of these types, and a column behind them that is no part of it."""
    names = [chr(ord("a") + at) for at in range(len(types))]
    columns = [*({"name": name, "type": type_} for name, type_ in zip(names, types, strict=True))]
    keys = [{"input": 0, "column": at} for at in range(len(types))]
    state = {"kind": "rank", "keys": [keys], "columns": [[*columns, {"name": "other", "type": "INT"}]]}
    return StoredOperator("ranked", 1, "ranked", {}, state, (), ())


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("STRING", "it's", "it's"),
        ("STRING", "", ""),
        ("STRING", "a=b,c", "a=b,c"),
        ("STRING", "'NULL'", "NULL"),
        ("STRING", "'it''s'", "it's"),
        ("STRING", "'", "'"),
        ("CHAR(3)", "abc", "abc"),
        ("STRING", "null", "null"),
        ("INT", "NULL", None),
        ("INT NOT NULL", "-7", -7),
        ("TINYINT", "127", 127),
        ("BIGINT", "9223372036854775807", (1 << 63) - 1),
        ("DECIMAL(4, 2)", "1.5", Decimal("1.5")),
        ("DECIMAL(4, 2)", "99.990", Decimal("99.99")),
        ("DOUBLE", "-Infinity", float("-inf")),
        ("BOOLEAN", "TRUE", True),
        ("BYTES", "00ff", b"\x00\xff"),
        ("DATE", "2026-01-31", date(2026, 1, 31)),
        ("TIME(0)", "01:02:03", 3_723_000),
        ("TIMESTAMP(3)", "2026-01-31 01:02:03.004", datetime(2026, 1, 31, 1, 2, 3, 4000)),
        ("TIMESTAMP_LTZ(3)", "2026-01-31 01:02:03", datetime(2026, 1, 31, 1, 2, 3, tzinfo=UTC)),
        ("TIMESTAMP_LTZ(3)", "2026-01-31 01:02:03+01:00", datetime(2026, 1, 31, 0, 2, 3, tzinfo=UTC)),
    ],
)
def test_values(type_: str, text: str, value: Any) -> None:
    key = wanted_key(operator(type_), {"a": text})
    assert key.values == (value,)
    assert key.whole


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("TINYINT", "128"),
        ("INT", "1.0"),
        ("INT", ""),
        ("DECIMAL(4, 2)", "1.005"),
        ("DECIMAL(4, 2)", "100"),
        ("DECIMAL(4, 2)", "NaN"),
        ("DECIMAL(4, 2)", "much"),
        ("DOUBLE", "x"),
        ("BOOLEAN", "yes"),
        ("BYTES", "0"),
        ("DATE", "31.1.2026"),
        ("TIME(0)", "25:00"),
        ("TIMESTAMP(3)", "2026-01-31 01:02:03Z"),
    ],
)
def test_invalid_values(type_: str, text: str) -> None:
    with pytest.raises(CheckpointError, match="is no value of the key column a"):
        wanted_key(operator(type_), {"a": text})


def test_types_whose_values_cannot_be_written() -> None:
    with pytest.raises(CheckpointError, match="of which no value can be written here"):
        wanted_key(operator("ARRAY<INT>"), {"a": "[1]"})


def test_the_first_columns_of_a_key() -> None:
    key = wanted_key(operator("INT", "STRING"), {"a": "1"})
    assert (key.values, key.whole) == ((1,), False)
    key = wanted_key(operator("INT", "STRING"), {"b": "x", "a": "1"})
    assert (key.values, key.whole) == ((1, "x"), True)


def test_an_operator_without_key_columns() -> None:
    with pytest.raises(CheckpointError, match="one key for all rows"):
        wanted_key(operator(), {"a": "1"})

"""Columns that formats support."""

from __future__ import annotations

import pytest

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.format_spec import Unfit
from compiled_plan.plans.connectors.registry import format_spec


def unfit_columns(name: str, row: t.RowType, options: dict[str, str]) -> Unfit | None:
    spec = format_spec(name)
    assert spec is not None and spec.unfit is not None
    return spec.unfit(row, options)


LEGACY = {"timestamp_mapping.legacy": "false"}


@pytest.mark.parametrize(
    ("name", "type_", "options", "text"),
    [
        ("json", "MAP<INT, INT>", {}, "column 'a' of type MAP"),
        ("json", "ARRAY<MAP<DATE, INT>>", {}, "column 'a' of type ARRAY"),
        ("debezium-json", "MULTISET<INT>", {}, "column 'a' of type MULTISET"),
        ("csv", "MAP<STRING, INT>", {}, "column 'a' of type MAP"),
        ("parquet", "TIME(3)", {}, r"column 'a' of type TIME(3)"),
        ("orc", "TIME(3)", {}, "column 'a' of type TIME"),
        ("orc", "ARRAY<MULTISET<STRING>>", {}, "column 'a' of type ARRAY"),
        ("raw", "DATE", {}, "column 'a' of type DATE"),
        ("raw", "STRING", {"charset": "nope"}, "unknown charset, 'nope'"),
        ("avro", "TIMESTAMP(6)", {}, "column 'a'"),
        ("avro", "TIMESTAMP_LTZ(3)", {}, "column 'a'"),
        ("avro", "MAP<INT, INT>", {}, "column 'a'"),
        ("avro", "TIME(6)", LEGACY, "column 'a'"),
        ("avro", "ROW<`a-b` INT>", {}, "a column named 'a-b'"),
    ],
)
def test_columns_that_a_format_cannot_hold(name: str, type_: str, options: dict[str, str], text: str) -> None:
    unfit = unfit_columns(name, t.row_of(["a"], [t.parse_type(type_)]), options)
    assert unfit is not None
    assert text in unfit.message
    assert unfit.remedy


def test_raw_holds_one_column() -> None:
    unfit = unfit_columns("raw", t.row_of(["a", "b"], [t.INT, t.INT]), {})
    assert unfit is not None
    assert "holds one column, and there are 2: a, b" in unfit.message


@pytest.mark.parametrize("name", ["json", "csv", "parquet", "orc", "avro"])
def test_columns_that_all_formats_hold(name: str) -> None:
    columns = ("INT NOT NULL", "STRING", "DECIMAL(10, 2)", "DATE", "TIMESTAMP(3)", "ROW<x INT, y ARRAY<STRING>>")
    row = t.row_of([f"c{at}" for at in range(len(columns))], [t.parse_type(text) for text in columns])
    assert unfit_columns(name, row, {}) is None

"""The stage key: equal texts for equal keys, different texts for different keys."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions import canonical_key
from compiled_plan.plans.execution.spark.types import schema_of

NAN = float("nan")

# Each inner list holds rows of one key; rows of different lists are different keys.
GROUPS: dict[str, list[list[tuple[Any, ...]]]] = {
    "STRING": [[("",)], [(None,)], [("~",)], [("=",)], [("a",), ("a",)], [("a ",)], [("A",)]],
    "STRING, STRING": [
        [("a", "b")],
        [("a,b", "")],
        [("", "a,b")],
        [("a", None)],
        [(None, "a")],
        [("~", "a")],
        [("1:a", "b")],
        [("a,=b", "")],
        [("a", "=b")],
        [(None, None)],
    ],
    "STRING, INT": [[("a", 1)], [("a,1", None)], [("a", 11)], [(None, 1)], [("", 1)]],
    "DOUBLE": [
        [(0.0,)],
        [(-0.0,)],
        [(NAN,), (-NAN,)],
        [(5e-324,)],
        [(1e23,)],
        [(1.5,)],
        [(None,)],
        [(float("inf"),)],
        [(float("-inf"),)],
    ],
    "FLOAT": [[(0.0,)], [(-0.0,)], [(0.5,)], [(None,)]],
    "DECIMAL(10, 2)": [
        [(Decimal("1.10"),), (Decimal("1.1"),)],
        [(Decimal("11"),)],
        [(Decimal("0"),)],
        [(Decimal("10"),)],
    ],
    "DECIMAL(20, 10)": [[(Decimal("0.0000000001"),)], [(Decimal("0.0000000010"),)], [(Decimal("0"),)]],
    "BYTES": [[(b"",)], [(None,)], [(b"\x00",)], [(b"\x00\x00",)], [(b"a",)]],
    "ARRAY<STRING>": [[([],)], [(None,)], [([None],)], [(["a", "b"],)], [(["a,b"],)], [(["b", "a"],)], [(["", ""],)]],
    "ROW<x STRING, y INT>": [[(("a", 1),)], [((None, None),)], [(None,)], [(("a,1", None),)], [(("a", None),)]],
    "MAP<STRING, INT>": [[({"a": 1, "b": 2},), ({"b": 2, "a": 1},)], [({},)], [({"a": None},)], [(None,)]],
    "BOOLEAN, BIGINT": [[(True, 1)], [(False, 1)], [(None, 1)], [(True, None)]],
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("types", GROUPS)
def test_texts_are_equal_iff_the_keys_are(types: str, session: SparkSession) -> None:
    row = t.parse_type(f"ROW<{named(types)}>")
    assert isinstance(row, t.RowType)
    rows = [values for group in GROUPS[types] for values in group]
    frame = session.createDataFrame(rows, schema_of(row))
    key = canonical_key([F.col(name) for name in row.names], row.types)
    texts = iter([row[0] for row in frame.coalesce(1).select(key).collect()])
    by_group = [[next(texts) for _ in group] for group in GROUPS[types]]
    assert None not in [text for group in by_group for text in group]
    assert all(len(set(group)) == 1 for group in by_group), by_group
    assert all(left[0] != right[0] for left, right in combinations(by_group, 2)), by_group


def test_width_and_scale_do_not_matter(session: SparkSession) -> None:
    frame = session.createDataFrame(
        [(1, 1, Decimal("1.5"), Decimal("1.500"))], "a INT, b BIGINT, c DECIMAL(5,1), d DECIMAL(9,3)"
    )
    types = [t.INT, t.BIGINT, t.DecimalType(precision=5, scale=1), t.DecimalType(precision=9, scale=3)]
    keys = [canonical_key([F.col(name)], [type_]) for name, type_ in zip("abcd", types, strict=True)]
    a, b, c, d = frame.select(*keys).collect()[0]
    assert a == b and c == d


def test_texts_of_floating_numbers_are_their_bits(session: SparkSession) -> None:
    """Java 19 and newer write some of them differently, such as 2.0E-3 and 2.2E-322."""
    frame = session.createDataFrame(
        [(2e-3, 2.2e-322, NAN, 0.5, 0.5)], "a DOUBLE, b DOUBLE, c DOUBLE, d DOUBLE, e FLOAT"
    )
    types = [t.DOUBLE, t.DOUBLE, t.DOUBLE, t.DOUBLE, t.FLOAT]
    keys = [canonical_key([F.col(name)], [type_]) for name, type_ in zip("abcde", types, strict=True)]
    assert tuple(frame.select(*keys).collect()[0]) == (
        *("3F60624DD2F1A9FC", "2D", "7FF8000000000000", "3FE0000000000000", "3FE0000000000000"),
    )


@pytest.mark.parametrize("types", [[t.STRING], [t.STRING, t.INT]])
def test_bytes_that_are_no_text_have_keys_of_their_own(types: list[t.LogicalType], session: SparkSession) -> None:
    contents = [b"caf\xe8", b"caf\xe9", "caf\ufffd".encode(), b"caf", b"\xed\xb3\xa9", b"!", b"?"]
    frame = session.createDataFrame([(content,) for content in contents], "a BINARY")
    # The cast keeps bytes that are no UTF-8, as the format raw reads them.
    columns = [F.col("a").cast("string"), F.lit(1)][: len(types)]
    texts = {row[0] for row in frame.select(canonical_key(columns, types)).collect()}
    assert len(texts) == len(contents)


def test_no_column_gives_one_key(session: SparkSession) -> None:
    assert {row[0] for row in session.range(3).select(canonical_key([], [])).collect()} == {""}


def named(types: str) -> str:
    """`INT, ARRAY<INT>` as fields; commas inside brackets do not separate."""
    parts, depth = [""], 0
    for character in types:
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return ", ".join(f"c{index} {part.strip()}" for index, part in enumerate(parts))

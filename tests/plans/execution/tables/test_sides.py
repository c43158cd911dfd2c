"""Differences of two tables by key: compared with the types of the plan, whatever changes led to the rows."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.interfaces.connectors import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, TableSpec
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.tables.sides import BUCKET, CASE, DIGEST, KEY, OLD, Pair
from compiled_plan.plans.types import ArrayType, Field, MapType, RowType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "kind TINYINT, ord BIGINT, path BINARY, batch INT, f0 STRING, f1 DOUBLE, f2 MAP<STRING, INT>"
COLUMNS = RowType(
    fields=(
        Field("a.key", t.STRING),
        Field("amount", t.DOUBLE),
        Field("tags", MapType(key=t.STRING, value=t.INT)),
    )
)
TABLE = TableSpec("t", COLUMNS, {}, primary_key=("a.key",))
PAIR = Pair(TABLE, TABLE)
FIRST, SECOND = (datetime(2026, 1, 1, microsecond=number) for number in (1, 2))
Change = tuple[int, str, float | None, dict[str, int] | None]


def changes(spark: SparkSession, *rows: Change) -> DataFrame:
    return spark.createDataFrame([(kind, at, None, 0, *row) for at, (kind, *row) in enumerate(rows)], SCHEMA)


def rows(*rows: tuple[str, float | None, dict[str, int] | None]) -> list[Change]:
    return [(INSERT, *row) for row in rows]


def compared(spark: SparkSession, old: list[Change], new: list[Change]) -> tuple[set[str], dict[str, tuple[Any, ...]]]:
    """The keys that may differ; and the rows to send, by key."""
    frames = changes(spark, *old), changes(spark, *new)
    buckets = PAIR.buckets(*frames).where(CASE).select(BUCKET)
    inside = [PAIR.inside(TABLE, frame, buckets) for frame in frames]
    suspects, whole = (PAIR.suspects(*sides).where(CASE).select(KEY) for sides in (inside, frames))
    assert sorted(suspects.collect()) == sorted(whole.collect())
    sides = (PAIR.changes(TABLE, PAIR.among(TABLE, frame, suspects)) for frame in frames)
    sent = PAIR.difference(*sides).where("kind IS NOT NULL").collect()
    return {row[0][0] for row in suspects.collect()}, {row.f0: (row.kind, row.f1, row.f2) for row in sent}


def test_equal_values_of_any_form_are_not_sent(spark: SparkSession) -> None:
    same = rows(("nan", math.nan, None), ("null", None, None), ("map", 1.0, {"a": 1, "b": 2}))
    suspects, sent = compared(spark, [*same, *rows(("zero", 0.0, None))], [*same, *rows(("zero", -0.0, None))])
    assert suspects <= {"zero"}
    assert sent == {}


def test_differences_have_the_values_of_the_plan(spark: SparkSession) -> None:
    old = rows(("same", 1.0, None), ("null", None, None), ("map", 1.0, {"a": 1}), ("gone", 2.0, {"x": 1}))
    new = rows(("same", 1.0, None), ("null", 0.0, None), ("map", 1.0, {"a": 2}), ("new", 3.0, None))
    suspects, sent = compared(spark, old, new)
    assert suspects == set(sent)
    assert sent == {
        "null": (UPDATE_AFTER, 0.0, None),
        "map": (UPDATE_AFTER, 1.0, {"a": 2}),
        "gone": (DELETE, 2.0, {"x": 1}),
        "new": (INSERT, 3.0, None),
    }


@pytest.mark.parametrize("is_old", [True, False])
def test_the_last_change_of_a_key_counts(spark: SparkSession, is_old: bool) -> None:
    """A side may be a changelog: a compacted topic, or a result that was updated on its way."""
    log: list[Change] = [
        (INSERT, "a", 1.0, None),
        (UPDATE_BEFORE, "a", 1.0, None),
        (UPDATE_AFTER, "a", 2.0, None),
        (INSERT, "b", 1.0, None),
        (DELETE, "b", 1.0, None),
        (DELETE, "never", None, None),
    ]
    table = rows(("a", 2.0, None))
    suspects, sent = compared(spark, *((log, table) if is_old else (table, log)))
    assert (suspects, sent) == ({"a", "b", "never"}, {})


def test_most_equal_keys_are_in_buckets_without_a_difference(spark: SparkSession) -> None:
    old = [(INSERT, f"k{number}", float(number), None) for number in range(3000)]
    new = [(INSERT, f"k{number}", float(number + (number % 1000 == 7)), None) for number in range(3000)]
    buckets = PAIR.buckets(changes(spark, *old), changes(spark, *new)).groupBy(CASE).agg({OLD: "sum"}).collect()
    counts = dict(buckets)
    assert 3 <= counts[True] < 10 and counts[True] + counts[False] == 3000


@pytest.mark.parametrize(
    ("type_", "old", "new"),
    [
        (t.BIGINT, (None, 5), (5, None)),
        (ArrayType(element=t.BIGINT), ([None, 5], [5]), ([5, None], [5])),
        (RowType(fields=(Field("a", t.INT), Field("b", t.INT))), ((None, 5), (1, 1)), ((5, None), (1, 1))),
        (MapType(key=t.STRING, value=t.TimestampType(precision=6)), ({"a": FIRST}, None), ({"a": SECOND}, None)),
    ],
    ids=str,
)
def test_nulls_in_another_place_and_microseconds_differ(
    spark: SparkSession, type_: t.LogicalType, old: tuple[Any, Any], new: tuple[Any, Any]
) -> None:
    columns = RowType(fields=(Field("k", t.STRING), Field("x", type_), Field("y", type_)))
    table = TableSpec("t", columns, {}, primary_key=("k",))
    pair, kind = Pair(table, table), f"f1 {to_spark(type_).simpleString()}, f2 {to_spark(type_).simpleString()}"
    schema = f"kind TINYINT, ord BIGINT, path BINARY, batch INT, f0 STRING, {kind}"
    sides = [spark.createDataFrame([(INSERT, 0, None, 0, "a", *values)], schema) for values in (old, new)]
    assert pair.buckets(*sides).where(CASE).count() == 1
    assert pair.suspects(*sides).where(CASE).count() == 1
    (sent,) = pair.difference(*(pair.changes(table, side) for side in sides)).collect()
    assert (sent.kind, sent.f1, sent.f2) == (UPDATE_AFTER, *new)
    digests = [pair.changes(table, side).select(DIGEST).collect() for side in sides]
    assert digests[0] != digests[1]

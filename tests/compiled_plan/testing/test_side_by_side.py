"""Two programs over the rows of a test: the comparison is that of a shadow run, and rows reach the program they fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import TableSpec
from compiled_plan.plans.execution.shadow.comparing import Comparison
from compiled_plan.plans.execution.shadow.report import Example, Outcome, Rows, TablesReport
from compiled_plan.plans.execution.spark.arrow import array_of
from compiled_plan.plans.execution.spark.storage import folder_of
from compiled_plan.plans.execution.tables.sides import CASES, Pair
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.types import Field, MapType, RowType
from compiled_plan.testing.cases import cases_of_text
from compiled_plan.testing.comparing import Change
from compiled_plan.testing.document import KINDS
from compiled_plan.testing.side_by_side import compared_rows, side_by_side

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.plan import CompiledPlan

COLUMNS = RowType(
    fields=(
        Field("id", t.STRING),
        Field("amount", t.DOUBLE),
        Field("tags", MapType(key=t.STRING, value=t.INT)),
    )
)
AMOUNTS = (None, 0.0, -0.0, 1.5, 1.5 + 2**-50, math.nan)
TAGS = (None, {}, {"a": 1, "b": 2}, {"b": 2, "a": 1})


def random_changes(random: Random, ids: Sequence[str]) -> list[Change]:
    """For each key nothing, or a few changes of any kind."""
    lengths = {name: random.choice((0, 1, 1, 2, 3)) for name in ids}
    order = [name for name, length in lengths.items() for _ in range(length)]
    random.shuffle(order)
    return [Change(random.choice(KINDS), (name, random.choice(AMOUNTS), random.choice(TAGS))) for name in order]


def in_spark(spark: SparkSession, changes: Sequence[Change], columns: RowType = COLUMNS) -> DataFrame:
    """Recorded rows; Arrow keeps the order of the entries of maps."""
    rows = pa.table(
        {
            "kind": pa.array([KINDS.index(change.kind) for change in changes], pa.int8()),
            "ord": pa.array(range(len(changes)), pa.int64()),
            "path": pa.nulls(len(changes), pa.binary()),
            "batch": pa.array([0] * len(changes), pa.int32()),
            **{
                f"f{at}": array_of([change.row[at] for change in changes], type_)
                for at, type_ in enumerate(columns.types)
            },
        }
    )
    return spark.createDataFrame(rows)


@pytest.mark.parametrize("key", [("id",), ()])
def test_both_comparisons_agree(spark: SparkSession, tmp_path: Path, key: tuple[str, ...]) -> None:
    """Each key is a case of its own: one changelog in Spark, in two rounds, and the same in Python."""
    random, ids = Random(7), [f"k{number}" for number in range(400)]
    pair = Pair(*[TableSpec("c.d.t", COLUMNS, {}, primary_key=key)] * 2)
    rounds = [[random_changes(random, ids) for _ in range(2)] for _ in range(2)]
    for both in rounds:
        # Random rows are rarely equal.
        both[1] += both[0][::2]
    comparison = Comparison(spark, pair, folder_of(spark, str(tmp_path)))
    for both in rounds:
        comparison.add(*(in_spark(spark, changes) for changes in both))
    old, new = ([*first, *second] for first, second in zip(*rounds, strict=True))
    for named in (frozenset[str](), frozenset(("amount", "tags")), None):
        expected, actual = comparison.rows(named), compared_rows(pair, old, new, named)
        assert replace(actual, examples=()) == replace(expected, examples=())
        assert [example.case for example in actual.examples] == [example.case for example in expected.examples]
    assert all((expected.equal, expected.other_sequence, expected.only_old, expected.only_new)), expected
    assert bool(expected.other_values) == bool(key)


def test_examples_are_those_of_a_shadow_run(spark: SparkSession, tmp_path: Path) -> None:
    columns = RowType(fields=(*COLUMNS.fields[:2], Field("price", t.DecimalType(precision=10, scale=2))))
    pair = Pair(*[TableSpec("c.d.t", columns, {}, primary_key=("id",))] * 2)
    old = [
        Change("+I", ("values", 1.0, Decimal("7.00"))),
        Change("+I", ("old", None, None)),
        Change("-D", ("new", 1.0, None)),
    ]
    new = [Change("+I", ("values", 2.0, Decimal("7.00"))), Change("+I", ("new", 2.5, None))]
    comparison = Comparison(spark, pair, folder_of(spark, str(tmp_path)))
    comparison.add(*(in_spark(spark, changes, columns) for changes in (old, new)))
    actual = compared_rows(pair, old, new, frozenset())
    assert actual == comparison.rows(frozenset())
    assert actual.examples[0] == Example(
        CASES[2], '{"id":"values"}', '{"amount":1.0,"price":7.00}', '{"amount":2.0,"price":7.00}'
    )


# ---- programs

TABLES = """
CREATE TABLE orders (shop STRING, price INT, ts TIMESTAMP(3){column}, WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE TABLE totals (shop STRING PRIMARY KEY NOT ENFORCED, total INT) WITH ('connector' = 'blackhole');
CREATE TABLE hours (hour_ TIMESTAMP(3), orders BIGINT) WITH ('connector' = 'blackhole');
"""
TOTALS = "INSERT INTO totals SELECT shop, SUM(price) FROM orders GROUP BY shop;"
CASE = """
steps:
  - rows:
      orders:
        - {shop: a, price: 3, ts: 2024-01-01 10:00:00}
        - {shop: b, price: 4, ts: 2024-01-01 10:30:00}
  - expect:
      totals: []
  - late:
      orders:
        - {shop: a, price: 5, ts: 2024-01-01 09:00:00}
  - end:
"""


def compiled(*inserts: str, column: str = "") -> CompiledPlan:
    script = TABLES.format(column=column) + f"BEGIN STATEMENT SET; {' '.join(inserts)} END;"
    return TableEnvironment().compile_script(script)


def run(spark: SparkSession, old: CompiledPlan, new: CompiledPlan, text: str = CASE) -> TablesReport:
    (case,) = cases_of_text(text)
    return side_by_side(case, (old, new), engines_of(spark))


def only(report: TablesReport) -> Rows:
    (rows,) = report.tables
    return rows


@pytest.mark.spark
def test_an_equal_program(spark: SparkSession) -> None:
    rows = only(run(spark, compiled(TOTALS), compiled(TOTALS.replace("price)", "price + 0)"))))
    assert (rows.table, rows.key, rows.equal, rows.outcome) == (
        "default_catalog.default_database.totals",
        ("shop",),
        2,
        Outcome.EQUAL,
    )


@pytest.mark.spark
def test_a_difference_that_the_diff_names(spark: SparkSession) -> None:
    new = compiled(TOTALS.replace("SUM(price)", "MAX(price)"))
    rows = only(run(spark, compiled(TOTALS), new))
    assert (rows.equal, rows.other_values, dict(rows.columns)) == (1, 1, {"total": 1})
    assert rows.outcome is Outcome.NAMED
    assert rows.examples == (Example("values", '{"shop":"a"}', '{"total":8}', '{"total":5}'),)


@pytest.mark.spark
def test_tables_and_columns_of_one_program(spark: SparkSession) -> None:
    """A change adds a table, a column and a sink: each program gets the rows that it reads."""
    new = compiled(
        TOTALS.replace("FROM orders", "FROM orders WHERE weight IS NULL OR weight < 9"),
        "INSERT INTO hours SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), "
        "INTERVAL '1' HOUR)) GROUP BY window_start, window_end;",
        column=", weight INT",
    )
    text = CASE.replace("price: 4,", "price: 4, weight: 9,")
    for first, second, alone in ((compiled(TOTALS), new, "only_new"), (new, compiled(TOTALS), "only_old")):
        report = run(spark, first, second, text)
        rows = only(report)
        assert (rows.equal, rows.only_old + rows.only_new) == (1, 1)
        assert getattr(report, alone) == ("default_catalog.default_database.hours",)
    nobody = CASE.replace("      orders:", "      nobody: [{shop: a}]\n      orders:", 1)
    with pytest.raises(ProgramError, match="the program reads no table 'nobody'"):
        run(spark, new, new, nobody)


@pytest.mark.spark
def test_tests_of_one_program_are_refused(spark: SparkSession) -> None:
    plan = compiled(TOTALS)
    for step, word in (("upgrade: x.sql", "upgrade"), ("{rows: {orders: [{nothing: 1}]}, error: no column}", "error")):
        with pytest.raises(UnsupportedError, match=f"'{word}' in a test is about one program"):
            run(spark, plan, plan, f"{CASE}  - {step}\n")
    with pytest.raises(UnsupportedError, match="only Spark runs the programs over these rows: the test demands it"):
        run(spark, plan, plan, f"engine: spark{CASE}")

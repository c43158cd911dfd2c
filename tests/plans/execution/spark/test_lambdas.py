"""Higher-order functions: variables are distinct, and generated code equals that of the last run of the same plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.lambdas import exists, filtered, transform, transform_keys, transform_values

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession


def _numbers(*values: int) -> Column:
    return F.array(*map(F.lit, values))


def _both() -> Column:
    return transform(_numbers(1, 2), lambda outer: transform(_numbers(10, 20), lambda inner: outer * inner))


def _thrice() -> Column:
    return transform(
        _numbers(1, 2),
        lambda a: filtered(_numbers(1, 2, 3), lambda b: exists(_numbers(2), lambda c: (a == b) | (b > c))),
    )


def _made_before() -> Column:
    inner = transform(_numbers(1, 2), lambda x: x + 1)
    return transform(_numbers(10), lambda x: transform(inner, lambda y: x + y))


def _made_outside() -> Column:
    inner = transform(_numbers(1, 2), lambda x: x + 1)
    return transform(_numbers(10, 20), lambda x: F.concat(inner, F.array(x)))


def _after_a_fault() -> Column:
    with pytest.raises(ZeroDivisionError):
        transform(_numbers(1), lambda _: F.lit(1 // 0))
    return _both()


def _beside_sparks_own() -> Column:
    return F.transform(_numbers(1, 2), lambda a: transform(_numbers(3), lambda b: a * b))  # noqa: TID251


_MAP: Callable[[], Column] = lambda: F.create_map(F.lit("a"), F.lit(1))  # noqa: E731


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("build", "wanted"),
    [
        (_both, [[10, 20], [20, 40]]),
        (_thrice, [[1, 3], [2, 3]]),
        (_made_before, [[12, 13]]),
        (_made_outside, [[2, 3, 10], [2, 3, 20]]),
        (_after_a_fault, [[10, 20], [20, 40]]),
        (_beside_sparks_own, [[3], [6]]),
        (lambda: transform(_numbers(5, 6), lambda item, at: item * at), [0, 6]),
        (lambda: filtered(_numbers(5, 0, 7), lambda item, at: item > at), [5, 7]),
        (lambda: transform_keys(_MAP(), lambda key, value: F.concat(key, value.cast("string"))), {"a1": 1}),
        (lambda: transform_values(_MAP(), lambda key, value: F.concat(key, value.cast("string"))), {"a": "a1"}),
        (lambda: filtered(F.array(F.struct(F.lit(3).alias("x0"))), lambda item: item["x0"] == 3), [(3,)]),
    ],
)
def test_results_of_higher_order_functions(spark: SparkSession, build: Callable[[], Column], wanted: Any) -> None:
    (row,) = spark.range(1).select(build().alias("made")).collect()
    assert row["made"] == wanted


@pytest.mark.parametrize("column", ["x0", "y0", "x1"])
def test_columns_with_the_names_of_variables(spark: SparkSession, column: str) -> None:
    frame = spark.range(1).select(F.lit(7).alias(column))
    nested = transform(_numbers(1), lambda a, at: transform(_numbers(2), lambda b: F.array(a, at, b, F.col(column))))
    (row,) = frame.select(nested.alias("made")).collect()
    assert row["made"] == [[[1, 0, 2, 7]]]


PROGRAM = """
CREATE TABLE people (id INT, tags ARRAY<STRING>, born TIMESTAMP(3), WATERMARK FOR born AS born)
  WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json');
CREATE TABLE few (name STRING) WITH ('connector' = 'blackhole');
CREATE TABLE windows (begins TIMESTAMP(3), people BIGINT) WITH ('connector' = 'blackhole');
EXECUTE STATEMENT SET BEGIN
INSERT INTO few SELECT CAST(ARRAY_REMOVE(tags, 'b') AS STRING) FROM people WHERE id > 1;
INSERT INTO few SELECT tag FROM people, UNNEST(tags) AS t (tag);
INSERT INTO windows SELECT window_start, COUNT(*) FROM HOP(
  DATA => TABLE people, TIMECOL => DESCRIPTOR(born), SLIDE => INTERVAL '1' MINUTE, SIZE => INTERVAL '3' MINUTE)
  GROUP BY window_start, window_end;
END;
"""


@pytest.mark.wide
def test_the_code_of_a_plan_is_made_once(spark: SparkSession, tmp_path: Any) -> None:
    (tmp_path / "people.json").write_text('{"id": 2, "tags": ["a", "b"], "born": "2024-01-01 00:00:01"}\n')
    metrics = java_class(spark._jvm, "org.apache.spark.metrics.source.CodegenMetrics")
    compiled = metrics.METRIC_COMPILATION_TIME()
    plan = TableEnvironment().compile_script(PROGRAM.format(folder=tmp_path))
    counts = []
    for _ in range(2):
        before = compiled.getCount()
        Run(spark, plan, RunOptions()).execute()
        counts.append(compiled.getCount() - before)
    assert counts[0] > 0
    assert counts[1] == 0

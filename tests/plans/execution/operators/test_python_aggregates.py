"""Aggregate functions in Python: group aggregates, retraction, windows, state between runs."""

from __future__ import annotations

import datetime as dt
import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from compiled_plan.checkpoints import inspect_key, inspect_state
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError, ProgramError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.functions import AggregateFunction
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Sums(list[int]):
    """A user-defined class as accumulator."""


class WeightedAverage(AggregateFunction[float | None, Sums]):
    def create_accumulator(self) -> Sums:
        return Sums([0, 0])

    def accumulate(self, accumulator: Sums, value: int, weight: int = 1) -> None:
        if value == 13:
            raise ValueError("unlucky")
        accumulator[0] += value * weight
        accumulator[1] += weight

    def retract(self, accumulator: Sums, value: int, weight: int = 1) -> None:
        accumulator[0] -= value * weight
        accumulator[1] -= weight

    def merge(self, accumulator: Sums, others: Any) -> None:
        for partial in others:
            accumulator[0] += partial[0]
            accumulator[1] += partial[1]

    def get_value(self, accumulator: Sums) -> float | None:
        return accumulator[0] / accumulator[1] if accumulator[1] else None


class Longest(AggregateFunction[str, str]):
    """No retract and no merge; `accumulate` returns the accumulator."""

    def create_accumulator(self) -> str:
        return ""

    def accumulate(self, accumulator: str, text: str | None) -> str:
        return max(accumulator, text or "", key=len)

    def get_value(self, accumulator: str) -> str:
        return accumulator


def environment(folder: Path) -> TableEnvironment:
    env = TableEnvironment()
    env.create_temporary_function("wavg", WeightedAverage)
    env.create_temporary_function("longest", Longest)
    time = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"
    env.execute_sql(
        f"CREATE TABLE t (k STRING, v INT, w INT, {time}) WITH ('connector' = 'filesystem', 'format' = 'json',"
        f" 'path' = '{folder}/t')"
    )
    return env


def put(folder: Path, name: str, *rows: tuple[Any, ...]) -> None:
    (folder / "t").mkdir(exist_ok=True, parents=True)
    names = ("k", "v", "w", "ts")
    lines = [
        json.dumps({key: value for key, value in zip(names, row, strict=False) if value is not None}) for row in rows
    ]
    (folder / "t" / name).write_text("".join(line + "\n" for line in lines))


def run(spark: SparkSession, env: TableEnvironment, columns: str, query: str, **options: Any) -> list[str]:
    """The rows of a query, with their kinds."""
    lines: list[str] = []
    if "checkpoint" not in options or not env.catalog.find(("o",)):
        env.execute_sql(f"CREATE TABLE o ({columns}) WITH ('connector' = 'print')")
    plan = CompiledPlan.from_json(env.compile_plan_sql(f"INSERT INTO o {query}").to_json())
    Run(spark, plan, RunOptions(**options), lines.append).execute()
    return sorted(lines)


@pytest.mark.wide
def test_group_aggregates(spark: SparkSession, tmp_path: Path) -> None:
    """Beside built-in ones, filtered, distinct; a NULL for a parameter that is NOT NULL does not count."""
    put(tmp_path, "1.json", ("a", 1, 1), ("a", 4, 2), ("b", 5, None), ("a", 4, 2), ("b", None, 3))
    result = run(
        spark,
        environment(tmp_path),
        "k STRING, a DOUBLE, b DOUBLE, d DOUBLE, l STRING, n BIGINT",
        "SELECT k, wavg(v, w), wavg(v) FILTER (WHERE v > 1), wavg(DISTINCT v), longest(k), COUNT(*) FROM t GROUP BY k",
    )
    assert result == ["+I[a, 3.4, 4.0, 2.5, a, 3]", "+I[b, null, 5.0, 5.0, b, 2]"]


@pytest.mark.wide
def test_retraction(spark: SparkSession, tmp_path: Path) -> None:
    """The inner counts are updated in a second run on the same checkpoint: the outer one retracts the old values."""
    put(tmp_path, "1.json", ("a", 1, 1), ("a", 1, 1), ("a", 2, 1))
    env = environment(tmp_path)
    options = {"checkpoint": str(tmp_path / "checkpoint"), "available_now": True}
    query = "SELECT k, wavg(n) FROM (SELECT k, v, COUNT(*) AS n FROM t GROUP BY k, v) GROUP BY k"
    assert run(spark, env, "k STRING, a DOUBLE", query, **options) == ["+I[a, 1.5]"]
    put(tmp_path, "2.json", ("a", 1, 1), ("a", 2, 1))
    assert run(spark, env, "k STRING, a DOUBLE", query, **options) == ["+U[a, 2.5]", "-U[a, 1.5]"]


class Seen(NamedTuple):
    value: int
    at: dt.datetime | None


class Values(AggregateFunction[str, list[Seen]]):
    """An accumulator of a type."""

    def create_accumulator(self) -> list[Seen]:
        return []

    def accumulate(self, accumulator: list[Seen], value: int, at: dt.datetime | None) -> None:
        accumulator.append(Seen(value, at))

    def get_value(self, accumulator: list[Seen]) -> str:
        return " ".join(f"{seen.value}@{seen.at:%S}" if seen.at else str(seen.value) for seen in accumulator)


class Counted(AggregateFunction[int, dict[int, int]]):
    """An accumulator that is no value of its declared type: missing entries count as 0."""

    def create_accumulator(self) -> dict[int, int]:
        return Counter()

    def accumulate(self, accumulator: dict[int, int], value: int) -> None:
        accumulator[value] += 1

    def get_value(self, accumulator: dict[int, int]) -> int:
        return max(accumulator.values())


@pytest.mark.wide
def test_accumulators_in_state(spark: SparkSession, tmp_path: Path) -> None:
    """They survive a round trip, and are shown with their types; pickled ones are shown as bytes."""
    put(tmp_path, "1.json", ("a", 1, 1, "2024-01-01 00:00:01"), ("a", 1 << 30, 1))
    env = environment(tmp_path)
    env.create_temporary_function("seen", Values)
    env.create_temporary_function("counted", Counted)
    options = {"checkpoint": str(tmp_path / "checkpoint"), "available_now": True}
    query = "SELECT k, seen(v, ts), counted(v) FROM t GROUP BY k"
    columns = "k STRING, s STRING, n BIGINT"
    assert run(spark, env, columns, query, **options) == ["+I[a, 1@01 1073741824, 1]"]
    put(tmp_path, "2.json", ("a", 1, 1))
    after = ["+U[a, 1@01 1073741824 1, 2]", "-U[a, 1@01 1073741824, 1]"]
    assert run(spark, env, columns, query, **options) == after
    report = inspect_state(options["checkpoint"]).operators[0]
    [key] = inspect_key(options["checkpoint"], report.uid, {"k": "a"}).keys
    parts = next(field.value for field in key.fields if field.name == "aggregates")
    [[seen], [counted]] = [part.value for part in parts]
    assert (seen.name, seen.type) == ("accumulator", "ARRAY<ROW<BIGINT, TIMESTAMP(6)>>")
    values = [list(row.values()) for row in json.loads(seen.value)]
    assert values == [[1, "2024-01-01 00:00:01.000000"], [1 << 30, None], [1, None]]
    assert (counted.name, counted.type) == ("state", "BYTES")


@pytest.mark.wide
def test_time_to_live(spark: SparkSession, tmp_path: Path) -> None:
    """After its TTL a key starts over, whatever its accumulator was."""
    put(tmp_path, "1.json", ("a", 1, 1), ("a", 3, 1))
    env = environment(tmp_path)
    env.set("table.exec.state.ttl", "200 ms")
    options = {"checkpoint": str(tmp_path / "checkpoint"), "available_now": True}
    query = "SELECT k, wavg(v) FROM t GROUP BY k"
    assert run(spark, env, "k STRING, a DOUBLE", query, **options) == ["+I[a, 2.0]"]
    time.sleep(0.3)
    put(tmp_path, "2.json", ("a", 8, 1))
    assert run(spark, env, "k STRING, a DOUBLE", query, **options) == ["+I[a, 8.0]"]


@pytest.mark.wide
def test_windows(spark: SparkSession, tmp_path: Path) -> None:
    """Tumbling, and sessions, whose accumulators are merged: the last row joins the first two."""
    rows = [("a", 1, 1, 0), ("a", 2, 1, 20), ("a", 6, 1, 10), ("b", 8, 1, 40)]
    put(tmp_path, "1.json", *((k, v, w, f"2024-01-01 00:00:{s:02}") for k, v, w, s in rows))
    env = environment(tmp_path)
    window = "FROM TABLE({}(TABLE t{}, DESCRIPTOR(ts), INTERVAL '15' SECOND)) GROUP BY k, window_start, window_end"
    query = (
        f"SELECT 'tumble', k, wavg(v) {window.format('TUMBLE', '')}"
        f" UNION ALL SELECT 'session', k, wavg(v) {window.format('SESSION', ' PARTITION BY k')}"
    )
    assert run(spark, env, "w STRING, k STRING, a DOUBLE", query) == [
        "+I[session, a, 3.0]",
        "+I[session, b, 8.0]",
        "+I[tumble, a, 2.0]",
        "+I[tumble, a, 3.5]",
        "+I[tumble, b, 8.0]",
    ]


@pytest.mark.wide
def test_over(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path, "1.json", *(("a", v, 1, f"2024-01-01 00:00:0{v}") for v in (1, 2, 6)))
    over = "OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
    query = f"SELECT v, wavg(v) {over} FROM t"
    result = run(spark, environment(tmp_path), "v INT, a DOUBLE", query)
    assert result == ["+I[1, 1.0]", "+I[2, 1.5]", "+I[6, 4.0]"]


@pytest.mark.wide
def test_errors(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path, "1.json", ("a", 13, 1))
    env = environment(tmp_path)
    with pytest.raises(ProgramError, match=r"longest has no method `retract`.*updates or deletes"):
        run(spark, env, "k STRING", "SELECT longest(k) FROM (SELECT k, SUM(v) FROM t GROUP BY k)")
    env.execute_sql("DROP TABLE o")
    with pytest.raises(ExecutionError, match=r"`wavg` \(.*WeightedAverage.accumulate\).*ValueError: unlucky"):
        run(spark, env, "a DOUBLE", "SELECT wavg(v) FROM t")

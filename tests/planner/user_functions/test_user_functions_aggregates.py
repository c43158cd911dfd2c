"""User-defined aggregate functions by position: TTL hints without groups, and the methods that a position requires."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from compiled_plan import Table, TableEnvironment, call, col
from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.functions import AggregateFunction, TableAggregateFunction


class Plain(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int | None) -> None: ...

    def get_value(self, accumulator: list[int]) -> int: ...


class Whole(Plain):
    def retract(self, accumulator: list[int], value: int | None) -> None: ...

    def merge(self, accumulator: list[int], others: Any) -> None: ...


def environment() -> TableEnvironment:
    env = TableEnvironment()
    env.create_temporary_function("plain", Plain)
    env.create_temporary_function("whole", Whole)
    env.execute_sql(
        "CREATE TABLE t (k STRING, v INT, p AS PROCTIME(), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)"
        " WITH ('connector' = 'datagen'); CREATE TABLE o (x BIGINT) WITH ('connector' = 'blackhole')"
    )
    return env


def ttls(plan: str) -> list[str]:
    return [entry["ttl"] for node in json.loads(plan)["nodes"] for entry in node.get("state", ())]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT /*+ STATE_TTL('t' = '5s') */ plain(v) FROM t",
        "SELECT /*+ STATE_TTL('a' = '5s') */ plain(v) + 1 FROM t AS a WHERE v > 1 HAVING plain(v) > 1",
        "SELECT /*+ STATE_TTL('t' = '5s') */ plain(DISTINCT v) FROM t GROUP BY ()",
        "SELECT /*+ STATE_TTL('q' = '5s') */ plain(v) FILTER (WHERE v > 1) FROM (SELECT * FROM t) AS q",
    ],
)
def test_state_ttl_without_groups_in_sql(query: str) -> None:
    assert ttls(environment().compile_plan_sql(f"INSERT INTO o {query}").to_json()) == ["5 s"]


@pytest.mark.parametrize(
    "select",
    [
        lambda table: table.select(call("plain", col("v"))),
        lambda table: table.select(call(Plain, col("v")) + 1),
        lambda table: table.where(col("v") > 1).select(call("plain", col("v"))),
        lambda table: table.select(col("v").sum.cast("BIGINT")),
        lambda table: table.group_by("k").select(call(Plain, col("v"))),
    ],
)
def test_state_ttl_without_groups_in_python(select: Callable[[Table], Table]) -> None:
    table = environment().from_path("t").hint("STATE_TTL", {"t": "5s"})
    assert ttls(select(table).insert_into("o").compile_plan().to_json()) == ["5 s"]


OVER = "OVER (PARTITION BY k ORDER BY {} BETWEEN {} AND CURRENT ROW) FROM t"
WINDOW = "FROM TABLE({}) GROUP BY k, window_start, window_end"
FOR_5 = "INTERVAL '1' SECOND, INTERVAL '5' SECOND"


@pytest.mark.parametrize(
    ("place", "missing"),
    [
        (OVER.format("p ROWS", "1 PRECEDING"), "retract"),
        (OVER.format("ts RANGE", "INTERVAL '1' SECOND PRECEDING"), "retract"),
        (OVER.format("ts ROWS", "UNBOUNDED PRECEDING"), ""),
        (WINDOW.format("SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' SECOND)"), "merge"),
        (WINDOW.format("SESSION(TABLE t PARTITION BY k, DESCRIPTOR(p), INTERVAL '1' SECOND)"), "merge"),
        (WINDOW.format(f"CUMULATE(TABLE t, DESCRIPTOR(ts), {FOR_5})"), "merge"),
        (WINDOW.format(f"HOP(TABLE t, DESCRIPTOR(ts), {FOR_5})"), ""),
        (WINDOW.format("TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '5' SECOND)"), ""),
        ("FROM t GROUP BY k, SESSION(ts, INTERVAL '1' SECOND)", "merge"),
        ("FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' SECOND)", ""),
        ("FROM (SELECT k, CAST(COUNT(*) AS INT) AS v FROM t GROUP BY k)", "retract"),
        ("FROM (SELECT k, CAST(COUNT(*) AS INT) AS v FROM t GROUP BY k) GROUP BY k", "retract"),
        ("FROM t GROUP BY k", ""),
    ],
)
@pytest.mark.parametrize("strategy", ["ONE_PHASE", "TWO_PHASE"])
def test_a_missing_required_method_is_named(place: str, missing: str, strategy: str) -> None:
    """A missing method is an error at compile time that names the method to define."""
    env = environment()
    env.set("table.optimizer.agg-phase-strategy", strategy)
    env.compile_plan_sql(f"INSERT INTO o SELECT whole(v) {place}")
    try:
        env.compile_plan_sql(f"INSERT INTO o SELECT plain(v) {place}")
    except CompiledPlanError as fault:
        assert missing and f"plain has no method `{missing}`, which it needs here because" in fault.message
        assert f"define `def {missing}(self, accumulator, " in fault.remedy
    else:
        assert not missing


class Two(TableAggregateFunction[int, list[int]]):
    def accumulate(self, accumulator: list[int], value: int) -> None: ...


def test_table_aggregate_functions_need_declared_types() -> None:
    env = environment()
    refusals = [
        lambda: env.create_temporary_function("two", Two),
        lambda: env.execute_sql(f"CREATE FUNCTION two AS '{__name__}.Two' LANGUAGE PYTHON"),
        lambda: env.from_path("t").group_by("k").flat_aggregate(call(Two, col("v"))),
    ]
    for refused in refusals:
        with pytest.raises(UnsupportedError, match="the types of Two are not declared") as refusal:
            refused()
        assert "udtaf(Two(), result_type=...)" in refusal.value.remedy

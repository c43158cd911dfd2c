"""Keys of rows between stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.expressions import ExpressionContext, register
from compiled_plan.plans.execution.operators.base import Flow, Lowering
from compiled_plan.plans.execution.stages.hosted import hosted_of
from compiled_plan.plans.execution.stages.layout import Port
from compiled_plan.plans.execution.stages.prepared import prepare
from compiled_plan.plans.inspection.identity import with_uids

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        ("a INT, b STRING, c INT, PRIMARY KEY (c, b) NOT ENFORCED", ["7,=x", "7,=x", "8,=x"]),
        ("a INT, b STRING, c INT", ["#0", "#1", "#2"]),
    ],
)
def test_rows_for_a_sink_that_pass_a_stage_have_its_primary_key(
    spark: SparkSession, columns: str, keys: list[str]
) -> None:
    from pyspark.sql import functions as F

    register(spark)
    source = "CREATE TABLE t (a INT, b STRING, c INT) WITH ('connector' = 'datagen');\n"
    sinks = f"CREATE TABLE s ({columns}) WITH ('connector' = 'blackhole');\n"
    sinks += "CREATE TABLE n (b STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
    plan = with_uids(
        TableEnvironment().compile_script(
            f"{source}{sinks}EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT a, b, c FROM t; "
            "INSERT INTO n SELECT b, COUNT(*) FROM t GROUP BY b; END;"
        )
    )
    prepared = prepare(plan)
    hosted = hosted_of(prepared.layout, Lowering(plan, ExpressionContext()))
    sink = next(
        node for node in plan.sinks if node.output_type and "`s`" in str(node.dynamic_table_sink.table.identifier)
    )
    frame = spark.createDataFrame(
        [(0, 1, "x", 7), (1, 2, "x", 7), (2, 1, "x", 8)], "ord bigint, a int, b string, c int"
    )
    flow = Flow(F.lit(0), F.col("ord"), F.lit(None), tuple(map(F.col, "abc")))
    selected = frame.orderBy("ord").select(hosted.key(Port(sink.id, 0, writes=True), flow).alias("key"))
    assert [row.key for row in selected.collect()] == keys


@pytest.mark.parametrize(
    ("query", "options", "columns"),
    [
        ("SELECT b, COUNT(a) FROM t GROUP BY b", "", ["b VARCHAR(2147483647)", "a INT"]),
        # The rows in front of the first phase are those that are added up.
        (
            "SELECT b, COUNT(a) FROM t GROUP BY b",
            "SET 'table.exec.mini-batch.enabled' = 'true'; SET 'table.exec.mini-batch.allow-latency' = '1 s'; "
            "SET 'table.exec.mini-batch.size' = '9'; SET 'table.optimizer.agg-phase-strategy' = 'TWO_PHASE';",
            ["b VARCHAR(2147483647)", "a INT"],
        ),
        # The columns that it needs, in an order of its own, and the time in ms.
        (
            "SELECT b, SUM(a) FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR) "
            "GROUP BY b, window_start, window_end",
            "",
            ["b VARCHAR(2147483647)", "a INT", "computed 1 BIGINT"],
        ),
        (
            "SELECT b, COUNT(a) OVER (PARTITION BY b ORDER BY ts) FROM t",
            "",
            ["a INT", "b VARCHAR(2147483647)", "ts TIMESTAMP(3)"],
        ),
    ],
)
def test_columns_of_an_operator_have_the_names_of_the_plan(query: str, options: str, columns: list[str]) -> None:
    tables = (
        "CREATE TABLE t (a INT, b STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');\n"
        "CREATE TABLE s (b STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
    )
    plan = with_uids(TableEnvironment().compile_script(f"{options}{tables}INSERT INTO s {query};"))
    prepared = prepare(plan)
    hosted = hosted_of(prepared.layout, Lowering(plan, ExpressionContext()))
    (node,) = hosted.operators
    ((*named,),) = hosted.named(node)
    assert [f"{column['name']} {column['type']}" for column in named] == columns

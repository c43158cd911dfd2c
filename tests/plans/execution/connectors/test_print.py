from __future__ import annotations

import pytest
from pyspark.sql import Row, SparkSession

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.interfaces.connectors import SinkContext, TableSpec, open_sink
from compiled_plan.plans.execution.spark.types import ddl


@pytest.mark.wide
def test_lines_as_flink_prints_them(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    register(spark)
    types = [
        ("DECIMAL(38, 18)", "0.0000001BD"),
        ("DOUBLE", "12345678.9D"),
        ("CHAR(5)", "'ab   '"),
        ("BYTES", "X'0102FF'"),
        ("DATE", "DATE'2024-01-02'"),
        ("TIME(3)", "3720000"),
        ("TIMESTAMP(3)", "TIMESTAMP_NTZ'2024-01-02 03:04:00'"),
        ("TIMESTAMP_LTZ(3)", "TIMESTAMP'2023-11-14 22:13:20.123Z'"),
        ("ARRAY<INT>", "array(1, null, 3)"),
        ("MAP<STRING, DOUBLE>", "map('k', 1D, 'l', null)"),
        ("ROW<x INT, y STRING>", "named_struct('x', 1, 'y', 'y')"),
        ("MULTISET<STRING>", "null"),
    ]
    columns = t.row_of([f"a{i}" for i in range(len(types))], [t.parse_type(text) for text, _ in types])
    frame = spark.sql(
        "SELECT kind, ord, path, "
        + ", ".join(
            f"CAST(CASE WHEN ord < 2 THEN {sql} END AS {ddl(t.parse_type(text))}) AS f{i}"
            for i, (text, sql) in enumerate(types)
        )
        + " FROM VALUES (2Y, 2L, X'01'), (1Y, 2L, X'00'), (0Y, 1L, null), (3Y, 2L, null) AS t(kind, ord, path)"
    ).repartition(2)
    lines: list[str] = []
    spec = TableSpec("c.d.t", columns, {"connector": "print", "print-identifier": "id"})
    open_sink(spec, SinkContext(spark, "r", lines.append)).write(frame, 0)
    nulls = ", ".join(["null"] * len(types))
    assert lines == [
        "id> +I[1.00000000000E-7, 1.23456789E7, ab   , [1, 2, -1], 2024-01-02, 01:02, 2024-01-02T03:04, "
        "2023-11-14T22:13:20.123Z, [1, null, 3], {k=1.0, l=null}, +I[1, y], null]",
        f"id> -D[{nulls}]",
        f"id> -U[{nulls}]",
        f"id> +U[{nulls}]",
    ]
    wrong = TableSpec("c.d.t", columns, {"connector": "print", "standard-error": "true"})
    open_sink(wrong, SinkContext(spark, "r", lines.append)).write(frame.where("kind = 3"), 0)
    assert capsys.readouterr().err == f"-D[{nulls}]\n"
    assert len(lines) == 4


@pytest.mark.parametrize("connector", ["print", "blackhole"])
def test_unknown_options(connector: str) -> None:
    context = SinkContext(None, "r", print)  # type: ignore[arg-type]
    spec = TableSpec("c.d.t", t.row_of(["a"], [t.INT]), {"connector": connector, "print-identifer": "x"})
    with pytest.raises(UnsupportedError, match="print-identifer"):
        open_sink(spec, context)


def test_blackhole_computes_every_row(spark: SparkSession) -> None:
    seen = spark.sparkContext.accumulator(0)
    frame = spark.range(7)

    def count(row: Row) -> Row:
        seen.add(1)
        return row

    counted = spark.createDataFrame(frame.rdd.map(count), frame.schema)
    spec = TableSpec("c.d.t", t.row_of(["a"], [t.INT]), {"connector": "blackhole"})
    open_sink(spec, SinkContext(spark, "r", print)).write(counted, 0)
    assert seen.value == 7

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.interfaces.connectors import SourceContext, TableSpec, open_source

FAST = {"connector": "datagen", "rows-per-second": "100000"}


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    register(spark)
    jvm: Any = spark._jvm
    jvm.org.compiledplan.kernel.host.input.OrderNumber.register(spark._jsparkSession)
    return spark


def table(types: dict[str, str], **options: str) -> TableSpec:
    row = t.row_of(list(types), [t.parse_type(text) for text in types.values()])
    return TableSpec("c.d.t", row, {**FAST, **options})


def run(session: SparkSession, spec: TableSpec, checkpoint: Path | None = None, now: bool = False) -> list[Row]:
    rows: list[Row] = []
    source = open_source(spec, SourceContext(session))
    writer = source.frame.writeStream.foreachBatch(lambda frame, _: rows.extend(frame.collect()))
    if checkpoint is not None:
        writer = writer.option("checkpointLocation", str(checkpoint))
    query = (writer.trigger(availableNow=True) if now else writer).start()
    try:
        query.awaitTermination(60) if now else query.processAllAvailable()
    finally:
        query.stop()
    return rows


@pytest.mark.wide
def test_all_types_and_their_limits(session: SparkSession) -> None:
    types = {
        "s": "BIGINT",
        "i": "INT",
        "ti": "TINYINT",
        "bi": "BIGINT",
        "d": "DOUBLE",
        "f": "FLOAT",
        "de": "DECIMAL(6, 2)",
        "b": "BOOLEAN",
        "c": "CHAR(3)",
        "v": "VARCHAR(7)",
        "st": "STRING",
        "by": "BINARY(4)",
        "dt": "DATE",
        "tm": "TIME(0)",
        "ts": "TIMESTAMP(3)",
        "tz": "TIMESTAMP_LTZ(3)",
        "a": "ARRAY<INT>",
        "m": "MAP<STRING, INT>",
        "ms": "MULTISET<STRING>",
        "r": "ROW<x INT, y STRING>",
    }
    spec = table(
        types,
        **{
            "number-of-rows": "1000",
            "fields.s.kind": "sequence",
            "fields.s.start": "5",
            "fields.s.end": "100000",
            "fields.i.min": "-3",
            "fields.i.max": "3",
            "fields.de.min": "1.5",
            "fields.de.max": "2.25",
            "fields.st.length": "5",
            "fields.st.var-len": "true",
            "fields.b.null-rate": "0.5",
            "fields.ts.max-past": "1 h",
            "fields.a.length": "2",
            "fields.a.element.max": "0",
            "fields.r.x.min": "9",
            "fields.r.x.max": "9",
        },
    )
    assert open_source(spec, SourceContext(session)).bounded
    result = run(session, spec)
    assert sorted(r.f0 for r in result) == list(range(5, 1005))
    assert {r.f1 for r in result} == set(range(-3, 4))
    assert {r.f2 for r in result} <= set(range(-128, 128))
    assert all(r.f4 >= 0 and r.f5 >= 0 for r in result)
    assert {str(r.f6) for r in result} == {f"{cents // 100}.{cents % 100:02}" for cents in range(150, 226)}
    assert 350 < sum(r.f7 is None for r in result) < 650
    assert {len(r.f8) for r in result} == {3}
    assert {len(r.f9) for r in result} == {7}
    assert {len(r.f10) for r in result} == {1, 2, 3, 4, 5}
    assert {len(r.f11) for r in result} == {4}
    assert all(0 <= (r.f15.replace(tzinfo=None) - r.f14).total_seconds() <= 3700 for r in result)
    assert all(len(r.f16) == 2 and max(r.f16) <= 0 for r in result)
    assert all(r.f19.x == 9 and len(r.f19.y) == 100 for r in result)
    assert len({r.f3 for r in result}) > 990
    again = run(session, spec)
    assert sorted((r.f0, r.f3, r.f10) for r in again) == sorted((r.f0, r.f3, r.f10) for r in result)


def test_sequence_ends_the_source_and_a_restart_goes_on(session: SparkSession, tmp_path: Path) -> None:
    def upto(rows: int) -> TableSpec:
        options = {"number-of-rows": str(rows)}
        return table({"n": "INT"}, **options, **{f"fields.n.{k}": v for k, v in SEQUENCE.items()})

    first = run(session, upto(30), tmp_path)
    second = run(session, upto(1000), tmp_path, now=True)
    assert sorted(r.f0 for r in first) == list(range(1, 31))
    assert sorted(r.f0 for r in second) == list(range(31, 51))


SEQUENCE = {"kind": "sequence", "start": "1", "end": "50"}


@pytest.mark.wide
def test_rows_come_as_fast_as_told(session: SparkSession) -> None:
    spec = table({"n": "INT"}, **{"rows-per-second": "20"})
    source = open_source(spec, SourceContext(session))
    assert not source.bounded
    assert 0 < len(run(session, spec, now=True)) <= 40


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"fields.x.kind": "random"}, "no option 'fields.x.kind'"),
        ({"fields.n.kind": "sequenze"}, "one of: random, sequence"),
        ({"fields.n.kind": "sequence", "fields.n.start": "1"}, "needs the option 'fields.n.end'"),
        ({"fields.n.min": "5", "fields.n.max": "1"}, "larger than"),
        ({"row-per-second": "5"}, "did you mean 'rows-per-second'"),
        ({"rows-per-second": "0"}, "above 0"),
        ({"fields.n.null-rate": "2"}, "from 0 to 1"),
    ],
)
def test_options(session: SparkSession, options: dict[str, str], text: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        open_source(table({"n": "INT"}, **options), SourceContext(session))
    assert text in str(caught.value)

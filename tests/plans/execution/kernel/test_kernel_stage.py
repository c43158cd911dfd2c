"""Stages inside Spark queries."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from tests.support.kernel.specs import whole

TRANSFORM = "transformWithState"
INPUT = "struct<k:string,v:int>"
ANY: dict[str, Any] = {"uid": "totals", "ports": [{"column": "c0", "key": []}], "output": "o0", "ttl": [0]}
TOTALS: dict[str, Any] = {
    **ANY,
    "type": "group-aggregate",
    "outputSchema": "k STRING, n BIGINT, s INT",
    "grouping": [0],
    "aggs": [{"function": "$COUNT$1", "args": []}, {"function": "$SUM$1", "args": [1]}],
}


class Folder:
    """A streamed folder of JSON rows."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.path = path
        self.count = 0

    def add(self, *rows: dict[str, Any]) -> None:
        self.count += 1
        hidden = self.path / f".{self.count}"
        hidden.write_text("\n".join(json.dumps(row) for row in rows))
        hidden.rename(self.path / f"{self.count:03}.json")


def read(spark: SparkSession, folder: Folder) -> DataFrame:
    return spark.readStream.schema("k STRING, v INT").option("maxFilesPerTrigger", 1).json(str(folder.path))


def envelope(frame: DataFrame, op: str, row: Column, *, port: int = 0, **others: str) -> DataFrame:
    return frame.select(
        F.lit(op).alias("op"),
        F.coalesce("k", F.lit("~")).alias("key"),
        F.lit(port).alias("port"),
        F.lit(0).cast("tinyint").alias("kind"),
        F.expr("order_number()").alias("ord"),
        F.lit(None).cast("binary").alias("path"),
        row,
        *(F.lit(None).cast(type_).alias(name) for name, type_ in others.items()),
    )


def staged(operator: dict[str, Any]) -> dict[str, Any]:
    """The description of an operator for a stage, from the fields that a test sets."""
    own = {name: operator[name] for name in ("ports", "output", "outputSchema")}
    rest = {name: value for name, value in operator.items() if name not in own}
    return {"timeDomain": "processing", "watermarkDelay": 0, **whole(rest), **own}


def attach(spark: SparkSession, frame: DataFrame, host: str, *operators: dict[str, Any], **spec: Any) -> Any:
    jvm: Any = spark._jvm
    full = {"name": "stage", "host": host, "timeMode": "processing", "passThrough": [], **spec}
    full["operators"] = [staged(operator) for operator in operators]
    return jvm.org.compiledplan.kernel.host.stage.Stage.attach(frame._jdf, json.dumps(full))


def output(spark: SparkSession, handle: Any) -> DataFrame:
    return DataFrame(handle.output(), spark)


class Running:
    """A query whose batches are collected."""

    def __init__(self, frame: DataFrame, checkpoint: Path) -> None:
        self.rows: list[Row] = []
        self.query = (
            frame.writeStream.foreachBatch(lambda batch, _: self.rows.extend(batch.collect()))
            .option("checkpointLocation", str(checkpoint))
            .start()
        )

    def take(self) -> list[Row]:
        """The rows since the last call, in order, once all input is processed."""
        self.query.processAllAvailable()
        rows = sorted(self.rows, key=lambda row: (row.ord, row.path or b""))
        self.rows.clear()
        return rows


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    jvm: Any = spark._jvm
    jvm.org.compiledplan.kernel.host.input.OrderNumber.register(spark._jsparkSession)
    return spark


def start(session: SparkSession, folder: Folder, host: str, checkpoint: Path, **fields: Any) -> tuple[Running, Any]:
    frame = envelope(read(session, folder), "totals", F.struct("k", "v").alias("c0"))
    handle = attach(session, frame, host, {**TOTALS, **fields})
    return Running(output(session, handle), checkpoint), handle


def test_state_survives_batches_and_restarts(session: SparkSession, tmp_path: Path) -> None:
    check_state_over_restarts(session, tmp_path, TRANSFORM)


def check_state_over_restarts(session: SparkSession, tmp_path: Path, host: str) -> None:
    folder = Folder(tmp_path / "in")
    folder.add({"k": "a", "v": 1}, {"k": "a", "v": 2})
    running, handle = start(session, folder, host, tmp_path / "checkpoint")
    try:
        (row,) = running.take()
        assert (row.op, row.key, row.port, row.kind, row.ord) == ("totals", None, -1, 0, 1)
        assert bytes(row.path) == b"\0\0\0\0"
        assert tuple(row.o0) == ("a", 2, 3)
        totals = json.loads(handle.metrics())["totals"]
        assert totals.pop("stateBytes") > 0
        assert totals.pop("busyNanos") >= 0
        assert totals.pop("useAges") == [{"1": 1}]
        rows = {"rowsIn": 2, "rowsInByInput": [2], "rowsInByOutcome": {"applied": 2}, "rowsOut": 1}
        state = {"stateRows": 1, "stateChanges": {"created": 1}, "unaccountedRows": 0, "unaccountedEntries": 0}
        assert totals == rows | state | {"keyedRows": 2, "hotKeys": {"a": 2}}
        assert json.loads(handle.metrics())["totals"]["hotKeys"] == {}
    finally:
        running.query.stop()
    folder.add({"k": "a", "v": 5})
    running, _ = start(session, folder, host, tmp_path / "checkpoint")
    try:
        assert [(row.kind, tuple(row.o0)) for row in running.take()] == [(1, ("a", 2, 3)), (2, ("a", 3, 8))]
    finally:
        running.query.stop()


@pytest.mark.wide
def test_expired_state_is_neither_used_nor_kept(session: SparkSession, tmp_path: Path) -> None:
    check_expiry(session, tmp_path, TRANSFORM)


def check_expiry(session: SparkSession, tmp_path: Path, host: str) -> None:
    folder = Folder(tmp_path / "in")
    folder.add(*({"k": f"k{i}", "v": 1} for i in range(50)))
    running, handle = start(session, folder, host, tmp_path / "checkpoint", ttl=[1500])
    try:
        assert len(running.take()) == 50
        folder.add({"k": "k0", "v": 1})
        assert [row.o0.n for row in running.take() if row.kind == 2] in ([2], [])

        def idle_keys_are_gone() -> bool:
            folder.add({"k": "other", "v": 1})
            running.take()
            return bool(json.loads(handle.metrics())["totals"]["stateRows"] == 1)

        wait_for(idle_keys_are_gone)
        folder.add({"k": "k1", "v": 1})
        assert [(row.kind, tuple(row.o0)) for row in running.take()] == [(0, ("k1", 1, 1))]
    finally:
        running.query.stop()


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"


@pytest.mark.wide
def test_rows_for_later_stages_pass_and_stages_chain(session: SparkSession, tmp_path: Path) -> None:
    check_chain(session, tmp_path, TRANSFORM)


def check_chain(session: SparkSession, tmp_path: Path, host: str) -> None:
    totals, plain = Folder(tmp_path / "totals"), Folder(tmp_path / "plain")
    totals.add({"k": "a", "v": 1}, {"k": "b", "v": 2}, {"k": "a", "v": 3})
    plain.add({"k": "z", "v": 9})
    value = F.struct("k", "v")
    first = envelope(read(session, totals), "totals", value.alias("c0"), c9=INPUT)
    second = envelope(read(session, plain), "last", value.alias("c9"), c0=INPUT)
    handle = attach(session, first.unionByName(second), host, TOTALS, passThrough=["c9"])
    middle = output(session, handle)
    is_total = F.col("op") == "totals"
    into_last = middle.select(
        F.lit("last").alias("op"),
        F.lit("").alias("key"),
        F.when(is_total, 1).otherwise(0).alias("port"),
        "kind",
        "ord",
        "path",
        "c9",
        F.when(is_total, F.struct(F.col("o0.k").alias("k"), F.col("o0.s").alias("v"))).alias("c8"),
    )
    last = {
        **ANY,
        "uid": "last",
        "type": "join",
        "joinType": "INNER",
        "ports": [{"column": "c9", "key": []}, {"column": "c8", "key": []}],
        "outputSchema": "k STRING, v INT, k0 STRING, v0 INT",
        "leftKeys": [],
        "rightKeys": [],
        "filterNulls": [],
        "ttl": [0, 0],
    }
    running = Running(output(session, attach(session, into_last, host, last)), tmp_path / "checkpoint")
    try:
        assert sorted(tuple(row.o0) for row in running.take()) == [("z", 9, "a", 4), ("z", 9, "b", 2)]
        plan = running.query._jsq.explainInternal(False)
        assert plan.count("Gather") == 2
        assert "Sort" not in plan
    finally:
        running.query.stop()


@pytest.mark.wide
def test_conditions_are_evaluated_by_spark(session: SparkSession, tmp_path: Path) -> None:
    jvm: Any = session._jvm
    sample = session.createDataFrame([], "l0 STRING, l1 INT, r0 STRING, r1 INT")
    condition = (F.col("l1") * 2 < F.col("r1")) & (F.upper("l0") == "A")
    text = jvm.org.compiledplan.kernel.host.Conditions.serialize(sample._jdf, condition._jc)
    join = {
        **ANY,
        "type": "join",
        "joinType": "LEFT",
        "ports": [{"column": "c0", "key": []}, {"column": "c1", "key": []}],
        "outputSchema": "k STRING, v INT, k0 STRING, v0 INT",
        "leftKeys": [0],
        "rightKeys": [0],
        "filterNulls": [True],
        "condition": text,
        "ttl": [0, 0],
    }
    lefts, rights = Folder(tmp_path / "left"), Folder(tmp_path / "right")
    lefts.add({"k": "a", "v": 1}, {"k": "b", "v": 1}, {"k": None, "v": 1})
    rights.add({"k": "a", "v": 2}, {"k": "a", "v": 3}, {"k": "b", "v": 9})
    frame = envelope(read(session, lefts), "totals", F.struct("k", "v").alias("c0"), c1=INPUT).unionByName(
        envelope(read(session, rights), "totals", F.struct("k", "v").alias("c1"), port=1, c0=INPUT)
    )
    running = Running(output(session, attach(session, frame, TRANSFORM, join)), tmp_path / "checkpoint")
    try:
        changes = running.take()
        left_over = [tuple(row.o0) for row in changes if row.kind == 0]
        for row in changes:
            if row.kind == 3:
                left_over.remove(tuple(row.o0))
        assert sorted(left_over, key=str) == [
            ("a", 1, "a", 3),
            ("b", 1, None, None),
            (None, 1, None, None),
        ]
    finally:
        running.query.stop()


def test_values_of_all_types_pass_through_state(session: SparkSession, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "in")
    folder.add({"k": "a", "v": 1})
    folder.add({"k": "b", "v": 2})
    columns = {
        "flag": F.col("v") == 1,
        "number": F.col("v").cast("decimal(30, 4)"),
        "day": F.lit("2024-02-29").cast("date"),
        "stamp": F.lit("2024-02-29 12:00:00.123456").cast("timestamp"),
        "local": F.lit("2024-02-29 12:00:00.123456").cast("timestamp_ntz"),
        "bytes": F.encode("k", "utf-8"),
        "real": F.col("v").cast("float"),
        "list": F.array(F.col("v"), F.lit(None).cast("int")),
        "map": F.create_map("k", "v"),
        "row": F.struct("k", F.array(F.struct("v")).alias("inner")),
        "span": F.expr("INTERVAL '1 02:03:04.5' DAY TO SECOND"),
    }
    row = F.struct(*(column.alias(name) for name, column in columns.items()))
    frame = envelope(read(session, folder), "totals", row.alias("c0")).withColumn("key", F.lit(""))
    field: Any = frame.schema["c0"].dataType
    last = {**ANY, "type": "deduplicate", "keepLast": True, "outputSchema": field.json()}
    running = Running(output(session, attach(session, frame, TRANSFORM, last)), tmp_path / "checkpoint")
    try:
        first, before, after = running.take()
        (first, before, after) = sorted((first, before, after), key=lambda r: r.kind)
        assert first.o0 == before.o0 != after.o0
    finally:
        running.query.stop()

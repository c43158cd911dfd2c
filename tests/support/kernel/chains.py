"""Chains of kernel stages in Spark queries, without plans; state moves from chain to chain."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans.execution.session.spark_session import query_settings
from tests.support.kernel.harness import KINDS, NAMES, Change
from tests.support.kernel.specs import whole

TRANSFORM, GROUP_STATE = ("transformWithState", "flatMapGroupsWithState")
CLOCK = "clock"
_PARTITIONS = "spark.sql.shuffle.partitions"
_HOST = "org.compiledplan.kernel.host"
_KERNEL = "org.compiledplan.kernel"
_HEAD = "op STRING, key STRING, port INT, kind TINYINT, ord BIGINT, at BIGINT"


@dataclass(frozen=True)
class Chain:
    """Stages of operators on one host; each operator is a spec as `whole` takes it."""

    levels: Sequence[Sequence[dict[str, Any]]]
    host: str = TRANSFORM
    event: bool = False

    def operators(self) -> list[dict[str, Any]]:
        """All operators, in the order of the stages."""
        return [operator for level in self.levels for operator in level]

    def columns(self) -> dict[str, str]:
        """The types of all input columns by name."""
        return {
            _column(operator["uid"], port): f"struct<{_fields(types)}>"
            for operator in self.operators()
            for port, types in enumerate(operator["inputTypes"])
        }

    def stages(self, spark: SparkSession) -> list[dict[str, Any]]:
        """The stages as the kernel receives them."""
        return [
            {
                "name": f"stage-{level}",
                "host": self.host,
                "timeMode": "event" if self.event else "processing",
                "operators": [_told(spark, operator) for operator in operators],
                "passThrough": [
                    _column(operator["uid"], port)
                    for after in self.levels[level + 1 :]
                    for operator in after
                    for port in range(len(operator["inputTypes"]))
                ]
                + [_result(operator["uid"]) for before in self.levels[:level] for operator in before],
            }
            for level, operators in enumerate(self.levels)
        ]


def _column(uid: str, port: int) -> str:
    return f"c_{uid}_{port}".replace("-", "_")


def _result(uid: str) -> str:
    return f"o_{uid}".replace("-", "_")


def _fields(types: Sequence[str]) -> str:
    return ", ".join(f"f{at}: {_spark_type(type_)}" for at, type_ in enumerate(types))


def _spark_type(type_: str) -> str:
    return {"MULTISET": "MAP<STRING, INT>"}.get(type_, type_)


def _told(spark: SparkSession, operator: dict[str, Any]) -> dict[str, Any]:
    uid, types = operator["uid"], operator["inputTypes"]
    keys = [port["key"] for port in operator.get("ports", [{"key": []} for _ in types])]
    spec = {name: value for name, value in operator.items() if name not in ("inputTypes", "outputTypes")}
    description = {"timeDomain": "processing", "watermarkDelay": 0, "ttl": [], **whole(spec)}
    parameters = description["parameters"]
    joined = [type_ for input_ in types for type_ in input_]
    if parameters.get("condition") is not None:
        parameters["condition"] = _condition(spark, joined, parameters["condition"])
    if "conditions" in parameters:
        parameters["conditions"] = [
            text and _condition(spark, _valued(operator, at) or joined, text)
            for at, text in enumerate(parameters["conditions"])
        ]
    return {
        **description,
        "ports": [{"column": _column(uid, port), "key": key} for port, key in enumerate(keys)],
        "output": _result(uid),
        "outputSchema": f"{_fields(operator['outputTypes']).replace(':', '')}",
    }


def _valued(operator: dict[str, Any], at: int) -> list[str]:
    """The types of the columns that a MATCH_RECOGNIZE condition reads; empty for other operators."""
    if "defines" not in operator:
        return []
    return [operator["inputTypes"][0][value["column"]] for value in operator["defines"][at]]


def _condition(spark: SparkSession, types: Sequence[str], text: str) -> str:
    jvm: Any = spark._jvm
    sample = spark.createDataFrame([], ", ".join(f"f{at} {type_}" for at, type_ in enumerate(types)))
    left, right = text.split("=")
    condition = F.col(f"f{left}") == F.col(f"f{right}")
    return str(getattr(jvm, f"{_HOST}.Conditions").serialize(sample._jdf, condition._jc))


@dataclass
class Running:
    """A query of a chain over a folder, with a checkpoint; every file is a micro-batch."""

    spark: SparkSession
    chain: Chain
    folder: Path
    checkpoint: Path
    partitions: int = 2
    handles: list[Any] = field(default_factory=list)
    changes: list[tuple[str, Change]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start the query."""
        self.folder.mkdir(exist_ok=True)
        output = self._output()
        with self._settings():
            self.query = (
                output.writeStream.foreachBatch(lambda batch, _: self._take(batch))
                .option("checkpointLocation", str(self.checkpoint))
                .start()
            )

    @contextmanager
    def _settings(self) -> Iterator[None]:
        with query_settings(self.spark, False), partitions(self.spark, self.partitions):
            yield

    def _output(self) -> DataFrame:
        columns = self.chain.columns()
        schema = ", ".join([_HEAD, *(f"`{name}` {type_}" for name, type_ in columns.items())])
        reader = self.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).option("latestFirst", "false")
        rows = reader.json(str(self.folder))
        jvm: Any = self.spark._jvm
        names = getattr(jvm, f"{_HOST}.input.SourceNames")
        rows = DataFrame(names.named(rows._jdf, "rows"), self.spark)
        if self.chain.event:
            rows = rows.withColumn("at", F.timestamp_millis("at")).withWatermark("at", "0 seconds")
        head = [F.col(name) for name in ("op", "key", "port", "kind", "ord")]
        head.append(F.lit(None).cast("binary").alias("path"))
        if self.chain.event:
            head.append(F.lit(0).cast("bigint").alias("watermark"))
        frame = rows.select(*head, *map(F.col, columns))
        stage = getattr(jvm, f"{_HOST}.stage.Stage")
        for spec in self.chain.stages(self.spark):
            handle = stage.attach(frame._jdf, json.dumps(spec))
            self.handles.append((spec, handle))
            frame = DataFrame(handle.output(), self.spark)
            # The output of an operator passes the later stages under a key of its own.
            spread: Column = F.coalesce("key", F.concat(F.lit("#"), F.col("ord").cast("string")))
            emitted = (F.col("port") == -1) & ~F.col("op").startswith("out:")
            gone = F.when(emitted, F.concat(F.lit("out:"), F.col("op"))).otherwise(F.col("op"))
            frame = frame.withColumn("key", spread).withColumn("op", gone)
        return frame

    def _take(self, batch: DataFrame) -> None:
        outputs = [operator["uid"] for operator in self.chain.operators()]
        rows = sorted(batch.collect(), key=lambda row: (row.ord, row.path or b""))
        for row in rows:
            uid = row.op.removeprefix("out:")
            if row.op != uid and uid in outputs:
                self.changes.append((uid, Change(NAMES[row.kind], tuple(row[_result(uid)]))))

    def add(self, rows: Iterable[tuple[str, Change]], at: int | None = None) -> None:
        """Run a micro-batch; `at` is the watermark in ms that it brings."""
        names = self.chain.columns()
        lines = []
        for number, (uid, row) in enumerate(rows):
            values = {f"f{place}": value for place, value in enumerate(row.values)}
            head = {"op": uid, "key": row.key, "port": row.port, "kind": KINDS[row.kind], "ord": number, "at": 0}
            column = _column(uid, row.port)
            assert column in names
            lines.append({**head, column: values})
        if at is not None:
            lines.append({"op": CLOCK, "key": "", "port": 0, "kind": 0, "ord": 1 << 30, "at": at})
        count = len(list(self.folder.glob("*.json")))
        hidden = self.folder / f".{count}"
        hidden.write_text("\n".join(json.dumps(line) for line in lines))
        hidden.rename(self.folder / f"{count:05}.json")
        self.query.processAllAvailable()

    def tick(self, at: int | None = None, times: int = 2) -> None:
        """Run micro-batches without rows, in which timers fire."""
        for _ in range(times):
            self.add([], at if at is not None else 0)

    def take(self) -> list[tuple[str, Change]]:
        """The output since the last call, in order."""
        changes, self.changes = self.changes, []
        return changes

    def state_rows(self) -> dict[str, int]:
        """By operator, the number of state entries added since the query started."""
        return {
            uid: figures["stateRows"]
            for _, handle in self.handles
            for uid, figures in json.loads(handle.metrics()).items()
        }

    def described(self) -> tuple[str, str]:
        """The metadata in a checkpoint: descriptions of the stages and of their operators' states."""
        states: dict[str, Any] = {}
        for _, handle in self.handles:
            states |= json.loads(handle.states())
        return json.dumps([spec for spec, _ in self.handles]), json.dumps(states)

    def stop(self) -> None:
        """Stop the query."""
        self.query.stop()


@contextmanager
def partitions(spark: SparkSession, count: int) -> Iterator[None]:
    """Set the number of shuffle partitions of queries that start in the block."""
    before = spark.conf.get(_PARTITIONS)
    spark.conf.set(_PARTITIONS, str(count))
    try:
        yield
    finally:
        spark.conf.set(_PARTITIONS, before or "2")


def last_commit(checkpoint: Path) -> tuple[int, int]:
    """The number of the last committed micro-batch, and the watermark in ms of the next."""
    number = max(int(path.name) for path in (checkpoint / "commits").iterdir() if path.name.isdigit())
    commit = json.loads((checkpoint / "commits" / str(number)).read_text().splitlines()[1])
    return number, commit["nextBatchWatermarkMs"]


def state_of(spark: SparkSession, checkpoint: Path, chain: Chain) -> DataFrame:
    """All state of a checkpoint: op, key, bytes."""
    batch, _ = last_commit(checkpoint)
    frames = []
    for level in range(len(chain.levels)):
        # Spark numbers operators from the last one on.
        reader = spark.read.format("statestore").option("operatorId", len(chain.levels) - 1 - level)
        reader = reader.option("batchId", batch)
        if chain.host == TRANSFORM:
            frame = reader.option("stateVarName", "state").load(str(checkpoint))
            frames.append(frame.select("key.op", "key.key", F.col("value.value").alias("bytes")))
        else:
            frame = reader.load(str(checkpoint))
            frames.append(frame.select("key.op", "key.key", F.col("value.groupState.value").alias("bytes")))
    whole_ = frames[0]
    for frame in frames[1:]:
        whole_ = whole_.unionByName(frame)
    return whole_


def move(
    old: Running,
    new: Chain,
    mapping: Sequence[Mapping[str, Any]],
    checkpoint: Path,
    partitions_: int,
) -> tuple[Running, dict[str, dict[str, int]]]:
    """Move the state of a stopped query into a new checkpoint, as an upgrade does.

    Returns:
        A query of the new chain on it that continues with the same input; and the seeded state, by uid.
    """
    spark = old.spark
    jvm: Any = spark._jvm
    migration = getattr(jvm, f"{_KERNEL}.state.seeding.Seeding")
    scratch = Running(spark, new, checkpoint.with_name(f"{checkpoint.name}-none"), checkpoint, partitions_)
    scratch.stop()
    new_stages, new_states = scratch.described()
    shutil.rmtree(checkpoint, ignore_errors=True)
    old_stages, old_states = old.described()
    parquet = checkpoint.with_name(f"{checkpoint.name}-rows")
    # Spark reads state with the settings that it was written with.
    with query_settings(spark, False):
        rows = state_of(spark, old.checkpoint, old.chain)
        converted = migration.convert(rows._jdf, old_stages, old_states, new_stages, new_states, json.dumps(mapping))
        DataFrame(converted, spark).write.parquet(str(parquet))
    batch, watermark = last_commit(old.checkpoint)
    frame = spark.readStream.schema("level INT, op STRING, key STRING, bytes BINARY").parquet(str(parquet))
    jdf = getattr(jvm, f"{_HOST}.input.SourceNames").named(frame._jdf, "seed")
    handles = []
    left_over: list[Any] = []
    for stage in json.loads(new_stages):
        handle = migration.seed(jdf, json.dumps(stage), new_states, watermark)
        handles.append(handle)
        jdf = handle.output()
    with query_settings(spark, False), partitions(spark, partitions_):
        query = (
            DataFrame(jdf, spark)
            .writeStream.foreachBatch(lambda rest, _: left_over.extend(rest.collect()))
            .trigger(availableNow=True)
            .option("checkpointLocation", str(checkpoint))
            .start()
        )
        query.awaitTermination()
    assert not left_over
    _take_over(old.checkpoint, checkpoint, batch, watermark)
    seeded = {uid: figures for handle in handles for uid, figures in json.loads(handle.metrics()).items()}
    return Running(spark, new, old.folder, checkpoint, partitions_), seeded


def _take_over(old: Path, new: Path, batch: int, watermark: int) -> None:
    """Make the old chain's last micro-batch the first one of the new checkpoint."""
    shutil.rmtree(new / "sources")
    shutil.copytree(old / "sources", new / "sources")
    before = (old / "offsets" / str(batch)).read_text().splitlines()
    log = new / "offsets" / "0"
    version, settings, *_ = log.read_text().splitlines()
    updated = json.loads(settings) | {"batchWatermarkMs": watermark}
    _write(log, [version, json.dumps(updated), *before[2:]])
    commit = new / "commits" / "0"
    version, settings = commit.read_text().splitlines()
    _write(commit, [version, json.dumps(json.loads(settings) | {"nextBatchWatermarkMs": watermark})])


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("\n".join(lines))
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)

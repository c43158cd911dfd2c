"""Replay of history: the part of a new plan that computes some operators' state runs over it, without sinks.

Each micro-batch is logged as pending, with the files to read, so that Spark runs exactly that one when a query starts.
Everything is in a temporary folder.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from compiled_plan.plans.execution.expressions import ExpressionContext
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.session.partitions import PARTITIONS
from compiled_plan.plans.execution.session.spark_session import query_settings
from compiled_plan.plans.execution.session.stopping import follow
from compiled_plan.plans.execution.spark.java import settings
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.build import StageBuilder, StageOptions
from compiled_plan.plans.execution.stages.hosts import hosted
from compiled_plan.plans.execution.state.checkpoint.offsets import Entry, plan_batch, watermark_of
from compiled_plan.plans.execution.state.checkpoint.state_rows import stored_rows
from compiled_plan.plans.execution.state.upgrade.filling import Batch, Filling
from compiled_plan.plans.execution.state.upgrade.history import ReadFile, write_log
from compiled_plan.plans.execution.state.upgrade.seeding import seeding_session
from compiled_plan.plans.execution.tables.constant_rows import values_source
from compiled_plan.plans.execution.tables.sources import named
from compiled_plan.plans.inspection.checkpoints import FOLDER, GENERATIONS, ProgramFiles
from compiled_plan.plans.secrets.values import Secrets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

#: Spark's setting of the number of micro-batches after which it compacts the log of a file source.
_INTERVAL = "spark.sql.streaming.fileSource.log.compactInterval"
#: The file with the id of a query, without which Spark ignores the offset log.
_METADATA = "metadata"
#: Spark's setting of the log of changes to state, which spares snapshots. The state of a replay is read once, whole.
_CHANGES = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
#: The kernel's setting of a query with a single micro-batch.
_SINGLE = "spark.compiledPlan.singleBatch"
_CONSTANT = re.compile(rf"/{GENERATIONS}/\d+/{FOLDER}/values-")


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment of a replay.

    Args:
        spark: a session with the settings of expressions.
        functions: the Python functions of the plan.
        host: the Spark operator that hosts the stages.
        partitions: number of shuffle partitions of the state.
        ends: True if all sources of the new plan are bounded.
        stopped: returns True if the run is to end.
        secrets: the secrets to which options of tables refer.
    """

    spark: SparkSession
    functions: PythonFunctions | None
    host: str
    partitions: int
    ends: bool
    stopped: Callable[[], bool]
    secrets: Secrets


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay.

    Args:
        rows: `op`, `key`, `bytes` of all its operators.
        program: the stages and the formats of their operators' bytes.
        entries: number of entries of each operator's state, by uid.
        watermark: the final watermark of the query, in ms.
    """

    rows: DataFrame
    program: ProgramFiles
    entries: Mapping[str, int]
    watermark: int


def replay(
    filling: Filling,
    folder: Folder,
    about: Mapping[str, Any],
    environment: Environment,
    recorders: Mapping[int, connectors.RowSink] | None = None,
) -> Replayed:
    """Replay history in a folder.

    Args:
        filling: the operators, and their history.
        folder: a folder of its own, with the files of constant rows.
        about: the settings of an entry of the old query's log.
        environment: see there.
        recorders: record the rows of sinks, by node; those of others are discarded.

    Raises:
        StoppedError: the run is to end.
    """
    builder, rows = _built(filling, folder, environment)
    writer = _writer(rows, builder, recorders or {}).outputMode("append").option("checkpointLocation", folder.uri)
    about = {**about, "conf": {**about["conf"], PARTITIONS: str(environment.partitions)}}
    folder.write_text(_METADATA, json.dumps({"id": str(uuid4())}))
    interval = int(str(environment.spark.conf.get(_INTERVAL)))
    logged: dict[str, list[Sequence[ReadFile]]] = {}
    positions: dict[str, str] = {}
    single = {_SINGLE: "true"} if len(filling.batches) == 1 else {}
    for number, batch in enumerate(filling.batches):
        for name, files in batch.files.items():
            logged.setdefault(name, []).append([_relocated(file, folder) for file in files])
            write_log(folder, name, logged[name], interval)
            positions[name] = json.dumps({"logOffset": len(logged[name]) - 1})
        positions |= batch.positions
        watermark = _watermark(filling, folder, number, batch)
        now = {**about, "batchTimestampMs": int(time.time() * 1000)}
        plan_batch(folder, Entry(number, watermark, dict(positions), now))
        with (
            query_settings(environment.spark, empty_batches=False),
            settings(environment.spark, {_CHANGES: "false", **single}),
        ):
            query = writer.trigger(once=True).start()
        follow(environment.spark, query, environment.stopped)
    reading, hosts = (
        seeding_session(environment.spark, environment.partitions),
        [environment.host] * len(builder.handles),
    )
    stored = stored_rows(reading, folder.uri, hosts, len(filling.batches) - 1)
    stages = [handle.spec for handle in builder.handles]
    states = {uid: state for handle in builder.handles for uid, state in handle.states().items()}
    entries = {uid: figures["stateRows"] for handle in builder.handles for uid, figures in handle.figures().items()}
    program = ProgramFiles("", "", json.dumps(stages), json.dumps(states))
    return Replayed(stored, program, entries, watermark_of(folder))


def _writer(rows: DataFrame, builder: StageBuilder, recorders: Mapping[int, connectors.RowSink]) -> DataStreamWriter:
    if not recorders:
        return rows.writeStream.format("noop")

    def record(frame: DataFrame, batch: int) -> None:
        several = len(recorders) > 1
        frame = frame.persist() if several else frame
        for sink in builder.prepared.sinks:
            if sink.id in recorders:
                recorders[sink.id].write(builder.sink_rows(sink).among(frame), batch)
        if several:
            frame.unpersist()

    return rows.writeStream.foreachBatch(record)


def _watermark(filling: Filling, folder: Folder, number: int, batch: Batch) -> int:
    """The initial watermark of a micro-batch, in ms: never later than the last of the old query."""
    if not filling.clock.event_time:
        return 0
    if batch.watermark is not None:
        return batch.watermark
    reached = watermark_of(folder) if number else 0
    return reached if filling.clock.last is None else min(reached, filling.clock.last)


def _relocated(file: ReadFile, folder: Folder) -> ReadFile:
    """Map files of constant rows, which are inside a generation, to their copies in the folder."""
    place = folder.uri[folder.uri.rindex(f"/{GENERATIONS}/") :]
    return replace(file, path=_CONSTANT.sub(lambda _: f"{place}/{FOLDER}/values-", file.path))


def _built(filling: Filling, folder: Folder, environment: Environment) -> tuple[StageBuilder, DataFrame]:
    prepared = hosted(filling.prepared, environment.host)
    lowering = Lowering(prepared.plan, ExpressionContext(), environment.functions, secrets=environment.secrets)
    builder = StageBuilder(
        environment.spark,
        lowering,
        prepared,
        # As in a run: before Spark 4.3 the nullability of a stage's keys, which depends on it, is part of its state.
        StageOptions(environment.host, environment.ends, in_order=bool(filling.sinks), folds=True),
    )
    context = connectors.SourceContext(environment.spark, secrets=environment.secrets, again=True)
    frames = {}
    for source, table in prepared.tables.items():
        past = filling.pasts.get(source)
        spec = table.table if past is None or past.history is None else past.history
        frames[source] = connectors.open_source(spec, context).frame
    for source, node in prepared.values.items():
        frames[source] = values_source(node, environment.spark, folder, lowering)
    return builder, builder.build(
        {source: named(frame, filling.names[source]) for source, frame in sorted(frames.items())}
    )

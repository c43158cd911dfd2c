"""Rows of the state in a checkpoint: operator, key, and the host's bytes.

Reads one generation at a committed micro-batch; takes no lock and writes nothing. A concurrent run deletes versions
that it no longer needs, so a reader uses the newest version and retries if it has disappeared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from pyspark.sql import functions as F

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.session.options import GROUPS, TRANSFORM
from compiled_plan.plans.execution.spark.java import java_causes, settings
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.descriptions import StageSpec
from compiled_plan.plans.execution.state.checkpoint.locks import use_kernel_files
from compiled_plan.plans.execution.state.checkpoint.offsets import progress_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Columns: uid of the operator, text of the key, the host's bytes.
SCHEMA = "op STRING, key STRING, bytes BINARY"
#: Prefix of `op` for keys that belong to the host, not to an operator: its own lists.
HOSTS_OWN = "\0"
#: Settings for reading state that runs have written, in effect while its rows are read.
WRITTEN = {"spark.sql.streaming.stateStore.checkpointFormatVersion": "2"}
_TRIES = 5
#: By host: read options of its state, and the expression for an operator's bytes.
_READING: Mapping[str, tuple[Mapping[str, str], str]] = {
    TRANSFORM: ({"stateVarName": "state"}, "value.value"),
    GROUPS: ({}, "value.groupState.value"),
}

T = TypeVar("T")


def state_rows(spark: SparkSession, generation: Folder, stages: Sequence[StageSpec], batch: int) -> DataFrame:
    """The state of all operators after a micro-batch; see `SCHEMA`. Requires the settings `WRITTEN`.

    Args:
        generation: Spark's checkpoint location.
        stages: the kernel's spec of each stage, in order.
        batch: the number of the micro-batch.
    """
    rows = stored_rows(spark, generation.uri, [stage["host"] for stage in stages], batch)
    return rows.where(~F.col("op").startswith(HOSTS_OWN))


def stored_rows(spark: SparkSession, generation: str, hosts: Sequence[str], batch: int) -> DataFrame:
    """The state of all stages after a micro-batch, including the hosts' own keys; see `SCHEMA`.

    Args:
        generation: the URI of Spark's checkpoint location.
        hosts: the Spark operator that hosts each stage.
        batch: the number of the micro-batch.
    """
    # Before the first query of a process, Spark 4.2 has no coordinator of state stores.
    _ = spark.streams
    # Spark 4.1 does not read the names of sources in the log of offsets.
    use_kernel_files(spark)
    rows = spark.createDataFrame([], SCHEMA)
    for stage, host in enumerate(hosts):
        options, value = _READING[host]
        reader = spark.read.format("statestore").options(operatorId=stage, batchId=batch, **options)
        rows = rows.union(reader.load(generation).select("key.op", "key.key", F.col(value).alias("bytes")))
    return rows


def at_rest(spark: SparkSession, generation: Folder, read: Callable[[int | None], T]) -> T:
    """Read the state after the last committed micro-batch, also while a run is active.

    Args:
        generation: Spark's checkpoint location.
        read: called with the number of that micro-batch, or None before the first; called again with a later one if the
            state was deleted meanwhile.

    Raises:
        CheckpointError: the state cannot be read.
    """
    tried: int | None = -1
    for _ in range(_TRIES):
        batch = progress_of(generation).committed
        if batch == tried:
            break
        tried = batch
        try:
            with settings(spark, WRITTEN):
                return read(batch)
        except Exception as attempt_fault:
            fault = attempt_fault
    raise CheckpointError(
        f"the state of micro-batch {tried} cannot be read: {_said(fault)}",
        where=generation.shown,
        remedy="restore the folder from a copy if files are missing; if a run is active there, try again",
    ) from fault


def _said(fault: Exception) -> str:
    """The innermost reason, in one line."""
    causes = java_causes(fault)
    text = str(causes[-1].toString() if causes else fault)
    return text.partition("\n")[0]

"""The rows of the state in a checkpoint: of which operator, of which key, and the host's bytes of it.

Reads one generation as it was when a micro-batch was done, takes no lock and writes nothing. A run may go on meanwhile;
it takes versions away that it no longer needs, so who reads asks for the last one and reads again where that is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.offsets import progress_of
from compiled_plan.plans.execution.session.options import GROUPS, TRANSFORM
from compiled_plan.plans.execution.spark.java import java_causes, settings
from compiled_plan.plans.execution.spark.storage import Folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Each row: uid of the operator, text of the key, what the host has of it.
SCHEMA = "op STRING, key STRING, bytes BINARY"
#: In front of the `op` of keys that are no operator's: lists of a host's own.
HOSTS_OWN = "\0"
#: The settings by which state is read that runs have written; for as long as its rows are asked for.
WRITTEN = {"spark.sql.streaming.stateStore.checkpointFormatVersion": "2"}
_TRIES = 5
#: By host, what its state is read with, and where an operator's bytes are in it.
_READING: Mapping[str, tuple[Mapping[str, str], str]] = {
    TRANSFORM: ({"stateVarName": "state"}, "value.value"),
    GROUPS: ({}, "value.groupState.value"),
}

T = TypeVar("T")


def state_rows(spark: SparkSession, generation: Folder, stages: Sequence[Mapping[str, Any]], batch: int) -> DataFrame:
    """The state of all operators as it was after a micro-batch; see `SCHEMA`. Used under the settings `WRITTEN`.

    Args:
        generation: Spark's checkpoint location.
        stages: the kernel's spec of each stage, in order.
        batch: the number of the micro-batch.
    """
    from pyspark.sql import functions as F

    rows = stored_rows(spark, generation.uri, [stage["host"] for stage in stages], batch)
    return rows.where(~F.col("op").startswith(HOSTS_OWN))


def stored_rows(spark: SparkSession, generation: str, hosts: Sequence[str], batch: int) -> DataFrame:
    """The state of all stages as it was after a micro-batch, the hosts' own keys included; see `SCHEMA`.

    Args:
        generation: the URI of Spark's checkpoint location.
        hosts: for each stage the Spark operator that hosts it.
        batch: the number of the micro-batch.
    """
    from pyspark.sql import functions as F

    rows = spark.createDataFrame([], SCHEMA)
    for stage, host in enumerate(hosts):
        options, value = _READING[host]
        reader = spark.read.format("statestore").options(operatorId=stage, batchId=batch, **options)
        rows = rows.union(reader.load(generation).select("key.op", "key.key", F.col(value).alias("bytes")))
    return rows


def at_rest(spark: SparkSession, generation: Folder, read: Callable[[int | None], T]) -> T:
    """What is read of the state after the last micro-batch that is done, also while a run goes on.

    Args:
        generation: Spark's checkpoint location.
        read: given the number of that micro-batch, or None before the first; called again for a later one where what
            it reads was taken away meanwhile.

    Raises:
        CheckpointError: it cannot be read.
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
        remedy="restore the folder from a copy if files are missing; if a run goes on there, ask again",
    ) from fault


def _said(fault: Exception) -> str:
    """The innermost reason, in one line."""
    causes = java_causes(fault)
    text = str(causes[-1].toString() if causes else fault)
    return text.partition("\n")[0]

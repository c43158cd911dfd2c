"""Seeds: rows of state, in the format of a program, written into a new generation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.session.lakes import settle_lakes
from compiled_plan.plans.execution.session.partitions import PARTITIONS
from compiled_plan.plans.execution.session.settings import DEFAULTS, FIXED
from compiled_plan.plans.execution.session.spark_session import SOURCES_BY_NAME, form_of_queries
from compiled_plan.plans.execution.session.stopping import follow
from compiled_plan.plans.execution.spark.java import frame_of, java_class
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.state.checkpoint.digests import seal
from compiled_plan.plans.execution.state.checkpoint.file_logs import place_of
from compiled_plan.plans.execution.state.checkpoint.locks import INNER, MANAGER
from compiled_plan.plans.execution.state.checkpoint.offsets import continue_from
from compiled_plan.plans.execution.tables.sources import named
from compiled_plan.plans.inspection.checkpoints import FOLDER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The name of the source of the query that writes state, and the folder of its rows in the generation.
_SEED = "seed"
_ROWS = f"{FOLDER}/{_SEED}"
_KERNEL = "org.compiledplan.kernel.state.seeding.Seeding"
#: Rows of state: the position of the operator's stage from 0, its uid, the text of the key, the operator's bytes.
SCHEMA = "level INT, op STRING, key STRING, bytes BINARY"


def seeding_session(spark: SparkSession, partitions: int) -> SparkSession:
    """A session beside the user's own, with the settings of queries and a number of shuffle partitions."""
    session = spark.newSession()
    for name in (*DEFAULTS, *FIXED):
        value = spark.conf.get(name, None) if name.startswith("spark.sql.") else None
        if value is not None and session.conf.isModifiable(name):
            session.conf.set(name, value)
    for name in (MANAGER, INNER):
        # Spark does not know these names as settings.
        value = spark.conf.get(name, None)
        if value is not None:
            session.conf.set(name, value)
    for name, value in form_of_queries(empty_batches=False).items():
        # A source has no name yet when it is read: only a query that starts requires all names.
        if name != SOURCES_BY_NAME:
            session.conf.set(name, value)
    session.conf.set(PARTITIONS, str(partitions))
    settle_lakes(session)
    return session


@dataclass(frozen=True, slots=True)
class Seeding:
    """Writes state in one session."""

    spark: SparkSession

    def seed(
        self,
        state: DataFrame,
        folder: Folder,
        stages: Sequence[Mapping[str, object]],
        states: Mapping[str, object],
        watermark: int,
        stopped: Callable[[], bool] = lambda: False,
        starting: AbstractContextManager[None] | None = None,
    ) -> None:
        """Run the single micro-batch that writes state into a new generation; `settle` completes it.

        Args:
            state: rows of the state; see `SCHEMA`.
            folder: the new generation's folder.
            stages: the kernel's spec of each stage of the new program.
            states: the formats of its operators' bytes, by uid.
            watermark: the watermark at which the state was taken, in ms; 0 if there was none.
            stopped: returns True if the run is to end.
            starting: the context in which its query starts.

        Raises:
            StoppedError: the run is to end.
        """
        place = folder.child(_ROWS)
        state.write.mode("overwrite").parquet(place)
        frame = named(self.spark.readStream.schema(SCHEMA).parquet(place), _SEED)
        kernel, texts = java_class(self.spark._jvm, _KERNEL), json.dumps(states)
        for stage in stages:
            frame = frame_of(kernel.seed(frame._jdf, json.dumps(stage), texts, watermark).output(), self.spark)
        self.spark.conf.set(SOURCES_BY_NAME, "true")
        writer = frame.writeStream.format("noop").outputMode("append").option("checkpointLocation", folder.uri)
        with starting or nullcontext():
            query = writer.trigger(availableNow=True).start()
        follow(self.spark, query, stopped)

    def keys(self, folder: Folder) -> dict[str, int]:
        """The number of keys by operator in a generation that is not settled yet."""
        counts = self.spark.read.schema(SCHEMA).parquet(folder.child(_ROWS)).groupBy("op").count().collect()
        return {row.op: row["count"] for row in counts}


def settle(folder: Folder, positions: Mapping[str, str | None], watermark: int) -> None:
    """Make the micro-batch that has written state look like one of the program.

    Args:
        folder: the new generation's folder.
        positions: positions of the program's sources by name; None is the beginning.
        watermark: the watermark with which the next micro-batch begins, in ms.
    """
    continue_from(folder, positions, watermark)
    folder.remove(place_of(_SEED))
    folder.remove(_ROWS)
    seal(folder)

"""Hand-written PySpark queries, as a Spark user would write them without this product.

They have the settings of execute-plan that a user would choose too (RocksDB state with changelog checkpoints, as many
partitions as cores, no UI). Each is called with its folders and reports its micro-batches as execute-plan's `--json`.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.listener import StreamingQueryProgress


_STATE_STORE = "spark.sql.streaming.stateStore"
_SETTINGS = {
    "spark.driver.memory": "4g",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    f"{_STATE_STORE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    f"{_STATE_STORE}.rocksdb.changelogCheckpointing.enabled": "true",
}


def session(settings: Mapping[str, str] = MappingProxyType({})) -> SparkSession:
    """A session with 2 cores, and additional settings."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.appName("native").master("local[2]")
    for name, value in {**_SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def read(spark: SparkSession, folder: str, schema: str, files: int = 1) -> DataFrame:
    """The files of a folder as a stream, some files a micro-batch; the end of the folder's name is their format."""
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", files)
    return reader.format(folder.rpartition(".")[2]).load(folder)


def run(
    rows: DataFrame,
    mode: str,
    foreach: Callable[[DataFrame, int], None] | None = None,
    *,
    format: str = "noop",
    options: Mapping[str, str] | None = None,
) -> None:
    """Run to the end of the input, print the batches; exit as fast as Spark lets a script exit.

    Args:
        rows: the query.
        mode: the output mode.
        foreach: writes a micro-batch, in place of the format.
        format: of the sink; by default rows are dropped.
        options: of the format.
    """
    with tempfile.TemporaryDirectory() as checkpoint:
        writer = rows.writeStream.outputMode(mode).option("checkpointLocation", checkpoint)
        writer = writer.format(format).options(**(options or {})) if foreach is None else writer.foreachBatch(foreach)
        _print({"event": "start"})
        query = writer.trigger(availableNow=True).start()
        seen = -1
        while True:
            active = query.isActive
            for progress in query.recentProgress:
                if progress.batchId > seen and "addBatch" in progress.durationMs:
                    seen = progress.batchId
                    _print(_message(progress))
            if not active:
                break
            time.sleep(0.1)
        query.awaitTermination()
    # Stopping Spark would wait minutes for the state stores of a join to close.
    os._exit(0)


def _message(progress: StreamingQueryProgress) -> dict[str, Any]:
    return {
        "event": "batch",
        "rowsIn": progress.numInputRows,
        "batchMillis": progress.durationMs["triggerExecution"],
        "operators": [
            {"uid": operator.operatorName, "stateRows": operator.numRowsTotal} for operator in progress.stateOperators
        ],
    }


def _print(message: dict[str, Any]) -> None:
    sys.stderr.write(json.dumps(message) + "\n")
    sys.stderr.flush()

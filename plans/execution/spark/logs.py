"""Logs of Py4J, the bridge to the JVM, and of PySpark."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def silence_py4j() -> None:
    """Drop what Py4J logs, with tracebacks, about failures that a run reports afterwards."""
    logging.getLogger().addFilter(_is_ours)
    logging.getLogger("py4j").setLevel(logging.CRITICAL)


def silence_accumulators(session: SparkSession) -> None:
    """Drop the traceback that PySpark's server of accumulators prints when the JVM ends; the run reports that."""
    server: Any = getattr(session.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda request, address: None


def _is_ours(record: logging.LogRecord) -> bool:
    """Drop a message that Py4J logs to the root logger."""
    return record.msg != "Exception while sending command."

"""Ending a run that was stopped: its tasks are interrupted; what goes on nevertheless ends with Spark's process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.spark.java import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

#: How long a stop waits for what runs, in seconds, unless the user says.
PATIENCE = 30.0
_POLL_SECONDS = 0.2
_TIMEOUT = "spark.sql.streaming.stopTimeout"


class StuckError(ExecutionError):
    """A run that was stopped and goes on: a task of it does not heed that it is interrupted."""


class StoppedError(ExecutionError):
    """A run that was asked to end while it was getting ready."""


def follow(spark: SparkSession, query: StreamingQuery, stopped: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait for the end of a query.

    Args:
        stopped: whether it is to end before.
        seconds: how long to wait for what runs then.

    Raises:
        StoppedError: it was stopped.
        StuckError: it was to be stopped, and goes on.
    """
    while not query.awaitTermination(_POLL_SECONDS):  # type: ignore[arg-type]
        if stopped():
            stop_query(spark, query, seconds)
            raise StoppedError("stopped")


def stop_query(spark: SparkSession, query: StreamingQuery, seconds: float) -> None:
    """Stop a query: cancels its jobs, interrupts its tasks and itself.

    Raises:
        StuckError: it went on for so many seconds after that.
    """
    try:
        with settings(spark, {_TIMEOUT: f"{max(1, round(seconds * 1000))}ms"}):
            query.stop()
    except Exception as fault:
        if "TimeoutException" not in f"{type(fault).__name__} {fault}":
            raise
        raise StuckError(
            f"the run goes on, {seconds:g} s after it was stopped",
            remedy="end the process; the checkpoint holds what was committed before",
        ) from fault


def within(seconds: float, work: Callable[[], object]) -> bool:
    """Do some work, in a thread of its own; False where it has neither ended nor failed after so many seconds."""

    def try_it() -> None:
        with suppress(Exception):
            work()

    thread = threading.Thread(target=try_it, daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def kill_spark() -> None:
    """End the process of Spark's driver where this one started it, and all that runs in it."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        process.kill()

"""Stop of a run: its tasks are interrupted; if they do not end, Spark's process is killed."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.spark.java import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

#: Default seconds that a stop waits for the query to end.
PATIENCE = 30.0
_POLL_SECONDS = 0.2
#: Seconds for the exit of Spark's process before it is killed.
_EXIT_SECONDS = 10.0
_TIMEOUT = "spark.sql.streaming.stopTimeout"
#: The attribute of PySpark's gateway with the folder of temporary files of the Java that this process has started.
TEMPORARY = "temporary_files"


class StuckError(ExecutionError):
    """A run that does not end after a stop: one of its tasks ignores interrupts."""


class StoppedError(ExecutionError):
    """A run that was stopped before its query started."""


def follow(spark: SparkSession, query: StreamingQuery, stopped: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait for the end of a query.

    Args:
        stopped: returns True once the query is to be stopped.
        seconds: how long to wait for its end then.

    Raises:
        StoppedError: it was stopped.
        StuckError: it was to be stopped, but did not end.
    """
    while not query.awaitTermination(_POLL_SECONDS):  # type: ignore[arg-type]
        if stopped():
            stop_query(spark, query, seconds)
            raise StoppedError("stopped")


def stop_query(spark: SparkSession, query: StreamingQuery, seconds: float) -> None:
    """Stop a query: cancel its jobs, interrupt its tasks and the query itself.

    Raises:
        StuckError: it did not end in time.
    """
    try:
        with settings(spark, {_TIMEOUT: f"{max(1, round(seconds * 1000))}ms"}):
            query.stop()
    except Exception as fault:
        if "TimeoutException" not in f"{type(fault).__name__} {fault}":
            raise
        raise StuckError(
            f"the run has not ended {seconds:g} s after it was stopped",
            remedy="kill the process; the checkpoint holds what was committed before",
        ) from fault


def within(seconds: float, work: Callable[[], object]) -> bool:
    """Do some work in a thread; return False if it has neither ended nor failed in time."""

    def try_it() -> None:
        with suppress(Exception):
            work()

    thread = threading.Thread(target=try_it, daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def kill_spark() -> None:
    """End the process of Spark's driver, with everything in it, if this process started it."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        end_java([process], getattr(SparkContext._gateway, TEMPORARY, ""))


def end_java(processes: Sequence[subprocess.Popen[Any]], folder: str) -> None:
    """End a Java that PySpark has started, and remove its temporary files; if its exit takes long, it is killed.

    It exits at the end of its input; while it starts, by the signal. It removes temporary files by itself, but not
    those that its other threads create meanwhile.

    Args:
        processes: the process, if it has started.
        folder: its temporary files; empty if this process has not created their folder.
    """
    for process in processes:
        with suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        process.terminate()
        try:
            process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)

"""The Spark session that runs plans: its start, its end."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.kernel import kernel_jar, use_suitable_java
from compiled_plan.plans.execution.session.configured import (
    JARS,
    check_classic,
    configured_settings,
    holds_file,
    is_submitted,
    python_of_workers,
)
from compiled_plan.plans.execution.session.lakes import add_lakes, expose, settle_lakes
from compiled_plan.plans.execution.session.lean_start import lean_session, python_workers, start_java, unused_folder
from compiled_plan.plans.execution.session.partitions import settle_partitions
from compiled_plan.plans.execution.session.settings import FIXED, add_kernel, starts_here, wanted_settings
from compiled_plan.plans.execution.session.stopping import PATIENCE, kill_spark, within
from compiled_plan.plans.execution.spark.java import cache_classes, java_class, remove_at_exit, settings
from compiled_plan.plans.execution.spark.logs import silence_accumulators

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def spark_session(
    master: str = "",
    conf: Mapping[str, str] | None = None,
    *,
    verbose: bool = True,
    outlives: bool = False,
    meanwhile: Callable[[], object] | None = None,
    open_to_users: bool = False,
) -> Iterator[SparkSession]:
    """A session with the kernel, stopped at the end.

    Args:
        master: Spark's master URL; empty for `local[*]`, or spark-submit's.
        conf: settings on top of the defaults.
        verbose: leave the JVM's own messages on stderr; otherwise they are dropped.
        outlives: give Java none of this process's streams, which may later be replaced.
        meanwhile: work without Spark, done in a thread while Java starts; its failures are ignored.
        open_to_users: True if programs get the session, and may call any function of Spark's.

    Raises:
        ExecutionError: no suitable Java, no kernel jar, no current folder, a setting that would make results wrong or
            turns on Spark Connect, or Spark did not start.
    """
    working_folder()
    chosen = dict(conf or {})
    for name in chosen.keys() & FIXED.keys():
        if chosen[name] != FIXED[name]:
            raise ExecutionError(
                f"--conf {name}={chosen[name]} would change results",
                remedy=f"leave it out; the product sets it to {FIXED[name]}",
            )
    java = use_suitable_java()
    configured = configured_settings()
    check_classic({**configured, **chosen})
    for name in FIXED.keys() & configured.keys():
        if configured[name] != FIXED[name]:
            print(f"warning: {name}={configured[name]} is not used: plans run with {FIXED[name]}", file=sys.stderr)
    warehouse = Path(unused_folder("compiled-plan-"))
    try:
        warehouse.mkdir(mode=0o700)
        wanted = wanted_settings(master, chosen, configured, warehouse)
        libraries = add_lakes(wanted, configured, fresh=starts_here(wanted))
        if is_submitted() and not holds_file(wanted.get(JARS, ""), kernel_jar()):
            libraries = [*libraries, kernel_jar()]  # Java has started without it
        lean = add_kernel(wanted, java)
        python = python_of_workers(configured | chosen)
        with nullcontext() if verbose else _silent_children(outlives), _beside(meanwhile):
            session = _start(wanted, python, libraries, lean=lean, open_to_users=open_to_users)
        try:
            settle_partitions(session, wanted)
            settle_lakes(session)
            if not verbose:
                silence_accumulators(session)
            remove_at_exit(session._jvm, warehouse)
            yield session
        finally:
            if not within(PATIENCE, lambda: _stop(session)):
                kill_spark()
    finally:
        _remove(warehouse)


def working_folder() -> Path:
    """The current folder, in which Java starts.

    Raises:
        ExecutionError: it was removed.
    """
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise ExecutionError("the current folder is gone", remedy="change to an existing folder") from None


@contextmanager
def _beside(work: Callable[[], object] | None) -> Iterator[None]:
    """Do some work in a thread during this context, whose end waits for it unless it fails."""
    if work is None:
        yield
        return
    # Import modules of both threads first: a module half imported by one would make the other fail.
    import pyspark.sql.functions
    import pyspark.sql.streaming  # noqa: F401

    def try_it() -> None:
        with suppress(Exception):
            work()

    # A daemon: a signal to a start may leave locks that this thread needs held for ever.
    thread = threading.Thread(target=try_it, name="beside-start", daemon=True)
    thread.start()
    yield
    thread.join()


_STARTING = threading.RLock()


SOURCES_BY_NAME = "spark.sql.streaming.queryEvolution.enableSourceEvolution"
#: Number of micro-batches that Spark's logs and state stores retain.
RETAINED = "spark.sql.streaming.minBatchesToRetain"
#: The formats of a query's checkpoint: positions by source name, state by the batch attempt that wrote it.
_FORM = {
    SOURCES_BY_NAME: "true",
    "spark.sql.streaming.offsetLog.formatVersion": "2",
    "spark.sql.streaming.stateStore.checkpointFormatVersion": "2",
}


def form_of_queries(empty_batches: bool, retained: int | None = None) -> dict[str, str]:
    retention = {} if retained is None else {RETAINED: str(retained)}
    return {"spark.sql.streaming.noDataMicroBatches.enabled": str(empty_batches).lower(), **retention, **_FORM}


@contextmanager
def query_settings(spark: SparkSession, empty_batches: bool, retained: int | None = None) -> Iterator[None]:
    """Apply the settings of queries started inside this context; other queries of the session keep theirs.

    Args:
        empty_batches: run a batch without data once the watermark has moved; a stage with processing-time timers has
            them forever, at each trigger.
        retained: number of micro-batches to which the checkpoint can return; None for that of the session.
    """
    # A program may start several runs at once, in threads.
    with _STARTING, settings(spark, form_of_queries(empty_batches, retained)):
        yield


@contextmanager
def no_query_starts() -> Iterator[None]:
    """Exclude `query_settings` of other threads, under which Spark would refuse sources that have no name yet."""
    with _STARTING:
        yield


@contextmanager
def _silent_children(outlives: bool) -> Iterator[None]:
    """Discard stderr of processes started inside this context; restore this process's own afterwards.

    Java and Spark write a dozen lines at start, before logging can be configured.

    Args:
        outlives: discard their stdout, too.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    streams = (1, 2) if outlives else (2,)
    saved, nowhere = [os.dup(stream) for stream in streams], os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in streams:
            os.dup2(nowhere, stream)
        yield
    finally:
        for stream, before in zip(streams, saved, strict=True):
            os.dup2(before, stream)
            os.close(before)
        os.close(nowhere)


def _start(
    settings: Mapping[str, str], python: str, libraries: Sequence[Path], *, lean: bool, open_to_users: bool
) -> SparkSession:
    import pyspark
    from pyspark.sql import SparkSession

    try:
        with python_workers(python), nullcontext() if open_to_users else _own_interrupts():
            effective = start_java(settings, quickly=lean) | FIXED
            if not lean:
                expose(pyspark.SparkContext._jvm, libraries)
            builder = SparkSession.builder
            for name, value in effective.items():
                builder = builder.config(name, value)
            session = lean_session(effective, builder, open_to_users=open_to_users) if lean else builder.getOrCreate()
        cache_classes(session._jvm)
        return session
    except Exception as fault:
        raise ExecutionError(
            f"Spark did not start: {_reason(fault)}",
            remedy="check --master, --conf and the log of the cluster; Java is taken from JAVA_HOME",
        ) from fault


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep this process's handler of SIGINT: PySpark's own calls the JVM, whose connection may wait for an answer."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _reason(fault: Exception) -> str:
    """The reason, without the JVM's stack trace."""
    java = getattr(fault, "java_exception", None)
    return str(java.getMessage() or java) if java is not None else str(fault)


def _stop(session: SparkSession) -> None:
    """Stop Spark; unload the state stores first, because their maintenance thread may delay a stop by minutes."""
    for query in session.streams.active:
        query.stop()
    jvm = session._jvm
    if jvm is not None:
        # The name is internal to Spark; without it a stop is only slower.
        with suppress(Exception):
            java_class(jvm, "org.apache.spark.sql.execution.streaming.state.StateStore").stop()
    session.stop()


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)

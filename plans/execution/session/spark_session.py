"""The Spark session that runs plans: settings that the product requires, and defaults that users may change."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.kernel import kernel_jar, use_suitable_java
from compiled_plan.plans.execution.session.class_archive import java_options
from compiled_plan.plans.execution.session.java_options import (
    DEFAULT_HEAP,
    DRIVER_JAVA,
    HEAP,
    LAST_JAVA,
    driver_java,
    is_local,
    master_of,
)
from compiled_plan.plans.execution.session.lean_start import lean_session, start_java
from compiled_plan.plans.execution.session.stopping import PATIENCE, kill_spark, within
from compiled_plan.plans.execution.spark.java import cache_classes, java_class, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STATE = "org.apache.spark.sql.execution.streaming.state"
ROCKSDB = f"{_STATE}.RocksDBStateStoreProvider"

#: Settings required for correct results; a user's `--conf` may not change them.
FIXED: dict[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.datetime.java8API.enabled": "true",
    # Empty batches are only for watermarks, see `query_settings`.
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    # Column names of a plan are case-sensitive.
    "spark.sql.caseSensitive": "true",
}

#: Settings that a user's `--conf` may replace.
DEFAULTS: dict[str, str] = {
    HEAP: DEFAULT_HEAP,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # The kernel counts state rows by itself; Spark's count costs a read of the state per write.
    "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.streaming.ui.enabled": "false",
    "spark.sql.streaming.forceDeleteTempCheckpointLocation": "true",
    # Origins of Columns in Python: they cost ten calls to the JVM each, and never show the user's own line.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.optimizer.collapseProjectAlwaysInline": "false",
    # The kernel's own nodes are not in Spark's allowlist; `realtime.checks` refuses what does not run.
    "spark.sql.streaming.realTimeMode.allowlistCheck": "false",
    # In real-time mode rows wait this long, at each shuffle, to share a message with others.
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "1",
}

#: Defaults if driver and executors are one process, which has the kernel before it opens any file.
LOCAL: dict[str, str] = {
    "spark.hadoop.fs.file.impl": "org.compiledplan.kernel.files.NioLocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.compiledplan.kernel.files.NioLocalFs",
}


#: The number of shuffle partitions, over which state is spread.
PARTITIONS = "spark.sql.shuffle.partitions"
#: The number of shuffle partitions that the user set; a checkpoint with another number ignores it.
ASKED = "spark.compiledPlan.shufflePartitions"


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
        ExecutionError: no suitable Java, no kernel jar, no current folder, a setting that would make results wrong, or
            Spark did not start.
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
    os.environ["PYSPARK_PYTHON"] = sys.executable
    warehouse = Path(mkdtemp(prefix="compiled-plan-"))
    user_settings = _submitted() | chosen
    wanted = DEFAULTS | {"spark.sql.warehouse.dir": warehouse.as_uri()} | user_settings | FIXED
    if PARTITIONS in wanted:
        wanted[ASKED] = wanted[PARTITIONS]
    wanted.setdefault(PARTITIONS, str(_cores(master)))
    lean = _add_kernel(wanted, master, java)
    with nullcontext() if verbose else _silent_children(outlives), _beside(meanwhile):
        session = _start(master, wanted, lean=lean, open_to_users=open_to_users)
    try:
        yield session
    finally:
        if not within(PATIENCE, lambda: _stop(session)):
            kill_spark()
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
    """Do some work in a thread during this context."""
    if work is None:
        yield
        return
    # Import modules of both threads first: a module half imported by one would make the other fail.
    import pyspark.sql.functions
    import pyspark.sql.streaming  # noqa: F401

    with ThreadPoolExecutor(1, thread_name_prefix="beside-start") as pool:
        pool.submit(work)
        yield


def _submitted() -> dict[str, str]:
    """spark-submit's values of settings that have a default here; empty without spark-submit."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return {}
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized()
    return {name: value for name, value in SparkConf().getAll() if name in DEFAULTS or name == PARTITIONS}


_STARTING = threading.RLock()


SOURCES_BY_NAME = "spark.sql.streaming.queryEvolution.enableSourceEvolution"
#: The formats of a query's checkpoint: positions by source name, state by the batch attempt that wrote it.
_FORM = {
    SOURCES_BY_NAME: "true",
    "spark.sql.streaming.offsetLog.formatVersion": "2",
    "spark.sql.streaming.stateStore.checkpointFormatVersion": "2",
}


def form_of_queries(empty_batches: bool) -> dict[str, str]:
    return {"spark.sql.streaming.noDataMicroBatches.enabled": str(empty_batches).lower(), **_FORM}


@contextmanager
def query_settings(spark: SparkSession, empty_batches: bool) -> Iterator[None]:
    """Apply the settings of queries started inside this context; other queries of the session keep theirs.

    Args:
        empty_batches: run a batch without data once the watermark has moved; a stage with processing-time timers has
            them forever, at each trigger.
    """
    # A program may start several runs at once, in threads.
    with _STARTING, settings(spark, form_of_queries(empty_batches)):
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


def _add_kernel(settings: dict[str, str], master: str, java: Path) -> bool:
    """Add the kernel and its file system to Spark's class path, and the options of Java's start.

    Returns:
        True if a Java is started that has the kernel from the beginning.
    """
    from pyspark import SparkContext

    jar = kernel_jar()
    fresh = SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in os.environ
    local = is_local(master, settings)
    if fresh and local:
        for name, value in LOCAL.items():
            settings.setdefault(name, value)
        _append(settings, "spark.driver.extraClassPath", str(jar), os.pathsep)
        settings[DRIVER_JAVA] = driver_java(settings, _cores(master))
    else:
        _append(settings, "spark.jars", jar.as_uri(), ",")
    if fresh:
        options = " ".join(settings.get(name, "") for name in (DRIVER_JAVA, LAST_JAVA))
        for option in java_options(java, settings.get("spark.driver.extraClassPath", ""), options):
            _append(settings, DRIVER_JAVA, option, " ")
    return fresh and local


def _append(settings: dict[str, str], name: str, value: str, separator: str) -> None:
    settings[name] = separator.join([*filter(None, [settings.get(name)]), value])


def _start(master: str, settings: Mapping[str, str], *, lean: bool, open_to_users: bool) -> SparkSession:
    from pyspark.sql import SparkSession

    chosen = {"spark.app.name": "execute-plan", "spark.master": master_of(master), **settings}
    builder = SparkSession.builder
    for name, value in chosen.items():
        builder = builder.config(name, value)
    try:
        start_java(chosen, quickly=lean)
        session = lean_session(chosen, builder, open_to_users=open_to_users) if lean else builder.getOrCreate()
        cache_classes(session._jvm)
        return session
    except Exception as fault:
        raise ExecutionError(
            f"Spark did not start: {_reason(fault)}",
            remedy="check --master, --conf and the log of the cluster; Java is taken from JAVA_HOME",
        ) from fault


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


def _cores(master: str) -> int:
    inside = master.partition("[")[2].partition("]")[0].partition(",")[0]
    return int(inside) if inside.isdecimal() else max(os.cpu_count() or 2, 1)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def uses_local_files(master: str, settings: Mapping[str, str]) -> bool:
    """Return True if a path without a scheme is local, as far as is known before Spark starts."""
    elsewhere = any(os.environ.get(name) for name in ("PYSPARK_GATEWAY_PORT", "HADOOP_CONF_DIR", "SPARK_CONF_DIR"))
    local = (master or os.environ.get("MASTER", "local")).startswith("local")
    return local and not elsewhere and "spark.hadoop.fs.defaultFS" not in settings

"""Spark's settings for runs of plans: those that results need, and defaults that users may change."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from compiled_plan.plans.execution.kernel import kernel_jar
from compiled_plan.plans.execution.session.class_archive import java_options
from compiled_plan.plans.execution.session.configured import (
    CLASS_PATH,
    JARS,
    LISTS,
    configured_settings,
    holds_file,
    is_submitted,
    joined,
    master_of,
)
from compiled_plan.plans.execution.session.java_options import (
    DEFAULT_HEAP,
    DRIVER_JAVA,
    HEAP,
    LAST_JAVA,
    driver_java,
    is_local,
)
from compiled_plan.plans.execution.session.lean_start import SAFE_PATH
from compiled_plan.plans.execution.session.partitions import PARTITIONS, local_cores, set_partitions

_STATE = "org.apache.spark.sql.execution.streaming.state"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = f"{_STATE}.RocksDBStateStoreProvider"

#: Settings required for correct results; a user's `--conf` may not change them.
FIXED: dict[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.datetime.java8API.enabled": "true",
    # Empty batches are only for watermarks, see `query_settings`.
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    # Column names of a plan are case-sensitive.
    "spark.sql.caseSensitive": "true",
    # Spark's rule loses columns of generators that read several fields of a struct: UNNEST of a nested array.
    "spark.sql.optimizer.nestedSchemaPruning.enabled": "false",
}

#: Settings that a user's `--conf` may replace.
DEFAULTS: dict[str, str] = {
    HEAP: DEFAULT_HEAP,
    "spark.app.name": "execute-plan",
    # Python's workers import no file of the working folder, which `python -m` would search first.
    f"spark.executorEnv.{SAFE_PATH}": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    PROVIDER: ROCKSDB,
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

#: Defaults if all executors run on this machine.
HERE: dict[str, str] = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_HERE = re.compile(r"local(\[.*\])?|local-cluster\[.*\]|spark://(127\.0\.0\.1|localhost)(:\d+)?")

#: Defaults if driver and executors are one process, which has the kernel before it opens any file.
LOCAL: dict[str, str] = {
    "spark.hadoop.fs.file.impl": "org.compiledplan.kernel.files.NioLocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.compiledplan.kernel.files.NioLocalFs",
}


def wanted_settings(
    master: str, chosen: Mapping[str, str], configured: Mapping[str, str], warehouse: Path
) -> dict[str, str]:
    """The settings of a session: the product's, below those from outside, below the chosen ones.

    Those from outside are included only if the product has a value of its own: Spark reads the others itself.
    """
    url = master_of(master, {**configured, **chosen})
    own = {"spark.master": url, "spark.sql.warehouse.dir": warehouse.as_uri(), **DEFAULTS}
    own |= HERE if _HERE.fullmatch(url) else {}
    outside = {*own, *LOCAL, PARTITIONS, DRIVER_JAVA, LAST_JAVA, CLASS_PATH, JARS}
    wanted = own | {name: value for name, value in configured.items() if name in outside} | dict(chosen)
    wanted |= FIXED | {"spark.master": url}
    if is_submitted():
        wanted |= {name: joined(configured.get(name), chosen[name]) for name in LISTS if name in chosen}
    set_partitions(wanted, {**configured, **wanted})
    return wanted


def add_kernel(settings: dict[str, str], java: Path) -> bool:
    """Add the kernel to Spark's class path, and the options of Java's start.

    Returns:
        True if a Java is started that has the kernel from the beginning.
    """
    jar = kernel_jar()
    fresh, local = _starts_java(), starts_here(settings)
    if local:
        for name, value in LOCAL.items():
            settings.setdefault(name, value)
        _append(settings, CLASS_PATH, str(jar), os.pathsep)
        settings[DRIVER_JAVA] = driver_java(settings, local_cores(settings["spark.master"]))
    elif not holds_file(settings.get(JARS, ""), jar):
        _append(settings, JARS, jar.as_uri(), ",")
    if fresh:
        options = " ".join(settings.get(name, "") for name in (DRIVER_JAVA, LAST_JAVA))
        for option in java_options(java, settings.get(CLASS_PATH, ""), options):
            _append(settings, DRIVER_JAVA, option, " ")
    return local


def starts_here(settings: Mapping[str, str]) -> bool:
    """Return True if a Java is started that is driver and executor, with the class path of the settings."""
    return _starts_java() and is_local(settings["spark.master"], settings)


def _starts_java() -> bool:
    from pyspark import SparkContext

    return SparkContext._gateway is None and not is_submitted()


def _append(settings: dict[str, str], name: str, value: str, separator: str) -> None:
    settings[name] = separator.join([*filter(None, [settings.get(name)]), value])


def uses_local_files(master: str, settings: Mapping[str, str]) -> bool:
    """Return True if a path without a scheme is local, as far as is known before Spark starts."""
    if is_submitted() or any(os.environ.get(name) for name in ("HADOOP_CONF_DIR", "SPARK_CONF_DIR")):
        return False
    local = master_of(master, settings).startswith("local")
    return local and "spark.hadoop.fs.defaultFS" not in configured_settings() | dict(settings)

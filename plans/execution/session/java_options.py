"""Options of the driver's Java on one machine: its heap, its compiler, and the needs of real-time mode.

The user's options come after the product's own, and take precedence.

Source: JDK 17, "HotSpot Virtual Machine Garbage Collection Tuning Guide", "The Young Generation", "Factors Affecting
Garbage Collection Performance"; `java -XX:+PrintFlagsFinal`; Spark 4.3, `JavaUtils.byteStringAs`, for the format of
sizes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from compiled_plan.plans.execution.session.configured import master_of

#: The setting of the heap size, and its default.
HEAP, DEFAULT_HEAP = "spark.driver.memory", "4g"
#: The settings with the driver's Java options, and with those that come after them.
DRIVER_JAVA, LAST_JAVA = "spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions"

#: Size of the young generation per concurrent task. Micro-batches fill all they get, and untouched memory must come
#: from the system, which costs more than a collection; with less, the states of a micro-batch survive collections.
_EACH = 256 << 20
#: The young generation in real-time mode, where a row that waits for a collection is late: collections of a larger one
#: take longer.
_SHORT = "-XX:MaxNewSize=200m"
#: Java's default bound of the young generation: one third of the heap.
_SHARE = 3
_SIZE = re.compile(r"(\d+)([kmgt]?)b?")
_UNITS = {"k": 10, "": 20, "m": 20, "g": 30, "t": 40}
#: User options of the collector, or of the sizes of generations.
_CHOSEN = re.compile(r"-Xm|GC|New(Size|Ratio)")

#: Factor on the number of calls after which Java's second compiler (C2) compiles a method. C2 takes more processor time
#: than the rest of a short run; methods called for each row reach it in a moment all the same. With 20 instead of 5 a
#: short run takes a twentieth less, and later runs and micro-batches a twentieth more.
_LATER = 5
#: Default numbers of calls, and of loop iterations, before C2 compiles a method.
_HOT = {
    "Tier4InvocationThreshold": 5_000,
    "Tier4MinInvocationThreshold": 600,
    "Tier4CompileThreshold": 15_000,
    "Tier4BackEdgeThreshold": 40_000,
}


def driver_java(settings: Mapping[str, str], tasks: int) -> str:
    """The options with which the driver's Java starts: the product's own, then those of `DRIVER_JAVA`.

    Of two options for the same thing Java takes the later one, so the user's take precedence.

    Args:
        settings: the settings of the session.
        tasks: number of concurrent tasks in this Java.
    """
    chosen = settings.get(DRIVER_JAVA, "")
    java_settings = f"{chosen} {settings.get(LAST_JAVA, '')}"
    # Spark traverses expressions by recursion; unused stack costs nothing.
    options = ["-Xss64m", *bounded_young(settings.get(HEAP, DEFAULT_HEAP), tasks, java_settings)]
    if "GC" not in java_settings:
        # Micro-batches need throughput; pauses matter little.
        options.append("-XX:+UseParallelGC")
    options += [f"-XX:{name}={_LATER * calls}" for name, calls in _HOT.items()]
    # The classes of a session exceed Java's initial threshold, which would trigger a collection of the whole heap.
    return " ".join([*options, "-XX:MetaspaceSize=256m", *chosen.split()])


def bounded_young(heap: str, tasks: int, options: str) -> list[str]:
    """Options that bound the young generation; empty if Java's own bound is smaller, or users set one.

    Args:
        heap: the heap size in Spark's format: `4g`, or MiB without a unit.
        tasks: number of concurrent tasks.
        options: Java options from the user and for the mode of the run.
    """
    size = _SIZE.fullmatch(heap.strip().lower())
    if size is None or _CHOSEN.search(options):
        return []
    limit = _EACH * tasks
    return [f"-XX:MaxNewSize={limit >> 20}m"] if limit * _SHARE < int(size[1]) << _UNITS[size[2]] else []


def with_short_collections(master: str, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a session in real-time mode, with a small young generation if tasks run in the driver.

    Args:
        master: Spark's master URL; empty if the user sets none.
        settings: the user's settings; Java options in them take precedence.
    """
    if not is_local(master, settings):
        return dict(settings)
    return {**settings, DRIVER_JAVA: f"{_SHORT} {settings.get(DRIVER_JAVA, '')}".strip()}


def is_local(master: str, settings: Mapping[str, str]) -> bool:
    """Return True if driver and executors are one process.

    Args:
        master: Spark's master URL; empty if the user sets none.
        settings: the user's settings.
    """
    return bool(re.fullmatch(r"local(\[.*\])?", master_of(master, settings)))

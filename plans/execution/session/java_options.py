"""Options with which the driver's Java starts on one machine: its heap, its compiler, and what real-time mode wants.

An option that a user gives stands behind the product's own, and holds.

Source: JDK 17, "HotSpot Virtual Machine Garbage Collection Tuning Guide", "The Young Generation", "Factors Affecting
Garbage Collection Performance"; `java -XX:+PrintFlagsFinal`; Spark 4.3, `JavaUtils.byteStringAs`, of how sizes are
written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

#: The size of the heap, and what it is by default.
HEAP, DEFAULT_HEAP = "spark.driver.memory", "4g"
#: Options of the driver's Java, and those that stand behind them.
DRIVER_JAVA, LAST_JAVA = "spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions"

#: What is new in the heap, for each task that runs at once. Micro-batches fill whatever they get, and memory not yet
#: used is asked of the machine, which costs more than a collection; with less, the states of a micro-batch
#: outlive collections.
_EACH = 256 << 20
#: The same in real-time mode, where a row that waits for a collection is late: each collection of a larger part takes
#: longer than the one before.
_SHORT = "-XX:MaxNewSize=200m"
#: Java's own share for what is new, at most: one third.
_SHARE = 3
_SIZE = re.compile(r"(\d+)([kmgt]?)b?")
_UNITS = {"k": 10, "": 20, "m": 20, "g": 30, "t": 40}
#: What a user says of the collector, or of the sizes of the heap's parts.
_CHOSEN = re.compile(r"-Xm|GC|New(Size|Ratio)")

#: How many times as often as by default a method is called before Java's second compiler takes it. That one takes more
#: processor time than all else of a short run; what is called for each row gets there in a moment all the same. With 20
#: instead of 5 a short run takes a twentieth less, and later runs and micro-batches a twentieth more.
_LATER = 5
#: After how many calls, and rounds of loops, it takes a method by default.
_HOT = {
    "Tier4InvocationThreshold": 5_000,
    "Tier4MinInvocationThreshold": 600,
    "Tier4CompileThreshold": 15_000,
    "Tier4BackEdgeThreshold": 40_000,
}


def driver_java(settings: Mapping[str, str], tasks: int) -> str:
    """The options with which the driver's Java is started: the product's own, then those of `DRIVER_JAVA`.

    Of two options for the same thing Java takes the later one, so that what is set holds.

    Args:
        settings: of the session.
        tasks: how many run at once in this Java.
    """
    chosen = settings.get(DRIVER_JAVA, "")
    java_settings = f"{chosen} {settings.get(LAST_JAVA, '')}"
    # Spark follows expressions by recursion; what a thread does not use of its stack costs nothing.
    options = ["-Xss64m", *bounded_young(settings.get(HEAP, DEFAULT_HEAP), tasks, java_settings)]
    if "GC" not in java_settings:
        # Micro-batches want throughput; pauses matter little.
        options.append("-XX:+UseParallelGC")
    options += [f"-XX:{name}={_LATER * calls}" for name, calls in _HOT.items()]
    # The classes of a session go beyond Java's first bound, which would cost a collection of the whole heap.
    return " ".join([*options, "-XX:MetaspaceSize=256m", *chosen.split()])


def bounded_young(heap: str, tasks: int, options: str) -> list[str]:
    """The options of Java that bound what is new in the heap; none where Java's own bound is less, or users set one.

    Args:
        heap: the size of the heap, as Spark has it: `4g`, or MiB without a unit.
        tasks: how many run at once.
        options: of Java, from the user and for the mode of the run.
    """
    size = _SIZE.fullmatch(heap.strip().lower())
    if size is None or _CHOSEN.search(options):
        return []
    most = _EACH * tasks
    return [f"-XX:MaxNewSize={most >> 20}m"] if most * _SHARE < int(size[1]) << _UNITS[size[2]] else []


def with_short_collections(master: str, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a session in real-time mode, whose Java collects little at a time where tasks run in the driver.

    Args:
        master: Spark's master URL, empty where nobody says.
        settings: what the user sets; options of Java in them hold.
    """
    if not is_local(master, settings):
        return dict(settings)
    return {**settings, DRIVER_JAVA: f"{_SHORT} {settings.get(DRIVER_JAVA, '')}".strip()}


def is_local(master: str, settings: Mapping[str, str]) -> bool:
    """Whether driver and executors are one process.

    Args:
        master: Spark's master URL, empty where nobody says.
        settings: what the user sets.
    """
    return bool(re.fullmatch(r"local(\[.*\])?", master or settings.get("spark.master") or master_of("")))


def master_of(chosen: str) -> str:
    """Spark's master URL: the chosen one, that of the environment, or this machine."""
    return chosen or os.environ.get("MASTER", "local[*]")

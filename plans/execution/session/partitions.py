"""The number of shuffle partitions of a new checkpoint: one for each task that the session can run at once.

Source: Spark 4.3, "Configuration", "Running Spark on YARN", "Running Spark on Kubernetes" and "Spark Standalone Mode",
for the defaults of executors and their cores.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.session.java_options import is_local
from compiled_plan.plans.text.visible import counted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The number of shuffle partitions, over which state is spread.
PARTITIONS = "spark.sql.shuffle.partitions"
#: The number of shuffle partitions that the user set; a checkpoint with another number ignores it.
ASKED = "spark.compiledPlan.shufflePartitions"
#: The tasks that a cluster's session can run at once, and their origin.
_SLOTS, _ORIGIN = "spark.compiledPlan.slots", "spark.compiledPlan.slotsOf"
_LOCAL_CLUSTER = re.compile(r"local-cluster\[\s*(\d+)\s*,\s*(\d+)\s*,\s*\d+\s*]")
#: Executors of YARN and Kubernetes, and cores of each, if no setting says so.
_EXECUTORS, _CORES = 2, 1
#: Seconds within which executors of a cluster of unknown size register, and without a further one before they count.
_PATIENCE, _QUIET = 10.0, 1.0


@dataclass(frozen=True, slots=True)
class Slots:
    """Tasks that a session can run at once, and their origin: `2 executors x 4 cores`."""

    count: int
    origin: str


def local_cores(master: str) -> int:
    """The cores of `local[N]`; without a number those of this machine."""
    inside = master.partition("[")[2].partition("]")[0].partition(",")[0]
    return int(inside) if inside.isdecimal() else max(os.cpu_count() or 2, 1)


def slots_of(master: str, settings: Mapping[str, str]) -> Slots | None:
    """The slots that a session will have, by its settings alone; None if only the cluster knows.

    Args:
        master: Spark's master URL.
        settings: all settings of the session, also those from outside.
    """
    if is_local(master, settings):
        return Slots(local_cores(master), "this machine")
    if inside := _LOCAL_CLUSTER.fullmatch(master):
        return _counted(int(inside[1]), int(inside[2]), settings)
    if master.startswith("spark:"):
        most = settings.get("spark.cores.max", "")
        return _slots(int(most), settings, f"spark.cores.max={most}") if most.isdecimal() else None
    executors = settings.get("spark.executor.instances", "")
    if settings.get("spark.dynamicAllocation.enabled", "").lower() == "true":
        executors = settings.get("spark.dynamicAllocation.maxExecutors", "none")
    cores = settings.get("spark.executor.cores", str(_CORES))
    if not (executors or str(_EXECUTORS)).isdecimal() or not cores.isdecimal():
        return None
    return _counted(int(executors or _EXECUTORS), int(cores), settings)


def _counted(executors: int, cores: int, settings: Mapping[str, str]) -> Slots:
    origin = f"{counted(executors, 'executor')} x {counted(cores, 'core')}"
    return _slots(executors * cores, settings, origin)


def _slots(cores: int, settings: Mapping[str, str], origin: str) -> Slots:
    cpus = settings.get("spark.task.cpus", "1")
    if cpus.isdecimal() and int(cpus) > 1:
        cores, origin = cores // int(cpus), f"{origin} / {cpus} cores a task"
    return Slots(max(cores, 1), origin)


def set_partitions(wanted: dict[str, str], settings: Mapping[str, str]) -> None:
    """Set the number of shuffle partitions, unless the user has, or only the cluster knows its size.

    Args:
        wanted: the settings of the session to start, with its master.
        settings: all settings, also those from outside.
    """
    master = wanted["spark.master"]
    slots = slots_of(master, settings)
    if slots is not None and not is_local(master, settings):
        wanted |= {_SLOTS: str(slots.count), _ORIGIN: slots.origin}
    if PARTITIONS in wanted:
        wanted[ASKED] = wanted[PARTITIONS]
    elif slots is not None:
        wanted[PARTITIONS] = str(slots.count)


def settle_partitions(session: SparkSession, wanted: Mapping[str, str]) -> None:
    """Set the number of shuffle partitions of a cluster whose size was unknown before its executors registered."""
    if PARTITIONS in wanted:
        return
    executors = _registered(session)
    count = session.sparkContext.defaultParallelism
    session.conf.set(PARTITIONS, str(count))
    session.conf.set(_SLOTS, str(count))
    session.conf.set(_ORIGIN, f"{counted(executors, 'executor')} registered so far")


def _registered(session: SparkSession) -> int:
    """The number of executors, once no further one comes."""
    context = session.sparkContext._jsc.sc()
    begun = last = time.monotonic()
    executors = 0
    while (now := time.monotonic()) - begun < _PATIENCE and (executors == 0 or now - last < _QUIET):
        # The driver counts among them.
        if (count := context.getExecutorMemoryStatus().size() - 1) != executors:
            executors, last = count, now
        time.sleep(0.1)
    return executors


def partitions_remark(session: SparkSession, partitions: int, *, resumes: bool) -> str:
    """A remark on the shuffle partitions of a run on a cluster; empty if there is nothing to say.

    Args:
        session: the session of the run.
        partitions: those of the checkpoint.
        resumes: True if the checkpoint was started before.
    """
    if is_local(str(session.sparkContext.master), {}):
        return ""
    slots, requested = int(session.conf.get(_SLOTS, "0") or 0), session.conf.get(ASKED, "")
    option, origin = f"--conf {PARTITIONS}", session.conf.get(_ORIGIN, "")
    if resumes and 0 < partitions < slots:
        have = f"state has {counted(partitions, 'shuffle partition')}, for {slots} tasks at once ({origin})"
        return f"{have}: a start with {option}={slots} migrates it to that number"
    if resumes or requested:
        return ""
    reason = f"one for each task at once ({origin})" if slots else "as the session says"
    return (
        f"state gets {counted(partitions, 'shuffle partition')}, {reason}; {option}=N sets another number, now or later"
    )

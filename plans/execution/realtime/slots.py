"""Task slots that a plan needs in real-time mode, where all its tasks run at once.

There is one task for each partition of each source, one for ticks if there are stages, and one for each shuffle
partition of each stage.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.session.configured import master_of
from compiled_plan.plans.execution.session.partitions import PARTITIONS
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.nodes.base import StatefulNode
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.plan import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Slots reserved per topic in the product's own sessions, which start before the number of partitions is known.
_A_TOPIC = 64
_LOCAL = re.compile(r"local(\[\*\])?")


@dataclass(frozen=True, slots=True)
class Slots:
    """The tasks of a plan.

    Args:
        sources: number of partitions by table.
        ticks: True if there is a task for ticks.
        stages: number of stages.
        partitions: number of shuffle partitions of each stage.
    """

    sources: Mapping[str, int]
    ticks: bool
    stages: int
    partitions: int

    @property
    def needed(self) -> int:
        """The number of slots that they need."""
        return sum(self.sources.values()) + self.ticks + self.stages * self.partitions

    def text(self) -> str:
        parts = [f"{count} to read {table}" for table, count in self.sources.items()]
        parts += ["1 for ticks"] if self.ticks else []
        parts += [f"{self.stages} stages x {self.partitions} shuffle partitions"] if self.stages else []
        return f"{self.needed} ({' + '.join(parts)})"


def check_slots(spark: SparkSession, slots: Slots) -> None:
    """Refuse to start unless all tasks can run at once.

    Raises:
        ExecutionError: there are too few slots; has the figures.
    """
    available = int(java_class(spark._jvm, "org.compiledplan.kernel.realtime.RealTime").slots(spark._jsparkSession))
    if available < slots.needed:
        raise ExecutionError(
            f"real-time mode runs all tasks at once: this plan needs {slots.text()} task slots, "
            f"and there are {available}",
            remedy=f"give --master local[{slots.needed}], more cores, or fewer spark.sql.shuffle.partitions",
        )


def local_session(
    plans: Iterable[CompiledPlan], master: str, settings: Mapping[str, str]
) -> tuple[str, dict[str, str]]:
    """Master URL and Spark settings; a local session whose size the user leaves open gets slots for all tasks.

    Unused slots cost nothing: they are threads that are never started.

    Args:
        plans: the plans to run.
        master: Spark's master URL; empty if the user sets none.
        settings: the user's settings.
    """
    if _LOCAL.fullmatch(master_of(master, settings)) is None:
        return master, dict(settings)
    cores = os.cpu_count() or 1
    options = {PARTITIONS: str(cores), "spark.default.parallelism": str(cores), **settings}
    slots = max((_max_slots(plan, int(options[PARTITIONS])) for plan in plans), default=1)
    return f"local[{slots}]", options


def _max_slots(plan: CompiledPlan, partitions: int) -> int:
    """Upper bound of the slots of a plan: no chain of stages is longer than its number of nodes."""
    sources = sum(isinstance(node, TableSourceScan) for node in plan.nodes)
    stages = sum(isinstance(node, StatefulNode) for node in plan.nodes)
    return _A_TOPIC * sources + 1 + stages * partitions

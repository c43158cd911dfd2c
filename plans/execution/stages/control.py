"""Watermarks that travel between the rows, in real-time mode: each task tells those behind it how far it is.

Behind a row that moves the watermark of its partition come control rows, one for each partition of the first stage. A
stage takes the least of what those upstream have told, fires its timers up to it, and tells the next stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.stages.partitions import PartitionWatermarks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: What `op` says of a control row with a watermark; no operator has it.
MARK = "\u0001watermark"


@dataclass(frozen=True, slots=True)
class TimedSource:
    """A source with watermarks.

    Args:
        number: of the source, from 0.
        partitions: how many it has.
        watermarks: those of its partitions.
    """

    number: int
    partitions: int
    watermarks: PartitionWatermarks


@dataclass(frozen=True, slots=True)
class ControlRows:
    """The control rows of a plan.

    Args:
        ticks: the rows of the source of ticks.
        keys: what takes a row to each partition of a stage; none in plans without event time.
        sources: those with watermarks, by node.
        kernel: the kernel's `RealTimeWatermarks`; None in plans without event time.
    """

    ticks: DataFrame
    keys: tuple[str, ...] = ()
    sources: Mapping[int, TimedSource] | None = None
    kernel: Any = None

    def source(self, node: int) -> TimedSource | None:
        """A source; None where it has no watermarks."""
        return (self.sources or {}).get(node)

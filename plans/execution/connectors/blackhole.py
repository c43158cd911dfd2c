"""The connector `blackhole`: computes every row and stores none.

Source: Flink's page "BlackHole".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from compiled_plan.plans.connectors.specs.blackhole import SPEC
from compiled_plan.plans.execution.interfaces.connectors import SinkContext, TableSpec, sink_connector

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class BlackHole:
    """Computes the rows, and discards them."""

    READS_ORDER: ClassVar[bool] = False

    def write(self, frame: DataFrame, batch_id: int) -> None:
        frame.write.format("noop").mode("overwrite").save()


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> BlackHole:
    return BlackHole()

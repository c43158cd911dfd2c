"""The connector `collect`: hands the rows of a query to the program that runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from compiled_plan.plans.connectors.specs.collect import SPEC
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH, SinkContext, TableSpec, sink_connector

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

#: Receivers of sinks' rows, by the sink's option `id`; called with Arrow tables of `kind`, `f0`, `f1`, ....
RECEIVERS: dict[str, Callable[[object], None]] = {}


@dataclass(frozen=True, slots=True)
class Collector:
    """Hands rows over in the order in which they were produced."""

    READS_ORDER: ClassVar[bool] = True

    width: int
    receive: Callable[[object], None]
    limit: int = 0
    ordered: bool = True

    def write(self, frame: DataFrame, batch_id: int) -> None:
        # A limit before the order stops the tasks of a stateless query early.
        table = in_order(frame if self.ordered else frame.limit(self.limit), self.width, self.limit)
        if table.num_rows:
            self.receive(table)


def in_order(frame: DataFrame, width: int, limit: int = 0) -> pa.Table:
    """The rows for a sink in the order in which they were produced: `kind`, `f0`, `f1`, ....

    Args:
        frame: the rows.
        width: the number of columns.
        limit: the maximum number of rows; 0 for all.
    """
    names = [KIND, *(f"f{at}" for at in range(width))]
    # One sorted partition: a global sort would compute the rows twice, once to find the ranges.
    rows = frame.repartition(1).sortWithinPartitions(ORD, PATH).select(*names)
    return (rows.limit(limit) if limit else rows).toArrow()


@sink_connector(SPEC)
def sink(table: TableSpec, context: SinkContext) -> Collector:
    """A sink for a table.

    Raises:
        UnsupportedError: no program waits for the rows.
    """
    receive = RECEIVERS.get(table.options.get("id", ""))
    if receive is None:
        raise UnsupportedError(
            f"{table.identifier} collects rows for the program that compiled this plan",
            where=f"node {table.node}",
            remedy="execute the query in that program, or compile an INSERT INTO a table",
        )
    options = SPEC.values(table.options)
    return Collector(len(table.columns.fields), receive, options.number("limit"), options.flag("ordered"))

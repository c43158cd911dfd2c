"""Tables for late rows at run time: sinks of the plan, each with the rows that one operator drops.

The values of a table's columns travel beside each row of the operator's input, in a column of their own. The kernel
returns those of late rows, with the watermark.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions.zones import as_local, as_point
from compiled_plan.plans.execution.interfaces.connectors import INSERT, KIND, ORD, PATH
from compiled_plan.plans.execution.operators.base import Flow
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.stages.layout import Port
from compiled_plan.plans.inspection.late_rows import late_row, reader_of
from compiled_plan.plans.nodes.late_rows import BEHIND, INPUT, OPERATOR, WATERMARK, LateRowsNode, late_columns
from compiled_plan.plans.nodes.late_rows import KIND as LATE_KIND
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.table_rules import physical_row
from compiled_plan.plans.nodes.tables import TableSink
from compiled_plan.plans.nodes.window import LocalWindowAggregate
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import BIGINT, LogicalType, RowType, TimestampLtzType

if TYPE_CHECKING:
    from pyspark.sql import Column

_KINDS = ("+I", "-U", "+U", "-D")


@dataclass(frozen=True)
class LateSink:
    """The sink of the late rows of one input of an operator.

    Args:
        sink: a node that writes them; it is not in the plan.
        operator: the uid of the operator.
        port: the column beside the operator's input.
        sources: the columns of `row` that the table has, in order.
        time: the column of the input with a row's time; None if there is none.
        row: the columns of the input, and behind them those of its source, see `late_row`.
        table: the columns of the table.
    """

    sink: Sink
    operator: str
    port: Port
    sources: tuple[int, ...]
    time: int | None
    row: RowType
    table: RowType

    @property
    def op(self) -> str:
        """The `op` of the rows that the kernel returns."""
        return f"late:{self.port.node}:{self.port.index}"

    @property
    def output(self) -> str:
        """The column in which it returns them."""
        return f"r{self.port.node}_{self.port.index}"

    @property
    def written(self) -> Port:
        """The writing end of the sink."""
        return Port(self.sink.id, 0, writes=True)

    @cached_property
    def types(self) -> tuple[LogicalType, ...]:
        """The types of the values beside a row: those of the sources, and its time in ms."""
        return (*(self.row.types[at].as_regular() for at in self.sources), BIGINT)

    def beside(self, flow: Flow) -> list[Column]:
        """The values beside the rows of a flow."""
        time = F.lit(None).cast("bigint")
        if self.time is not None:
            time = F.unix_millis(as_point(flow.columns[self.time]))
        columns = [
            flow.columns[at] if at < len(flow.columns) else flow.source[self.row.names[at]] for at in self.sources
        ]
        return [*columns, time]

    def rows(self) -> Flow:
        """The rows that the kernel returns, as rows of the table."""
        struct = F.col(self.output)
        values = {at: struct.getField(f"v{number}") for number, at in enumerate(self.sources)}
        columns = []
        for column, field in zip(late_columns(self.table, self.row), self.table.fields, strict=True):
            at = column.source
            columns.append(values[at] if isinstance(at, int) else self._metadata(at, field.type, struct))
        kind = F.lit(INSERT).cast("tinyint")
        return Flow(kind, F.col(ORD), F.col(PATH), tuple(columns), F.col("op") == F.lit(self.op))

    def _metadata(self, name: str, type_: LogicalType, struct: Column) -> Column:
        watermark = struct.getField("watermark")
        moment = F.timestamp_millis(watermark)
        values = {
            OPERATOR: F.lit(self.operator),
            INPUT: F.lit(self.port.index),
            LATE_KIND: F.get(F.array(*map(F.lit, _KINDS)), F.col(KIND).cast("int")),
            WATERMARK: moment if isinstance(type_, TimestampLtzType) else as_local(moment),
            BEHIND: watermark - struct.getField(f"v{len(self.sources)}"),
        }
        return values[name].cast(to_spark(type_))


def late_sinks(plan: CompiledPlan) -> tuple[LateSink, ...]:
    """The sinks of a plan's late rows, with ids behind those of its nodes."""
    sinks: list[LateSink] = []
    first = 1 + max((node.id for node in plan.nodes), default=0)
    for node in plan.nodes:
        for late in node.late_rows if isinstance(node, LateRowsNode) else ():
            reader = reader_of(plan, node)
            rows = [source.output_type for source in plan.inputs(reader.id)]
            resolved = late.table.resolved_table
            assert resolved is not None
            assert isinstance(reader, LateRowsNode | LocalWindowAggregate)
            table, row = physical_row(resolved), late_row(plan, node, late.input)
            sink = Sink(
                id=first + len(sinks),
                output_type=table,
                description=f"late rows of node {node.id}",
                dynamic_table_sink=TableSink(table=late.table),
                input_changelog_mode=("INSERT",),
            )
            columns = late_columns(table, row)
            sources = tuple(dict.fromkeys(item.source for item in columns if isinstance(item.source, int)))
            time = reader.late_times(rows)[late.input]
            port = Port(node.id, late.input, late=True)
            sinks.append(LateSink(sink, node.uid or "", port, sources, time, row, table))
    return tuple(sinks)

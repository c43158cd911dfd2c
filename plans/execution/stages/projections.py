"""Projections between stages: rows of sources or of a stage become the rows of all their consumers.

Stateless nodes run between two stages, as columns. A row for several consumers is computed in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.dead_letters import puts_aside
from compiled_plan.plans.execution.expressions import to_column
from compiled_plan.plans.execution.expressions.precision import as_passed, as_sent
from compiled_plan.plans.execution.interfaces.connectors import INSERT, KIND, ORD, PATH
from compiled_plan.plans.execution.interfaces.dead_letters import DEAD, dead_columns
from compiled_plan.plans.execution.operators.base import Exploded, Flow, Lowering, assigners_above, lower_stateless
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.stages.envelope import (
    KEY,
    OP,
    PORT,
    Envelope,
    ManyRows,
    OneRow,
    Piece,
    joined,
    struct_fields,
)
from compiled_plan.plans.execution.stages.hosted import Hosted, Step
from compiled_plan.plans.execution.stages.layout import Port, dead_port, output_column
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, consumers, is_target, scan_columns
from compiled_plan.plans.execution.stages.watermarks import (
    CURRENT,
    MOVED,
    PLACE,
    WATERMARK,
    held_back,
    meeting,
    watermark_times,
    with_current_watermark,
    with_moves,
    with_watermarks,
)
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.types import FieldsType, LogicalType, RowType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from compiled_plan.plans.execution.stages.control import ControlRows
    from compiled_plan.plans.execution.stages.partitions import PartitionWatermarks


@dataclass(frozen=True, slots=True)
class Projections:
    """The projections of one plan; `bounded` is True if all its sources end."""

    spark: SparkSession
    prepared: PreparedPlan
    hosted: Hosted
    envelope: Envelope
    bounded: bool

    @property
    def lowering(self) -> Lowering:
        return self.hosted.lowering

    def entering(
        self,
        source: int,
        frame: DataFrame,
        ends: DataFrame | None,
        level: int,
        partitions: PartitionWatermarks | None = None,
        control: ControlRows | None = None,
    ) -> DataFrame:
        """Rows of a source as an envelope before stage `level`.

        Args:
            frame: its rows.
            ends: the rows that end the source's input, if it has watermarks.
            level: the stage before which its rows enter.
            partitions: the watermarks of its partitions, if they have their own.
            control: the control rows, in real-time mode.
        """
        frame, flows, times = self._read(source, frame, partitions)
        timed = None if control is None else control.source(source)
        if self.prepared.event_time:
            if control is None:
                frame = with_watermarks(frame, times, ends, partitions)
            else:
                frame = with_moves(frame, times, None if timed is None else timed.watermarks)
            flows = {start: replace(flow, watermark=F.col(WATERMARK)) for start, flow in flows.items()}
        pieces: list[Piece] = []
        if self._puts_aside(source):
            pieces.append(self._dead(source, next(iter(flows.values())), level))
            flows = {start: flow.where(F.col(KIND) != DEAD) for start, flow in flows.items()}
        pieces += [piece for start, flow in flows.items() for piece in self._pieces(start, flow, level)]
        if timed is not None and control is not None:
            # After the row that moves it.
            place, moved = F.col(PLACE), F.col(MOVED)
            pieces.append(self.envelope.marks(control.keys, timed.number, timed.partitions, place, moved))
        return self.envelope.select(frame, pieces, level)

    def _read(
        self, source: int, frame: DataFrame, partitions: PartitionWatermarks | None
    ) -> tuple[DataFrame, dict[int, Flow], list[Column]]:
        """The rows of a source, what its scans read of them, and their watermarks."""
        plan = self.prepared.plan
        flows = {
            start: self._filtered(source, start, self._scan_flow(start, self._scanned(source, start)))
            for start in self.prepared.starts(source)
        }
        times = [time for start, flow in flows.items() for time in watermark_times(plan, start, flow, self.lowering)]
        if times and self.prepared.reads_watermark:
            frame = with_current_watermark(self.spark, frame, times, partitions)
            flows = {start: replace(flow, current=F.col(CURRENT)) for start, flow in flows.items()}
        return frame, flows, times

    def _scan_flow(self, start: int, columns: tuple[Column, ...]) -> Flow:
        row = self.prepared.plan.node(start).output_type
        named = zip(row.names, row.types, columns, strict=True) if self.prepared.late else ()
        source = {name: as_sent(column, type_) for name, type_, column in named}
        return Flow(F.col(KIND), F.col(ORD), F.col(PATH), columns, source=source)

    def _puts_aside(self, source: int) -> bool:
        """True if a source has dead letters."""
        return source in self.prepared.tables and puts_aside(self.prepared.tables[source].table.options)

    def _dead(self, source: int, flow: Flow, level: int) -> Piece:
        """The dead letters of a source."""
        kind = F.lit(INSERT).cast("tinyint")
        letters = replace(flow, kind=kind, columns=dead_columns(), condition=None)
        return OneRow(self._target_row(dead_port(source), letters, level), F.col(KIND) == DEAD)

    def _scanned(self, source: int, start: int) -> tuple[Column, ...]:
        """The columns of a scan, over the columns of its table."""
        node = self.prepared.plan.node(start)
        if not isinstance(node, TableSourceScan):
            return tuple(F.col(f"f{at}") for at in range(len(node.output_type.fields)))
        table = self.prepared.tables[source].table
        keys = [key for key, _ in table.metadata]
        wanted = scan_columns(node)
        physical = [_at_path(path, table.columns) for path in wanted.paths]
        columns = (*physical, *(F.col(f"m{keys.index(key)}") for key, _ in wanted.metadata))
        return tuple(as_passed(column, type_) for column, type_ in zip(columns, node.output_type.types, strict=True))

    def _filtered(self, source: int, start: int, flow: Flow) -> Flow:
        """The rows of a scan that pass the filters of its source."""
        node = self.prepared.plan.node(start)
        if isinstance(node, TableSourceScan):
            columns = self.prepared.tables[source].table.columns
            for rex, paths in scan_columns(node).filters:
                arguments = tuple(_at_path(path, columns) for path in paths)
                flow = flow.where(to_column(rex, arguments, self.lowering.context(node)))
        return flow

    def leaving(self, frame: DataFrame, level: int) -> DataFrame:
        """Rows of stage `level` as an envelope before the next level."""
        pieces: list[Piece] = []
        for node in self.prepared.layout.stages[level - 1]:
            pieces_of = self._step_pieces if node in self.hosted.steps else self._operator_pieces
            pieces += pieces_of(node, level)
        return self.envelope.select(frame, [*pieces, *self.envelope.passing(level)], level + 1)

    def mine(self, node: int, level: int) -> Column | None:
        """The condition of a node's rows in a stage; None for all."""
        alone = len(self.prepared.layout.stages[level - 1]) == 1 and not self.prepared.layout.passing(level)
        alone = alone and not self.envelope.tick
        alone = alone and not any(late.port.node == node for late in self.prepared.late)
        return None if alone else F.col(OP) == F.lit(self.hosted.tag(node))

    def _operator_pieces(self, node: int, level: int) -> list[Piece]:
        """Rows that an operator emits."""
        operator = self.hosted.operators[node]
        columns = struct_fields(F.col(output_column(node)), len(operator.output))
        if operator.finish is not None:
            columns = tuple(operator.finish(columns))
        watermark = held_back(operator.holds_back) if self.prepared.event_time else None
        flow = Flow(F.col(KIND), F.col(ORD), F.col(PATH), columns, self.mine(node, level), watermark)
        return [*self._pieces(node, flow, level + 1), *self._late_pieces(node, level)]

    def _late_pieces(self, node: int, level: int) -> Iterator[Piece]:
        """Late rows that an operator drops, for their tables."""
        for late in self.prepared.late:
            if late.port.node == node:
                flow = late.rows()
                if self.prepared.event_time:
                    flow = replace(flow, watermark=F.lit(None).cast("bigint"))
                yield OneRow(self._target_row(late.written, flow, level + 1), flow.condition)

    def _step_pieces(self, node: int, level: int) -> list[Piece]:
        """Rows of a node with a step, which has added columns to the frame."""
        watermark = F.col(WATERMARK) if self.prepared.event_time else None
        inputs = self.envelope.fields(Port(node, 0))
        flow = Flow(F.col(KIND), F.col(ORD), F.col(PATH), inputs, self.mine(node, level), watermark)
        return self._computed(self.hosted.steps[node], flow, level + 1)

    def _computed(self, step: Step, flow: Flow, level: int) -> list[Piece]:
        lowered = lower_stateless(step.node, 0, flow, step.lowered())
        return [piece for item in lowered for piece in self._continued(step.node.id, item, level)]

    def _pieces(self, producer: int, flow: Flow, level: int) -> list[Piece]:
        """Rows that reach each consumer of `producer` through stateless nodes."""
        pieces: list[Piece] = []
        for port in consumers(self.prepared.plan, producer):
            if is_target(self.prepared.plan, port):
                pieces.append(OneRow(self._target_row(port, flow, level), flow.condition))
                continue
            for lowered in lower_stateless(self.prepared.plan.node(port.node), port.index, flow, self.lowering):
                pieces += self._continued(port.node, lowered, level)
        return pieces

    def _continued(self, node: int, lowered: Flow | Exploded, level: int) -> Sequence[Piece]:
        return (
            self._pieces(node, lowered, level) if isinstance(lowered, Flow) else [self._exploded(node, lowered, level)]
        )

    def _exploded(self, node: int, lowered: Exploded, level: int) -> Piece:
        def rows(element: Column, position: Column) -> Column:
            return joined(self._pieces(node, lowered.make(element, position), level))

        return ManyRows(F.flatten(lambdas.transform(lowered.elements, rows)), lowered.condition)

    def _target_row(self, port: Port, flow: Flow, level: int) -> Column:
        is_output = port.dead or (port.writes and self.hosted.late_sink(port) is not None)
        if not is_output and not self.bounded and len(assigners_above(self.prepared.plan, port.node)) > 1:
            flow = meeting(flow)
        head = {
            OP: F.lit(self.hosted.port_tag(port)),
            KEY: self.hosted.key(port, flow),
            PORT: F.lit(port.index),
            KIND: flow.kind,
            ORD: flow.ord,
            PATH: flow.path,
            **({} if flow.watermark is None else {WATERMARK: flow.watermark}),
        }
        struct = self.envelope.struct(port, self.hosted.columns(port, flow))
        structs = {port: struct}
        beside = None if port.writes else self.hosted.late_sink(replace(port, late=True))
        if beside is not None:
            structs[beside.port] = self.envelope.struct(beside.port, beside.beside(flow))
        return self.envelope.row(level, head, structs)


def _at_path(path: Sequence[int], columns: RowType) -> Column:
    """The column at a path of field positions, as in a ProjectPushDown."""
    column: Column = F.col(f"f{path[0]}")
    type_: LogicalType = columns.types[path[0]]
    for at in path[1:]:
        assert isinstance(type_, FieldsType)
        column, type_ = column.getField(type_.names[at]), type_.types[at]
    return column

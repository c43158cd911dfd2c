"""Rows that a node emits in one micro-batch, besides those that the sinks receive.

The query of a run is fixed. So the kernel copies rows of keyed operators while it computes the micro-batch, after the
stateless nodes up to the tapped one; the rows of sources are read once more, and Python functions called once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH
from compiled_plan.plans.execution.interfaces.dead_letters import DEAD
from compiled_plan.plans.execution.operators.base import Flow, emitting, lower_stateless
from compiled_plan.plans.execution.spark.java import frame_of, java_class
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.stages.envelope import OneRow, Piece, joined, selected
from compiled_plan.plans.execution.stages.hosted import step_of
from compiled_plan.plans.execution.stages.prepared import consumers
from compiled_plan.plans.execution.stages.projections import Projections
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.trees import reached
from compiled_plan.plans.types import RowType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

    from compiled_plan.plans.execution.stages.build import StageBuilder

#: The tapped rows of a micro-batch, once its frame is computed.
Rows = Callable[["DataFrame"], "DataFrame"]


def tapped_rows(builder: StageBuilder, node: PlanNode, count: int) -> Rows:
    """Begin to copy the rows that a node emits; call before the micro-batch is computed.

    Args:
        builder: built the query.
        node: one of `emitting`, or a sink.
        count: the maximum number of rows of each producer of them and task.

    Returns:
        a function that ends the copying: rows with the columns of `StageBuilder.sink_rows`.

    Raises:
        UnsupportedError: rows of such a node cannot be copied.
    """
    if isinstance(node, Sink):
        return builder.sink_rows(node).among
    prepared, hosted = builder.prepared, builder.hosted
    plan, levels = prepared.plan, prepared.layout.levels
    sources = {start: source for source in builder.sources for start in prepared.starts(source)}
    producers = {*levels, *sources}
    path = set(reached([node.id], lambda at: () if at in producers else [below.id for below in plan.inputs(at)]))
    towards = TapProjections(
        builder.spark, prepared, hosted, builder.envelope, builder.options.bounded, node.id, path - producers
    )
    handles = {uid: handle for handle in builder.handles for uid in handle.columns}

    def rows_of(producer: int) -> Rows:
        if producer in sources:
            source = sources[producer]
            return lambda frame: towards.read(source, producer, _read_again(builder.sources[source], frame), count)
        if producer in hosted.steps:
            below = emitting(plan, plan.inputs(producer)[0].id)
            inputs = tapped_rows(builder, below, count)
            return lambda frame: towards.called(producer, inputs(frame).limit(count))
        uid = hosted.tag(producer)
        if uid not in handles:
            raise UnsupportedError(
                f"rows that the host {builder.options.host} emits cannot be tapped",
                where=f"node {producer}",
                remedy="tap its input, or a sink",
            )
        kernel = handles[uid].kernel
        kernel.tap(uid, joined(towards.emitted(producer, levels[producer]))._jc, count)
        return lambda frame: frame_of(kernel.tapped(uid, frame._jdf), frame.sparkSession)

    parts = [rows_of(producer) for producer in sorted(path & producers)]
    return lambda frame: reduce(lambda left, right: left.unionByName(right), [part(frame) for part in parts])


def emitted_rows(builder: StageBuilder) -> Iterator[tuple[int, DataFrame]]:
    """The rows that each keyed operator emits in a micro-batch, by node; call after `build`, without a query."""
    prepared, hosted = builder.prepared, builder.hosted
    for handle in builder.handles:
        frame = frame_of(handle.kernel.output(), builder.spark)
        for node, level in prepared.layout.levels.items():
            if node not in hosted.steps and hosted.tag(node) in handle.columns:
                own = TapProjections(
                    builder.spark, prepared, hosted, builder.envelope, builder.options.bounded, node, {node}
                )
                yield node, own.all_emitted(level, frame)


def close(builder: StageBuilder) -> None:
    for handle in builder.handles:
        handle.kernel.untap()


def _read_again(rows: DataFrame, frame: DataFrame) -> DataFrame:
    """The rows of a source in a micro-batch."""
    spark = frame.sparkSession
    return frame_of(
        java_class(spark._jvm, "org.compiledplan.kernel.host.input.BatchInput").of(rows._jdf, frame._jdf), spark
    )


@dataclass(frozen=True, slots=True)
class TapProjections(Projections):
    """Projections that end at a node and return the rows that it emits.

    Args:
        node: the node.
        path: the stateless nodes that lead to it, and itself if it is stateless.
    """

    node: int
    path: set[int]

    @property
    def _columns(self) -> list[str]:
        return [KIND, ORD, PATH, *(f"f{at}" for at in range(len(self._type.fields)))]

    @property
    def _type(self) -> RowType:
        return self.prepared.plan.node(self.node).output_type

    def read(self, source: int, start: int, frame: DataFrame, count: int) -> DataFrame:
        """The rows after a scan, over the rows of its source."""
        frame, flows, _ = self._read(source, frame, None)
        flow = flows[start].where(F.col(KIND) != DEAD) if self._puts_aside(source) else flows[start]
        return selected(frame, self._pieces(start, flow, 0), self._columns).limit(count)

    def emitted(self, producer: int, level: int) -> list[Piece]:
        """The rows after an operator, over the rows of its stage."""
        return self._operator_pieces(producer, level)

    def all_emitted(self, level: int, frame: DataFrame) -> DataFrame:
        """The rows of the node, which is an operator, over the rows of its stage."""
        return selected(frame, self.emitted(self.node, level), self._columns)

    def called(self, producer: int, frame: DataFrame) -> DataFrame:
        """The rows after a node with a step, over its input."""
        step = step_of(self.prepared.plan.node(producer), self.lowering)
        inputs = tuple(F.col(f"f{at}") for at in range(len(self.lowering.input_types(step.node))))
        frame = step.compute(frame, inputs, None)
        flow = Flow(F.col(KIND), F.col(ORD), F.col(PATH), inputs)
        return selected(frame, self._computed(step, flow, 0), self._columns)

    def _pieces(self, producer: int, flow: Flow, level: int) -> list[Piece]:
        if producer == self.node:
            return [OneRow(self._row(flow), flow.condition)]
        return [
            piece
            for port in consumers(self.prepared.plan, producer)
            if port.node in self.path
            for lowered in lower_stateless(self.prepared.plan.node(port.node), port.index, flow, self.lowering)
            for piece in self._continued(port.node, lowered, level)
        ]

    def _row(self, flow: Flow) -> Column:
        types: list[DataType | str] = ["tinyint", "bigint", "binary", *map(to_spark, self._type.types)]
        columns = zip((flow.kind, flow.ord, flow.path, *flow.columns), types, self._columns, strict=True)
        return F.struct(*(column.cast(type_).alias(name) for column, type_, name in columns))

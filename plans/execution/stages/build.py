"""A laid-out plan as one streaming DataFrame: sources, stages, and the projections between them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, cast

from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.session.options import NATIVE
from compiled_plan.plans.execution.spark.java import JavaObject, frame_of, java_class
from compiled_plan.plans.execution.spark.projection import Selection
from compiled_plan.plans.execution.stages.descriptions import OperatorSpec, StageSpec, StateForm
from compiled_plan.plans.execution.stages.enforcer import Enforced, enforced
from compiled_plan.plans.execution.stages.envelope import Envelope
from compiled_plan.plans.execution.stages.hosted import hosted_of
from compiled_plan.plans.execution.stages.layout import Port, dead_port, output_column
from compiled_plan.plans.execution.stages.native import first_of_each_key
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.stages.projections import Projections
from compiled_plan.plans.execution.stages.spec import StageSpecs
from compiled_plan.plans.nodes.sink import Sink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from compiled_plan.plans.execution.stages.control import ControlRows
    from compiled_plan.plans.execution.stages.partitions import PartitionWatermarks


@dataclass(frozen=True, slots=True)
class StageOptions:
    """Build options of a plan's stages.

    Args:
        host: the Spark operator that hosts them, one of `plans.execution.session.options.HOSTS`.
        bounded: True if all sources end.
        in_order: True if a sink reads the order of the rows.
        tick: the `op` of control rows, which exist in real-time mode; empty otherwise.
        folds: pre-aggregate the rows of a key before the shuffle, if the operator supports it.
    """

    host: str
    bounded: bool
    in_order: bool
    tick: str = ""
    folds: bool = False


@dataclass(frozen=True, slots=True)
class StageHandle:
    """A running stage.

    Args:
        kernel: the kernel's handle.
        spec: the kernel's parameters of the stage.
        columns: names and types of the columns of each input, by uid; see `Hosted.named`.
    """

    kernel: JavaObject
    spec: Mapping[str, object]
    columns: Mapping[str, Sequence[Sequence[dict[str, str]]]]

    @property
    def operators(self) -> Sequence[OperatorSpec]:
        """The kernel's parameters of each operator."""
        return cast("StageSpec", self.spec)["operators"]

    def figures(self) -> Mapping[str, Mapping[str, Any]]:
        """The counters of each operator by uid since the run started; its hot keys since the last call."""
        figures: dict[str, dict[str, Any]] = json.loads(str(self.kernel.metrics()))
        return figures

    def states(self) -> Mapping[str, StateForm]:
        """The description of each operator's state, by uid: kind, version, fields, input types, and columns."""
        states: dict[str, StateForm] = json.loads(str(self.kernel.states()))
        return {uid: state | {"columns": self.columns[uid]} for uid, state in states.items()}


class PartwisePlan:
    """A DataFrame of many stages built a part at a time, so that Spark's work is linear in the plan."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._kernel = java_class(spark._jvm, "org.compiledplan.kernel.host.stage.PartwisePlan")()

    def placeholder(self, frame: DataFrame) -> DataFrame:
        """An empty DataFrame with the columns of a DataFrame, to build on."""
        return frame_of(self._kernel.placeholder(frame._jdf), self._spark)

    def assembled(self, frame: DataFrame) -> DataFrame:
        """Replace the placeholders in a DataFrame by the DataFrames that they stand for."""
        return frame_of(self._kernel.assembled(frame._jdf), self._spark)


class StageBuilder:
    """Builds the DataFrame of a plan, and then has its stages in `handles`."""

    def __init__(self, spark: SparkSession, lowering: Lowering, prepared: PreparedPlan, options: StageOptions) -> None:
        self.spark = spark
        self.prepared = prepared
        self.options = options
        self.handles: list[StageHandle] = []
        #: The DataFrames of scans and values by node.
        self.sources: Mapping[int, DataFrame] = {}
        #: After `build`, a frame with only the columns of the final envelope, to try the sinks' projections on.
        self.columns: DataFrame | None = None
        self._sink_rows: dict[Port, Selection] = {}
        self.hosted = hosted = hosted_of(prepared.layout, lowering, one_way=bool(options.tick), late=prepared.late)
        self.envelope = Envelope(prepared.layout, hosted, prepared.event_time, options.in_order, options.tick)
        self.projections = Projections(spark, prepared, hosted, self.envelope, options.bounded)
        self.specs = StageSpecs(spark, prepared, hosted, options.host)

    def build(
        self,
        sources: Mapping[int, DataFrame],
        ends: Mapping[int, DataFrame] | None = None,
        partitions: Mapping[int, PartitionWatermarks] | None = None,
        control: ControlRows | None = None,
    ) -> DataFrame:
        """The rows for the sinks, as an envelope.

        Args:
            sources: the DataFrames of scans and values by node.
            ends: the rows that end the input of sources with watermarks, by node.
            partitions: the watermarks of partitions, by node of their sources.
            control: the control rows; None if there are none.
        """
        layout, ends, partitions = self.prepared.layout, ends or {}, partitions or {}
        self.sources = sources
        whole = self._partwise_plan()
        current: DataFrame | None = None
        for level in range(1, layout.last + 1):
            entering = [node for node in sources if layout.entries[node] == level]
            frames = [current] if current is not None else []
            frames += [
                self.projections.entering(node, sources[node], ends.get(node), level, partitions.get(node), control)
                for node in entering
            ]
            if level == 1 and control is not None:
                frames.append(self.envelope.ticks(control.ticks))
            current = reduce(lambda left, right: left.unionByName(right), frames)
            if level < layout.last:
                current = whole.placeholder(self.projections.leaving(self._hosted(current, level, control), level))
        assert current is not None
        self.columns = whole.placeholder(current)
        return whole.assembled(current)

    def _partwise_plan(self) -> PartwisePlan:
        return PartwisePlan(self.spark)

    def sink_rows(self, sink: Sink) -> Selection:
        """The rows for one sink, selected from the final envelope: `kind`, `ord`, `path`, `f0`, `f1`, ...., as written.

        Raises:
            UnsupportedError: the sink requires something of its rows that does not run; names it.
        """
        return self._rows(Port(sink.id, 0, writes=True), sink)

    def dead_letters(self, source: int) -> Selection:
        """The dead letters of a source, selected from the final envelope, as rows for a sink."""
        return self._rows(dead_port(source))

    def _rows(self, port: Port, sink: Sink | None = None) -> Selection:
        if port not in self._sink_rows:
            fields, layout = self.envelope.fields(port), self.prepared.layout
            allowed = Enforced(None, fields) if sink is None else enforced(sink, fields)
            own = self.envelope.holds(port) if len(layout.arriving(layout.last)) > 1 else None
            columns = [column.alias(f"f{at}") for at, column in enumerate(allowed.columns)]
            head = self.envelope.sink_head()
            self._sink_rows[port] = Selection((*head, *columns), own, allowed.condition)
        return self._sink_rows[port]

    def _hosted(self, frame: DataFrame, level: int, control: ControlRows | None) -> DataFrame:
        """The output of a stage."""
        nodes = self.prepared.layout.stages[level - 1]
        if nodes[0] in self.hosted.steps:
            for node in nodes:
                inputs = self.envelope.fields(Port(node, 0))
                frame = self.hosted.steps[node].compute(frame, inputs, self.projections.mine(node, level))
            return frame
        if self.options.host == NATIVE:
            (node,) = nodes
            ttl = self.prepared.plan.node(node).ttl_entries[0].ttl_ms
            return first_of_each_key(frame, ttl, Port(node, 0).column, output_column(node))
        return self._attached(frame, level, control)

    def _attached(self, frame: DataFrame, level: int, control: ControlRows | None) -> DataFrame:
        spec = self.specs.stage(level)
        kernel = self._kernel_stage(frame, level, json.dumps(spec), control)
        nodes = self.prepared.layout.stages[level - 1]
        columns = {self.hosted.tag(node): self.hosted.named(node) for node in nodes}
        self.handles.append(StageHandle(kernel, spec, columns))
        return frame_of(kernel.output(), self.spark)

    def _kernel_stage(self, frame: DataFrame, level: int, spec: str, control: ControlRows | None) -> JavaObject:
        stage = java_class(self.spark._jvm, "org.compiledplan.kernel.host.stage.Stage")
        more = (self.options.folds,) if control is None or control.kernel is None else (control.kernel, level)
        kernel: JavaObject = stage.attach(frame._jdf, spec, *more)
        return kernel

"""The contents of a plan's stages: operators of the kernel, and nodes with steps in front of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.dead_letters import COLUMNS as DEAD_COLUMNS
from compiled_plan.plans.execution.expressions import canonical_key
from compiled_plan.plans.execution.operators.base import Flow, KeyedOperator, KeyedPort, Lowering, lower_keyed
from compiled_plan.plans.execution.operators.changelog import primary_key, sink_materializer
from compiled_plan.plans.execution.operators.lookup_steps import LookupStep
from compiled_plan.plans.execution.operators.python_steps import PythonStep
from compiled_plan.plans.execution.stages.late_rows import LateSink
from compiled_plan.plans.execution.stages.layout import Layout, Port
from compiled_plan.plans.inspection.placement import needs_step
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.lookup import LookupJoin
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.types import LogicalType, RowType

if TYPE_CHECKING:
    from pyspark.sql import Column


#: A node that first adds columns to the DataFrame of its rows.
Step = PythonStep | LookupStep


@dataclass(frozen=True, slots=True)
class Hosted:
    """The operators and steps of a plan by node, and the columns of their inputs.

    Args:
        lowering: lowers the nodes.
        operators: by node.
        steps: by node.
        one_way: send all changes for a sink without a primary key to one task, because nothing orders them after the
            stages; otherwise spread them over all tasks.
        late: the sinks of late rows.
    """

    lowering: Lowering
    operators: Mapping[int, KeyedOperator]
    steps: Mapping[int, Step]
    one_way: bool = False
    late: Sequence[LateSink] = ()

    def late_sink(self, port: Port) -> LateSink | None:
        """The sink of late rows with a port: the column beside an input, or the writing end."""
        return next((item for item in self.late if port in (item.port, item.written)), None)

    def tag(self, node: int) -> str:
        """The `op` of rows to and from a node in a stage: the uid of an operator, or the name of a step."""
        if node in self.steps:
            return f"step:{node}"
        uid = self.lowering.plan.node(node).uid
        assert uid is not None
        return uid

    def port_tag(self, port: Port) -> str:
        """The `op` of rows for an input or for a sink's writing end."""
        return f"sink:{port.node}" if port.writes else self.tag(port.node)

    def types(self, port: Port) -> tuple[LogicalType, ...]:
        """The types of an input's columns."""
        if port.dead:
            return DEAD_COLUMNS.types
        late = self.late_sink(port)
        if late is not None:
            return late.types if port.late else late.table.types
        keyed = self._keyed(port)
        return (
            self.lowering.input_types(self.lowering.plan.node(port.node), port.index) if keyed is None else keyed.types
        )

    def columns(self, port: Port, flow: Flow) -> Sequence[Column]:
        """The columns of an input, from the columns of the flow."""
        keyed = self._keyed(port)
        return flow.columns if keyed is None else keyed.columns(flow)

    def named(self, node: int) -> list[list[dict[str, str]]]:
        """The column names and plan types of each input of an operator."""
        operator = self.operators[node]
        inputs = self.lowering.plan.inputs(node if operator.reader is None else operator.reader)
        return [list(_named(port, inputs[at].output_type)) for at, port in enumerate(operator.ports)]

    def key(self, port: Port, flow: Flow) -> Column:
        """The key of rows for an input."""
        keyed = self._keyed(port)
        if keyed is not None:
            return keyed.key(flow)
        if not port.writes:
            return F.lit("")
        spread = F.concat(F.lit("#"), flow.ord.cast("string"))
        if port.dead or self.late_sink(port) is not None:
            return spread
        node = self.lowering.plan.node(port.node)
        assert isinstance(node, Sink)
        # Rows of one key go to the sink through one task, in order; others are spread over all tasks.
        at, types = primary_key(node), self.types(port)
        if at:
            return canonical_key([flow.columns[index] for index in at], [types[index] for index in at])
        return F.lit("#") if self.one_way and set(node.input_changelog_mode) != {"INSERT"} else spread

    def _keyed(self, port: Port) -> KeyedPort | None:
        """The input of an operator; None for one of a step, or a sink's writing end."""
        operator = None if port.writes else self.operators.get(port.node)
        return None if operator is None else operator.ports[port.index]


def _named(port: KeyedPort, row: RowType) -> Iterator[dict[str, str]]:
    computed = 0
    for source, type_ in zip(port.sources or range(len(port.types)), port.types, strict=True):
        computed += not isinstance(source, int)
        name = row.names[source] if isinstance(source, int) else f"computed {computed}"
        yield {"name": name, "type": str(type_.as_regular())}


def hosted_of(layout: Layout, lowering: Lowering, *, one_way: bool = False, late: Sequence[LateSink] = ()) -> Hosted:
    """Lower the nodes in a plan's stages; see `Hosted` for `one_way` and `late`."""
    nodes = [lowering.plan.node(node) for stage in layout.stages for node in stage]
    steps = {node.id: step_of(node, lowering) for node in nodes if needs_step(node)}
    lowered = {
        node.id: sink_materializer(node, lowering) if isinstance(node, Sink) else lower_keyed(node, lowering)
        for node in nodes
        if node.id not in steps
    }
    return Hosted(lowering, lowered, steps, one_way, late)


def step_of(node: PlanNode, lowering: Lowering) -> Step:
    return LookupStep(node, lowering) if isinstance(node, LookupJoin) else PythonStep(node, lowering)

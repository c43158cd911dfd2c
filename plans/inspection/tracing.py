"""Columns of a sink traced back through a plan: the columns of each node's inputs that have the same values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from compiled_plan.plans.inspection.lineage.plans import flows_of
from compiled_plan.plans.inspection.lineage.rows import Rows, port
from compiled_plan.plans.inspection.lineage.table_identity import by_name
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import IntervalJoin, Join, MultiJoin, TemporalJoin
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.specs import JoinSpec
from compiled_plan.plans.nodes.stateless import Union
from compiled_plan.plans.nodes.window import WindowJoin
from compiled_plan.plans.plan import CompiledPlan

#: Per input of a node, its columns by the column of the sink whose values they have.
Traced = tuple[Mapping[str, int], ...]


def sink_columns(sink: Sink) -> Sequence[str]:
    """The names of the columns that a sink writes, in the order of its rows."""
    return [column.name for column in sink.dynamic_table_sink.table.stored_columns] or sink.output_type.names


def traced(plan: CompiledPlan, sink: Sink, columns: Sequence[str]) -> Mapping[int, Traced]:
    """The inputs of each node upstream of a sink, from the sink on.

    A column is traced where the node passes it on, and to both sides of a join whose key has it.

    Args:
        plan: the plan.
        sink: one of its sinks.
        columns: columns of the sink.
    """
    flows, names = flows_of(plan, identity_of=by_name), sink_columns(sink)
    wanted: dict[int, dict[str, int]] = defaultdict(dict)
    wanted[sink.id] = {column: names.index(column) for column in columns}
    upstream, inputs = {sink.id}, dict[int, Traced]()
    for node in reversed(plan.in_order):
        if node.id not in upstream:
            continue
        inputs[node.id] = tuple(_inputs(plan, node, wanted[node.id], flows))
        for below, columns_below in zip(plan.inputs(node), inputs[node.id], strict=True):
            upstream.add(below.id)
            # Of several ways to a node, the one nearest to the sink counts.
            wanted[below.id] = {**columns_below, **wanted[below.id]}
    return inputs


def _inputs(
    plan: CompiledPlan, node: PlanNode, outputs: Mapping[str, int], flows: Mapping[int, Rows]
) -> Iterator[dict[str, int]]:
    sources = plan.inputs(node)
    if isinstance(node, Sink | Union):
        yield from (dict(outputs) for _ in sources)
    elif isinstance(node, MultiJoin):
        yield from _sides(sources, outputs)
    elif (spec := _join_spec(node)) is not None:
        left, right = _sides(sources, outputs)
        pairs = list(zip(spec.left_keys, spec.right_keys, strict=True))
        yield left | {name: pair[0] for name, at in right.items() for pair in pairs if pair[1] == at}
        yield right | {name: pair[1] for name, at in left.items() for pair in pairs if pair[0] == at}
    else:
        columns = port(flows[node.id]).all_columns()
        for source in sources:
            digests = [column.digest for column in port(flows[source.id]).all_columns()]
            passed = {name: columns[at].digest for name, at in outputs.items() if at < len(columns)}
            yield {name: digests.index(digest) for name, digest in passed.items() if digest in digests}


def _sides(sources: Sequence[PlanNode], outputs: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The columns of each input of a join, whose rows are those of its inputs side by side."""
    first = 0
    for source in sources:
        end = first + len(source.output_type.fields)
        yield {name: at - first for name, at in outputs.items() if first <= at < end}
        first = end


def _join_spec(node: PlanNode) -> JoinSpec | None:
    match node:
        case IntervalJoin():
            return node.interval_join_spec.join_spec
        case Join() | TemporalJoin() | WindowJoin():
            return node.join_spec
    return None

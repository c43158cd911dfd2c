"""Operators of a savepoint by node of a plan: by uid, or by name where the job had no uids."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.flink.committables import has_committables
from compiled_plan.plans.execution.state.flink.positions.reading import SPLITS, SourceState
from compiled_plan.plans.execution.state.flink.savepoint.head import OperatorList, SavepointHead, SavepointOperator
from compiled_plan.plans.inspection.diff.flink import DEFAULTS, FORMAT, uid_of
from compiled_plan.plans.nodes.aggregate import GlobalGroupAggregate, IncrementalGroupAggregate
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import Exchange
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan

#: The transformation of a scan.
_SOURCE = "source"
#: Transformations of connectors that name them.
_OWN: Mapping[str, str] = {"kafka": "kafka", "upsert-kafka": "kafka"}
#: States in which a sink stores output that is committed after the checkpoint.
_PENDING = re.compile("committer|committable", re.IGNORECASE)
#: Operator state with rows that an asynchronous operator waits for.
_IN_FLIGHT = frozenset({"_async_wait_operator_state_", "_delta_join_operator_async_wait_state_"})
#: The id of a node at the end of an operator's name in Flink: `GroupAggregate[3]`.
_NAMED = re.compile(r"(?P<kind>\w+)\[(?P<id>\d+)\]$")


def candidate_uids(plan: CompiledPlan) -> dict[str, int]:
    """The uids that Flink gives to the operators of a plan, and the ids of their nodes."""
    return {
        flink_uid(node, transformation): node.id for node in plan.nodes for transformation in _transformations(node)
    }


def flink_uid(node: PlanNode, transformation: str) -> str:
    """The uid that Flink gives to an operator of a node."""
    return uid_of(node, transformation, node.configuration.get(FORMAT, DEFAULTS[FORMAT]))


def source_transformation(table: CatalogTable) -> str:
    """The transformation in the uid of a table's source: a connector may name its own."""
    return _OWN.get(table.options.get("connector", ""), _SOURCE)


def _transformations(node: PlanNode) -> Iterator[str]:
    """The transformations of a node that may have state in Flink."""
    if isinstance(node, TableSourceScan):
        yield source_transformation(node.scan_table_source.table)
    if node.TRANSFORMATION:
        yield node.TRANSFORMATION


def matched(plan: CompiledPlan, head: SavepointHead) -> Mapping[int, Sequence[SavepointOperator]]:
    """The operators of a savepoint by id of their nodes.

    Args:
        plan: the plan with uids.
        head: the savepoint, read with `candidate_uids`.

    Raises:
        CheckpointError: the savepoint is not of a job that ran the plan.
    """
    operators = _grouped(head.operators, candidate_uids(plan)) or _by_name(plan, head.operators)
    if operators or not any(operator.entries for operator in head.operators):
        return operators
    raise CheckpointError(
        "no operator of the savepoint has the uid of an operator in the plan: the job did not run from this plan",
        where=head.savepoint,
        remedy="have Flink run the plan: COMPILE PLAN of the program, EXECUTE PLAN, then stop it with a savepoint",
    )


def _grouped(
    operators: Sequence[SavepointOperator], nodes: Mapping[str, int]
) -> Mapping[int, Sequence[SavepointOperator]]:
    groups: dict[int, list[SavepointOperator]] = {}
    for operator in operators:
        if operator.uid is not None and operator.uid in nodes:
            groups.setdefault(nodes[operator.uid], []).append(operator)
    return groups


def _by_name(plan: CompiledPlan, operators: Sequence[SavepointOperator]) -> Mapping[int, Sequence[SavepointOperator]]:
    """Match operators without uid by their names, which have the node's kind and id if the metadata has names."""
    nodes = {(node.kind.replace("-", ""), node.id) for node in plan.nodes if node.TRANSFORMATION}
    groups: dict[int, list[SavepointOperator]] = {}
    for operator in operators:
        name = None if operator.uid else _NAMED.match(operator.name or "")
        if name is not None and (name["kind"].lower(), int(name["id"])) in nodes:
            groups.setdefault(int(name["id"]), []).append(operator)
    return groups


def targets(plan: CompiledPlan, node: int) -> Sequence[int]:
    """The ids of the nodes whose operators continue the state of a node: mostly the node itself.

    The middle phase of a split distinct aggregate has no state here: the last phase has its distinct values.
    """
    if not isinstance(plan.node(node), IncrementalGroupAggregate):
        return (node,)
    consumers = list(plan.consumers(node))
    for consumer in consumers:
        if isinstance(consumer, Exchange):
            consumers.extend(plan.consumers(consumer))
    return tuple(consumer.id for consumer in consumers if isinstance(consumer, GlobalGroupAggregate))


def source_of(operators: Sequence[SavepointOperator]) -> SourceState:
    """The state of a source."""
    lists = (
        stored
        for operator in operators
        for stored in operator.lists
        if stored.name == SPLITS and stored.type == "BYTES"
    )
    splits = [b64decode(element) for stored in lists for elements in stored.elements for element in elements]
    coordinators = (operator.coordinator for operator in operators if operator.coordinator)
    finished = bool(operators) and all(operator.finished for operator in operators)
    return SourceState(splits, next(coordinators, None), finished)


def rows_in_flight(operator: SavepointOperator) -> int:
    """The number of rows that an asynchronous operator waits for, and computes again after a restore."""
    return sum(sum(map(len, stored.elements)) for stored in operator.lists if stored.name in _IN_FLIGHT)


def pending_sinks(plan: CompiledPlan, head: SavepointHead) -> frozenset[int]:
    """The ids of sinks with output that Flink has not committed; all sinks if the savepoint does not tell which."""
    sinks = frozenset(node.id for node in plan.nodes if isinstance(node, Sink))
    pending: set[int] = set()
    for operator in head.operators:
        if any(_PENDING.search(stored.name) and _is_pending(stored) for stored in operator.lists):
            name = operator.uid or operator.name or ""
            named = {int(number) for number in re.findall(r"\d+", name)} & sinks
            pending |= named or sinks
    return frozenset(pending)


def _is_pending(stored: OperatorList) -> bool:
    elements = [element for elements in stored.elements for element in elements]
    return any(not isinstance(element, str) or has_committables(b64decode(element)) for element in elements)

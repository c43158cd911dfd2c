"""From relational trees to a CompiledPlan: rewrite, choose operators, settle changes, number the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from planner.algebra.nodes import RelNode, SetKind, SetOp, Sink
from planner.physical import calc, plumbing, scan, sink  # noqa: F401  # they register themselves
from planner.physical.base import Emission, Lowering, Operator
from planner.physical.changelog import Settling
from planner.physical.session_options import check_settings, keeping
from planner.physical.sink import TableSinkOperator
from planner.rules import optimize
from planner.settings import Settings
from plans.holding import held_by_nodes
from plans.identity import with_uids
from plans.nodes.base import PlanNode
from plans.plan import CompiledPlan, Edge


def plan(sinks: Sequence[Sink], config: Mapping[str, str]) -> CompiledPlan:
    """The plan of a program's INSERT statements.

    Args:
        sinks: the statements in the order of the program.
        config: the options that the program sets.

    Raises:
        ProgramError: the program cannot run as it is (updates into an append-only sink, keys that clash, ...).
        UnsupportedError: the program uses what no operator is known for, or an option that is not supported.
    """
    check_settings(config)
    settings = Settings(config)
    statements = optimize(_one_sink_a_table(sinks), settings)
    lowering = Lowering(settings, statements)
    settling = Settling(lowering)
    settled: list[Operator] = []
    operators = list(map(lowering.lower, statements))
    if settings.boolean("table.exec.mini-batch.enabled"):
        from planner.physical.mini_batch import in_mini_batches  # few programs ask for it

        operators = in_mini_batches(operators, lowering)
    for found in operators:
        assert isinstance(found, TableSinkOperator)
        settled.append(settling.sink(found))
    return _numbered(settled, lowering)


def _one_sink_a_table(sinks: Sequence[Sink]) -> list[Sink]:
    """Statements that write one table in one way become one sink over the union of their queries."""
    groups: dict[Sink, list[Sink]] = {}
    anchor = sinks[0].input if sinks else None
    for item in sinks:
        assert anchor is not None
        groups.setdefault(replace(item, input=anchor), []).append(item)
    return [_merged(group) for group in groups.values()]


def _merged(group: list[Sink]) -> Sink:
    if len(group) == 1:
        return group[0]
    inputs: tuple[RelNode, ...] = tuple(item.input for item in group)
    return replace(group[0], input=SetOp(inputs, SetKind.UNION, True, group[0].input.row_type))


def _numbered(sinks: Sequence[Operator], lowering: Lowering) -> CompiledPlan:
    """Nodes from 1 in the order in which rows flow, left inputs first."""
    numbers: dict[int, int] = {}
    nodes: list[PlanNode] = []
    edges: list[Edge] = []

    def visit(operator: Operator) -> int:
        if id(operator) in numbers:
            return numbers[id(operator)]
        sources = [visit(child) for child in operator.inputs]
        number = numbers[id(operator)] = len(nodes) + 1
        facts = tuple(map(lowering.facts, operator.inputs))
        at = Emission(number, lowering.settings, facts, lowering.facts(operator))
        nodes.append(keeping(operator.plan_node(at), lowering.settings))
        edges.extend(Edge.between(source, number) for source in sources)
        return number

    for sink_operator in sinks:
        visit(sink_operator)
    return with_uids(CompiledPlan(nodes=tuple(nodes), edges=tuple(edges), holds=held_by_nodes(nodes)))

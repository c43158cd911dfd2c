"""The lineage of a whole plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compiled_plan.plans.inspection.lineage.drafting import Context, rule_of
from compiled_plan.plans.inspection.lineage.meaning import digest_of
from compiled_plan.plans.inspection.lineage.operators import Item, Lineage, OperatorLineage, Property, SourceLineage
from compiled_plan.plans.inspection.lineage.rows import Branch, Rows, port
from compiled_plan.plans.inspection.lineage.table_identity import (
    TableIdentity,
    by_place,
    options_of,
    source_of,
)
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.model import value_to_json
from compiled_plan.plans.nodes.scan import TableSourceScan, Values
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import Calc, Union
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.hadoop_paths import at_rest


def lineage_of(
    plan: CompiledPlan, place: Callable[[str], str] = at_rest, identity_of: TableIdentity | None = None
) -> Lineage:
    """Lineage of a plan's stateful operators and sources.

    `place` resolves a path to its full name, so that two spellings of one location are equal; `identity_of` identifies
    tables, by default by the location of their rows.
    """
    rows, operators = _read(plan, identity_of or by_place(place))
    sources = _sources(plan, place)
    for node in plan.nodes:
        if isinstance(node, Values):
            (branch,) = rows[node.id]
            shown = Item(branch.origin.text, branch.origin.digest)
            sources.append(SourceLineage((node.id,), "constant rows", branch.history, (Property("rows", (shown,)),)))
    tables: dict[int, tuple[str, ...]] = {}
    for node in plan.in_order:
        if isinstance(node, TableSourceScan):
            tables[node.id] = (node.scan_table_source.table.path[-1],)
        else:
            names = [name for below in plan.inputs(node) for name in tables[below.id]]
            tables[node.id] = tuple(dict.fromkeys(names))
    ordered = sorted(sources, key=lambda source: (source.identity, source.name, min(source.nodes)))
    digests = {id_: digest_of([_origin(branch) for branch in port(branches).rows]) for id_, branches in rows.items()}
    return Lineage(tuple(ordered), tuple(operators), tables, digests, rows)


def _origin(branch: Branch) -> list[object]:
    return [branch.origin.digest, [predicate.digest for predicate in branch.filter]]


def _sources(plan: CompiledPlan, place: Callable[[str], str]) -> list[SourceLineage]:
    """Each source table once, however many scans read it."""
    groups: dict[str, tuple[CatalogTable, list[int]]] = {}
    for node in plan.nodes:
        if isinstance(node, TableSourceScan):
            table = node.scan_table_source.table
            key = digest_of([table.identifier, dict(options_of(table))])
            groups.setdefault(key, (table, []))[1].append(node.id)
    return [source_of(tuple(ids), table, place) for table, ids in groups.values()]


def places(plan: CompiledPlan, *, projections: bool = False) -> Mapping[int, str]:
    """By node id a digest of everything downstream: operators with input numbers, and the sink tables.

    With `projections`, projections and filters on the path are part of it.
    """
    digests: dict[int, str] = {}
    for node in reversed(plan.in_order):
        own: list[object] = [node.kind] if node.keeps_state else []
        if isinstance(node, Sink):
            own.append(node.dynamic_table_sink.table.identifier)
        elif projections and isinstance(node, Calc):
            own.append(value_to_json((node.projection, node.condition)))
        consumers = sorted((_input_numbers(plan, node, below), digests[below.id]) for below in plan.consumers(node))
        digests[node.id] = digest_of([own, consumers])
    return digests


def sinks_of(plan: CompiledPlan) -> Mapping[int, frozenset[str]]:
    """By node id, the sink tables downstream."""
    sinks: dict[int, frozenset[str]] = {}
    for node in reversed(plan.in_order):
        own = {node.dynamic_table_sink.table.identifier} if isinstance(node, Sink) else set[str]()
        sinks[node.id] = frozenset(own).union(*(sinks[below.id] for below in plan.consumers(node)))
    return sinks


def _input_numbers(plan: CompiledPlan, node: PlanNode, below: PlanNode) -> list[int]:
    """Numbers of the inputs that connect two nodes; the input order of a union is irrelevant."""
    return [at for at, source in enumerate(plan.inputs(below)) if source is node and not isinstance(below, Union)]


def flows_of(
    plan: CompiledPlan, place: Callable[[str], str] = at_rest, identity_of: TableIdentity | None = None
) -> Mapping[int, Rows]:
    """By node the meanings of its columns; see `lineage_of` for the arguments."""
    return _read(plan, identity_of or by_place(place))[0]


def _read(plan: CompiledPlan, identity_of: TableIdentity) -> tuple[dict[int, Rows], list[OperatorLineage]]:
    context = Context(plan, identity_of)
    operators: list[OperatorLineage] = []
    for node in plan.in_order:
        result = rule_of(type(node))(node, context)
        context.rows[node.id] = result.rows
        if result.operator is not None:
            operators.append(result.operator)
    return context.rows, operators

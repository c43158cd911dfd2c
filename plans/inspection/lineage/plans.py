"""A whole plan's lineage."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compiled_plan.plans.inspection.lineage.drafting import Context, rule_of
from compiled_plan.plans.inspection.lineage.meaning import digest_of
from compiled_plan.plans.inspection.lineage.operators import Item, Lineage, OperatorLineage, Property, SourceLineage
from compiled_plan.plans.inspection.lineage.rows import Branch, Rows, port
from compiled_plan.plans.inspection.lineage.table_identity import Telling, at_rest, by_place, options_of, source_of
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.model import value_to_json
from compiled_plan.plans.nodes.scan import TableSourceScan, Values
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.stateless import Calc, Union
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan


def lineage_of(plan: CompiledPlan, place: Callable[[str], str] = at_rest, telling: Telling | None = None) -> Lineage:
    """The state of a plan's operators, and what they read it from.

    `place` gives the full name of a path, so that two spellings of one place are equal; `telling` tells tables apart,
    else the places of their rows do.
    """
    rows, operators = _read(plan, telling or by_place(place))
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
    ordered = sorted(sources, key=lambda each: (each.identity, each.name, min(each.nodes)))
    digests = {id_: digest_of([_origin(branch) for branch in port(found).rows]) for id_, found in rows.items()}
    return Lineage(tuple(ordered), tuple(operators), tables, digests, rows)


def _origin(branch: Branch) -> list[object]:
    return [branch.origin.digest, [each.digest for each in branch.filter]]


def _sources(plan: CompiledPlan, place: Callable[[str], str]) -> list[SourceLineage]:
    """Each table once, however many scans read it."""
    groups: dict[str, tuple[CatalogTable, list[int]]] = {}
    for node in plan.nodes:
        if isinstance(node, TableSourceScan):
            table = node.scan_table_source.table
            key = digest_of([table.identifier, dict(options_of(table))])
            groups.setdefault(key, (table, []))[1].append(node.id)
    return [source_of(tuple(ids), table, place) for table, ids in groups.values()]


def places(plan: CompiledPlan, *, projections: bool = False) -> Mapping[int, str]:
    """By node id a digest of what is below a node: the operators, by which input, and the tables that its rows reach.

    With `projections`, the projections and filters on the way are part of it.
    """
    found: dict[int, str] = {}
    for node in reversed(plan.in_order):
        own: list[object] = [node.kind] if node.keeps_state else []
        if isinstance(node, Sink):
            own.append(node.dynamic_table_sink.table.identifier)
        elif projections and isinstance(node, Calc):
            own.append(value_to_json((node.projection, node.condition)))
        ways = sorted((_ways(plan, node, below), found[below.id]) for below in plan.consumers(node))
        found[node.id] = digest_of([own, ways])
    return found


def _ways(plan: CompiledPlan, node: PlanNode, below: PlanNode) -> list[int]:
    """By which inputs a node's rows come to one below it; the order of a union's inputs says nothing."""
    return [at for at, each in enumerate(plan.inputs(below)) if each is node and not isinstance(below, Union)]


def flows_of(
    plan: CompiledPlan, place: Callable[[str], str] = at_rest, telling: Telling | None = None
) -> Mapping[int, Rows]:
    """By node what its columns mean; see `lineage_of` for the arguments."""
    return _read(plan, telling or by_place(place))[0]


def _read(plan: CompiledPlan, telling: Telling) -> tuple[dict[int, Rows], list[OperatorLineage]]:
    context = Context(plan, telling)
    found: list[OperatorLineage] = []
    for node in plan.in_order:
        made = rule_of(type(node))(node, context)
        context.rows[node.id] = made.rows
        if made.operator is not None:
            found.append(made.operator)
    return context.rows, found

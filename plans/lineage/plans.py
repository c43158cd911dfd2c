"""A whole plan's lineage."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from plans.lineage.meaning import digest_of
from plans.lineage.operators import Item, Lineage, Operator, Property, Source
from plans.lineage.rows import Rows
from plans.lineage.rules.base import Context, rule_of
from plans.lineage.tables import at_rest, options_of, source_of
from plans.nodes.scan import TableSourceScan, Values
from plans.nodes.sink import Sink
from plans.nodes.tables import CatalogTable
from plans.plan import CompiledPlan


def lineage_of(plan: CompiledPlan, place: Callable[[str], str] = at_rest) -> Lineage:
    """What a plan's operators keep, and what they read it from.

    Args:
        plan: the plan.
        place: the full name of a path, so that two spellings of one place are equal.
    """
    rows, operators = _read(plan, place)
    sources = _sources(plan, place)
    for node in plan.nodes:
        if isinstance(node, Values):
            (branch,) = rows[node.id]
            shown = Item(branch.origin.text, branch.origin.digest)
            sources.append(Source((node.id,), "constant rows", branch.history, (Property("rows", (shown,)),)))
    tables: dict[int, tuple[str, ...]] = {}
    for node in plan.in_order:
        if isinstance(node, TableSourceScan):
            tables[node.id] = (node.scan_table_source.table.path[-1],)
        else:
            names = [name for below in plan.inputs(node) for name in tables[below.id]]
            tables[node.id] = tuple(dict.fromkeys(names))
    ordered = sorted(sources, key=lambda each: (each.identity, each.name, min(each.nodes)))
    return Lineage(tuple(ordered), tuple(operators), tables)


def _sources(plan: CompiledPlan, place: Callable[[str], str]) -> list[Source]:
    """Each table once, however many scans read it."""
    groups: dict[str, tuple[CatalogTable, list[int]]] = {}
    for node in plan.nodes:
        if isinstance(node, TableSourceScan):
            table = node.scan_table_source.table
            key = digest_of([table.identifier, dict(options_of(table))])
            groups.setdefault(key, (table, []))[1].append(node.id)
    return [source_of(tuple(ids), table, place) for table, ids in groups.values()]


def places(plan: CompiledPlan) -> Mapping[int, str]:
    """By node id a digest of what is below a node: the operators and the tables that its rows reach."""
    found: dict[int, str] = {}
    for node in reversed(plan.in_order):
        own: list[object] = [node.kind] if node.keeps_state else []
        if isinstance(node, Sink):
            own.append(node.dynamic_table_sink.table.identifier)
        found[node.id] = digest_of([own, sorted(found[each.id] for each in plan.consumers(node))])
    return found


def _read(plan: CompiledPlan, place: Callable[[str], str]) -> tuple[dict[int, Rows], list[Operator]]:
    """What flows out of every node, and the operators, in the order of the plan."""
    context = Context(plan, place)
    found: list[Operator] = []
    for node in plan.in_order:
        made = rule_of(type(node))(node, context)
        context.rows[node.id] = made.rows
        if made.operator is not None:
            found.append(made.operator)
    return context.rows, found

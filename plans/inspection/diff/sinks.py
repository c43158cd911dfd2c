"""Comparison of the sink tables of two plans."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from compiled_plan.plans.connectors.checks import formats_of
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.inspection.diff.flows import Words, flow_findings
from compiled_plan.plans.inspection.diff.model import Change, SinkEdit
from compiled_plan.plans.inspection.diff.operators import Operators, rows_of_another
from compiled_plan.plans.inspection.diff.reasons import Reason
from compiled_plan.plans.inspection.diff.sides import PlanPair, PlanSide
from compiled_plan.plans.inspection.diff.sources import moved
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict, worst
from compiled_plan.plans.inspection.late_rows import late_tables
from compiled_plan.plans.inspection.lineage.meaning import type_text
from compiled_plan.plans.inspection.lineage.operators import Item
from compiled_plan.plans.inspection.lineage.rows import Port
from compiled_plan.plans.inspection.lineage.shifts import Shift, related
from compiled_plan.plans.inspection.lineage.table_identity import is_positional, options_of
from compiled_plan.plans.nodes.configuration import FRESHNESS, NESTED, NOT_NULL, OPTIONS, TYPE_LENGTH
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.text.masking import shown_value

_ON = "what changes from now on; nothing of the past again"
_NOW = "what changes from now on; nothing of the past"
_STAYS = "nothing any more; what was written stays"
_NONE = "none"
#: Session options for the handling of rows that violate constraints.
_CHECKS = (NOT_NULL, TYPE_LENGTH, NESTED)
#: Text formats, in which a number of a wider type is the same text.
_TEXTS = frozenset({"csv", "json", "debezium-json", "canal-json", "maxwell-json", "ogg-json"})


def sink_edits(both: PlanPair, operators: Operators) -> tuple[SinkEdit, ...]:
    return tuple(_edits(both, operators))


def _edits(both: PlanPair, operators: Operators) -> Iterator[SinkEdit]:
    past = operators.past
    olds = {node.id: node for node in _sinks(both.old)}
    for node in _sinks(both.new):
        if node.id in both.sinks:
            former = olds.pop(both.sinks[node.id])
            yield replace(_edit(both, former, node, past), old_nodes=(former.id,), new_nodes=(node.id,))
        else:
            yield replace(_added(both, node, operators), new_nodes=(node.id,))
    for node in olds.values():
        yield SinkEdit(Change.REMOVED, _name(node), _STAYS, old_nodes=(node.id,))
    yield from _late_edits(late_tables(both.old.plan), late_tables(both.new.plan))


def _late_edits(old: Collection[str], new: Collection[str]) -> Iterator[SinkEdit]:
    """Edits of tables for late rows, which may come and go at any start."""
    for name in new:
        change, gets = (Change.KEPT, _ON) if name in old else (Change.ADDED, "late rows from now on")
        yield SinkEdit(change, name, gets)
    for name in old:
        if name not in new:
            yield SinkEdit(Change.REMOVED, name, _STAYS)


def _sinks(side: PlanSide) -> list[Sink]:
    return [node for node in side.plan.in_order if isinstance(node, Sink)]


def _table(node: Sink) -> CatalogTable:
    return node.dynamic_table_sink.table


def _name(node: Sink) -> str:
    return _table(node).name


def _added(both: PlanPair, node: Sink, operators: Operators) -> SinkEdit:
    ports = both.new.ports(node.id)
    fresh = all(both.is_fresh(branch.origin) for port in ports for branch in port.rows)
    if (fresh or node.id in operators.silent) and not operators.past.get(node.id):
        return SinkEdit(Change.ADDED, _name(node), "all rows")
    tables = ", ".join(both.new.lineage.tables[node.id])
    why = f"past results of {tables} are not written to it"
    return SinkEdit(Change.ADDED, _name(node), _NOW, (), Verdict.PARTIAL, why)


def _edit(both: PlanPair, old: Sink, new: Sink, past: Mapping[int, tuple[Reason, ...]]) -> SinkEdit:
    tables = _table(old), _table(new)
    edits = (
        *_options(*tables),
        *_checks(old, new),
        *_freshness(old, new),
        *_keys(*tables),
        *_columns(both, old, new),
        *_flows(both, old, new),
    )
    verdict = worst(edit.verdict for edit in edits)
    rerouted = both.rerouted(old.id, new.id)
    if rerouted and verdict is Verdict.FULL:
        edits = (*edits, rows_of_another(both, rerouted[0], "stay written"))
        verdict = edits[-1].verdict
    why = next((edit.why for edit in edits if edit.verdict is verdict), "") if verdict is not Verdict.FULL else ""
    sink_edit = SinkEdit(Change.CHANGED if edits else Change.KEPT, _name(new), _ON, edits, verdict, why)
    if moved(both, *tables):
        why = "rows written before stay at the old location, and are missing at the new one"
        return replace(sink_edit, change=Change.CHANGED, gets=_NOW, verdict=Verdict.PARTIAL, why=why)
    reasons = past.get(new.id, ())
    if verdict is Verdict.FULL and reasons:
        why = f"its rows come from {reasons[0].of}: {reasons[0].why}"
        return replace(sink_edit, verdict=Verdict.PARTIAL, why=why)
    return sink_edit


def _options(old: CatalogTable, new: CatalogTable) -> Iterator[PropertyEdit]:
    if old.name != new.name:
        yield PropertyEdit("name", old.name, new.name)
    before, after = options_of(old), options_of(new)
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            shown = [_shown(name, options.get(name)) for options in (before, after)]
            why = f"rows written before used another '{name}'"
            yield PropertyEdit(name, shown[0], shown[1], Verdict.PARTIAL, why)


def _checks(old: Sink, new: Sink) -> Iterator[PropertyEdit]:
    """Edits of the handling of rows that violate the table's constraints."""
    for name in _CHECKS:
        before, after = (str(node.configuration.get(name, OPTIONS[name].default)).upper() for node in (old, new))
        if before != after:
            why = f"rows written before were checked by '{name}' = {before}"
            yield PropertyEdit(name, before, after, Verdict.PARTIAL, why)


def _freshness(old: Sink, new: Sink) -> Iterator[PropertyEdit]:
    """The edit of a materialized table's freshness: when rows come, not which."""
    before, after = (node.configuration.get(FRESHNESS, _NONE) for node in (old, new))
    if before != after:
        yield PropertyEdit("freshness", before, after)


def _shown(name: str, value: str | None) -> str:
    return _NONE if value is None else shown_value(name, value)


def _keys(old: CatalogTable, new: CatalogTable) -> Iterator[PropertyEdit]:
    before, after = (", ".join(table.primary_key) for table in (old, new))
    if before != after:
        why = "rows written before are identified by the old primary key, and no new row replaces them"
        yield PropertyEdit("primary key", before or _NONE, after or _NONE, Verdict.PARTIAL, why)


def _columns(both: PlanPair, old: Sink, new: Sink) -> Iterator[PropertyEdit]:
    """Edits of the columns' content."""
    before, after = _written(both.old, old), _written(both.new, new)
    positional = is_positional(_table(old)) or is_positional(_table(new))
    if positional and [*before] != [*after][: len(before)]:
        why = "the columns of rows written before are in another order"
        yield PropertyEdit("columns", ", ".join(before), ", ".join(after), Verdict.PARTIAL, why)
    as_text = all(_is_text(_table(node)) for node in (old, new))
    for name in dict.fromkeys([*before, *after]):
        old_item, new_item = before.get(name), after.get(name)
        if old_item is not None and new_item is not None:
            if not _are_equal(both, (old, new), (old_item, new_item)):
                yield from _column(name, old_item, new_item, as_text)
        elif new_item is not None:
            why = f"rows written before have no {name}"
            yield PropertyEdit(f"column {name}", _NONE, _text(new_item), Verdict.PARTIAL, why)
        elif old_item is not None:
            why = f"rows written before still have {name}"
            yield PropertyEdit(f"column {name}", _text(old_item), _NONE, why=why)


def _are_equal(both: PlanPair, nodes: tuple[Sink, Sink], items: tuple[Item, Item]) -> bool:
    """Return True if columns have equal values in both plans."""
    pair = frozenset(item.digest for item in items)
    branches = (
        branch
        for side, node in zip((both.old, both.new), nodes, strict=True)
        for port in side.ports(node.id)
        for branch in port.rows
    )
    return items[0].type == items[1].type and all(pair in branch.equal for branch in branches)


def _column(name: str, old: Item, new: Item, as_text: bool) -> Iterator[PropertyEdit]:
    shift = related(old, new)
    if shift is None or shift & (Shift.FINER | Shift.COMPUTED):
        why = f"rows that do not change again keep the old {name}"
        yield PropertyEdit(f"column {name}", _text(old), _text(new), Verdict.PARTIAL, why)
    elif old.type != new.type:
        why = "" if as_text else f"rows written before have {name} in the old type"
        verdict = Verdict.FULL if as_text else Verdict.PARTIAL
        yield PropertyEdit(f"column {name}", f"{old.text} {old.type}", f"{new.text} {new.type}", verdict, why)


def _text(item: Item) -> str:
    return item.text


def _written(side: PlanSide, node: Sink) -> dict[str, Item]:
    """Meanings of the written columns by name, in the table's order."""
    (port,) = side.ports(node.id)
    columns = _table(node).stored_columns
    names = [column.name for column in columns] or list(node.output_type.names)
    types = [column.data_type for column in columns] or list(node.output_type.types)
    return {
        name: Item.of(meaning, type_text(type_))
        for name, type_, meaning in zip(names, types, port.all_columns(), strict=False)
    }


def _is_text(table: CatalogTable) -> bool:
    spec = connector_spec(options_of(table).get("connector"))
    if spec is None:
        return False
    return all(format_.name in _TEXTS for format_ in formats_of(options_of(table), spec).values()) and bool(
        spec.formats
    )


def _flows(both: PlanPair, old: Sink, new: Sink) -> Iterator[PropertyEdit]:
    ports: tuple[Port, ...] = (both.old.ports(old.id)[0], both.new.ports(new.id)[0])
    for judgement in flow_findings(both, ports[0], ports[1], Words("stay written")):
        yield judgement.edit

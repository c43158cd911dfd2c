"""Comparison of the source tables of two plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.inspection.diff.model import Change, SourceEdit
from compiled_plan.plans.inspection.diff.reasons import Reason
from compiled_plan.plans.inspection.diff.sides import PlanPair, PlanSide
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict, worst
from compiled_plan.plans.inspection.lineage.meaning import type_text
from compiled_plan.plans.inspection.lineage.operators import SourceLineage
from compiled_plan.plans.inspection.lineage.same_tables import SourceKey, match_sources
from compiled_plan.plans.inspection.lineage.table_identity import options_of, place_of
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.tables import CatalogTable, ComputedColumn
from compiled_plan.plans.text.masking import shown_value

_NONE = "none"
#: Options that locate rows, for connectors that do not declare them.
_PLACES = ("path", "url", "table-name", "topic", "id")


@dataclass(frozen=True, slots=True)
class Sources:
    """Comparison of all source tables."""

    edits: tuple[SourceEdit, ...]  # in the order of the new plan, then removed tables
    #: By node of the new plan, the reasons that a table's past rows are wrong.
    past: Mapping[int, tuple[Reason, ...]]

    @classmethod
    def of(cls, both: PlanPair) -> Sources:
        past: dict[int, tuple[Reason, ...]] = {}
        edits = []
        for source, edit in _edits(both):
            edits.append(edit)
            if source is not None and edit.verdict is not Verdict.FULL:
                past |= dict.fromkeys(source.nodes, (Reason(f"table {edit.name}", edit.why),))
        return cls(tuple(edits), past)


def _edits(both: PlanPair) -> Iterator[tuple[SourceLineage | None, SourceEdit]]:
    before, after = _in_order(both.old), _in_order(both.new)
    same = match_sources([SourceKey.of(source) for source in before], [SourceKey.of(source) for source in after])
    for at, source in enumerate(after):
        if at in same:
            former = before[same[at]]
            yield source, replace(_edit(both, former, source), old_nodes=former.nodes, new_nodes=source.nodes)
        else:
            yield source, SourceEdit(Change.ADDED, source.name, "new: read from its beginning", new_nodes=source.nodes)
    for at, source in enumerate(before):
        if at not in same.values():
            yield None, SourceEdit(Change.REMOVED, source.name, "kept, for when it comes back", old_nodes=source.nodes)


def _in_order(side: PlanSide) -> list[SourceLineage]:
    places = {node.id: at for at, node in enumerate(side.plan.in_order)}
    return sorted(side.lineage.sources, key=lambda source: min(places[node] for node in source.nodes))


def _edit(both: PlanPair, old: SourceLineage, new: SourceLineage) -> SourceEdit:
    nodes = both.old.plan.node(old.nodes[0]), both.new.plan.node(new.nodes[0])
    if not isinstance(nodes[0], TableSourceScan) or not isinstance(nodes[1], TableSourceScan):
        return SourceEdit(Change.KEPT, new.name, "kept")
    tables = nodes[0].scan_table_source.table, nodes[1].scan_table_source.table
    edits = (*_options(old, new, tables), *_columns(*tables))
    if old.name != new.name:
        edits = (PropertyEdit("name", old.name, new.name), *edits)
    change = Change.CHANGED if edits else Change.KEPT
    if moved(both, *tables):
        why = "rows read at the old location stay counted, and all rows at the new location are read in addition"
        return SourceEdit(Change.CHANGED, new.name, "lost: read from the beginning", edits, Verdict.INCOMPATIBLE, why)
    verdict = worst(edit.verdict for edit in edits)
    why = next((edit.why for edit in edits if edit.verdict is verdict), "")
    return SourceEdit(change, new.name, "kept", edits, verdict, why if verdict is not Verdict.FULL else "")


def moved(both: PlanPair, old: CatalogTable, new: CatalogTable) -> bool:
    """Return True if the rows moved; without a declared location, if an option that may hold it differs."""
    connectors = [options_of(table).get("connector", "") for table in (old, new)]
    if connectors[0] != connectors[1]:
        return True
    spec = connector_spec(connectors[0])
    if spec is None or spec.place is None:
        return any(old.options.get(name) != new.options.get(name) for name in _PLACES)
    return place_of(old, both.old.run.place) != place_of(new, both.new.run.place)


def _options(
    old: SourceLineage, new: SourceLineage, tables: tuple[CatalogTable, CatalogTable]
) -> Iterator[PropertyEdit]:
    """Edits of options, whether rows depend on them or not."""
    counted = [{property_.name: property_ for property_ in side.properties} for side in (old, new)]
    for name in dict.fromkeys([*counted[0], *counted[1]]):
        before, after = counted[0].get(name), counted[1].get(name)
        if before is None or after is None or before.digest != after.digest:
            shown = [_NONE if property_ is None else property_.text for property_ in (before, after)]
            why = f"rows read before used another '{name}'"
            yield PropertyEdit(name, shown[0], shown[1], Verdict.PARTIAL, why)
    raw = tables[0].options, tables[1].options
    for name in sorted({*raw[0], *raw[1]} - {*counted[0], *counted[1]}):
        if raw[0].get(name) != raw[1].get(name):
            old_text, new_text = (_shown(name, options.get(name)) for options in raw)
            yield PropertyEdit(name, old_text, new_text, why="no row depends on it")


def _shown(name: str, value: str | None) -> str:
    return _NONE if value is None else shown_value(name, value)


def _columns(old: CatalogTable, new: CatalogTable) -> Iterator[PropertyEdit]:
    """Added, removed or retyped columns; their users report the effect."""
    before, after = (_declared(table) for table in (old, new))
    names = [name for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name)]
    for name in names:
        yield PropertyEdit(f"column {name}", before.get(name, _NONE), after.get(name, _NONE))


def _declared(table: CatalogTable) -> dict[str, str]:
    columns = {column.name: type_text(column.data_type) for column in table.stored_columns}
    schema = table.resolved_table.table_schema if table.resolved_table else None
    for column in schema.columns if schema else ():
        if isinstance(column, ComputedColumn):
            columns[column.name] = f"AS {column.expression.serializable_string}"
    return columns

"""Which tables of a new plan are those of an old one: by where their rows are, then by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.inspection.lineage.meaning import digest_of
from compiled_plan.plans.inspection.lineage.tables import Telling, at_rest, options_of, place_of
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan

Tables = Mapping[str, CatalogTable]


def tables_of(plan: CompiledPlan) -> Tables:
    """All tables of a plan by their full names."""
    return {table.identifier: table for node in plan.nodes for _, table in node.tables()}


def same_tables(old: Tables, new: Tables, place: Callable[[str], str] = at_rest) -> Mapping[str, str]:
    """The full names of new tables -> those of the old tables that they are.

    A table over the same rows is the same, whatever its name; then one of the same name is, over other rows. Where
    several tables lie at one place, the names tell them apart.

    Args:
        old: the tables of the old plan.
        new: those of the new plan.
        place: the full name of a path.
    """
    before, after = ({name: _place(table, place) for name, table in side.items()} for side in (old, new))
    found = {name: name for name, where in after.items() if where is not None and before.get(name) == where}
    for name, where in after.items():
        if name in found or where is None or Counter(after.values())[where] > 1:
            continue
        there = [each for each, other in before.items() if other == where and each not in found.values()]
        if len(there) == 1:
            found[name] = there[0]
    taken = set(found.values())
    return found | {name: name for name in new if name not in found and name in old and name not in taken}


def tellings(old: CompiledPlan, new: CompiledPlan) -> tuple[Telling, Telling]:
    """What makes a table that very table, so that those of the new plan that are of the old one are equal to them."""
    before, after = tables_of(old), tables_of(new)
    same = same_tables(before, after)

    def of_new(table: CatalogTable) -> Mapping[str, str]:
        name = table.identifier
        if name in same:
            return {"name": same[name]}
        return {"name": name, "of": "the new plan"} if name in before else {"name": name}

    return (lambda table: {"name": table.identifier}), of_new


def _place(table: CatalogTable, place: Callable[[str], str]) -> str | None:
    """Where the rows are; None where nothing says it."""
    connector = connector_spec(options_of(table).get("connector"))
    if connector is None or not connector.keeps_rows or connector.place is None:
        return None
    return digest_of(place_of(table, place))

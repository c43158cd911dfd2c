"""Tables and sources of a new plan matched with those of an old one: by where their rows are, then by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.inspection.lineage.meaning import digest_of
from compiled_plan.plans.inspection.lineage.operators import Property, SourceLineage
from compiled_plan.plans.inspection.lineage.table_identity import Telling, at_rest, options_of, place_of
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan

Tables = Mapping[str, CatalogTable]


@dataclass(frozen=True, slots=True)
class SourceKey:
    """The identity of a source from one program to the next."""

    name: str
    identity: str  # digest of where its rows are
    options: str = ""  # digest of the options by which they are read

    @classmethod
    def of(cls, source: SourceLineage) -> SourceKey:
        """The key of a source."""
        return cls(source.name, source.identity, options_digest(source.properties))


def options_digest(properties: Iterable[Property]) -> str:
    """Digest of the options of a source."""
    return digest_of([[one.name, [[item.digest, item.type] for item in one.items]] for one in properties])


#: What makes two sources one, strictest first.
_LEVELS: tuple[Callable[[SourceKey], object], ...] = (
    lambda key: key,
    lambda key: (key.identity, key.options),
    lambda key: (key.identity, key.name),
    lambda key: key.identity,
    lambda key: key.name,
)


def match_sources(old: Sequence[SourceKey], new: Sequence[SourceKey]) -> Mapping[int, int]:
    """Positions of new sources -> those of the old sources that they are, by place, then by name.

    New sources without a counterpart are left out.
    """
    found: dict[int, int] = {}
    for level in _LEVELS:
        free = [at for at in range(len(old)) if at not in found.values()]
        for at, key in enumerate(new):
            same = next((one for one in free if level(old[one]) == level(key)), None)
            if at not in found and same is not None:
                found[at] = same
                free.remove(same)
    return found


def tables_of(plan: CompiledPlan) -> Tables:
    """All tables of a plan by their full names."""
    return {table.identifier: table for node in plan.nodes for _, table in node.tables()}


def same_tables(
    old: Tables, new: Tables, places: tuple[Callable[[str], str], Callable[[str], str]] = (at_rest, at_rest)
) -> Mapping[str, str]:
    """The full names of new tables -> those of the old tables that they are.

    A table over the same rows is the same, whatever its name; then one of the same name is, over other rows. Where
    several tables lie at one place, the names tell them apart. `places` give the full names of paths in each plan.
    """
    before, after = (
        {name: _place(table, place) for name, table in side.items()}
        for side, place in zip((old, new), places, strict=True)
    )
    found = {name: name for name, where in after.items() if where is not None and before.get(name) == where}
    for name, where in after.items():
        if name in found or where is None or Counter(after.values())[where] > 1:
            continue
        there = [each for each, other in before.items() if other == where and each not in found.values()]
        if len(there) == 1:
            found[name] = there[0]
    taken = set(found.values())
    return found | {name: name for name in new if name not in found and name in old and name not in taken}


def tellings(
    old: CompiledPlan, new: CompiledPlan, places: tuple[Callable[[str], str], Callable[[str], str]] = (at_rest, at_rest)
) -> tuple[Telling, Telling]:
    """Tell tables apart in two plans, so that those of the new plan that are of the old one are equal to them."""
    before, after = tables_of(old), tables_of(new)
    same = same_tables(before, after, places)

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

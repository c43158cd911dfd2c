"""Matching of a new plan's tables and sources with an old plan's: by the location of their rows, then by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.inspection.lineage.meaning import digest_of
from compiled_plan.plans.inspection.lineage.operators import Property, SourceLineage
from compiled_plan.plans.inspection.lineage.table_identity import TableIdentity, options_of, place_of
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.hadoop_paths import at_rest

Tables = Mapping[str, CatalogTable]


@dataclass(frozen=True, slots=True)
class SourceKey:
    """Identity of a source across program versions."""

    name: str
    identity: str  # digest of the location of its rows
    options: str = ""  # digest of its read options

    @classmethod
    def of(cls, source: SourceLineage) -> SourceKey:
        return cls(source.name, source.identity, options_digest(source.properties))


def options_digest(properties: Iterable[Property]) -> str:
    return digest_of(
        [[property_.name, [[item.digest, item.type] for item in property_.items]] for property_ in properties]
    )


#: Criteria for a match, from strict to loose.
_LEVELS: tuple[Callable[[SourceKey], object], ...] = (
    lambda key: key,
    lambda key: (key.identity, key.options),
    lambda key: (key.identity, key.name),
    lambda key: key.identity,
    lambda key: key.name,
)


def match_sources(old: Sequence[SourceKey], new: Sequence[SourceKey]) -> Mapping[int, int]:
    """Positions of new sources -> positions of their old counterparts, by location, then by name.

    New sources without a counterpart are omitted.
    """
    matches: dict[int, int] = {}
    for level in _LEVELS:
        free = [at for at in range(len(old)) if at not in matches.values()]
        for at, key in enumerate(new):
            same = next((position for position in free if level(old[position]) == level(key)), None)
            if at not in matches and same is not None:
                matches[at] = same
                free.remove(same)
    return matches


def tables_of(plan: CompiledPlan) -> Tables:
    return {table.identifier: table for node in plan.nodes for _, table in node.tables()}


def same_tables(
    old: Tables, new: Tables, places: tuple[Callable[[str], str], Callable[[str], str]] = (at_rest, at_rest)
) -> Mapping[str, str]:
    """Full names of new tables -> those of their counterparts in the old plan.

    Tables over the same rows match regardless of name; then tables of the same name over other rows. Names distinguish
    several tables at one location. `places` resolve paths to full names in each plan.
    """
    before, after = (
        {name: _place(table, place) for name, table in side.items()}
        for side, place in zip((old, new), places, strict=True)
    )
    matches = {name: name for name, where in after.items() if where is not None and before.get(name) == where}
    for name, where in after.items():
        if name in matches or where is None or Counter(after.values())[where] > 1:
            continue
        there = [
            old_name for old_name, location in before.items() if location == where and old_name not in matches.values()
        ]
        if len(there) == 1:
            matches[name] = there[0]
    taken = set(matches.values())
    return matches | {name: name for name in new if name not in matches and name in old and name not in taken}


def table_identities(
    old: CompiledPlan, new: CompiledPlan, places: tuple[Callable[[str], str], Callable[[str], str]] = (at_rest, at_rest)
) -> tuple[TableIdentity, TableIdentity]:
    """Identify the tables of two plans, so that matched tables have equal identities."""
    before, after = tables_of(old), tables_of(new)
    same = same_tables(before, after, places)

    def of_new(table: CatalogTable) -> Mapping[str, str]:
        name = table.identifier
        if name in same:
            return {"name": same[name]}
        return {"name": name, "of": "the new plan"} if name in before else {"name": name}

    return (lambda table: {"name": table.identifier}), of_new


def _place(table: CatalogTable, place: Callable[[str], str]) -> str | None:
    """Digest of the location of the rows; None if it is unknown."""
    connector = connector_spec(options_of(table).get("connector"))
    if connector is None or not connector.keeps_rows or connector.place is None:
        return None
    return digest_of(place_of(table, place))

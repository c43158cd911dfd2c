"""From which columns of which tables each column of a sink comes, and which others decide over its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from compiled_plan.plans.inspection.lineage.meaning import Meaning
from compiled_plan.plans.inspection.lineage.operators import OperatorLineage
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.lineage.rows import port
from compiled_plan.plans.inspection.lineage.table_identity import by_name, origin_of_table
from compiled_plan.plans.nodes.lookup import LookupJoin
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.plan import CompiledPlan


class How(Enum):
    """How a column has to do with another; the first three make its value, the others decide over rows."""

    IDENTITY = "it is that very value"
    TRANSFORMATION = "it is computed of it"
    AGGREGATION = "it is an aggregate of it"
    JOIN = "rows are joined by it"
    GROUP_BY = "rows are grouped by it"
    FILTER = "rows are filtered by it"
    SORT = "rows are ordered by it"
    WINDOW = "windows and partitions are made by it"

    @property
    def direct(self) -> bool:
        """Whether it makes the value."""
        return self in (How.IDENTITY, How.TRANSFORMATION, How.AGGREGATION)


@dataclass(frozen=True, slots=True)
class Origin:
    """A column of a table that is read."""

    table: str  # the identifier of the table
    column: str
    how: How  # what it has to do with what it is the origin of


@dataclass(frozen=True, slots=True)
class SinkOrigins:
    """The origins of a sink's rows."""

    table: CatalogTable
    columns: Mapping[str, tuple[Origin, ...]]  # by column of that its origins
    rows: tuple[Origin, ...]  # what decides which rows there are, for all columns


def tables_read(plan: CompiledPlan) -> dict[str, CatalogTable]:
    """The tables that a plan reads, by identifier, in the order of the plan; those that are looked up, too."""
    found: dict[str, CatalogTable] = {}
    for node in plan.in_order:
        table = _read_by(node)
        if table is not None:
            found.setdefault(table.identifier, table)
    return found


def _read_by(node: object) -> CatalogTable | None:
    if isinstance(node, TableSourceScan):
        return node.scan_table_source.table
    if isinstance(node, LookupJoin):
        return node.temporal_table.lookup_table_source.table
    return None


def origins_of(plan: CompiledPlan) -> list[SinkOrigins]:
    """The origins of all sinks of a plan, in its order."""
    lineage = lineage_of(plan, telling=by_name)
    tables = {origin_of_table(table, by_name).digest: name for name, table in tables_read(plan).items()}
    operators = {each.node: each for each in lineage.operators}
    found = []
    for node in plan.in_order:
        if not isinstance(node, Sink):
            continue
        table, read = node.dynamic_table_sink.table, port(lineage.flows[node.id])
        names = [column.name for column in table.stored_columns] or list(node.output_type.names)
        columns = {
            name: _sorted(_leaves(meaning, How.IDENTITY, tables))
            for name, meaning in zip(names, read.all_columns(), strict=False)
        }
        filters = [leaf for each in read.filter for leaf in _leaves(each, How.FILTER, tables)]
        above = [operators[each] for each in _above(plan, node.id) if each in operators and each != node.id]
        found.append(SinkOrigins(table, columns, _sorted([*filters, *_deciding(above, tables)])))
    return found


def _sorted(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    order = list(How)
    return tuple(sorted(set(origins), key=lambda each: (each.table, each.column, order.index(each.how))))


def _above(plan: CompiledPlan, node: int) -> set[int]:
    found: set[int] = set()
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting += [each.id for each in plan.inputs(plan.node(at))]
    return found


def _deciding(operators: Iterable[OperatorLineage], tables: Mapping[str, str]) -> Iterator[Origin]:
    for operator in operators:
        for each in operator.properties:
            how = _how_of(operator.kind, each.name)
            if how is not None:
                for item in each.items:
                    if item.meaning is not None:
                        yield from _leaves(item.meaning, how, tables)


def _how_of(kind: str, name: str) -> How | None:
    """What a property of an operator decides by; None for one that decides nothing."""
    last = name.rpartition(" ")[2]
    if last == "filter":
        return How.FILTER
    if last in ("condition", "times") or name.startswith("condition "):
        return How.JOIN if "join" in kind else How.FILTER
    if last == "order":
        return How.SORT
    if last == "window":
        return How.WINDOW
    if name in ("key", "left key", "right key"):
        return How.JOIN if "join" in kind else How.GROUP_BY if "aggregate" in kind else How.WINDOW
    return None


#: What says which rows there are, and no value.
_ROWS = frozenset({"rows", "table", "values", "lookup", "correlate"})
#: What is the very value of a part of it: which one.
_SAME = {"side": 0, "result": 0, "looked up": 1}


def _leaves(meaning: Meaning, how: How, tables: Mapping[str, str]) -> Iterator[Origin]:
    """The columns of tables that a meaning is made of."""
    waiting, seen = [(meaning, how)], set[tuple[str, How]]()
    while waiting:
        found, by = waiting.pop()
        if (found.digest, by) in seen or found.head in _ROWS:
            continue
        seen.add((found.digest, by))
        if found.head in ("column", "metadata"):
            table = tables.get(found.parts[0].digest) if found.parts else None
            if table is not None and isinstance(found.plain, list):
                yield Origin(table, str(found.plain[0]), by)
        elif found.head in _SAME:
            # The keys of a group are origins of all its rows, and said there.
            waiting.append((found.parts[_SAME[found.head]], by))
        elif found.head == "aggregate":
            waiting += [(each, How.AGGREGATION if by.direct else by) for each in found.parts]
        else:
            inner = How.TRANSFORMATION if by is How.IDENTITY and found.head != "either" else by
            waiting += [(each, inner) for each in found.parts]

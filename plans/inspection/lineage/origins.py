"""Column lineage of sinks: the source columns of each sink column, and the columns that decide over its rows."""

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
    """Relation of a column to its origin; the first three produce its value, the others decide over rows."""

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
        """Return True if the origin produces the value."""
        return self in (How.IDENTITY, How.TRANSFORMATION, How.AGGREGATION)


@dataclass(frozen=True, slots=True)
class Origin:
    """A column of a source table that a value is computed from."""

    table: str  # the identifier of the table
    column: str
    how: How  # relation to the column that it is an origin of


@dataclass(frozen=True, slots=True)
class SinkOrigins:
    """The origins of a sink's rows."""

    table: CatalogTable
    columns: Mapping[str, tuple[Origin, ...]]  # origins by column of the sink
    rows: tuple[Origin, ...]  # origins that decide over rows, for all columns


def tables_read(plan: CompiledPlan) -> dict[str, CatalogTable]:
    """The tables that a plan reads, by identifier, in the order of the plan, including lookup tables."""
    tables: dict[str, CatalogTable] = {}
    for node in plan.in_order:
        table = _read_by(node)
        if table is not None:
            tables.setdefault(table.identifier, table)
    return tables


def tables_written(plan: CompiledPlan) -> dict[str, CatalogTable]:
    """The tables that a plan writes, by identifier, in the order of the plan."""
    tables = [node.dynamic_table_sink.table for node in plan.in_order if isinstance(node, Sink)]
    return {table.identifier: table for table in tables}


def _read_by(node: object) -> CatalogTable | None:
    if isinstance(node, TableSourceScan):
        return node.scan_table_source.table
    if isinstance(node, LookupJoin):
        return node.temporal_table.lookup_table_source.table
    return None


def origins_of(plan: CompiledPlan) -> list[SinkOrigins]:
    """The origins of all sinks of a plan, in its order."""
    lineage = lineage_of(plan, identity_of=by_name)
    tables = {origin_of_table(table, by_name).digest: name for name, table in tables_read(plan).items()}
    operators = {operator.node: operator for operator in lineage.operators}
    sinks = []
    for node in plan.in_order:
        if not isinstance(node, Sink):
            continue
        table, read = node.dynamic_table_sink.table, port(lineage.flows[node.id])
        names = [column.name for column in table.stored_columns] or list(node.output_type.names)
        columns = {
            name: _sorted(_leaves(meaning, How.IDENTITY, tables))
            for name, meaning in zip(names, read.all_columns(), strict=False)
        }
        filters = [leaf for predicate in read.filter for leaf in _leaves(predicate, How.FILTER, tables)]
        above = [operators[node_id] for node_id in _above(plan, node.id) if node_id in operators and node_id != node.id]
        sinks.append(SinkOrigins(table, columns, _sorted([*filters, *_deciding(above, tables)])))
    return sinks


def _sorted(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    order = list(How)
    return tuple(sorted(set(origins), key=lambda origin: (origin.table, origin.column, order.index(origin.how))))


def _above(plan: CompiledPlan, node: int) -> set[int]:
    ids: set[int] = set()
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if at not in ids:
            ids.add(at)
            waiting += [source.id for source in plan.inputs(plan.node(at))]
    return ids


def _deciding(operators: Iterable[OperatorLineage], tables: Mapping[str, str]) -> Iterator[Origin]:
    for operator in operators:
        for property_ in operator.properties:
            how = _influence_of(operator.kind, property_.name)
            if how is not None:
                for item in property_.items:
                    if item.meaning is not None:
                        yield from _leaves(item.meaning, how, tables)


def _influence_of(kind: str, name: str) -> How | None:
    """The influence of an operator's property on rows; None if it has none."""
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


#: Heads of meanings that identify rows, not values.
_ROWS = frozenset({"rows", "table", "values", "lookup", "correlate"})
#: Heads whose value is that of one of their parts -> index of the part.
_SAME = {"side": 0, "result": 0, "looked up": 1}


def _leaves(meaning: Meaning, how: How, tables: Mapping[str, str]) -> Iterator[Origin]:
    """The table columns that a meaning is composed of."""
    waiting, seen = [(meaning, how)], set[tuple[str, How]]()
    while waiting:
        current, by = waiting.pop()
        if (current.digest, by) in seen or current.head in _ROWS:
            continue
        seen.add((current.digest, by))
        if current.head in ("column", "metadata"):
            table = tables.get(current.parts[0].digest) if current.parts else None
            if table is not None and isinstance(current.plain, list):
                yield Origin(table, str(current.plain[0]), by)
        elif current.head in _SAME:
            # Keys of a group affect all its rows and are reported there.
            waiting.append((current.parts[_SAME[current.head]], by))
        elif current.head == "aggregate":
            waiting += [(part, How.AGGREGATION if by.direct else by) for part in current.parts]
        else:
            inner = How.TRANSFORMATION if by is How.IDENTITY and current.head != "either" else by
            waiting += [(part, inner) for part in current.parts]

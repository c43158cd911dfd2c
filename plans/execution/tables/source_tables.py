"""Tables of a plan that the sources of a query read: Spark knows them by the names that the run gave them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.stages.prepared import PreparedPlan

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that a source of a query reads.

    Args:
        name: catalog, database and name, with dots between; empty for rows of VALUES.
        nodes: ids of the plan's operators that give its rows.
    """

    name: str = ""
    nodes: tuple[int, ...] = ()


#: A source that is none of the plan's, or not known.
NO_TABLE = ReadTable()


@dataclass(frozen=True, slots=True)
class SourceTables:
    """Knows of the sources of queries.

    Args:
        jvm: in which they run.
        by_name: the table of each source, by the name of the source.
    """

    jvm: Any
    by_name: Mapping[str, ReadTable]

    @classmethod
    def of(cls, jvm: Any, prepared: PreparedPlan, names: Mapping[int, str]) -> SourceTables:
        """The tables of a plan.

        Args:
            jvm: in which it runs.
            prepared: the plan.
            names: the name of each source, by the id of its stream.
        """
        tables = {
            name: ReadTable(table.table.identifier, tuple(scan.id for scan in table.scans))
            for node, name in names.items()
            if (table := prepared.tables.get(node)) is not None
        }
        values = {name: ReadTable("", (node,)) for node, name in names.items() if node in prepared.values}
        return cls(jvm, tables | values)

    def read_by(self, query: StreamingQuery) -> Sequence[ReadTable]:
        """The tables of a query that has begun, in the order of the sources in its progress."""
        names = java_class(self.jvm, "org.compiledplan.kernel.host.SourceNames").of(query._jsq)
        return [self.by_name.get(name, NO_TABLE) for name in json.loads(names)]

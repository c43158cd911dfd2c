"""The sources of a run: their rows, named as in the checkpoint, and the tables that they read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.session.spark_session import no_query_starts
from compiled_plan.plans.execution.spark.java import frame_of, java_class
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.stages.watermarks import end_of_input
from compiled_plan.plans.execution.state.checkpoint.sources import Names
from compiled_plan.plans.execution.tables.constant_rows import values_source
from compiled_plan.plans.inspection.checkpoints import ENDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


class Sources:
    """The open sources of a plan.

    Args:
        prepared: its tables and constant rows.
        context: the environment of the sources.
        open_source: opens the source of a table.
    """

    def __init__(
        self,
        prepared: PreparedPlan,
        context: connectors.SourceContext,
        open_source: Callable[
            [connectors.TableSpec, connectors.SourceContext], connectors.RowSource
        ] = connectors.open_source,
    ) -> None:
        self.prepared, self.spark = prepared, context.spark
        with no_query_starts():
            self.opened = {node: open_source(source.table, context) for node, source in prepared.tables.items()}

    @property
    def end(self) -> bool:
        """True if all of them are bounded."""
        return all(source.bounded for source in self.opened.values())

    def frames(self, names: Names, folder: Folder, lowering: Lowering, *, to_end: bool) -> dict[int, DataFrame]:
        """The rows of tables and constant rows, by the node of their source.

        Args:
            names: the names under which Spark stores their positions.
            folder: the checkpoint, which records that constant rows were emitted.
            lowering: computes constant rows.
            to_end: True if the run ends with them.
        """
        rows = {
            node: opened.frame if opened.cut is None or to_end else opened.cut for node, opened in self.opened.items()
        }
        with no_query_starts():
            for node, values in self.prepared.values.items():
                rows[node] = values_source(values, self.spark, folder, lowering)
            return {node: named(frame, names.by_node[node]) for node, frame in sorted(rows.items())}

    def ends(self, names: Names, folder: Folder) -> dict[int, DataFrame]:
        """The rows that signal the end of input to each of them, by the node of their source."""
        folder.make(ENDS)
        place, nodes = folder.child(ENDS), sorted([*self.opened, *self.prepared.values])
        with no_query_starts():
            return {node: named(end_of_input(self.spark, place), names.end_of(node)) for node in nodes}

    def close(self) -> None:
        self.opened = {node: replace(source, keeps=None) for node, source in self.opened.items()}


def named(frame: DataFrame, name: str) -> DataFrame:
    """The rows of a source, named as Spark stores its position."""
    spark = frame.sparkSession
    return frame_of(
        java_class(spark._jvm, "org.compiledplan.kernel.host.input.SourceNames").named(frame._jdf, name), spark
    )


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that a source of a query reads.

    Args:
        name: catalog, database and name, separated by dots; empty for rows of VALUES.
        nodes: ids of the plan's operators that emit its rows.
    """

    name: str = ""
    nodes: tuple[int, ...] = ()


#: A source outside of the plan, or unknown.
NO_TABLE = ReadTable()
_HOST = "org.compiledplan.kernel.host"


@dataclass(frozen=True, slots=True)
class SourceTables:
    """The tables of queries' sources.

    Args:
        jvm: the JVM in which they run.
        by_name: the table of each source, by the name of the source.
    """

    jvm: object
    by_name: Mapping[str, ReadTable]

    @classmethod
    def of(cls, jvm: object, prepared: PreparedPlan, names: Mapping[int, str]) -> SourceTables:
        """The tables of a plan.

        Args:
            jvm: the JVM in which it runs.
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
        """The tables of a started query, in the order of the sources in its progress."""
        names = java_class(self.jvm, f"{_HOST}.input.SourceNames").of(query._jsq)
        return [self.by_name.get(name, NO_TABLE) for name in json.loads(names)]

    def read_again(self, query: StreamingQuery, batch: int) -> Sequence[int]:
        """The rows that Spark counted repeatedly in a micro-batch, for repeated tasks, in the order of `read_by`.

        May be called once per micro-batch. Empty if there are none.
        """
        surplus: list[int] = json.loads(java_class(self.jvm, f"{_HOST}.runtime.Recounts").ofSources(query._jsq, batch))
        return surplus

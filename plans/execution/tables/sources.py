"""The sources of a run, and their rows under the names that the checkpoint has for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.checkpoint.sources import Names
from compiled_plan.plans.execution.interfaces import connectors
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.session.spark_session import no_query_starts
from compiled_plan.plans.execution.spark.java import frame_of, java_class
from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.execution.stages.watermarks import end_of_input
from compiled_plan.plans.execution.tables.constant_rows import values_source
from compiled_plan.plans.inspection.checkpoints import ENDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Sources:
    """The open sources of a plan.

    Args:
        prepared: its tables and constant rows.
        context: what sources are opened with.
    """

    def __init__(self, prepared: PreparedPlan, context: connectors.SourceContext) -> None:
        self.prepared, self.spark = prepared, context.spark
        with no_query_starts():
            self.opened = {node: connectors.open_source(each.table, context) for node, each in prepared.tables.items()}

    @property
    def end(self) -> bool:
        """True when all of them end."""
        return all(source.bounded for source in self.opened.values())

    def frames(self, names: Names, folder: Folder, lowering: Lowering, *, to_end: bool) -> dict[int, DataFrame]:
        """The rows of tables and constant rows, by the node that gives them.

        Args:
            names: under which Spark finds how far each was read.
            folder: the checkpoint, which says whether constant rows were given.
            lowering: computes constant rows.
            to_end: whether the run ends with them.
        """
        rows = {
            node: opened.frame if opened.cut is None or to_end else opened.cut for node, opened in self.opened.items()
        }
        with no_query_starts():
            for node, values in self.prepared.values.items():
                rows[node] = values_source(values, self.spark, folder, lowering)
            return {node: named(frame, names.by_node[node]) for node, frame in sorted(rows.items())}

    def ends(self, names: Names, folder: Folder) -> dict[int, DataFrame]:
        """The rows that tell each of them that the input has ended, by the node that gives its rows."""
        folder.make(ENDS)
        place, nodes = folder.child(ENDS), sorted([*self.opened, *self.prepared.values])
        with no_query_starts():
            return {node: named(end_of_input(self.spark, place), names.end_of(node)) for node in nodes}

    def close(self) -> None:
        """Let go of what they hold."""
        self.opened = {node: replace(source, keeps=None) for node, source in self.opened.items()}


def named(frame: DataFrame, name: str) -> DataFrame:
    """The rows of a source under the name by which Spark finds how far it was read."""
    spark = frame.sparkSession
    return frame_of(java_class(spark._jvm, "org.compiledplan.kernel.host.SourceNames").named(frame._jdf, name), spark)

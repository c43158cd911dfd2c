"""A savepoint of Flink as a checkpoint that is inspected: imported into a temporary folder, without its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.connectors.blackhole import BlackHole
from compiled_plan.plans.execution.connectors.testing import source_rows, source_schema
from compiled_plan.plans.execution.interfaces.connectors import RowSource, SinkContext, SourceContext, TableSpec
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.partitions import PARTITIONS
from compiled_plan.plans.execution.spark.java import settings
from compiled_plan.plans.execution.state.flink.imports import Import, ImportOptions
from compiled_plan.plans.execution.state.flink.report import ImportReport, Outcome
from compiled_plan.plans.execution.state.reading.model import SavepointOrigin, UnreadState
from compiled_plan.plans.execution.state.reading.reader import StateReader
from compiled_plan.plans.execution.state.reading.unknown import NO_TIME
from compiled_plan.plans.execution.tables.sinks import Sinks
from compiled_plan.plans.execution.tables.sources import Sources
from compiled_plan.plans.secrets.values import Secrets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from compiled_plan.plans.execution.session.options import RunOptions
    from compiled_plan.plans.plan import CompiledPlan


@contextmanager
def viewed(
    path: str, plan: CompiledPlan, options: RunOptions, jars: Sequence[str], session: Callable[[], SparkSession]
) -> Iterator[StateReader]:
    """The state of a savepoint in this context.

    Args:
        path: the savepoint.
        plan: the plan that the job ran.
        options: the functions of the plan.
        jars: jars with classes that are stored in the savepoint.
        session: starts Spark, after the savepoint is read.

    Raises:
        CheckpointError: the savepoint cannot be read, is not of a job that ran the plan, or has an unknown form.
        UnsupportedError: the plan has something that does not run; names it.
    """
    chosen = ImportOptions(written_at=NO_TIME, jars=tuple(map(Path, jars)))
    with Import.open(path, plan, chosen) as savepoint, _reader(session(), savepoint, options) as reader:
        yield reader


@contextmanager
def _reader(spark: SparkSession, savepoint: Import, options: RunOptions) -> Iterator[StateReader]:
    """The state of a savepoint in this context. Positions are not needed; operators that are refused have no state."""
    with TemporaryDirectory(prefix="compiled-plan-inspect-") as name:
        checkpoint, tables = Path(name) / "checkpoint", Path(name) / "tables"
        tables.mkdir()
        options = replace(options, checkpoint=str(checkpoint))
        with settings(spark, {PARTITIONS: str(spark.sparkContext.defaultParallelism)}):
            _WithoutTables(spark, savepoint, options, tables).prepare()
        reader = StateReader.open(spark, str(checkpoint))
        yield replace(reader, savepoint=_origin(savepoint.report))


class _WithoutTables(Run):
    """A run that is only prepared, whose tables need not exist.

    Args:
        spark: the session.
        savepoint: the state.
        options: see `RunOptions`.
        tables: an empty folder.
    """

    def __init__(self, spark: SparkSession, savepoint: Import, options: RunOptions, tables: Path) -> None:
        self._empty = str(tables)
        super().__init__(
            spark, savepoint.plan, options, begin=savepoint.start(spark), secrets=Secrets(options.secrets, lenient=True)
        )

    def _opened_sources(self) -> Sources:
        return Sources(self.prepared, SourceContext(self.spark, self.options.max_files_per_batch), self._without_rows)

    def _without_rows(self, table: TableSpec, context: SourceContext) -> RowSource:
        frame = context.spark.readStream.schema(source_schema(table)).parquet(self._empty)
        return RowSource(source_rows(frame, table), bounded=False)

    def _opened_sinks(self) -> Sinks:
        context = SinkContext(self.spark, self.start.run_id, self.stdout)
        return Sinks(self.prepared, context, self._batch_clock, lambda table, context: BlackHole())


def _origin(report: ImportReport) -> SavepointOrigin:
    refused = [operator for operator in report.operators if operator.outcome is Outcome.REFUSED]
    unread = [
        *(UnreadState(part.uid, part.node, part.words, part.entries, part.bytes, part.why) for part in refused),
        *(UnreadState(part.name, None, "", part.entries, part.bytes, part.why) for part in report.left),
    ]
    return SavepointOrigin(report.savepoint, report.taken_at, report.watermark, tuple(unread))

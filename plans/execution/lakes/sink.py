"""Sinks into tables of lakes: a micro-batch is one commit, which records the number of the batch.

With a primary key the commit is a MERGE of the last change of each key; otherwise rows are appended.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, ClassVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from compiled_plan.plans.connectors.lake_tables import ADDS_COLUMNS, CREATE
from compiled_plan.plans.connectors.table_options import Values
from compiled_plan.plans.errors import CheckpointError, DataError, ExecutionError
from compiled_plan.plans.execution.interfaces.connectors import (
    DELETE,
    KIND,
    ORD,
    PATH,
    UPDATE_BEFORE,
    RowSource,
    SinkContext,
    SourceContext,
    TableSpec,
    insert_head,
    only_inserts,
)
from compiled_plan.plans.execution.interfaces.outputs import OutputHistory, Return
from compiled_plan.plans.execution.lakes.history import commit_for, writer_of
from compiled_plan.plans.execution.lakes.table import LakeTable, failed, missing
from compiled_plan.plans.execution.providers.columns import check_columns, plan_columns
from compiled_plan.plans.execution.spark.computed import computed_once, is_lost
from compiled_plan.plans.execution.spark.java import java_causes, java_class, settings
from compiled_plan.plans.execution.spark.projection import Selection
from compiled_plan.plans.execution.spark.types import schema_of, to_spark
from compiled_plan.plans.types import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_NUMBER = "number"
#: How often a batch is computed at most, when executors end that hold its rows.
_COMPUTATIONS = 4


def sink(table: TableSpec, context: SinkContext, target: LakeTable, options: Values) -> LakeSink:
    """A sink into a table; compares its columns with existing ones.

    Raises:
        DataError: the table does not exist, or its columns differ; names the column and both types.
        ExecutionError: the table cannot be read.
    """
    opened = LakeSink(table, target, writer_of(context.run_id, table.sink), options)
    if context.writes:
        try:
            opened.check()
        except (PySparkException, Py4JJavaError) as fault:
            raise failed(table, target.title, "read", fault) from fault
    return opened


@dataclass
class LakeSink:
    """Writes each micro-batch in one commit.

    Args:
        table: the table in the plan.
        target: the table in the lake.
        writer: identifies the sink and its run among the writers of the table.
        options: the table's options.
        last: the last batch that the table has; None before it is known.
        is_prepared: True once the table exists with all columns.
    """

    READS_ORDER: ClassVar[bool] = True
    #: The rows are computed once: conflicting commits repeat the write alone.
    RUNS_ROWS: ClassVar[bool] = True

    table: TableSpec
    target: LakeTable
    writer: str
    options: Values
    last: int | None = None
    is_prepared: bool = False

    def check(self) -> None:
        """Compare the table with that of the plan.

        Raises:
            DataError: it does not exist, or differs.
        """
        columns = self.target.columns()
        if columns is None:
            if not self.options.flag(CREATE):
                raise missing(self.table, self.target.title, creates=True)
            return
        check_columns(self.table, columns, self.target.title, lacks=self.options.flag(ADDS_COLUMNS))
        self._check_nulls(columns)
        wanted = self.table.partition_keys
        if wanted and wanted != (keys := self.target.partition_keys()):
            raise DataError(
                f"{self.target.title} is partitioned by {', '.join(keys) or 'no columns'}, and not by "
                f"{', '.join(wanted)}",
                where=f"table {self.table.identifier}",
                remedy="write PARTITIONED BY as the table has it, or leave it out",
            )

    def _check_nulls(self, columns: StructType) -> None:
        """Raise if a column of the table is NOT NULL and gets nulls."""
        declared = {field.name: field.type for field in self.table.columns.fields}
        for field in columns.fields:
            own = declared.get(field.name)
            if not field.nullable and (own is None or own.nullable):
                gets = "is missing" if own is None else f"is {own}"
                raise DataError(
                    f"column {field.name!r} of {self.target.title} is NOT NULL, and {gets} in the plan's table",
                    where=f"table {self.table.identifier}",
                    remedy=f"declare {quote_identifier(field.name)} as NOT NULL",
                )

    def look_ahead(self, batch_id: int) -> None:
        """Find the last batch in the table; see `LooksAhead`."""
        self.last = self.target.last_batch(self.writer)
        if self.last > batch_id:
            raise CheckpointError(
                f"the checkpoint is older than {self.target.title}: it goes on with micro-batch {batch_id}, and the "
                f"table has micro-batch {self.last}: rows would be lost or duplicated",
                where=f"table {self.table.identifier}",
                remedy="restore a newer copy of the checkpoint, or restore the table to the version of this copy and "
                "start with a new checkpoint",
            )

    def held(self, context: SourceContext) -> RowSource | None:
        """See `HoldsRows`."""
        try:
            columns = self.target.columns()
            if columns is None:
                return None
            if self.target.is_cached:
                context.spark.catalog.refreshTable(self.target.name)
            known = replace(self.table, wanted=frozenset(columns.names))
            fields = (column.alias(f"f{at}") for at, column in enumerate(plan_columns(known)))
            head = insert_head(F.lit(0).cast("bigint"))
            commit, reader = self.target.current_commit(), context.spark.read
            reader = reader if commit is None else reader.option(self.target.READS_COMMIT, commit)
            rows = self.target.load(reader).select(*head, *fields)
            return RowSource(rows, bounded=True, fixed=commit is not None)
        except (PySparkException, Py4JJavaError) as fault:
            raise failed(self.table, self.target.title, "read", fault) from fault

    def copied(self, folder: str) -> LakeSink | None:
        """See `CopiesTable`."""
        # A format may refuse copies of some tables; only time depends on them.
        with suppress(PySparkException, Py4JJavaError):
            copy = self.target.copied(folder)
            return None if copy is None else LakeSink(self.table, copy, self.writer, self.options)
        return None

    def returned(self, history: OutputHistory) -> Return | None:
        """See `ReturnsOutput`."""
        try:
            current = self.target.current_commit()
            commit = commit_for(self.target.commits(), current, history, self.target.title)
        except (PySparkException, Py4JJavaError) as fault:
            raise failed(self.table, self.target.title, "read", fault) from fault
        if commit is None:
            return None
        return Return(f"returned to {self.target.COMMIT} {commit}", lambda: self._restore(commit, current))

    def _restore(self, commit: int, planned_from: int | None) -> None:
        if self.target.current_commit() != planned_from:
            raise CheckpointError(
                f"another writer has changed {self.target.title} during the rewind",
                where=f"table {self.table.identifier}",
                remedy="repeat the command",
            )
        try:
            self.target.restore(commit)
        except (PySparkException, Py4JJavaError) as fault:
            raise failed(self.table, self.target.title, "restored", fault) from fault

    def write(self, frame: DataFrame, batch_id: int) -> None:
        if self.last is None:
            self.look_ahead(batch_id)
        for attempt in range(_COMPUTATIONS):
            try:
                # Also the rows of a batch that the table has: the batch commits the state behind them.
                with computed_once(self._rows(frame), ~_is_gone(KIND)) as (rows, (count, remaining)):
                    if count and self.last is not None and batch_id > self.last:
                        self._commit(rows, batch_id, only_deletes=not remaining)
                return
            except (PySparkException, Py4JJavaError) as fault:
                if not is_lost(fault) or attempt == _COMPUTATIONS - 1:
                    raise

    def _rows(self, frame: DataFrame) -> DataFrame:
        """The columns of the table behind their kind; with a key the last change of each."""
        if not self.table.primary_key:
            return self._selected.among(frame)
        keys = [F.col(f"f{at}") for at in self._keys]
        # Of an update the row after it is the last one. The row before it comes alone if a condition passes only that.
        newest = Window.partitionBy(*keys).orderBy(*(F.col(name).desc() for name in (ORD, PATH, KIND)))
        numbered = frame.withColumn(_NUMBER, F.row_number().over(newest))
        return self._selected.among(numbered.where(F.col(_NUMBER) == 1))

    @cached_property
    def _keys(self) -> tuple[int, ...]:
        return tuple(self.table.columns.names.index(key) for key in self.table.primary_key)

    @cached_property
    def _selected(self) -> Selection:
        name = self.table.identifier
        message = f"table {name} has no primary key, and the plan writes an update or delete"
        kind = F.col(KIND) if self.table.primary_key else only_inserts(message)
        fields = enumerate(self.table.columns.fields)
        return Selection([kind, *(F.col(f"f{at}").cast(to_spark(field.type)).alias(f"f{at}") for at, field in fields)])

    def _commit(self, rows: DataFrame, batch: int, *, only_deletes: bool) -> None:
        """Write a batch; repeat a write that conflicts with another writer's.

        Raises:
            ExecutionError: all attempts conflicted, or the write failed.
        """
        retries = self.options.number("sink.max-retries")
        try:
            self._prepare(rows.sparkSession)
            for attempt in range(retries + 1):
                try:
                    with settings(rows.sparkSession, self.target.commit_settings(self.writer, batch)):
                        self._merge(rows, only_deletes) if self.table.primary_key else self._append(rows)
                    break
                except (PySparkException, Py4JJavaError) as fault:
                    if not self._is_conflict(fault):
                        raise
                    if self.target.last_batch(self.writer) >= batch:
                        break
                    if attempt == retries:
                        raise self._conflicting(retries) from fault
        except (PySparkException, Py4JJavaError) as fault:
            if is_lost(fault):
                raise
            raise failed(self.table, self.target.title, "written", fault) from fault
        self.last = batch

    def _prepare(self, spark: SparkSession) -> None:
        """Create a missing table, and add missing columns, before the first write."""
        if self.is_prepared:
            return
        self.target.create()
        columns = self.target.columns()
        if self.options.flag(ADDS_COLUMNS) and columns is not None:
            present = set(columns.names)
            added = [field for field in schema_of(self.table.columns).fields if field.name not in present]
            if added:
                types = java_class(spark._jvm, "org.apache.spark.sql.types.DataType")
                # Rows that the table has are null there.
                nullable = StructType([StructField(field.name, field.dataType) for field in added])
                spark.sql(f"ALTER TABLE {self.target.name} ADD COLUMNS ({types.fromJson(nullable.json()).toDDL()})")
        self.is_prepared = True

    def _is_conflict(self, fault: PySparkException | Py4JJavaError) -> bool:
        return any(self.target.is_conflict(str(cause.getClass().getName())) for cause in java_causes(fault))

    def _conflicting(self, retries: int) -> ExecutionError:
        return ExecutionError(
            f"another writer changed {self.target.title} during each of {retries + 1} attempts at a commit",
            where=f"table {self.table.identifier}",
            remedy="let the other writer pause or change other partitions, then start the plan again on its "
            "checkpoint; 'sink.max-retries' allows more attempts",
        )

    def _append(self, rows: DataFrame) -> None:
        names = self.table.columns.names
        columns = [F.col(f"f{at}").alias(name) for at, name in enumerate(names)]
        rows.select(*columns).writeTo(self.target.name).append()

    def _merge(self, rows: DataFrame, only_deletes: bool) -> None:
        # Columns of both sides are resolved by name: those of the rows get names that the table lacks.
        names = self.table.columns.names
        prefix, gone = self._prefix, _is_gone(f"{self._prefix}{KIND}")
        source = rows.select(
            F.col(KIND).alias(f"{prefix}{KIND}"), *(F.col(f"f{at}").alias(f"{prefix}{at}") for at in range(len(names)))
        )
        same = (F.col(quote_identifier(names[at])) == F.col(f"{prefix}{at}") for at in self._keys)
        values: dict[str, Column] = {quote_identifier(name): F.col(f"{prefix}{at}") for at, name in enumerate(names)}
        writer = source.mergeInto(self.target.name, reduce(lambda left, right: left & right, same))
        if only_deletes:
            # Without inserts no row of the table is shuffled.
            writer.whenMatched().delete().merge()
            return
        writer = writer.whenMatched(gone).delete().whenMatched().update(values)
        writer.whenNotMatched(~gone).insert(values).merge()

    @cached_property
    def _prefix(self) -> str:
        columns, prefix = self.target.columns(), "source_"
        while columns is not None and any(name.lower().startswith(prefix) for name in columns.names):
            prefix += "_"
        return prefix


def _is_gone(kind: str) -> Column:
    """True for a row that ends the one of its key."""
    return F.col(kind).isin(UPDATE_BEFORE, DELETE)

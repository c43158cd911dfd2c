"""Sinks into database tables: one task writes a micro-batch in one transaction.

The transaction also records the number of the batch, in a table of its own, so that a repeated batch is skipped. The
rows go through one task, because a transaction belongs to one connection. The tasks that compute them stay parallel:
an exchange in between buffers the rows while the database is down.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.table_options import Use
from compiled_plan.plans.execution.databases.database import Database, jdbc_type
from compiled_plan.plans.execution.databases.dialects import Target, delete, insert, update
from compiled_plan.plans.execution.databases.scan import scan
from compiled_plan.plans.execution.interfaces.connectors import (
    KIND,
    ORD,
    PATH,
    RowSource,
    SourceContext,
    TableSpec,
    only_inserts,
)
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.patience import attempts
from compiled_plan.plans.execution.spark.projection import Selection

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The table that records the last micro-batch of each run and sink, and its columns.
BATCHES = "compiled_plan_batches"
_COLUMNS = "run_id VARCHAR(64) NOT NULL, sink VARCHAR(255) NOT NULL, batch BIGINT NOT NULL, PRIMARY KEY (run_id, sink)"


#: Default number of rows per JDBC batch.
_ROWS = 1000


@dataclass
class DatabaseSink:
    """Writes each micro-batch in one transaction.

    Args:
        table: the table in the plan.
        database: its database.
        target: the table in the database.
        run_id: the checkpoint's run id, with which batches are recorded.
        first: True until the sink has written a batch: the first one may have been written before.
    """

    READS_ORDER: ClassVar[bool] = True

    table: TableSpec
    database: Database
    target: Target
    run_id: str
    first: bool = True

    def write(self, frame: DataFrame, batch_id: int) -> None:
        if self.first:
            # Not before: a refused start leaves nothing behind.
            self.database.run_first(
                (f"SELECT batch FROM {BATCHES} WHERE 1 = 0", f"CREATE TABLE {BATCHES} ({_COLUMNS})")
            )
        rows = frame.repartition(1)
        if self.target.keys:
            # The last row of a key wins: of an update the row after it.
            rows = rows.sortWithinPartitions(ORD, PATH, KIND)
        rows = self._taken.among(rows)
        kernel = java_class(self.database.jvm, "org.compiledplan.kernel.jdbc.BatchWriter")
        description = json.dumps(self.description())
        attempt = attempts(lambda before: kernel.write(rows._jdf, description, batch_id, before), self.first)
        self.database.patiently(attempt, self.database.options.number("sink.max-retries"))
        self.first = False

    def held(self, context: SourceContext) -> RowSource:
        """See `HoldsRows`; without the partitions of a scan, which leave rows out."""
        options = self.database.options.without(Use.SOURCE)
        return scan(self.table, replace(self.database, options=options), context)

    @cached_property
    def _taken(self) -> Selection:
        return Selection(self.columns())

    def columns(self) -> list[Column]:
        """The kernel's columns of a row: its kind, then the table's columns."""
        return [self._kind(), *(F.col(f"f{at}") for at in range(len(self.table.columns.fields)))]

    def _kind(self) -> Column:
        """The kind; without a primary key any but inserts fails the run."""
        if self.table.primary_key:
            return F.col(KIND)
        name = self.table.identifier
        return only_inserts(f"table {name} has no primary key, and the plan writes an update or delete")

    def description(self) -> dict[str, object]:
        """The parameters of the kernel's BatchWriter."""
        target, dialect = self.target, self.database.dialect
        keyed = bool(target.keys)
        write = dialect.upsert(target) if keyed and dialect.upsert is not None else insert(target)
        return {
            "database": self.database.description(),
            "table": target.table,
            "values": dialect.values,
            "types": [jdbc_type(type_) for type_ in self.table.columns.types],
            "keys": list(target.keys),
            "write": write,
            "update": update(target) if keyed and dialect.upsert is None else None,
            "delete": delete(target) if keyed else None,
            "rows": self.database.options.number("sink.buffer-flush.max-rows") or _ROWS,
            "find": f"SELECT batch FROM {BATCHES} WHERE run_id = ? AND sink = ?",
            "move": f"UPDATE {BATCHES} SET batch = ? WHERE run_id = ? AND sink = ? AND batch < ?",
            "begin": f"INSERT INTO {BATCHES} (run_id, sink, batch) VALUES (?, ?, ?)",
            "run": self.run_id,
            "sink": self.table.sink,
        }

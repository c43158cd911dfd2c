"""A table of a database that is written: a micro-batch by one task in one transaction.

The transaction also records the number of the batch, in a table of its own, so that a batch that comes again is passed
over. Its rows go through one task, since a transaction is one connection's; what computes them keeps its tasks, because
rows are exchanged in between, and the exchange keeps them while the database is away.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.execution.databases.database import Database, jdbc_type
from compiled_plan.plans.execution.databases.dialects import Target, delete, insert, update
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH, TableSpec, only_inserts
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.patience import attempts
from compiled_plan.plans.execution.spark.projection import Selection

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The table that says which micro-batch of a run a sink has, and its columns.
BATCHES = "compiled_plan_batches"
_COLUMNS = "run_id VARCHAR(64) NOT NULL, sink VARCHAR(255) NOT NULL, batch BIGINT NOT NULL, PRIMARY KEY (run_id, sink)"


#: Rows that go to the database at once, where the table does not say.
_ROWS = 1000


@dataclass
class DatabaseSink:
    """Writes each micro-batch in one transaction.

    Args:
        table: what it is for the plan.
        database: where it is.
        target: what it is for the database.
        run_id: of the checkpoint, as the batches are recorded.
        first: whether it has written nothing yet: what comes first may be there already.
    """

    READS_ORDER: ClassVar[bool] = True

    table: TableSpec
    database: Database
    target: Target
    run_id: str
    first: bool = True

    def write(self, frame: DataFrame, batch_id: int) -> None:
        """Write a batch; see `RowSink.write`."""
        if self.first:
            # Not before: a start that is refused leaves nothing.
            self.database.run_first(
                (f"SELECT batch FROM {BATCHES} WHERE 1 = 0", f"CREATE TABLE {BATCHES} ({_COLUMNS})")
            )
        rows = frame.repartition(1)
        if self.target.keys:
            # The last row of a key counts.
            rows = rows.sortWithinPartitions(ORD, PATH)
        rows = self._taken.among(rows)
        kernel = java_class(self.database.jvm, "org.compiledplan.kernel.jdbc.BatchWriter")
        description = json.dumps(self.description())
        attempt = attempts(lambda before: kernel.write(rows._jdf, description, batch_id, before), self.first)
        self.database.patiently(attempt, self.database.options.number("sink.max-retries"))
        self.first = False

    @cached_property
    def _taken(self) -> Selection:
        return Selection(self.columns())

    def columns(self) -> list[Column]:
        """What the kernel gets of a row: its kind, then the columns of the table."""
        return [self._kind(), *(F.col(f"f{at}") for at in range(len(self.table.columns.fields)))]

    def _kind(self) -> Column:
        """The kind; without a primary key any but inserts fails the run."""
        if self.table.primary_key:
            return F.col(KIND)
        name = self.table.identifier
        return only_inserts(f"table {name} has no primary key, and the plan gives it an update or delete")

    def description(self) -> dict[str, Any]:
        """What the kernel's BatchWriter is told."""
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

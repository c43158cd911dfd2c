"""Bounded scans of a database table: the queries of its partitions, and their rows as a bounded stream.

A partition is read when its micro-batch runs, so a batch repeated after a crash returns the rows as of then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from pyspark.sql import functions as F

from compiled_plan.plans.execution.databases.database import Database, jdbc_type
from compiled_plan.plans.execution.databases.filters import TypedColumn, condition
from compiled_plan.plans.execution.interfaces.connectors import RowSource, SourceContext, TableSpec, insert_head
from compiled_plan.plans.execution.spark.types import ddl, to_spark

_SOURCE = "org.compiledplan.kernel.jdbc.JdbcTable"
#: Default fetch size, in rows.
_FETCH = 1000


def scan(table: TableSpec, database: Database, context: SourceContext) -> RowSource:
    """The rows of a table; columns that the plan does not use are null.

    Raises:
        DataError: the table or a column does not exist.
        ExecutionError: the database does not answer.
    """
    names = table.used
    every = list(enumerate(table.columns.fields))
    used = [(at, field) for at, field in every if field.name in names]
    part = database.options.get("scan.partition.column")
    target = database.find((*names, *([] if part is None else [part])))
    columns = target.columns[: len(names)]
    known = {
        at: TypedColumn(name, field.type, *types)
        for (at, field), name, types in zip(used, columns, target.types[: len(names)], strict=True)
    }
    filters = [condition(rex, [known.get(-1 if at is None else at) for at in refers]) for rex, refers in table.filters]
    pushes = database.options.text("filter.handling.policy") == "always"
    conditions = [text for text in filters if text is not None and pushes]
    selected = f"SELECT {', '.join(columns)} FROM {target.table}"
    shape = replace(table.columns, fields=tuple(replace(field, name=f"f{at}") for at, field in used))
    description = {
        "database": database.description(),
        "name": target.table,
        "values": database.dialect.values,
        "types": [jdbc_type(field.type) for _, field in used],
        "schema": ", ".join(f"{field.name} {ddl(field.type)}" for field in shape.fields),
        "queries": [
            f"{selected} WHERE {' AND '.join([*conditions, *range_])}" if conditions or range_ else selected
            for range_ in _parts(database, "" if part is None else target.columns[-1])
        ],
        "fetch": database.options.number("scan.fetch-size") or _FETCH,
        "autoCommit": database.options.flag("scan.auto-commit"),
    }
    rows = context.spark.readStream.format(_SOURCE).option("table", json.dumps(description)).load()
    read = {at for at, _ in used}
    fields = [
        F.col(f"f{at}") if at in read else F.lit(None).cast(to_spark(field.type)).alias(f"f{at}") for at, field in every
    ]
    return RowSource(rows.select(*insert_head(), *fields), bounded=True)


def _parts(database: Database, column: str) -> Iterator[tuple[str, ...]]:
    """The conditions of the partitions, ranges of a column; as in Flink, none reads rows outside of these."""
    if not column:
        yield ()
        return
    options = database.options
    least, upper = options.number("scan.partition.lower-bound"), options.number("scan.partition.upper-bound")
    for first, last in ranges(least, upper, options.number("scan.partition.num")):
        yield (f"{column} BETWEEN {first} AND {last}",)


def ranges(least: int, upper: int, count: int) -> Iterator[tuple[int, int]]:
    """Split a closed range of numbers into ranges whose sizes differ by at most one.

    Source: `JdbcNumericBetweenParametersProvider` of Flink's connector.
    """
    total = upper - least + 1
    count = min(count, total)
    for at in range(count):
        yield least + _before(at, total, count), least + _before(at + 1, total, count) - 1


def _before(at: int, total: int, count: int) -> int:
    """The count of numbers in the ranges before one: larger ranges come first."""
    size, larger = divmod(total, count)
    return at * size + min(at, larger)

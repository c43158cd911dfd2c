"""Dead letters: unreadable records of a source, written to a folder or a table instead of being processed.

A source emits dead letters as rows of the kind `DEAD`, with the column `dead`; they pass through all stages and are
written at the end of the micro-batch, with its other rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.connectors.dead_letters import COLUMNS, dead_letter_path
from compiled_plan.plans.execution.interfaces.connectors import KIND, ORD, PATH, TableSpec

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The kind of such a row, and the column that holds the fault.
DEAD, COLUMN = -1, "dead"

_TYPES = {"line": "bigint", "partition": "int", "offset": "bigint"}


def dead_letter(table: str, fault: Column, **place: Column) -> Column:
    """The dead letter of a record, a struct; null if there is no fault.

    Args:
        table: the table's identifier.
        fault: `reason` and `record`, see the kernel's `Formats.FAULT`.
        place: further columns.
    """
    record = fault["record"]
    text = record.cast("string")
    readable = F.is_valid_utf8(text)
    values = {
        "table": F.lit(table),
        "reason": fault["reason"],
        "raw": F.when(readable, text),
        "bytes": F.when(~readable, record),
        **place,
    }
    nothing = F.lit(None)
    fields = [
        (values[name] if name in values else nothing.cast(_TYPES.get(name, "string"))).alias(name)
        for name in COLUMNS.names
    ]
    return F.when(fault.isNotNull(), F.struct(*fields))


def dead_columns() -> tuple[Column, ...]:
    """The columns of a dead letter, from a source's row."""
    return tuple(F.col(COLUMN)[name] for name in COLUMNS.names)


def letters_of(table: TableSpec) -> TableSpec | None:
    """The table of a source's dead letters; None if unreadable records fail the run or are skipped."""
    if table.dead_letters is not None:
        return table.dead_letters
    if folder := dead_letter_path(table.options):
        name = f"dead letters of {table.identifier}"
        options = {"connector": "filesystem", "path": folder, "format": "json"}
        options["json.encode.ignore-null-fields"] = "true"
        return TableSpec(name, COLUMNS, options, node=table.node, sink=name)
    return None


def letter_columns(rows: DataFrame, table: TableSpec) -> DataFrame:
    """Project rows of all columns of dead letters to the columns of a table."""
    head = [name for name in (KIND, ORD, PATH) if name in rows.columns]
    fields = [F.col(f"f{COLUMNS.names.index(name)}").alias(f"f{at}") for at, name in enumerate(table.columns.names)]
    return rows.select(*head, *fields)

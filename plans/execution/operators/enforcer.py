"""What a sink checks of its rows: NOT NULL columns and declared lengths.

Source: Flink's configuration page, `table.exec.sink.not-null-enforcer` and `table.exec.sink.type-length-enforcer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from plans.execution.operators.base import refuse
from plans.execution.program import resolved_table, table_of
from plans.execution.types import to_spark
from plans.nodes.tables import PhysicalColumn
from plans.types import BinaryType, BytesType, CharacterType, CharType, LogicalType

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from plans.nodes import Sink

_NOT_NULL = "table.exec.sink.not-null-enforcer"
_LENGTH = "table.exec.sink.type-length-enforcer"


def enforce(node: Sink, frame: DataFrame) -> DataFrame:
    """The rows that may be written, from `kind`, `ord`, `path`, `f0`, ...."""
    if node.dynamic_table_sink.abilities:
        names = ", ".join(ability.type for ability in node.dynamic_table_sink.abilities)
        raise refuse(node, f"sink abilities {names}", "write the physical columns only")
    columns = persisted_columns(node)
    required = [at for at, column in enumerate(columns) if not column.data_type.nullable]
    mode = node.configuration.get(_NOT_NULL, "ERROR").upper()
    if mode not in ("ERROR", "DROP"):
        raise refuse(node, f"{_NOT_NULL} = {mode}", "set ERROR or DROP")
    for at in required:
        name = f"f{at}"
        if mode == "DROP":
            frame = frame.where(F.col(name).isNotNull())
            continue
        text = (
            f"column '{columns[at].name}' of sink {'.'.join(table_of(node).path)} is NOT NULL, and a null value is "
            f"being written into it; set '{_NOT_NULL}' = 'DROP' to drop such rows"
        )
        failure = F.raise_error(F.lit(text)).cast(to_spark(columns[at].data_type))
        frame = frame.withColumn(name, F.when(F.col(name).isNull(), failure).otherwise(F.col(name)))
    lengths = node.configuration.get(_LENGTH, "IGNORE").upper()
    if lengths not in ("IGNORE", "TRIM_PAD"):
        raise refuse(node, f"{_LENGTH} = {lengths}", "set IGNORE or TRIM_PAD")
    if lengths == "TRIM_PAD":
        for at, column in enumerate(columns):
            frame = frame.withColumn(f"f{at}", _fitted(F.col(f"f{at}"), column.data_type))
    return frame


def persisted_columns(node: Sink) -> list[PhysicalColumn]:
    """The columns of a sink's table that are written."""
    return [column for column in resolved_table(node).table_schema.columns if isinstance(column, PhysicalColumn)]


def _fitted(column: Column, type_: LogicalType) -> Column:
    """The value cut to the declared length, and padded to it where the type has a fixed one."""
    if isinstance(type_, CharacterType):
        cut = F.substring(column, 1, type_.length)
        return F.rpad(cut, type_.length, " ") if isinstance(type_, CharType) else cut
    if isinstance(type_, BytesType):
        cut = F.substring(column, 1, type_.length)
        return F.rpad(cut, type_.length, F.lit(b"\0")) if isinstance(type_, BinaryType) else cut
    return column

"""The format `debezium-json`: an event a line, with the row before and the row after a change.

Source: Flink's page "Debezium", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from plans import types as t
from plans.execution.formats.base import FormatSpec, register
from plans.execution.formats.lines import LineFormat

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamReader

_LTZ = t.TimestampLtzType(precision=3)


class DebeziumJsonFormat(LineFormat):
    """`debezium-json`: an event a line; all kinds of rows."""

    name = "debezium-json"
    extension = "json"
    inserts_only = False
    metadata: ClassVar[Mapping[str, t.LogicalType]] = {
        "schema": t.STRING,
        "ingestion-timestamp": _LTZ,
        "source.timestamp": _LTZ,
        "source.database": t.STRING,
        "source.schema": t.STRING,
        "source.table": t.STRING,
        "source.properties": t.MapType(key=t.STRING, value=t.STRING),
    }

    def scan(self, files: DataStreamReader, path: str, spec: FormatSpec, extra: Sequence[Column]) -> DataFrame:
        """Rows of files; see `Format.scan`."""
        return self.decoded(files.option("lineSep", "\n").text(path), spec, extra)


register(DebeziumJsonFormat())

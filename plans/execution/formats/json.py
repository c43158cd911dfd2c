"""The format `json`: an object a line, or an array of objects, each a row.

Source: Flink's page "JSON", and what Flink 2.3 reads and writes.
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


class JsonFormat(LineFormat):
    """`json`: an object a line, inserts only."""

    name = "json"
    extension = "json"
    inserts_only = True
    metadata: ClassVar[Mapping[str, t.LogicalType]] = {}

    def scan(self, files: DataStreamReader, path: str, spec: FormatSpec, extra: Sequence[Column]) -> DataFrame:
        """Rows of files; see `Format.scan`."""
        return self.decoded(files.option("lineSep", "\n").text(path), spec, extra)


register(JsonFormat())

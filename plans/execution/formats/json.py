"""The format `json`: an object a line, or an array of objects, each a row.

Source: Flink's page "JSON", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.formats.json import SPEC
from compiled_plan.plans.execution.formats.base import FormatTable, register
from compiled_plan.plans.execution.formats.lines import LineFormat

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamReader


class JsonFormat(LineFormat):
    """`json`: an object a line, inserts only."""

    spec = SPEC

    def scan(self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column]) -> DataFrame:
        """Rows of files; see `Format.scan`."""
        return self.decoded(self.lines(files, path, spec), spec, extra)


register(JsonFormat())

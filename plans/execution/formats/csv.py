"""The format `csv`: a record a line, its cells in the order of the columns.

Source: Flink's page "CSV", and what Flink 2.3 reads and writes. A file is read by one task: a quoted cell may have line
ends in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.formats.csv import SPEC
from compiled_plan.plans.execution.formats.base import FormatTable, register
from compiled_plan.plans.execution.formats.lines import LineFormat

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\"}


class CsvFormat(LineFormat):
    """`csv`: inserts only."""

    spec = SPEC

    def scan(self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column]) -> DataFrame:
        """Rows of files; see `Format.scan`."""
        return self.decoded(self.whole_lines(files, path), spec, extra)

    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        """The table as the kernel takes it; see `LineFormat.prepared`."""
        return _plain(replace(spec, row=_wanted(spec)))


def _wanted(spec: FormatTable) -> t.RowType:
    """The columns, those that nobody uses of the type that is read without a look at the cell."""
    wanted = spec.wanted
    if wanted is None:
        return spec.row
    fields = (field if field.name in wanted else replace(field, type=t.NULL) for field in spec.row.fields)
    return replace(spec.row, fields=tuple(fields))


def _plain(spec: FormatTable) -> FormatTable:
    """The options with escapes such as a backslash and a t replaced by what they stand for."""
    name = "field-delimiter"
    if name not in spec.options:
        return spec
    return replace(spec, options={**spec.options, name: _ESCAPES.get(spec.options[name], spec.options[name])})


register(CsvFormat())

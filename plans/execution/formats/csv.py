"""The format `csv`: one record per line, its cells in the order of the columns.

Source: Flink's page "CSV", and what Flink 2.3 reads and writes. One task reads a file: a quoted cell may contain line
ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.formats.csv import SPEC
from compiled_plan.plans.execution.formats.base import FormatTable, register
from compiled_plan.plans.execution.formats.lines import LineFormat

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\"}


class CsvFormat(LineFormat):
    in_one_piece = True

    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        name = "field-delimiter"
        if name not in spec.options:
            return spec
        # Unescape: a backslash and a t become a tab.
        return replace(spec, options={**spec.options, name: _ESCAPES.get(spec.options[name], spec.options[name])})


register(CsvFormat(SPEC))

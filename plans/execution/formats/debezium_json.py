"""The format `debezium-json`, and `ogg-json`: an event a line, with the row before and the row after a change.

Source: Flink's pages "Debezium" and "Ogg", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.format_spec import FormatSpec
from compiled_plan.plans.connectors.formats.debezium_json import SPEC
from compiled_plan.plans.execution.formats.base import FormatTable, register
from compiled_plan.plans.execution.formats.lines import LineFormat

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamReader

_LTZ = t.TimestampLtzType(precision=3)


class DebeziumJsonFormat(LineFormat):
    """Events with the row before and after a change; all kinds of rows."""

    def __init__(self, spec: FormatSpec) -> None:
        self.spec = spec

    def scan(self, files: DataStreamReader, path: str, spec: FormatTable, extra: Sequence[Column]) -> DataFrame:
        """Rows of files; see `Format.scan`."""
        return self.decoded(self.lines(files, path, spec), spec, extra)


register(DebeziumJsonFormat(SPEC))

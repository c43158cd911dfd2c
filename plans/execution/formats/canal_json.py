"""The format `canal-json`: one event per line, with the row after a change and the values that it changed.

Source: Flink's page "Canal", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import IllegalArgumentException

from compiled_plan.plans.connectors.formats.canal_json import SPEC
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.formats.base import FormatTable, register
from compiled_plan.plans.execution.formats.lines import LineFormat
from compiled_plan.plans.execution.spark.java import java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INCLUDED = ("database.include", "table.include")


class CanalJsonFormat(LineFormat):
    """`canal-json`: all kinds of rows."""

    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        for option in _INCLUDED:
            self._check_pattern(spark, spec, option)
        return spec

    def _check_pattern(self, spark: SparkSession, spec: FormatTable, option: str) -> None:
        """Refuse an option that is no regular expression of Java's; Python's rules differ."""
        try:
            java_class(spark._jvm, "java.util.regex.Pattern").compile(spec.options.get(option, ""))
        except IllegalArgumentException as fault:
            raise UnsupportedError(
                f"option '{self.spec.name}.{option}' is not a regular expression: "
                f"{str(fault).splitlines()[0]} in {spec.options[option]!r}",
                where=f"table {spec.table}, WITH",
                remedy="correct it; it must match the whole name",
            ) from None


register(CanalJsonFormat(SPEC))

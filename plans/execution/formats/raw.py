"""The format `raw`: a line is the only column, as text or as the bytes of a number.

Source: Flink's page "Raw", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import IllegalArgumentException

from compiled_plan.plans.connectors.formats.raw import SPEC
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.formats.base import FormatTable, register
from compiled_plan.plans.execution.formats.lines import LineFormat
from compiled_plan.plans.execution.spark.java import java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class RawFormat(LineFormat):
    """`raw`: one column, inserts only."""

    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        _check_charset(spark, spec)
        return spec


def _check_charset(spark: SparkSession, spec: FormatTable) -> None:
    """Refuse a charset that Java does not know.

    Raises:
        UnsupportedError: names the table and the charset.
    """
    name = SPEC.values(spec.options).text("charset")
    try:
        known = bool(java_class(spark._jvm, "java.nio.charset.Charset").isSupported(name))
    except IllegalArgumentException:
        known = False
    if not known:
        raise UnsupportedError(
            f"option 'raw.charset' names an unknown charset, {name!r}",
            where=f"table {spec.table}, WITH",
            remedy="name one that Java has, such as UTF-8, ISO-8859-1 or UTF-16LE",
        )


register(RawFormat(SPEC))

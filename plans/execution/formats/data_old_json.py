"""The formats `canal-json` and `maxwell-json`: an event a line, with the row after a change and what it changed.

Source: Flink's pages "Canal" and "Maxwell", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.errors import IllegalArgumentException

from plans import types as t
from plans.errors import UnsupportedError
from plans.execution.formats.base import FormatSpec, register
from plans.execution.formats.lines import LineFormat
from plans.execution.java import java_class

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamReader

_LTZ = t.TimestampLtzType(precision=3)
_TEXTS = t.ArrayType(element=t.STRING)
_INCLUDED = ("database.include", "table.include")


class DataOldJsonFormat(LineFormat):
    """Events of `data`, `old` and `type`; all kinds of rows."""

    extension = "json"
    inserts_only = False

    def __init__(self, name: str, metadata: Mapping[str, t.LogicalType]) -> None:
        self.name = name
        self.metadata = metadata

    def scan(self, files: DataStreamReader, path: str, spec: FormatSpec, extra: Sequence[Column]) -> DataFrame:
        """Rows of files; see `Format.scan`."""
        lines = files.option("lineSep", "\n").text(path)
        for option in _INCLUDED:
            self._check_pattern(lines, spec, option)
        return self.decoded(lines, spec, extra)

    def _check_pattern(self, lines: DataFrame, spec: FormatSpec, option: str) -> None:
        """Refuse an option that is not a regular expression of Java's, which Python's rules do not tell."""
        jvm: Any = lines.sparkSession._jvm
        try:
            java_class(jvm, "java.util.regex.Pattern").compile(spec.options.get(option, ""))
        except IllegalArgumentException as fault:
            raise UnsupportedError(
                f"option '{self.name}.{option}' is not a regular expression: "
                f"{str(fault).splitlines()[0]} in {spec.options[option]!r}",
                where=f"table {spec.table}, WITH",
                remedy="correct it; it is compared with the whole name",
            ) from None


register(
    DataOldJsonFormat(
        "canal-json",
        {
            "database": t.STRING,
            "table": t.STRING,
            "sql-type": t.MapType(key=t.STRING, value=t.INT),
            "pk-names": _TEXTS,
            "ingestion-timestamp": _LTZ,
            "event-timestamp": _LTZ,
        },
    )
)
register(
    DataOldJsonFormat(
        "maxwell-json",
        {"database": t.STRING, "table": t.STRING, "primary-key-columns": _TEXTS, "ingestion-timestamp": _LTZ},
    )
)

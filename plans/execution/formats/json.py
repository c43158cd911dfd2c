"""The formats `json` and `debezium-json`; both are read and written line by line by the kernel.

Source: Flink's pages "JSON" and "Debezium", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from plans import types as t
from plans.errors import UnsupportedError
from plans.execution.connectors.base import KIND
from plans.execution.connectors.options import OptionSet, any_text, boolean, one_of
from plans.execution.formats.base import (
    SUFFIX,
    FormatSpec,
    column,
    first_unfit,
    java_column,
    kernel_formats,
    register,
    shape,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

_COMMON = {
    "ignore-parse-errors": boolean,
    "timestamp-format.standard": one_of("SQL", "ISO-8601"),
    "map-null-key.mode": one_of("FAIL", "DROP", "LITERAL"),
    "map-null-key.literal": any_text,
    "encode.decimal-as-plain-number": boolean,
    "encode.ignore-null-fields": boolean,
}

_LTZ = t.TimestampLtzType(precision=3)


class JsonFormat:
    """`json`: an object a line, inserts only."""

    name = "json"
    extension = "json"
    options = OptionSet(
        {**_COMMON, "fail-on-missing-field": boolean}, ignored=frozenset({"decode.json-parser.enabled"})
    )
    inserts_only = True
    metadata: ClassVar[Mapping[str, t.LogicalType]] = {}

    def check(self, spec: FormatSpec) -> None:
        """Refuse what JSON cannot hold; see `Format.check`."""
        _check(self.name, spec)
        if spec.flag("ignore-parse-errors") and spec.flag("fail-on-missing-field"):
            raise UnsupportedError(
                "json.fail-on-missing-field and json.ignore-parse-errors cannot both be true",
                where=f"table {spec.table}",
                remedy="set one of them to 'false'",
            )

    def scan(self, files: DataStreamReader, path: str, spec: FormatSpec, extra: Sequence[Column]) -> DataFrame:
        """Rows of files; see `Format.scan`."""
        lines = files.option("lineSep", "\n").text(path)
        entry = kernel_formats(lines.sparkSession)
        row = entry.jsonRow(f"table {spec.table}", shape(spec.row), dict(spec.options), java_column(F.col("value")))
        decoded = lines.select(column(row).alias("row"), *extra)
        fields = F.col("row")
        return decoded.where(fields.isNotNull()).select(
            F.lit(0).cast("tinyint").alias(KIND),
            F.lit(None).cast("binary").alias(SUFFIX),
            *(fields[name].alias(f"c{index}") for index, name in enumerate(spec.row.names)),
            *added(decoded, 1),
        )

    def writer(self, frame: DataFrame, spec: FormatSpec, extra: Sequence[Column]) -> DataFrameWriter:
        """Files of rows; see `Format.writer`."""
        return _writer(frame, spec, extra, events=False)

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """A file without a line."""
        return size == 0


class DebeziumJsonFormat:
    """`debezium-json`: an event a line; all kinds of rows."""

    name = "debezium-json"
    extension = "json"
    options = OptionSet({**_COMMON, "schema-include": boolean})
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

    def check(self, spec: FormatSpec) -> None:
        """Refuse what JSON cannot hold; see `Format.check`."""
        _check(self.name, spec)

    def scan(self, files: DataStreamReader, path: str, spec: FormatSpec, extra: Sequence[Column]) -> DataFrame:
        """Changes of files; see `Format.scan`."""
        lines = files.option("lineSep", "\n").text(path)
        entry = kernel_formats(lines.sparkSession)
        changes = entry.debeziumChanges(
            f"table {spec.table}", shape(spec.row), dict(spec.options), list(spec.metadata), java_column(F.col("value"))
        )
        decoded = lines.select(column(changes).alias("changes"), *extra)
        names = (
            KIND,
            SUFFIX,
            *(f"c{index}" for index in range(len(spec.row.fields))),
            *(f"x{index}" for index in range(len(spec.metadata))),
        )
        rest = added(decoded, 1)
        # inline() names its columns by itself; by position they get the right ones.
        found = decoded.select(F.inline("changes"), *rest)
        return found.toDF(*names, *found.columns[len(names) :])

    def writer(self, frame: DataFrame, spec: FormatSpec, extra: Sequence[Column]) -> DataFrameWriter:
        """Files of events; see `Format.writer`."""
        return _writer(frame, spec, extra, events=True)

    def is_empty(self, spark: SparkSession, path: str, size: int) -> bool:
        """A file without a line."""
        return size == 0


def added(frame: DataFrame, after: int) -> list[Column]:
    """The columns of a frame behind the first ones."""
    return [F.col(f"`{name}`") for name in frame.columns[after:]]


def _writer(frame: DataFrame, spec: FormatSpec, extra: Sequence[Column], *, events: bool) -> DataFrameWriter:
    entry = kernel_formats(frame.sparkSession)
    row = F.struct(*(F.col(f"c{index}") for index in range(len(spec.row.fields))))
    line = entry.jsonLine(
        f"table {spec.table}",
        shape(spec.row),
        dict(spec.options),
        events,
        java_column(F.col(KIND)),
        java_column(row),
    )
    return frame.select(column(line).alias("value"), *extra).write.format("text").option("lineSep", "\n")


def _check(name: str, spec: FormatSpec) -> None:
    found = first_unfit(spec.row, _unfit)
    if found is not None:
        raise UnsupportedError(
            f"format {name!r} cannot hold column {found.name!r} of type {found.type}",
            where=f"table {spec.table}",
            remedy="JSON has maps and multisets with keys that are texts only: make the key a STRING",
        )


def _unfit(type_: t.LogicalType) -> bool:
    match type_:
        case t.MapType():
            return not isinstance(type_.key, t.CharacterType)
        case t.MultisetType():
            return not isinstance(type_.element, t.CharacterType)
    return isinstance(type_, t.RawType | t.VariantType | t.TimestampTzType)


register(JsonFormat())
register(DebeziumJsonFormat())

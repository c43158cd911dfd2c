"""The connector `datagen`: rows of random values and sequences.

Source: Flink's page "DataGen". A row depends only on its number (and the time of its micro-batch), so a repeated batch
and a restart produce the same rows and continue the sequences.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.connectors.specs.datagen import SPEC, children
from compiled_plan.plans.execution.interfaces.connectors import (
    KIND,
    ORD,
    PATH,
    RowSource,
    SourceContext,
    TableSpec,
    insert_head,
    source_connector,
)
from compiled_plan.plans.execution.spark.java import column_of, java_class, java_column
from compiled_plan.plans.execution.spark.types import ddl
from compiled_plan.plans.text.durations import parse_duration

_SOURCE = "org.compiledplan.kernel.datagen.RowNumbers"
_TEXT_LENGTH = 100
#: Rows per second of a sample.
_SAMPLE_RATE = 1_000_000
_COLLECTION_LENGTH = 3
_MAX_FLOAT, _MAX_DOUBLE = 3.4028234663852886e38, 1.7976931348623157e308
_MAX_MONTHS = 120_000


@source_connector(SPEC)
def source(table: TableSpec, context: SourceContext) -> RowSource:
    makers = [_maker(f"fields.{field.name}", field.type, table) for field in table.columns.fields]
    rows, rate = _rows(table, makers), SPEC.values(table.options).number("rows-per-second")
    if context.sample is not None:
        rows, rate = context.sample if rows < 0 else min(rows, context.sample), _SAMPLE_RATE
    numbers = (
        context.spark.readStream.format(_SOURCE)
        .option("rate", rate)
        .option("rows", rows)
        # In real-time mode Spark cannot read two sources with equal options.
        .option("table", table.identifier)
        .option("partitions", context.spark.sparkContext.defaultParallelism)
        .load()
    )
    generated = java_class(context.spark._jvm, "org.compiledplan.kernel.datagen.Datagen").row(
        json.dumps(makers),
        zlib.crc32(table.identifier.encode()),
        ddl(table.columns),
        java_column(F.col("n")),
        java_column(F.unix_micros(F.current_timestamp() if context.clock is None else context.clock)),
    )
    fields = [F.col("row")[name].alias(f"f{index}") for index, name in enumerate(table.columns.names)]
    frame = numbers.select(*insert_head(), column_of(generated).alias("row")).select(KIND, ORD, PATH, *fields)
    return RowSource(frame, bounded=rows >= 0)


def _rows(table: TableSpec, makers: list[dict[str, Any]]) -> int:
    """The number of rows until the source ends: 'number-of-rows', or the shortest sequence; -1: unbounded."""
    limits = [maker["end"] - maker["start"] + 1 for maker in makers if maker["kind"] == "sequence"]
    rows = SPEC.values(table.options).get("number-of-rows")
    if rows is not None:
        limits.append(rows)
    return min(limits, default=-1)


def _maker(path: str, type_: t.LogicalType, table: TableSpec) -> dict[str, object]:
    """The parameters of a column for the kernel's generator."""
    start = f"{path}."
    options = {key.removeprefix(start): value for key, value in table.options.items() if key.startswith(start)}
    description: dict[str, object] = {
        "root": type_.ROOT,
        "kind": options.get("kind", "random"),
        "nullRate": float(options.get("null-rate", "0")),
        "children": [_maker(f"{path}.{name}", child, table) for name, child in children(type_)],
    }
    if isinstance(type_, t.DecimalType):
        description |= {"precision": type_.precision, "scale": type_.scale}
    if description["kind"] == "sequence":
        return description | {"start": int(options["start"]), "end": int(options["end"])}
    limits = _LIMITS.get(type(type_))
    if limits is not None:
        description |= limits(type_, options)
    elif isinstance(type_, t.CharacterType | t.BytesType):
        description |= _length(type_, options)
    elif isinstance(type_, t.ArrayType | t.MapType | t.MultisetType):
        description["length"] = int(options.get("length", _COLLECTION_LENGTH))
    elif isinstance(type_, t.TimestampBase):
        description["maxPast"] = parse_duration(options["max-past"]) if "max-past" in options else 0
    return description


def _length(type_: t.CharacterType | t.BytesType, options: Mapping[str, str]) -> dict[str, object]:
    """The length of a fixed type; otherwise that of the option, of the type, or 100."""
    fixed = isinstance(type_, t.CharType | t.BinaryType)
    default = type_.length if fixed or type_.length != t.MAX_LENGTH else _TEXT_LENGTH
    varies = options.get("var-len", "false").strip().lower() == "true"
    return {"length": int(options.get("length", default)), "varies": varies}


def _whole(low: int, high: int) -> Callable[[object, Mapping[str, str]], dict[str, object]]:
    def limits(type_: object, options: Mapping[str, str]) -> dict[str, object]:
        return {
            "min": max(low, int(float(options["min"])) if "min" in options else low),
            "max": min(high, int(float(options["max"])) if "max" in options else high),
        }

    return limits


def _real(low: float, high: float) -> Callable[[object, Mapping[str, str]], dict[str, object]]:
    def limits(type_: object, options: Mapping[str, str]) -> dict[str, object]:
        return {"min": float(options.get("min", low)), "max": float(options.get("max", high))}

    return limits


def _decimal(type_: t.DecimalType, options: Mapping[str, str]) -> dict[str, Any]:
    nines = "9" * type_.precision
    high = f"{nines[: type_.precision - type_.scale] or '0'}.{nines[: type_.scale] or '0'}"
    return {"min": options.get("min", f"-{high}"), "max": options.get("max", high)}


def _bits(width: int) -> Callable[[object, Mapping[str, str]], dict[str, object]]:
    return _whole(-(2 ** (width - 1)), 2 ** (width - 1) - 1)


_LIMITS: Mapping[type[t.LogicalType], Callable[[Any, Mapping[str, str]], dict[str, Any]]] = {
    t.TinyIntType: _bits(8),
    t.SmallIntType: _bits(16),
    t.IntType: _bits(32),
    t.BigIntType: _bits(64),
    t.FloatType: _real(0.0, _MAX_FLOAT),
    t.DoubleType: _real(0.0, _MAX_DOUBLE),
    t.DecimalType: _decimal,
    t.YearMonthIntervalType: _whole(0, _MAX_MONTHS),
    t.DayTimeIntervalType: _whole(0, 2**63 - 1),
}

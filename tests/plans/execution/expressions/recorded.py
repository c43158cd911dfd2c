"""Fixtures: expressions compiled and evaluated by Flink 2.3, and evaluated on Spark.

`results` are Flink's. If Flink is plainly wrong (docs/reference/limits.md says where), `right` has the results here.
`rex` is the expression in Flink's plan; the planner here makes the same of `sql`, except where `differs` is true, which
is mostly a constant that only Flink computes. Such an expression is evaluated in both forms; `differs` is "limits"
where the results differ, too (docs/reference/limits.md). VARIANT has no form in
Flink's plans, so it is evaluated in the one of the planner alone.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions import ExpressionContext, to_column
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.precision import as_sent
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.types import schema_of
from compiled_plan.plans.rex import RexNode, rex_from_json, type_of
from compiled_plan.plans.types import LogicalType, parse_type
from tests.support.compiled_expressions import compiled

FIXTURES = Path(__file__).with_name("fixtures")
EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class Case:
    """One expression: its SQL, the plan's row expression over `inputs`, and the result for each row."""

    sql: str
    rex: RexNode
    inputs: tuple[str, ...]
    results: list[Any] | None
    error: str | None


@dataclass(frozen=True)
class Fixture:
    name: str
    zone: str
    row: t.RowType
    rows: list[list[Any]]
    cases: list[Case]

    def frame(self, spark: SparkSession) -> DataFrame:
        rows = [
            [to_python(value, type_) for value, type_ in zip(row, self.row.types, strict=True)] for row in self.rows
        ]
        frame = spark.createDataFrame([[position, *row] for position, row in enumerate(rows)], self._schema())
        for field in self.row.fields:
            # Python's datetimes end before Flink's: timestamps travel as microseconds.
            if isinstance(field.type, t.TimestampBase):
                point = F.timestamp_micros(F.col(field.name))
                ltz = isinstance(field.type, t.TimestampLtzType)
                frame = frame.withColumn(field.name, point if ltz else point.cast("timestamp_ntz"))
            elif isinstance(field.type, t.DateType):
                frame = frame.withColumn(field.name, F.date_from_unix_date(F.col(field.name)))
        # The optimizer would fold a relation of literals; rows of an RDD are computed like real ones.
        return frame

    def _schema(self) -> Any:
        from pyspark.sql import types as s

        def plain(type_: LogicalType) -> LogicalType:
            return t.BIGINT if isinstance(type_, t.TimestampBase) else t.INT if isinstance(type_, t.DateType) else type_

        row = t.row_of(self.row.names, tuple(plain(type_) for type_ in self.row.types))
        return s.StructType([s.StructField("#", s.IntegerType()), *schema_of(row).fields])

    def column(self, case: Case) -> Column:
        context = ExpressionContext(time_zone=self.zone, where=case.sql)
        return to_column(case.rex, [F.col(name) for name in case.inputs], context)


def read(path: Path, step: int = 1) -> Fixture:
    """A fixture with each `step`-th of its expressions."""
    document = json.loads(path.read_text(encoding="utf-8"))
    names, types = zip(*document["columns"], strict=True)
    row = t.row_of(names, tuple(parse_type(text) for text in types))
    cases = [case for item in document["cases"][::step] for case in _cases(item, document)]
    return Fixture(path.stem, document["zone"], row, document["rows"], cases)


def _cases(item: dict[str, Any], document: dict[str, Any]) -> Iterator[Case]:
    error = None if "right" in item else item.get("error")
    results = item.get("right", item.get("results"))
    if "rex" in item:
        inputs = parse_type(item["inputs"]).names  # type: ignore[attr-defined]
        yield Case(item["sql"], rex_from_json(item["rex"]), tuple(inputs), results, error)
    if "rex" not in item or item.get("differs") is True:
        (rex,), inputs = compiled([item["sql"]], document["columns"], document["zone"])
        yield Case(f"{item['sql']} (compiled here)", rex, inputs, results, error)


def micros_of(text: str) -> int:
    whole, _, fraction = text.removesuffix("Z").replace("T", " ").partition(".")
    whole += ":00" * (2 - whole.count(":"))
    seconds = (datetime.fromisoformat(whole) - EPOCH) // timedelta(seconds=1)
    return seconds * 1_000_000 + int((fraction + "000000")[:6])


def to_python(value: Any, type_: LogicalType, inner: bool = False) -> Any:
    """A JSON value for Spark's createDataFrame; top-level times as numbers."""
    if value is None:
        return None
    match type_:
        case t.DecimalType():
            return Decimal(str(value)).quantize(Decimal(1).scaleb(-type_.scale), context=Context(prec=40))
        case t.FloatType() | t.DoubleType():
            return float(value)
        case t.BytesType():
            return bytearray(base64.b64decode(value))
        case t.DateType():
            day = date.fromisoformat(value)
            return day if inner else (day - date(1970, 1, 1)).days
        case t.TimeType():
            hours, minutes, seconds = value.split(":")
            return (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 1000
        case t.TimestampBase():
            return EPOCH + timedelta(microseconds=micros_of(value)) if inner else micros_of(value)
        case t.ArrayType():
            return [to_python(item, type_.element, True) for item in value]
        case t.MapType():
            return {to_python(k, type_.key, True): to_python(item, type_.value, True) for k, item in value.items()}
        case t.FieldsType():
            return tuple(to_python(value.get(field.name), field.type, True) for field in type_.fields)
    return value


def as_text(column: Column, type_: LogicalType) -> Column:
    """A result in a form that Python can represent: times as numbers, floats as their text."""
    match type_:
        case t.TimestampLtzType():
            return F.unix_micros(column)
        case t.TimestampType():
            return F.unix_micros(column.cast("timestamp"))
        case t.DateType():
            return F.unix_date(column)
        case t.FloatType() | t.DoubleType():
            return column.cast("string")
        case t.VariantType():
            return java("JSON_STRING", "string", java("VARIANT_VALUE", "variant", column))
        case t.ArrayType():
            return lambdas.transform(column, lambda item: as_text(item, type_.element))
        case t.MapType():
            return F.map_from_arrays(
                lambdas.transform(F.map_keys(column), lambda item: as_text(item, type_.key)),
                lambdas.transform(F.map_values(column), lambda item: as_text(item, type_.value)),
            )
        case t.MultisetType():
            return lambdas.transform_keys(column, lambda item, _: as_text(item, type_.element))
        case t.FieldsType():
            parts = [as_text(column.getField(f.name), f.type).alias(f"f{n}") for n, f in enumerate(type_.fields)]
            return F.when(column.isNotNull(), F.struct(*parts))
    return column


def from_spark(value: Any, type_: LogicalType) -> Any:
    """A collected result in the form of the fixtures."""
    if value is None:
        return None
    match type_:
        case t.DecimalType():
            # Spark writes small decimals with other exponents than their type has.
            return format(value.quantize(Decimal(1).scaleb(-type_.scale), context=Context(prec=40)), "f")
        case t.BytesType() | t.BitmapType():
            return bytes(value).hex()
        case t.ArrayType():
            return [from_spark(item, type_.element) for item in value]
        case t.MapType():
            pairs = [[from_spark(k, type_.key), from_spark(v, type_.value)] for k, v in value.items()]
            return sorted(pairs, key=lambda pair: json.dumps(pair))
        case t.MultisetType():
            pairs = [[from_spark(k, type_.element), v] for k, v in value.items()]
            return sorted(pairs, key=lambda pair: json.dumps(pair))
        case t.FieldsType():
            return [from_spark(item, field.type) for item, field in zip(value, type_.fields, strict=True)]
    return value


def from_flink(value: Any, type_: LogicalType) -> Any:
    """A recorded result in the form of `from_spark`."""
    if value is None:
        return None
    match type_:
        case t.TimestampBase():
            return flink_micros(value)
        case t.DateType():
            return (date.fromisoformat(value) - date(1970, 1, 1)).days
        case t.TimeType():
            clock, _, fraction = value.partition(".")
            hours, minutes, seconds = [*map(int, clock.split(":")), 0][:3]
            return (hours * 3600 + minutes * 60 + seconds) * 1000 + int((fraction + "000")[:3])
        case t.ArrayType():
            return [from_flink(item, type_.element) for item in value]
        case t.MapType():
            pairs = [[from_flink(k, type_.key), from_flink(v, type_.value)] for k, v in value]
            return sorted(pairs, key=lambda pair: json.dumps(pair))
        case t.MultisetType():
            pairs = [[from_flink(k, type_.element), v] for k, v in value]
            return sorted(pairs, key=lambda pair: json.dumps(pair))
        case t.FieldsType():
            return [from_flink(item, field.type) for item, field in zip(value, type_.fields, strict=True)]
    return value


def flink_micros(text: str) -> int:
    return micros_of(text)


def evaluate(fixture: Fixture, cases: list[Case], frame: DataFrame) -> list[list[Any]]:
    """The results of each case over all rows of the fixture's frame, computed in one select.

    They have the digits of results that Flink has sent to a client, as in the fixtures.
    """
    types = [type_of(case.rex) for case in cases]
    sent = [as_sent(fixture.column(case), type_) for case, type_ in zip(cases, types, strict=True)]
    columns = [as_text(column, type_).alias(f"c{n}") for n, (column, type_) in enumerate(zip(sent, types, strict=True))]
    rows = sorted(frame.select("#", *columns).collect(), key=lambda row: int(row["#"]))
    return [[from_spark(row[n + 1], type_of(case.rex)) for row in rows] for n, case in enumerate(cases)]

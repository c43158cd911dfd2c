"""CAST and TRY_CAST between all types.

Flink: a string that is no literal of the type fails the query under CAST and is null under TRY_CAST; doubles saturate
to INT and BIGINT; integers keep their low bits; decimals that do not fit are null; CHAR(n) pads and truncates,
VARCHAR(n) truncates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions import texts
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.precision import cut
from compiled_plan.plans.execution.expressions.registry import Family
from compiled_plan.plans.execution.expressions.zones import as_point, from_local, to_local
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)


@translates("$CAST$1", "$cast$1")
def _cast(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return cast_column(args[0], r.type_of(call.operands[0]), call.type, context)


@translates("$TRY_CAST$1")
def _try_cast(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return cast_column(args[0], r.type_of(call.operands[0]), call.type, context, lenient=True)


@translates("$REINTERPRET$1", "$REINTERPRET_CAST$1")
def _reinterpret(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    source, target = r.type_of(call.operands[0]), to_spark(call.type)
    match source, call.type:
        case t.TimestampBase(), t.IntegerType():
            return F.unix_millis(as_point(args[0])).cast(target)
        case _ if to_spark(source) == target:
            return args[0]
        case t.DateType(), t.IntegerType():
            return F.unix_date(args[0]).cast(target)
        case t.IntegerType() | t.IntervalType(), t.TimestampBase():
            return F.timestamp_millis(args[0].cast("bigint")).cast(target)
    return args[0].cast(target)


def cast_column(
    column: Column,
    source: t.LogicalType,
    target: t.LogicalType,
    context: ExpressionContext,
    *,
    lenient: bool = False,
) -> Column:
    """Cast a column of logical type `source` to `target` like Flink's CAST (`lenient`: TRY_CAST).

    Raises:
        UnsupportedError: there is no such cast.
    """
    if source.not_null() == target.not_null():
        return column
    return _Cast(column, context, lenient).column_of(source, target)


@dataclass(frozen=True)
class _Cast:
    column: Column
    context: ExpressionContext
    lenient: bool
    """TRY_CAST: null instead of a failure."""

    def column_of(self, source: t.LogicalType, target: t.LogicalType) -> Column:
        """Apply the first cast that matches both types."""
        column, zone = self.column, self.context.time_zone
        match source, target:
            case t.NullType(), _:
                return F.lit(None).cast(to_spark(target))
            case _, t.CharacterType():
                return self._text(source, target)
            case t.CharacterType(), _:
                return self._read(source, target)
            case t.BytesType() | t.BitmapType(), t.BytesType():
                return _fit_bytes(column, target)
            case t.FloatType() | t.DoubleType(), t.DecimalType():
                double = (
                    column.cast("double") if isinstance(source, t.DoubleType) else column.cast("float").cast("double")
                )
                return java("DOUBLE_TO_DECIMAL", target, double, options=(self._mode, *_digits(target)))
            case t.NumericType(), t.BooleanType():
                return column != 0
            case t.BooleanType(), t.NumericType():
                return column.cast("int").cast(to_spark(target))
            case (
                (t.NumericType(), t.NumericType())
                | (t.IntervalType(), t.IntervalType() | t.IntegerType())
                | (t.IntegerType(), t.IntervalType())
            ):
                # Without ANSI mode Spark narrows as Java, and so Flink, does.
                return column.cast(to_spark(target))
            case t.DateType(), t.TimestampBase():
                return _at_zone(column.cast("timestamp_ntz"), target, zone)
            case t.TimeType(), t.TimestampBase():
                return _at_zone(F.timestamp_millis(column.cast("bigint")).cast("timestamp_ntz"), target, zone)
            case t.TimeType(), t.TimeType():
                return _cut_time(column, target)
            case t.TimestampLtzType(), t.TimestampLtzType():
                return _cut(column, source.precision, target)
            case t.TimestampBase(), t.TimestampBase():
                return _at_zone(_cut(_local(column, source, zone), source.precision, target), target, zone)
            case t.TimestampBase(), t.DateType():
                return _local(column, source, zone).cast("date")
            case t.TimestampBase(), t.TimeType():
                millis = F.unix_millis(as_point(_local(column, source, zone)))
                return _cut_time(F.pmod(millis, F.lit(86_400_000)).cast("int"), target)
            case t.ArrayType(), t.ArrayType():
                return self._array(source, target)
            case t.MapType(), t.MapType():
                return self._map(source, target)
            case t.MultisetType(), t.MultisetType():
                return lambdas.transform_keys(column, lambda item, _: self._inner(item, source.element, target.element))
            case t.FieldsType(), t.FieldsType():
                return self._row(source, target)
        raise self._unsupported(source, target)

    def _unsupported(self, source: t.LogicalType, target: t.LogicalType) -> UnsupportedError:
        return self.context.unsupported(f"a cast from {source} to {target} cannot run")

    @property
    def _mode(self) -> str:
        return "lenient" if self.lenient else "strict"

    def _text(self, source: t.LogicalType, target: t.CharacterType) -> Column:
        if not isinstance(source, t.CharacterType):
            return _fit_text(texts.to_text(self.column, source, self.context), target)
        fits = isinstance(target, t.VarCharType) and source.length <= target.length
        return self.column if fits else _fit_text(self.column, target)

    def _read(self, source: t.CharacterType, target: t.LogicalType) -> Column:
        match target:
            case t.BooleanType():
                return self._parsed("BOOLEAN", target)
            case t.IntegerType():
                return self._parsed("INTEGER", target, "bigint").cast(to_spark(target))
            case t.FloatType():
                return self._parsed("FLOAT", target)
            case t.DoubleType():
                return self._parsed("DOUBLE", target)
            case t.DecimalType():
                options = (self._mode, *_digits(target), str(target))
                return java("PARSE_DECIMAL", target, self.column, options=options)
            case t.DateType():
                return F.date_from_unix_date(self._parsed("DATE", target, "int"))
            case t.TimeType():
                return _cut_time(self._parsed("TIME", target, "int"), target)
            case t.TimestampBase():
                point = F.timestamp_micros(self._parsed("TIMESTAMP", target, "bigint"))
                return _at_zone(_cut(point, 9, target).cast("timestamp_ntz"), target, self.context.time_zone)
            case t.BytesType():
                return _fit_bytes(self.column.cast("binary"), target)
        raise self._unsupported(source, target)

    def _parsed(self, kind: str, target: t.LogicalType, returns: str = "") -> Column:
        options = (self._mode, str(target.with_nullability(True)))
        return java(f"PARSE_{kind}", returns or target, self.column, options=options)

    def _inner(self, column: Column, source: t.LogicalType, target: t.LogicalType) -> Column:
        return cast_column(column, source, target, self.context, lenient=self.lenient)

    def _can_fail(self, source: t.LogicalType) -> bool:
        """True if a failure inside makes the whole value null: TRY_CAST of a type that contains text."""
        return self.lenient and (isinstance(source, t.CharacterType) or any(map(self._can_fail, source.children())))

    def _array(self, source: t.ArrayType, target: t.ArrayType) -> Column:
        if _only_names(source, target):
            return self.column.cast(to_spark(target))

        def inner(item: Column) -> Column:
            return self._inner(item, source.element, target.element)

        converted = lambdas.transform(self.column, inner)
        if not self._can_fail(source):
            return converted
        return F.when(~lambdas.exists(self.column, lambda item: item.isNotNull() & inner(item).isNull()), converted)

    def _map(self, source: t.MapType, target: t.MapType) -> Column:
        if _only_names(source, target):
            return self.column.cast(to_spark(target))
        keys = lambdas.transform(F.map_keys(self.column), lambda item: self._inner(item, source.key, target.key))
        values = lambdas.transform(
            F.map_values(self.column), lambda item: self._inner(item, source.value, target.value)
        )
        return F.map_from_arrays(keys, values)

    def _row(self, source: t.FieldsType, target: t.FieldsType) -> Column:
        """Fields are cast by position; a field that the source lacks is null."""
        column = self.column
        if _only_names(source, target):
            return column.cast(to_spark(target))
        pairs = zip(source.fields, target.fields, strict=False)
        fields = [self._inner(column.getField(a.name), a.type, b.type).alias(b.name) for a, b in pairs]
        fields += [F.lit(None).cast(to_spark(b.type)).alias(b.name) for b in target.fields[len(fields) :]]
        row = F.struct(*fields)
        failed = [
            column.getField(a.name).isNotNull() & field.isNull()
            for a, field in zip(source.fields, fields, strict=False)
            if self._can_fail(a.type)
        ]
        not_null = column.isNotNull() & ~reduce(or_, failed) if failed else column.isNotNull()
        return F.when(not_null, row) if source.nullable or failed else row


def _fit_text(column: Column, target: t.CharacterType) -> Column:
    """A string truncated to the length of its type, and for CHAR padded."""
    if isinstance(target, t.CharType):
        return F.rpad(column, target.length, " ")
    return column if target.length == t.MAX_LENGTH else F.substring(column, 1, target.length)


def _fit_bytes(column: Column, target: t.BytesType) -> Column:
    if isinstance(target, t.BinaryType):
        return F.rpad(column, target.length, F.lit(bytearray(b"\0")))
    return column if target.length == t.MAX_LENGTH else F.substring(column, 1, target.length)


def _digits(target: t.DecimalType) -> tuple[str, str]:
    return str(target.precision), str(target.scale)


def _cut_time(millis: Column, target: t.TimeType) -> Column:
    """A time of day truncated to the target's precision."""
    unit = 10 ** max(0, 3 - target.precision)
    return millis - F.pmod(millis, F.lit(unit)) if unit > 1 else millis


def _cut(column: Column, precision: int, target: t.TimestampBase) -> Column:
    """A timestamp truncated to the target's precision, if it has more."""
    return column if precision <= target.precision else cut(column, target, target.precision)


def _local(column: Column, source: t.TimestampBase, zone: str) -> Column:
    return to_local(column, zone) if isinstance(source, t.TimestampLtzType) else column


def _at_zone(local: Column, target: t.TimestampBase, zone: str) -> Column:
    """A local time as a value of the target."""
    return from_local(local, zone) if isinstance(target, t.TimestampLtzType) else local


_NESTED = (t.ArrayType, t.MapType, t.MultisetType, t.FieldsType)


def _only_names(source: t.LogicalType, target: t.LogicalType) -> bool:
    """True if two nested types differ only in field names and nullability: Spark's cast by position suffices."""
    a, b = list(source.children()), list(target.children())
    if len(a) != len(b):
        return False
    if not a:
        return source.not_null() == target.not_null()
    return isinstance(target, _NESTED) and all(_only_names(x, y) for x, y in zip(a, b, strict=True))

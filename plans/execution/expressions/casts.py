"""CAST and TRY_CAST between all types.

Flink: a string that does not say a value fails the query under CAST and is null under TRY_CAST; doubles saturate to
INT and BIGINT; whole numbers keep their low bits; decimals that do not fit are null; CHAR(n) pads and cuts,
VARCHAR(n) cuts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions import texts
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.registry import translates
from compiled_plan.plans.execution.expressions.zones import as_local, as_point, from_local, to_local
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call


@dataclass(frozen=True)
class _Cast:
    source: t.LogicalType
    target: t.LogicalType
    context: ExpressionContext
    lenient: bool
    """TRY_CAST: null instead of a failure."""

    def can_fail(self, source: t.LogicalType) -> bool:
        """True where a failure inside makes the whole value null: TRY_CAST of something that holds text."""
        return self.lenient and (isinstance(source, t.CharacterType) or any(map(self.can_fail, source.children())))

    def inner(self, column: Column, source: t.LogicalType, target: t.LogicalType) -> Column:
        return cast_column(column, source, target, self.context, lenient=self.lenient)


_Rule = Callable[["Column", _Cast], "Column"]
_RULES: list[tuple[tuple[type, ...], tuple[type, ...], _Rule]] = []


def _casts(sources: tuple[type, ...], targets: tuple[type, ...]) -> Callable[[_Rule], _Rule]:
    def register(rule: _Rule) -> _Rule:
        _RULES.append((sources, targets, rule))
        return rule

    return register


@translates("$CAST$1", "$cast$1")
def _cast(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return cast_column(args[0], r.type_of(call.operands[0]), call.type, context)


@translates("$TRY_CAST$1")
def _try_cast(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return cast_column(args[0], r.type_of(call.operands[0]), call.type, context, lenient=True)


@translates("$REINTERPRET$1", "$REINTERPRET_CAST$1")
def _reinterpret(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    source = r.type_of(call.operands[0])
    plain = isinstance(source, t.TimestampBase) and isinstance(call.type, t.IntegerType)
    if plain and isinstance(source, t.TimestampBase):
        return F.unix_millis(as_point(args[0])).cast(to_spark(call.type))
    if to_spark(source) == to_spark(call.type):
        return args[0]
    if isinstance(source, t.DateType) and isinstance(call.type, t.IntegerType):
        return F.unix_date(args[0]).cast(to_spark(call.type))
    if isinstance(source, t.IntegerType | t.IntervalType) and isinstance(call.type, t.TimestampBase):
        return F.timestamp_millis(args[0].cast("bigint")).cast(to_spark(call.type))
    return args[0].cast(to_spark(call.type))


def cast_column(
    column: Column,
    source: t.LogicalType,
    target: t.LogicalType,
    context: ExpressionContext,
    *,
    lenient: bool = False,
) -> Column:
    """A column of logical type `source` as a value of `target`, as Flink's CAST (`lenient`: TRY_CAST) has it.

    Raises:
        UnsupportedError: there is no such cast.
    """
    if source.not_null() == target.not_null():
        return column
    cast = _Cast(source, target, context, lenient)
    for sources, targets, rule in _RULES:
        if isinstance(source, sources) and isinstance(target, targets):
            return rule(column, cast)
    raise context.unsupported(f"a cast from {source} to {target} cannot run")


_NUMBER = (t.NumericType,)
_TEXT = (t.CharacterType,)
_ANY = (t.LogicalType,)
_NESTED = (t.ArrayType, t.MapType, t.MultisetType, t.FieldsType)


@_casts((t.NullType,), _ANY)
def _null(column: Column, cast: _Cast) -> Column:
    return F.lit(None).cast(to_spark(cast.target))


@_casts(_TEXT, _TEXT)
def _text_to_text(column: Column, cast: _Cast) -> Column:
    source, target = cast.source, cast.target
    assert isinstance(source, t.CharacterType) and isinstance(target, t.CharacterType)
    shorter = source.length <= target.length
    if isinstance(target, t.VarCharType) and shorter:
        return column
    return fit_text(column, target)


def fit_text(column: Column, target: t.CharacterType) -> Column:
    """A string cut to the length of its type, and for CHAR padded to it."""
    if isinstance(target, t.CharType):
        return F.rpad(column, target.length, " ")
    return column if target.length == t.MAX_LENGTH else F.substring(column, 1, target.length)


@_casts((t.BooleanType,), _TEXT)
def _boolean_to_text(column: Column, cast: _Cast) -> Column:
    assert isinstance(cast.target, t.CharacterType)
    return fit_text(F.upper(column.cast("string")), cast.target)


@_casts((t.BytesType,), _TEXT)
def _bytes_to_text(column: Column, cast: _Cast) -> Column:
    assert isinstance(cast.target, t.CharacterType)
    return fit_text(java("UTF8", "string", column), cast.target)


@_casts(_ANY, _TEXT)
def _any_to_text(column: Column, cast: _Cast) -> Column:
    assert isinstance(cast.target, t.CharacterType)
    return fit_text(texts.to_text(column, cast.source, cast.context), cast.target)


@_casts(_TEXT, (t.BooleanType,))
def _text_to_boolean(column: Column, cast: _Cast) -> Column:
    return _parsed("BOOLEAN", column, cast)


def _parsed(what: str, column: Column, cast: _Cast, returns: str = "") -> Column:
    mode = "lenient" if cast.lenient else "strict"
    return java(
        f"PARSE_{what}", returns or cast.target, column, options=(mode, str(cast.target.with_nullability(True)))
    )


@_casts(_TEXT, (t.IntegerType,))
def _text_to_integer(column: Column, cast: _Cast) -> Column:
    return _parsed("INTEGER", column, cast, "bigint").cast(to_spark(cast.target))


@_casts(_TEXT, (t.FloatType,))
def _text_to_float(column: Column, cast: _Cast) -> Column:
    return _parsed("FLOAT", column, cast)


@_casts(_TEXT, (t.DoubleType,))
def _text_to_double(column: Column, cast: _Cast) -> Column:
    return _parsed("DOUBLE", column, cast)


@_casts(_TEXT, (t.DecimalType,))
def _text_to_decimal(column: Column, cast: _Cast) -> Column:
    target = cast.target
    assert isinstance(target, t.DecimalType)
    mode = "lenient" if cast.lenient else "strict"
    return java("PARSE_DECIMAL", target, column, options=(mode, str(target.precision), str(target.scale), str(target)))


@_casts(_TEXT, (t.DateType,))
def _text_to_date(column: Column, cast: _Cast) -> Column:
    return F.date_from_unix_date(_parsed("DATE", column, cast, "int"))


@_casts(_TEXT, (t.TimeType,))
def _text_to_time(column: Column, cast: _Cast) -> Column:
    return _cut_time(_parsed("TIME", column, cast, "int"), cast)


def _cut_time(millis: Column, cast: _Cast) -> Column:
    """A time of day without the digits beyond the target's precision."""
    unit = 10 ** max(0, 3 - getattr(cast.target, "precision", 0))
    return millis - F.pmod(millis, F.lit(unit)) if unit > 1 else millis


@_casts(_TEXT, (t.TimestampType,))
def _text_to_timestamp(column: Column, cast: _Cast) -> Column:
    local = F.timestamp_micros(_parsed("TIMESTAMP", column, cast, "bigint"))
    return _cut(local, 9, cast).cast("timestamp_ntz")


@_casts(_TEXT, (t.TimestampLtzType,))
def _text_to_timestamp_ltz(column: Column, cast: _Cast) -> Column:
    local = F.timestamp_micros(_parsed("TIMESTAMP", column, cast, "bigint"))
    return from_local(_cut(local, 9, cast).cast("timestamp_ntz"), cast.context.time_zone)


@_casts(_TEXT, (t.BytesType,))
def _text_to_bytes(column: Column, cast: _Cast) -> Column:
    return _fit_bytes(column.cast("binary"), cast)


@_casts((t.BytesType,), (t.BytesType,))
def _bytes_to_bytes(column: Column, cast: _Cast) -> Column:
    return _fit_bytes(column, cast)


def _fit_bytes(column: Column, cast: _Cast) -> Column:
    target = cast.target
    assert isinstance(target, t.BytesType)
    if isinstance(target, t.BinaryType):
        return F.rpad(column, target.length, F.lit(bytearray(b"\0")))
    return column if target.length == t.MAX_LENGTH else F.substring(column, 1, target.length)


@_casts((t.FloatType, t.DoubleType), (t.DecimalType,))
def _double_to_decimal(column: Column, cast: _Cast) -> Column:
    target = cast.target
    assert isinstance(target, t.DecimalType)
    mode = "lenient" if cast.lenient else "strict"
    return java(
        "DOUBLE_TO_DECIMAL",
        target,
        column.cast("double") if isinstance(cast.source, t.DoubleType) else column.cast("float").cast("double"),
        options=(mode, str(target.precision), str(target.scale)),
    )


@_casts(_NUMBER, _NUMBER)
def _number_to_number(column: Column, cast: _Cast) -> Column:
    # Without ANSI mode Spark narrows as Java does, which is what Flink does too.
    return column.cast(to_spark(cast.target))


@_casts(_NUMBER, (t.BooleanType,))
def _number_to_boolean(column: Column, cast: _Cast) -> Column:
    return column != 0


@_casts((t.BooleanType,), _NUMBER)
def _boolean_to_number(column: Column, cast: _Cast) -> Column:
    return column.cast("int").cast(to_spark(cast.target))


@_casts((t.DateType,), (t.TimestampType,))
def _date_to_timestamp(column: Column, cast: _Cast) -> Column:
    return column.cast("timestamp_ntz")


@_casts((t.DateType,), (t.TimestampLtzType,))
def _date_to_timestamp_ltz(column: Column, cast: _Cast) -> Column:
    return from_local(column.cast("timestamp_ntz"), cast.context.time_zone)


@_casts((t.TimeType,), (t.TimestampType,))
def _time_to_timestamp(column: Column, cast: _Cast) -> Column:
    return F.timestamp_millis(column.cast("bigint")).cast("timestamp_ntz")


@_casts((t.TimeType,), (t.TimestampLtzType,))
def _time_to_timestamp_ltz(column: Column, cast: _Cast) -> Column:
    return from_local(F.timestamp_millis(column.cast("bigint")).cast("timestamp_ntz"), cast.context.time_zone)


@_casts((t.TimeType,), (t.TimeType,))
def _time_to_time(column: Column, cast: _Cast) -> Column:
    return _cut_time(column, cast)


@_casts((t.TimestampType,), (t.TimestampType,))
@_casts((t.TimestampLtzType,), (t.TimestampLtzType,))
def _timestamp_same(column: Column, cast: _Cast) -> Column:
    return _cut(column, getattr(cast.source, "precision", 6), cast)


@_casts((t.TimestampLtzType,), (t.TimestampType,))
def _ltz_to_timestamp(column: Column, cast: _Cast) -> Column:
    return _cut(to_local(column, cast.context.time_zone), getattr(cast.source, "precision", 6), cast)


@_casts((t.TimestampType,), (t.TimestampLtzType,))
def _timestamp_to_ltz(column: Column, cast: _Cast) -> Column:
    return from_local(_cut(column, getattr(cast.source, "precision", 6), cast), cast.context.time_zone)


_UNITS = {0: 1_000_000, 1: 100_000, 2: 10_000, 3: 1_000, 4: 100, 5: 10}


def _cut(column: Column, precision: int, cast: _Cast) -> Column:
    """A timestamp without the digits beyond the target's precision."""
    target = getattr(cast.target, "precision", 6)
    unit = _UNITS.get(target)
    if unit is None or precision <= target:
        return column
    micros = F.unix_micros(as_point(column))
    floored = F.timestamp_micros(micros - F.pmod(micros, F.lit(unit)))
    return as_local(floored) if isinstance(cast.target, t.TimestampType) else floored


def _local(column: Column, cast: _Cast) -> Column:
    ltz = isinstance(cast.source, t.TimestampLtzType)
    return to_local(column, cast.context.time_zone) if ltz else column


@_casts((t.TimestampBase,), (t.DateType,))
def _timestamp_to_date(column: Column, cast: _Cast) -> Column:
    return _local(column, cast).cast("date")


@_casts((t.TimestampBase,), (t.TimeType,))
def _timestamp_to_time(column: Column, cast: _Cast) -> Column:
    millis = F.unix_millis(as_point(_local(column, cast)))
    return _cut_time(F.pmod(millis, F.lit(86_400_000)).cast("int"), cast)


@_casts((t.IntervalType,), (t.IntervalType, t.IntegerType))
def _interval(column: Column, cast: _Cast) -> Column:
    return column.cast(to_spark(cast.target))


@_casts((t.IntegerType,), (t.IntervalType,))
def _to_interval(column: Column, cast: _Cast) -> Column:
    return column.cast(to_spark(cast.target))


@_casts((t.ArrayType,), (t.ArrayType,))
def _array(column: Column, cast: _Cast) -> Column:
    source, target = cast.source, cast.target
    assert isinstance(source, t.ArrayType) and isinstance(target, t.ArrayType)
    if _only_names(source, target):
        return column.cast(to_spark(target))
    made = lambdas.transform(column, lambda item: cast.inner(item, source.element, target.element))
    if not cast.can_fail(source):
        return made
    failed = lambdas.exists(
        column, lambda item: item.isNotNull() & cast.inner(item, source.element, target.element).isNull()
    )
    return F.when(~failed, made)


@_casts((t.MapType,), (t.MapType,))
def _map(column: Column, cast: _Cast) -> Column:
    source, target = cast.source, cast.target
    assert isinstance(source, t.MapType) and isinstance(target, t.MapType)
    if _only_names(source, target):
        return column.cast(to_spark(target))
    keys = lambdas.transform(F.map_keys(column), lambda item: cast.inner(item, source.key, target.key))
    values = lambdas.transform(F.map_values(column), lambda item: cast.inner(item, source.value, target.value))
    return F.map_from_arrays(keys, values)


@_casts((t.MultisetType,), (t.MultisetType,))
def _multiset(column: Column, cast: _Cast) -> Column:
    source, target = cast.source, cast.target
    assert isinstance(source, t.MultisetType) and isinstance(target, t.MultisetType)
    return lambdas.transform_keys(column, lambda item, _: cast.inner(item, source.element, target.element))


@_casts((t.FieldsType,), (t.FieldsType,))
def _row(column: Column, cast: _Cast) -> Column:
    """Fields go by position; a field that the source lacks is null."""
    source, target = cast.source, cast.target
    assert isinstance(source, t.FieldsType) and isinstance(target, t.FieldsType)
    if _only_names(source, target):
        return column.cast(to_spark(target))
    pairs = zip(source.fields, target.fields, strict=False)
    fields = [cast.inner(column.getField(a.name), a.type, b.type).alias(b.name) for a, b in pairs]
    fields += [F.lit(None).cast(to_spark(b.type)).alias(b.name) for b in target.fields[len(fields) :]]
    made = F.struct(*fields)
    failed = [
        column.getField(a.name).isNotNull() & field.isNull()
        for a, field in zip(source.fields, fields, strict=False)
        if cast.can_fail(a.type)
    ]
    whole = column.isNotNull() & ~reduce(lambda a, b: a | b, failed) if failed else column.isNotNull()
    return F.when(whole, made) if source.nullable or failed else made


def _only_names(source: t.LogicalType, target: t.LogicalType) -> bool:
    """True where two nested types differ in field names and nullability alone: Spark's cast by position does."""
    a, b = list(source.children()), list(target.children())
    if len(a) != len(b):
        return False
    if not a:
        return source.not_null() == target.not_null()
    return isinstance(target, _NESTED) and all(_only_names(x, y) for x, y in zip(a, b, strict=True))

"""The SQL/JSON functions: JSON_VALUE, JSON_QUERY, JSON_EXISTS, IS JSON, constructors.

A path without `lax` or `strict` is strict, as in Flink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions import texts
from compiled_plan.plans.execution.expressions.functions import java
from compiled_plan.plans.execution.expressions.literals_to_columns import constant, symbol
from compiled_plan.plans.execution.expressions.registry import Family
from compiled_plan.plans.execution.expressions.zones import as_local
from compiled_plan.plans.execution.spark import lambdas
from compiled_plan.plans.execution.spark.types import to_spark

if TYPE_CHECKING:
    from pyspark.sql import Column

    from compiled_plan.plans.execution.expressions.context import ExpressionContext
    from compiled_plan.plans.rex import Call

translates = Family(__name__)
translates.kernel("JSON")
translates.kernel("JSON_QUOTE")
translates.kernel("JSON_UNQUOTE")

_JSON_CALLS = frozenset({"$JSON_OBJECT$1", "$JSON_ARRAY$1", "$JSON$1"})


def _is_json(value: Column, kind: str) -> Column:
    return java("IS_JSON", "boolean", value, options=(kind,))


for _kind in ("VALUE", "SCALAR", "ARRAY", "OBJECT"):
    translates.columns(f"$IS JSON {_kind}$1", apply=lambda value, kind=_kind: _is_json(value, kind))
    # Flink: null IS NOT JSON is true.
    translates.columns(f"$IS NOT JSON {_kind}$1", apply=lambda value, kind=_kind: ~_is_json(value, kind))


@translates("$IS_JSON$1")
def _is_json_call(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return _is_json(args[0], symbol(call.operands[1]) if len(args) > 1 else "VALUE")


@translates("$JSON_EXISTS$1")
def _exists(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    on_error = symbol(call.operands[2]) if len(args) > 2 else "FALSE"
    return java("JSON_EXISTS", "boolean", args[0], args[1], options=(on_error,))


@translates("$JSON_VALUE$1")
def _value(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    behaviours: dict[str, str] = {}
    defaults: dict[str, Column] = {}
    index = 2
    while index < len(args):
        behaviour = symbol(call.operands[index])
        has_default = behaviour == "DEFAULT"
        event = symbol(call.operands[index + (2 if has_default else 1)])
        if event not in behaviours:  # as in Flink, the first behaviour for an event counts
            behaviours[event] = behaviour
            if has_default:
                defaults[event] = args[index + 1].cast("string")
        index += 3 if has_default else 2
    events, null = ("EMPTY", "ERROR"), F.lit(None).cast("string")
    options = (*(behaviours.get(event, "NULL") for event in events), _returned(call.type))
    values = (defaults.get(event, null) for event in events)
    text = java("JSON_VALUE", "string", args[0], args[1], *values, options=options)
    return text.cast(to_spark(call.type))


def _returned(type_: t.LogicalType) -> str:
    match type_:
        case t.BooleanType():
            return "BOOLEAN"
        case t.IntegerType():
            return "INTEGER"
        case t.FloatType() | t.DoubleType():
            return "DOUBLE"
    return "STRING"


@translates("$JSON_QUERY$1")
def _query(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    symbols = [symbol(operand) for operand in call.operands[2:5]]
    wrapper, on_empty, on_error = (symbols + ["WITHOUT_ARRAY", "NULL", "NULL"][len(symbols) :])[:3]
    options = (wrapper, on_empty, on_error)
    if isinstance(call.type, t.ArrayType):
        return java("JSON_QUERY_ARRAY", "array<string>", args[0], args[1], options=options)
    return java("JSON_QUERY", "string", args[0], args[1], options=options)


def _printable(column: Column, type_: t.LogicalType, context: ExpressionContext) -> Column:
    """Times as text; the Java side writes all other values."""
    match type_:
        case t.VariantType():
            return java("VARIANT_VALUE", "variant", column)
        case t.TimestampBase():
            return _iso(column, type_)
        case t.DateType() | t.TimeType():
            return texts.to_text(column, type_, context)
        case t.ArrayType():
            return lambdas.transform(column, lambda item: _printable(item, type_.element, context))
        case t.MapType():
            return F.map_from_arrays(
                lambdas.transform(F.map_keys(column), lambda item: texts.to_text(item, type_.key, context)),
                lambdas.transform(F.map_values(column), lambda item: _printable(item, type_.value, context)),
            )
        case t.FieldsType():
            parts = [_printable(column.getField(f.name), f.type, context).alias(f.name) for f in type_.fields]
            return F.when(column.isNotNull(), F.struct(*parts))
    return column


def _iso(column: Column, type_: t.TimestampBase) -> Column:
    """`2020-01-01T10:00:00.12`; an instant is in UTC, whatever the session's zone: `...12Z`."""
    moment = as_local(column) if isinstance(type_, t.TimestampLtzType) else column
    fraction = F.rtrim(F.date_format(moment, ".SSSSSS"), F.lit("0"))
    zone = F.lit("Z" if isinstance(type_, t.TimestampLtzType) else "")
    # Without digits drop the dot, too.
    return F.concat(F.date_format(moment, "yyyy-MM-dd'T'HH:mm:ss"), F.rtrim(fraction, F.lit(".")), zone)


def _prepared(call: Call, args: tuple[Column, ...], index: int, context: ExpressionContext) -> tuple[Column, str]:
    """A value for JSON_OBJECT or JSON_ARRAY, and True if it is JSON already."""
    operand = call.operands[index]
    raw = isinstance(operand, r.Call) and operand.name in _JSON_CALLS
    value = args[index] if raw else _printable(args[index], r.type_of(operand), context)
    return value, "raw" if raw else "value"


@translates("$JSON_STRING$1")
def _string(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    return java("JSON_STRING", "string", _printable(args[0], r.type_of(call.operands[0]), context))


@translates("$JSON_OBJECT$1")
def _object(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    options = [symbol(call.operands[0])]
    values = []
    for index in range(1, len(args), 2):
        value, form = _prepared(call, args, index + 1, context)
        values.append(value.alias(f"v{index}"))
        options += [str(constant(call.operands[index])), form]
    if not values:
        return F.lit("{}")
    return java("JSON_OBJECT", "string", F.struct(*values), options=tuple(options))


@translates("$JSON_ARRAY$1")
def _array(call: Call, args: tuple[Column, ...], context: ExpressionContext) -> Column:
    options = [symbol(call.operands[0])]
    values = []
    for index in range(1, len(args)):
        value, form = _prepared(call, args, index, context)
        values.append(value.alias(f"v{index}"))
        options.append(form)
    if not values:
        return F.lit("[]")
    return java("JSON_ARRAY", "string", F.struct(*values), options=tuple(options))

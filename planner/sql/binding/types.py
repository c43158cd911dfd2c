"""Data types: syntax to logical types."""

from __future__ import annotations

from collections.abc import Callable

from compiled_plan.planner.diagnostics.foreign import TYPES
from compiled_plan.planner.diagnostics.suggestions import did_you_mean
from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.plans import types as t
from compiled_plan.plans.deep import deeply


@deeply
def bind_type(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    """The logical type of a type spec; nullable unless NOT NULL is written.

    Raises:
        ProgramError: a length or precision outside its bounds, or a duplicate field.
        UnsupportedError: a type that is not supported.
    """
    reader = _READERS.get(spec.root)
    if reader is None:
        raise source.unsupported(spec, f"the type {spec.root}")
    return reader(spec, source).with_nullability(spec.nullable is not False)


def qualifier_text(unit: ast.IntervalQualifier) -> str:
    """The qualifier of an interval literal: `DAY`, `YEAR(4) TO MONTH`, `DAY TO SECOND(3)`, `SECOND(2, 3)`."""
    precision, scale = unit.precision, unit.scale
    if unit.end is None:
        inner = [str(number) for number in (precision, scale) if number is not None]
        return f"{unit.start}({', '.join(inner)})" if inner else unit.start
    start = unit.start if precision is None else f"{unit.start}({precision})"
    return f"{start} TO {unit.end}" + ("" if scale is None else f"({scale})")


def _number(spec: ast.TypeSpec, source: SourceText, default: int, low: int, high: int) -> int:
    if not spec.parameters:
        return default
    value = spec.parameters[0]
    if not low <= value <= high:
        raise source.error(spec, f"{spec.root}({value}) is out of bounds", f"write a number from {low} to {high}")
    return value


def _at_most(make: Callable[[int], t.LogicalType], low: int, high: int, default: int) -> _Reader:
    """Like `_sized`, but larger numbers are reduced to the maximum, as in Flink's type system."""

    def read(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
        return make(min(_number(spec, source, default, low, t.MAX_LENGTH), high))

    return read


def _sized(make: Callable[[int], t.LogicalType], low: int, high: int, default: int) -> _Reader:
    return lambda spec, source: make(_number(spec, source, default, low, high))


def _plain(type_: t.LogicalType) -> _Reader:
    return lambda spec, source: type_


def _decimal(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    precision = min(_number(spec, source, 10, 1, t.MAX_LENGTH), 38)
    scale = spec.parameters[1] if len(spec.parameters) > 1 else 0
    if scale > precision:
        raise source.error(spec, f"DECIMAL({precision}, {scale}) has a scale above its precision")
    return t.DecimalType(precision=precision, scale=scale)


def _interval(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    unit = spec.unit
    if unit is None:
        raise source.error(spec, "INTERVAL needs a unit", "write INTERVAL DAY, INTERVAL DAY TO SECOND(3), ...")
    with source.at(spec):
        return plan_literals.interval_type(qualifier_text(unit))


def _array(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    return t.ArrayType(element=bind_type(spec.children[0], source))


def _multiset(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    return t.MultisetType(element=bind_type(spec.children[0], source))


def _map(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    return t.MapType(key=bind_type(spec.children[0], source), value=bind_type(spec.children[1], source))


def _fields(spec: ast.TypeSpec, source: SourceText) -> tuple[t.Field, ...]:
    fields: list[t.Field] = []
    for item in spec.fields:
        name = item.identifier.name
        if any(field.name == name for field in fields):
            raise source.error(item, f"field {name!r} is declared twice in {spec.root}")
        fields.append(t.Field(name, bind_type(item.type, source), item.comment))
    return tuple(fields)


def _row(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    return t.RowType(fields=_fields(spec, source))


def _structured(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    fields = _fields(spec, source)
    with source.at(spec):
        name = t.check_structured(spec.class_name)
    return t.StructuredType(class_name=name, fields=fields)


def _raw(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    return t.RawType(class_name=spec.class_name, serializer=spec.snapshot)


def _real(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    raise source.error(
        spec, "the type REAL is not supported, in Flink neither", "write FLOAT, which has the same 4 bytes"
    )


def _user(spec: ast.TypeSpec, source: SourceText) -> t.LogicalType:
    name = ".".join(part.name for part in spec.parts)
    form = TYPES.get(name.upper())
    remedy = f"write {form}" if form else did_you_mean(name.upper(), _READERS, "write a built-in type")
    raise source.error(spec, f"no type is named {name!r}", remedy)


_Reader = Callable[[ast.TypeSpec, SourceText], t.LogicalType]

_READERS: dict[str, _Reader] = {
    "CHAR": _sized(lambda n: t.CharType(length=n), 1, t.MAX_LENGTH, 1),
    "VARCHAR": _sized(lambda n: t.VarCharType(length=n), 1, t.MAX_LENGTH, t.MAX_LENGTH),
    "STRING": _plain(t.STRING),
    "BOOLEAN": _plain(t.BOOLEAN),
    "BINARY": _sized(lambda n: t.BinaryType(length=n), 1, t.MAX_LENGTH, 1),
    "VARBINARY": _sized(lambda n: t.VarBinaryType(length=n), 1, t.MAX_LENGTH, t.MAX_LENGTH),
    "BITMAP": _plain(t.BITMAP),
    "BYTES": _plain(t.BYTES),
    "DECIMAL": _decimal,
    "TINYINT": _plain(t.TINYINT),
    "SMALLINT": _plain(t.SMALLINT),
    "INT": _plain(t.INT),
    "BIGINT": _plain(t.BIGINT),
    "FLOAT": _plain(t.FLOAT),
    "DOUBLE": _plain(t.DOUBLE),
    "DATE": _plain(t.DATE),
    "TIME": _at_most(lambda n: t.TimeType(precision=n), 0, 3, 0),
    "TIMESTAMP": _at_most(lambda n: t.TimestampType(precision=n), 0, 9, 6),
    "TIMESTAMP_LTZ": _at_most(lambda n: t.TimestampLtzType(precision=n), 0, 9, 6),
    "INTERVAL": _interval,
    "ARRAY": _array,
    "MULTISET": _multiset,
    "MAP": _map,
    "ROW": _row,
    "STRUCTURED": _structured,
    "RAW": _raw,
    "REAL": _real,
    "VARIANT": _plain(t.VARIANT),
    "USER": _user,
}

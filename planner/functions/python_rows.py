"""Python objects as constant rows: column types, and values as row expressions.

Source: Flink's `TableEnvironment.fromValues`: columns f0, f1, ... unless the rows name them; a column has the common
type of its values (INT and BIGINT give BIGINT, CHAR(3) and CHAR(5) VARCHAR(5), a NULL makes it nullable).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from compiled_plan.planner.functions import casts, plan_literals
from compiled_plan.planner.functions.constant_values import constant
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types.classes import field_names, is_named_tuple, use_class
from compiled_plan.plans.types.conversions import converter_of
from compiled_plan.plans.types.conversions.data_types import AnyType, DataType, DataTypes
from compiled_plan.plans.types.mutable_row import MutableRow, names_in
from compiled_plan.plans.types.row import Row

#: Location in errors, besides the column.
PLACE = "from_values()"


@dataclass(frozen=True, slots=True)
class ConstantRows:
    """The columns of constant rows, and their cells."""

    row_type: t.RowType
    cells: tuple[tuple[RexNode, ...], ...]


def constant_rows(rows: Iterable[object], schema: AnyType = None) -> ConstantRows:
    """Convert Python objects to constant rows.

    Args:
        rows: each a tuple, list, Row, dict, NamedTuple, object of a dataclass or of another class with fields; or a
            single value, which is a row of one column.
        schema: the columns: a row type, an annotated class, or a list of names. By default the names are those of the
            rows (else f0, f1, ...), and the types those of the values.

    Raises:
        ProgramError: no rows and no types; rows of different widths; a column without a common type.
        DataError: a value that does not fit its column's type; names column, type and value.
    """
    items = list(rows)
    declared, names = _schema(schema)
    if declared is None and not items:
        raise ProgramError("there are no rows, so the columns' types are not known", remedy="give a schema")
    if declared is None and (common := _common_class(items)) is not None:
        declared = _annotated(common, names)
        items = [_split(item)[1] for item in items] if names else items
    if declared is not None:
        names = declared.logical_type.names if isinstance(declared.logical_type, t.FieldsType) else ()
        into = converter_of(declared, place=PLACE).to_internal
        whole = [into(_as_row(item, declared)) for item in items]
        return _constant(names, [field.type for field in _fields(declared)], whole)
    row_names, cells = _cells(items)
    names = names or row_names or tuple(f"f{at}" for at in range(len(cells[0]) if cells else 0))
    _check_widths(cells, names)
    columns = [_column(name, [row[at] for row in cells]) for at, name in enumerate(names)]
    return _constant(names, [type_ for type_, _ in columns], list(zip(*(values for _, values in columns), strict=True)))


def constant_of(value: object) -> RexNode:
    """A Python value as a row expression of its class's type.

    Raises:
        ProgramError: its class has no type.
        DataError: a field's value does not fit the field's type.
    """
    type_, values = _column("value", [value], "lit()")
    return constant(values[0], type_)


def columns_of_schema(schema: AnyType) -> tuple[tuple[str, ...], t.RowType | None]:
    """The column names and types of a schema; () and None for missing ones."""
    data_type, names = _schema(schema)
    if data_type is None:
        return names, None
    fields = _fields(data_type)
    return tuple(field.name for field in fields), t.RowType(fields=fields)


def _schema(schema: AnyType) -> tuple[DataType | None, tuple[str, ...]]:
    """The data type, or else the column names, of a schema."""
    if schema is None:
        return None, ()
    if isinstance(schema, list | tuple) and all(isinstance(item, str) for item in schema):
        twice = next((name for name in schema if list(schema).count(name) > 1), None)
        if twice is not None:
            raise ProgramError(f"two columns are named {twice!r}", where=PLACE, remedy="give each a name of its own")
        return None, tuple(schema)
    type_ = DataTypes.ROW(*schema) if isinstance(schema, list | tuple) else DataTypes.of(schema)
    if not isinstance(type_.logical_type, t.FieldsType):
        return DataTypes.ROW(DataTypes.FIELD("f0", type_)), ()
    return type_.not_null(), ()


def _common_class(items: Sequence[object]) -> type | None:
    """The class of all rows if its annotations declare the columns, else None."""
    classes = {type(item) for item in items}
    if len(classes) != 1:
        return None
    class_ = classes.pop()
    return class_ if is_dataclass(class_) or is_named_tuple(class_) else None


def _annotated(class_: type, names: tuple[str, ...]) -> DataType | None:
    """The columns that a class's annotations declare, under `names` if there are any; None if it declares none."""
    try:
        type_ = DataTypes.of(class_)
    except ProgramError:
        return None
    fields = _fields(type_)
    if not names:
        return type_
    if len(names) != len(fields):
        raise ProgramError(f"{len(names)} names are given for rows of {len(fields)} fields")
    renamed = [DataTypes.FIELD(name, child) for name, child in zip(names, type_.children, strict=True)]
    return DataTypes.ROW(*renamed).not_null()


def _fields(data_type: DataType) -> tuple[t.Field, ...]:
    type_ = data_type.logical_type
    assert isinstance(type_, t.FieldsType)
    return type_.fields


def _as_row(item: object, row: DataType) -> object:
    """A single value is a row of one column."""
    whole = isinstance(item, tuple | list | Mapping | MutableRow) or _is_record(item)
    own = tuple(class_ for class_, _ in row.logical_type.conversions) + ((row.bridge,) if row.bridge else ())
    return item if whole or isinstance(item, own) or len(row.children) != 1 else (item,)


def _is_record(item: object) -> bool:
    return (is_dataclass(item) and not isinstance(item, type)) or is_named_tuple(type(item))


def _cells(items: Sequence[object]) -> tuple[tuple[str, ...], list[list[object]]]:
    """The column names of rows, and the values in that order."""
    names: dict[str, None] = {}
    split = [_split(item) for item in items]
    for own_names, _ in split:
        names.update(dict.fromkeys(own_names))
    if not names:
        return (), [values for _, values in split]
    order = tuple(names)
    cells = []
    for own_names, values in split:
        if own_names:
            by_name = dict(zip(own_names, values, strict=True))
            values = [by_name.get(name) for name in order]
        cells.append(values)
    return order, cells


def _split(item: object) -> tuple[tuple[str, ...], list[object]]:
    match item:
        case Row() | MutableRow():
            return names_in(item), list(item)
        case dict():
            return tuple(map(str, item)), list(item.values())
        case tuple() if is_named_tuple(type(item)):
            return field_names(type(item)) or (), list(item)
        case tuple() | list():
            return (), list(item)
    if _is_record(item):
        names = field_names(type(item)) or ()
        return names, [getattr(item, name) for name in names]
    return (), [item]


def _check_widths(cells: Sequence[Sequence[object]], names: Sequence[str]) -> None:
    for at, row in enumerate(cells, start=1):
        if len(row) != len(names):
            raise ProgramError(
                f"row {at} has {len(row)} value(s), and there are {len(names)} columns: {', '.join(names)}",
                remedy="give every row as many values",
            )


def _column(name: str, values: Sequence[object], place: str = PLACE) -> tuple[t.LogicalType, list[object]]:
    """The common type of a column's values, and the values in internal form."""
    data_type = _common([_type_of(value, name) for value in values], name)
    if isinstance(data_type.logical_type, t.NullType):
        raise ProgramError(f"column {name!r} has no value but None, so its type is not known", remedy="give a schema")
    convert = converter_of(data_type, name, place=place).to_internal
    return data_type.logical_type, [convert(value) for value in values]


def _common(types: Sequence[t.LogicalType], name: str) -> DataType:
    common = casts.common_type(list(types))
    if common is None:
        listed = ", ".join(dict.fromkeys(str(type_.with_nullability(True)) for type_ in types))
        raise ProgramError(
            f"the values of column {name!r} have no common type: {listed}",
            remedy="give a schema, or values of one type",
        )
    return DataTypes.of(common)


def _constant(names: Sequence[str], types: Sequence[t.LogicalType], rows: Sequence[Any]) -> ConstantRows:
    row_type = t.row_of(tuple(names), tuple(types))
    cells = tuple(tuple(constant(value, type_) for value, type_ in zip(row, types, strict=True)) for row in rows)
    return ConstantRows(row_type, cells)


# --- types of values


def _type_of(value: object, name: str) -> t.LogicalType:
    for class_, type_of in _TYPES:
        if isinstance(value, class_):
            return type_of(value, name)
    names = field_names(type(value)) if is_dataclass(value) or hasattr(value, "__dict__") else None
    if not names or isinstance(value, type):
        raise ProgramError(
            f"{value!r} of class {type(value).__name__} in column {name!r} stands for no value of SQL",
            remedy="give a schema whose type has a conversion: DataTypes.STRING().bridged_to(cls, converter)",
        )
    return _structured(value, names, name)


def _structured(value: object, names: tuple[str, ...], name: str) -> t.LogicalType:
    try:
        return DataTypes.of(type(value)).logical_type
    except ProgramError:
        fields = tuple(t.Field(field, _type_of(getattr(value, field), f"{name}.{field}")) for field in names)
        return t.StructuredType(class_name=use_class(type(value)), fields=fields, nullable=False)


def _integer_type(value: Integral, name: str) -> t.LogicalType:
    number = int(value)
    for type_ in (t.INT, t.BIGINT):
        if -(2 ** (type_.BITS - 1)) <= number < 2 ** (type_.BITS - 1):
            return type_.not_null()
    return _decimal(Decimal(number), name)


def _decimal(value: Decimal, name: str) -> t.LogicalType:
    if not value.is_finite():
        raise ProgramError(f"DECIMAL has no {value}, in column {name!r}", remedy="give a float, or None")
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(-exponent, 0)
    precision = max(len(digits) + max(exponent, 0), scale, 1)
    if precision > plan_literals.MAX_DECIMAL_PRECISION:
        raise ProgramError(f"{value} in column {name!r} has more than {plan_literals.MAX_DECIMAL_PRECISION} digits")
    return t.DecimalType(precision=precision, scale=scale, nullable=False)


def _seconds_precision(micros: int) -> int:
    return 0 if micros == 0 else 3 if micros % 1000 == 0 else 6


def _moment(value: dt.datetime, name: str) -> t.LogicalType:
    make = t.TimestampType if value.tzinfo is None else t.TimestampLtzType
    return make(precision=_seconds_precision(value.microsecond), nullable=False)


def _list(value: Sequence[object], name: str) -> t.LogicalType:
    element = _common([_type_of(item, name) for item in value], name).logical_type if value else t.NULL
    if isinstance(element, t.NullType):
        raise ProgramError(
            f"a list in column {name!r} holds no value, so its type is not known", remedy="give a schema"
        )
    return t.ArrayType(element=element, nullable=False)


def _map(value: Mapping[object, object], name: str) -> t.LogicalType:
    if not value:
        raise ProgramError(
            f"a dict in column {name!r} holds no value, so its type is not known", remedy="give a schema"
        )
    sides = (list(value), list(value.values()))
    key, item = (_common([_type_of(cell, name) for cell in side], name).logical_type for side in sides)
    return t.MapType(key=key, value=item, nullable=False)


def _row(value: tuple[object, ...] | MutableRow, name: str) -> t.LogicalType:
    names, values = _split(value)
    if is_named_tuple(type(value)):
        return _structured(value, names, name)
    names = names or tuple(f"f{at}" for at in range(len(values)))
    fields = tuple(t.Field(field, _type_of(item, f"{name}.{field}")) for field, item in zip(names, values, strict=True))
    return t.RowType(fields=fields, nullable=False)


def _interval(value: dt.timedelta, name: str) -> t.LogicalType:
    digits = max(len(str(abs(value.days))), 1)
    return DataTypes.INTERVAL_DAY_TIME(digits, 3).not_null().logical_type


_TYPES: tuple[tuple[type, Callable[[Any, str], t.LogicalType]], ...] = (
    (type(None), lambda value, name: t.NULL),
    (bool, lambda value, name: t.BOOLEAN.not_null()),
    (Integral, _integer_type),
    (Real, lambda value, name: t.DOUBLE.not_null()),
    (Decimal, _decimal),
    (str, lambda value, name: plan_literals.string(value).type),
    (bytes, lambda value, name: t.BinaryType(length=len(value), nullable=False)),
    (bytearray, lambda value, name: t.BinaryType(length=len(value), nullable=False)),
    (dt.datetime, _moment),
    (dt.date, lambda value, name: t.DATE.not_null()),
    (dt.time, lambda value, name: t.TimeType(precision=_seconds_precision(value.microsecond), nullable=False)),
    (dt.timedelta, _interval),
    (tuple, _row),
    (MutableRow, _row),
    (list, _list),
    (Mapping, _map),
)

"""Column types of PyFlink's `from_elements` without a schema.

Unlike `from_values`, a type depends on the class of a value alone: an int is BIGINT, a text STRING, a datetime
TIMESTAMP_LTZ(6), a Decimal DECIMAL(38, 18), and all are nullable. Source: PyFlink's `TableEnvironment.from_elements`.
"""

from __future__ import annotations

import datetime as dt
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import reduce
from typing import Any

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.types.mutable_row import MutableRow, names_in
from compiled_plan.plans.types.row import Row

PLACE = "from_elements()"

_TYPES: dict[type, t.LogicalType] = {
    type(None): t.NULL,
    bool: t.BOOLEAN,
    int: t.BIGINT,
    float: t.DOUBLE,
    str: t.STRING,
    bytearray: t.BYTES,
    Decimal: t.DecimalType(precision=38, scale=18),
    dt.date: t.DATE,
    dt.datetime: t.TimestampLtzType(precision=6),
    dt.time: t.TimeType(precision=0),
}
#: Types of `array.array` by type code, with a bit more for unsigned numbers.
_CODES: dict[str, t.LogicalType] = {
    **{"b": t.TINYINT, "B": t.SMALLINT, "h": t.SMALLINT, "H": t.INT, "i": t.INT, "I": t.BIGINT, "l": t.BIGINT},
    **{"f": t.FLOAT, "d": t.DOUBLE},
}


def element_rows(elements: Iterable[object], names: Sequence[str] | None) -> tuple[t.RowType, list[list[object]]]:
    """The columns of rows, and the rows' values in their order.

    Args:
        elements: tuples, lists, Rows, dicts, NamedTuples or objects with attributes.
        names: column names for rows without names; `_1`, `_2`, ... where they are missing.

    Raises:
        ProgramError: there are no rows, an element is a single value, or a column has no type or several.
    """
    rows = [_named(element, names) for element in elements]
    if not rows:
        raise ProgramError(
            "there are no rows, so the columns' types are not known", where=PLACE, remedy="give a schema of types"
        )
    merged = reduce(_merged, ({name: _type_of(value, name) for name, value in row.items()} for row in rows))
    unknown = next((name for name, type_ in merged.items() if _has_null(type_)), None)
    if unknown is not None:
        raise ProgramError(
            f"column {unknown!r} has no value but None, so its type is not known",
            where=PLACE,
            remedy="give a schema of types",
        )
    fields = tuple(t.Field(name, type_) for name, type_ in merged.items())
    return t.RowType(fields=fields, nullable=False), [[row.get(name) for name in merged] for row in rows]


def instants(value: object, type_: t.LogicalType) -> Any:
    """The value with local times for TIMESTAMP_LTZ as points in time, in the time zone of this machine."""
    match type_, value:
        case t.TimestampLtzType(), dt.datetime() if value.tzinfo is None:
            return value.astimezone()
        case t.ArrayType(), list() | tuple():
            return [instants(item, type_.element) for item in value]
        case t.MapType(), dict():
            return {instants(key, type_.key): instants(item, type_.value) for key, item in value.items()}
        case t.FieldsType(), dict():
            return {
                name: instants(value.get(name), field) for name, field in zip(type_.names, type_.types, strict=True)
            }
        case t.FieldsType(), tuple() | list() | MutableRow() if len(value) == len(type_.types):
            named = dict(zip(names_in(value), value, strict=True)) if isinstance(value, Row | MutableRow) else {}
            values = [named[name] for name in type_.names] if set(named) == set(type_.names) else list(value)
            return tuple(map(instants, values, type_.types))
    return value


def _named(element: object, names: Sequence[str] | None) -> dict[str, object]:
    """The values of a row by column."""
    match element:
        case Mapping():
            return {str(name): element[name] for name in sorted(element)}
        case Row() | MutableRow() if names_in(element):
            return dict(zip(names_in(element), element, strict=True))
        case tuple() if hasattr(element, "_fields"):
            return dict(zip(element._fields, element, strict=True))
        case tuple() | list() | Row() | MutableRow():
            known = list(names or ())
            known += [f"_{at}" for at in range(len(known) + 1, len(element) + 1)]
            return dict(zip(known, element, strict=False))
    if not hasattr(element, "__dict__"):
        raise ProgramError(
            f"{element!r} is no row",
            where=PLACE,
            remedy="write tuples, [(1, 'a'), (2, 'b')], or give the type of single values",
        )
    return dict(sorted(vars(element).items()))


def _type_of(value: object, name: str) -> t.LogicalType:
    known = _TYPES.get(type(value))
    if known is not None:
        return known
    match value:
        case Mapping():
            pairs = [(key, item) for key, item in value.items() if key is not None and item is not None]
            key, item = pairs[0] if pairs else (None, None)
            return t.MapType(key=_type_of(key, name).not_null(), value=_type_of(item, name))
        case list():
            first = next((item for item in value if item is not None), None)
            return t.ArrayType(element=_type_of(first, name))
        case array() if value.typecode in _CODES:
            return t.ArrayType(element=_CODES[value.typecode].not_null())
        case tuple() | Row() | MutableRow():
            fields = _named(value, None)
            return t.RowType(fields=tuple(t.Field(field, _type_of(item, name)) for field, item in fields.items()))
    raise ProgramError(
        f"{value!r} of class {type(value).__name__} in column {name!r} has no type",
        where=PLACE,
        remedy="give a schema of types",
    )


def _merged(left: dict[str, t.LogicalType], right: dict[str, t.LogicalType]) -> dict[str, t.LogicalType]:
    shared = {name: _common(type_, right.get(name, t.NULL), name) for name, type_ in left.items()}
    return shared | {name: type_ for name, type_ in right.items() if name not in left}


def _common(left: t.LogicalType, right: t.LogicalType, name: str) -> t.LogicalType:
    if isinstance(left, t.NullType) or isinstance(right, t.NullType):
        return right if isinstance(left, t.NullType) else left
    match left, right:
        case t.RowType(), t.RowType():
            sides = (dict(zip(side.names, side.types, strict=True)) for side in (left, right))
            return t.RowType(fields=tuple(t.Field(field, type_) for field, type_ in _merged(*sides).items()))
        case t.ArrayType(), t.ArrayType():
            return replace(left, element=_common(left.element, right.element, name))
        case t.MapType(), t.MapType():
            return replace(left, key=_common(left.key, right.key, name), value=_common(left.value, right.value, name))
    if left != right:
        raise ProgramError(
            f"the values of column {name!r} have no common type: {left}, {right}",
            where=PLACE,
            remedy="give a schema of types, or values of one class",
        )
    return left


def _has_null(type_: t.LogicalType) -> bool:
    return isinstance(type_, t.NullType) or any(map(_has_null, type_.children()))

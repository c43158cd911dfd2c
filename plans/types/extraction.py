"""Data types from Python's annotations and classes.

Source: FLIP-65, "Automatic type inference", with Python's classes: a plain class is NOT NULL, `X | None` is nullable.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import types
import typing
from decimal import Decimal
from typing import Any, get_args, get_origin

from plans.errors import ProgramError
from plans.types import logical as t
from plans.types.conversions.classes import field_names, use_class
from plans.types.data_types import DataType, DataTypes

_CLASSES: dict[type, DataType] = {
    str: DataTypes.STRING(),
    bool: DataTypes.BOOLEAN(),
    int: DataTypes.BIGINT(),
    float: DataTypes.DOUBLE(),
    bytes: DataTypes.BYTES(),
    dt.date: DataTypes.DATE(),
    dt.time: DataTypes.TIME(0),
    dt.datetime: DataTypes.TIMESTAMP(6),
    dt.timedelta: DataTypes.INTERVAL_DAY_TIME(),
}


def data_type_of(annotation: Any) -> DataType:
    """The data type of a Python class or annotation; NOT NULL unless it says `| None`.

    Raises:
        ProgramError: it stands for no type; says what to write.
    """
    if annotation in _CLASSES:
        return _CLASSES[annotation].not_null()
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        members = [item for item in arguments if item is not type(None)]
        if len(members) == 1:
            return data_type_of(members[0]).nullable()
    if origin is typing.Annotated:
        return _annotated(arguments)
    if origin is list and len(arguments) == 1:
        return DataTypes.ARRAY(data_type_of(arguments[0])).not_null()
    if origin is dict and len(arguments) == 2:
        return DataTypes.MAP(*map(data_type_of, arguments)).not_null()
    if isinstance(annotation, type) and annotation is not Decimal and origin is None:
        return _structured(annotation)
    raise ProgramError(f"{_name(annotation)} stands for no data type", remedy=_REMEDIES.get(annotation, _REMEDY))


_REMEDY = (
    "write str, bool, int, float, bytes, date, time, datetime, timedelta, list[T], dict[K, V], a dataclass, "
    "a NamedTuple, or a type's text such as 'DECIMAL(10, 2)'"
)
_REMEDIES: dict[Any, str] = {
    Decimal: "say its digits: 'DECIMAL(10, 2)', or Annotated[Decimal, DataTypes.DECIMAL(10, 2)]",
    list: "say what it holds: list[int]",
    dict: "say what it holds: dict[str, int]",
}


def _annotated(arguments: tuple[Any, ...]) -> DataType:
    inner, *notes = arguments
    for note in notes:
        if isinstance(note, DataType):
            return note
        given = getattr(note, "data_type", None)
        if isinstance(given, DataType | t.LogicalType | str):
            return DataTypes.of(given)
    return data_type_of(inner)


def _structured(class_: type) -> DataType:
    names = field_names(class_) if class_.__module__ != "builtins" else None
    if not names:
        raise ProgramError(
            f"{_name(class_)} stands for no data type: its fields cannot be told",
            remedy=_REMEDIES.get(class_, _REMEDY),
        )
    hints = annotations_of(class_)
    fields = []
    for name in names:
        if name not in hints:
            raise ProgramError(
                f"field {name} of class {_name(class_)} has no annotation",
                remedy="annotate it, or name the fields: DataTypes.STRUCTURED(cls, DataTypes.FIELD(...), ...)",
            )
        try:
            fields.append(DataTypes.FIELD(name, data_type_of(hints[name])))
        except ProgramError as fault:
            where = f"field {name} of class {_name(class_)}"
            raise ProgramError(fault.message, where=fault.where or where, remedy=fault.remedy) from None
    type_ = t.StructuredType(class_name=use_class(class_), fields=tuple(item.field for item in fields), nullable=False)
    return DataType(type_, bridge=class_, children=tuple(item.data_type for item in fields))


def annotations_of(class_: type) -> dict[str, Any]:
    """The annotations of a class's fields: of the class itself, or of its constructor's parameters.

    Raises:
        ProgramError: an annotation names what is not defined.
    """
    try:
        hints = typing.get_type_hints(class_, include_extras=True)
        if not dataclasses.is_dataclass(class_) and "__init__" in vars(class_):
            hints |= typing.get_type_hints(vars(class_)["__init__"], include_extras=True)
    except NameError as fault:
        raise ProgramError(
            f"an annotation of class {_name(class_)} cannot be resolved: {fault}",
            remedy="define the class at the top of its module, where its annotations' names are",
        ) from None
    return hints


def _name(annotation: Any) -> str:
    return annotation.__qualname__ if isinstance(annotation, type) else str(annotation)

"""Conversion of whole rows to objects: of a class, of a data type, or the values of a single column."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from compiled_plan.plans.errors import DataError, ProgramError
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.classes import constructor, field_names, is_named_tuple
from compiled_plan.plans.types.conversions import converter_of
from compiled_plan.plans.types.conversions.data_types import AnyType, DataType, DataTypes
from compiled_plan.plans.types.conversions.lossless import fields_widening, places_of, widening
from compiled_plan.plans.types.python.bridge import has_fields
from compiled_plan.plans.types.python.fields import structured_fields
from compiled_plan.plans.types.row import Row

_CONTAINERS = (dict, tuple, list, Row)


def rows_as(data_type: AnyType, row_type: t.RowType, place: str) -> Callable[[Sequence[Any]], Any]:
    """The function from the internal values of a row to an object.

    The data type is a class, or has fields for the columns whose types hold the values without loss, matched by name if
    it has the columns' names, else by position. For a single column it may also be the column's type. Raises a
    ProgramError with column and types for a mismatch.
    """
    wanted = _wanted(data_type, row_type)
    type_ = wanted.logical_type
    if isinstance(type_, t.FieldsType):
        widen = fields_widening(row_type, type_, "")
        outward = converter_of(wanted, place=place).to_external
        return outward if widen is None else lambda values: outward(widen(values))
    if len(row_type.fields) != 1:
        raise ProgramError(
            f"rows of {len(row_type.fields)} columns cannot become {wanted}",
            where=place,
            remedy=f"give a class or a type with the fields of {row_type.text()}",
        )
    column = row_type.fields[0]
    single = widening(column.type, type_, column.name)
    give = converter_of(wanted, column.name, place=place).to_external
    return lambda values: give(values[0] if single is None else single(values[0]))


def _wanted(data_type: AnyType, row_type: t.RowType) -> DataType:
    if not isinstance(data_type, type):
        return DataTypes.of(data_type)
    if data_type in _CONTAINERS:
        return DataTypes.of(row_type).bridged_to(data_type)
    names = field_names(data_type) if _has_fields(data_type) else None
    if names is None:
        return DataTypes.of(data_type)
    return _of_class(data_type, names, row_type)


def _has_fields(class_: type) -> bool:
    return dataclasses.is_dataclass(class_) or is_named_tuple(class_) or has_fields(class_)


def _of_class(class_: type, names: Sequence[str], row_type: t.RowType) -> DataType:
    """The columns with the types of a class's annotations, or their own types without an annotation."""
    columns = row_type.names
    if set(columns) < set(names) and _makes(class_, columns):
        # Fields with a default need no column.
        names = [name for name in names if name in columns]
    hints = _annotated(class_)
    fields = [
        DataTypes.FIELD(name, _agreed(hints.get(name), row_type.types[at]))
        for name, at in zip(names, places_of(columns, names), strict=True)
    ]
    return DataTypes.ROW(*fields).bridged_to(class_)


def _agreed(hint: DataType | None, column: t.LogicalType) -> DataType:
    """The annotation's type; or the column's type if its values have the annotation's class already."""
    if hint is None:
        return DataTypes.of(column)
    is_default = hint.logical_type.with_nullability(True) in (t.TimestampType(), t.TimeType())
    if is_default and isinstance(column, t.TimestampBase | t.TimeType):
        own = DataTypes.of(column.with_nullability(hint.logical_type.nullable))
        if own.conversion_class is hint.conversion_class:
            return own
    return hint


def _makes(class_: type, names: Sequence[str]) -> bool:
    try:
        constructor(class_, names)
    except DataError:
        return False
    return True


def _annotated(class_: type) -> dict[str, DataType]:
    types: dict[str, DataType] = {}
    for name, annotation in structured_fields(class_).items():
        try:
            types[name] = DataTypes.of(annotation)
        except ProgramError:
            continue
    return types

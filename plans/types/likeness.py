"""Equality of types for a plan's check, as lenient as Flink's own plans require.

Flink writes the types of an expression, of its column and of the operator's output separately. They may differ in
properties that do not affect values: nullability (an outer join adds it, a filter removes it), the length of texts and
bytes, names of a row's fields, the resolution of intervals.
"""

from __future__ import annotations

from compiled_plan.plans.types.logical import (
    ArrayType,
    BytesType,
    CharacterType,
    DayTimeIntervalType,
    DecimalType,
    FieldsType,
    LogicalType,
    MapType,
    MultisetType,
    StructuredType,
    TimestampBase,
    TimestampTzType,
    TimeType,
    YearMonthIntervalType,
)

#: Types that count as one, with fixed and variable lengths.
_KINDS = (CharacterType, BytesType, DayTimeIntervalType, YearMonthIntervalType)


def alike(left: LogicalType, right: LogicalType, *, kinds: bool = False, classes: bool = True) -> bool:
    """Return True if values of one type are values of the other without conversion.

    Args:
        left: a type.
        right: the type to compare it with.
        kinds: True if time attributes and plain timestamps differ.
        classes: True if rows and objects differ, and objects with different field names.
    """
    for kind in _KINDS:
        if isinstance(left, kind):
            return isinstance(right, kind)
    if type(left) is not type(right) and (
        classes or not (isinstance(left, FieldsType) and isinstance(right, FieldsType))
    ):
        return False
    match left, right:
        case DecimalType(), DecimalType():
            return (left.precision, left.scale) == (right.precision, right.scale)
        case TimestampBase(), TimestampBase():
            return left.precision == right.precision and (not kinds or left.kind is right.kind)
        case ((TimeType() | TimestampTzType()), (TimeType() | TimestampTzType())):
            return left.precision == right.precision
        # Objects are compatible with other classes of the same fields.
        case StructuredType(), StructuredType() if classes and left.names != right.names:
            return False
        case ((FieldsType() | ArrayType() | MapType() | MultisetType()), _):
            left_parts, right_parts = list(left.children()), list(right.children())
            return len(left_parts) == len(right_parts) and all(
                alike(part, right_part, classes=classes)
                for part, right_part in zip(left_parts, right_parts, strict=True)
            )
    return True

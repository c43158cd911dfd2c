"""Whether two types are the same for a plan: what Flink's own plans leave open is left open.

Flink writes the types of an expression, of the column it becomes and of the operator's output one by one, and they
differ in what values do not show: nullability (an outer join adds it, a filter takes it away), the length of texts and
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

#: Types that count as one, the fixed lengths with the others.
_KINDS = (CharacterType, BytesType, DayTimeIntervalType, YearMonthIntervalType)


def alike(left: LogicalType, right: LogicalType, *, kinds: bool = False, classes: bool = True) -> bool:
    """Whether values of one type are values of the other, as they are.

    Args:
        left: a type.
        right: the type beside it.
        kinds: whether a time attribute and a plain timestamp differ, too.
        classes: whether rows and objects differ, and objects with other field names.
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
        # Objects of one class go where another with the same fields is declared.
        case StructuredType(), StructuredType() if classes and left.names != right.names:
            return False
        case ((FieldsType() | ArrayType() | MapType() | MultisetType()), _):
            parts, parts_beside = list(left.children()), list(right.children())
            return len(parts) == len(parts_beside) and all(
                alike(part, beside, classes=classes) for part, beside in zip(parts, parts_beside, strict=True)
            )
    return True

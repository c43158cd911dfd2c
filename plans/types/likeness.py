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


def alike(one: LogicalType, other: LogicalType, *, kinds: bool = False, classes: bool = True) -> bool:
    """Whether values of one type are values of the other, as they are.

    Args:
        one: a type.
        other: the type beside it.
        kinds: whether a time attribute and a plain timestamp differ, too.
        classes: whether rows and objects differ, and objects with other field names.
    """
    for kind in _KINDS:
        if isinstance(one, kind):
            return isinstance(other, kind)
    if type(one) is not type(other) and (
        classes or not (isinstance(one, FieldsType) and isinstance(other, FieldsType))
    ):
        return False
    match one, other:
        case DecimalType(), DecimalType():
            return (one.precision, one.scale) == (other.precision, other.scale)
        case TimestampBase(), TimestampBase():
            return one.precision == other.precision and (not kinds or one.kind is other.kind)
        case ((TimeType() | TimestampTzType()), (TimeType() | TimestampTzType())):
            return one.precision == other.precision
        # Objects of one class go where another with the same fields is declared.
        case StructuredType(), StructuredType() if classes and one.names != other.names:
            return False
        case ((FieldsType() | ArrayType() | MapType() | MultisetType()), _):
            parts, parts_beside = list(one.children()), list(other.children())
            return len(parts) == len(parts_beside) and all(
                alike(part, beside, classes=classes) for part, beside in zip(parts, parts_beside, strict=True)
            )
    return True

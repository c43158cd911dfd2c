"""Casts: explicit and implicit cast rules, and common types.

Source: Flink docs, "Data Types", CAST; Flink 2.3's results for `CAST(x AS t)` and for sink columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.constants import convert
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import Call, Literal, RexNode, type_of
from compiled_plan.plans.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    ArrayType,
    BinaryType,
    BytesType,
    CharacterType,
    CharType,
    DecimalType,
    DoubleType,
    Field,
    FieldsType,
    FloatType,
    IntegerType,
    IntervalType,
    LogicalType,
    MapType,
    MultisetType,
    NullType,
    NumericType,
    RowType,
    StructuredType,
    TimestampBase,
    TimestampLtzType,
    TimestampType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
)
from compiled_plan.plans.types.temporal import is_attribute

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_NUMBERS = (*_INTEGERS, "FLOAT", "DOUBLE", "DECIMAL")
_TEXT = ("CHAR", "VARCHAR")
_BYTES = ("BINARY", "VARBINARY")
_TIMESTAMPS = ("TIMESTAMP_WITHOUT_TIME_ZONE", "TIMESTAMP_WITH_LOCAL_TIME_ZONE")
_INTERVALS = ("INTERVAL_YEAR_MONTH", "INTERVAL_DAY_TIME")
_TIME = "TIME_WITHOUT_TIME_ZONE"
_NESTED = ("ARRAY", "MULTISET", "MAP", "ROW", "STRUCTURED_TYPE")

#: Roots that CAST allows, by source root (besides the root itself).
_EXPLICIT: dict[str, frozenset[str]] = {
    "BOOLEAN": frozenset((*_NUMBERS, *_TEXT)),
    **{root: frozenset(("BOOLEAN", *_NUMBERS, *_TEXT, *_TIMESTAMPS)) for root in _NUMBERS},
    **{
        root: frozenset(("BOOLEAN", *_NUMBERS, *_TEXT, *_BYTES, "DATE", _TIME, *_TIMESTAMPS, *_INTERVALS))
        for root in _TEXT
    },
    **{root: frozenset((*_TEXT, *_BYTES)) for root in _BYTES},
    "BITMAP": frozenset((*_TEXT, *_BYTES)),
    "DATE": frozenset((*_TEXT, *_TIMESTAMPS)),
    _TIME: frozenset((*_TEXT, *_TIMESTAMPS)),
    **{root: frozenset((*_NUMBERS, *_TEXT, "DATE", _TIME, *_TIMESTAMPS)) for root in _TIMESTAMPS},
    **{root: frozenset(_TEXT) for root in (*_INTERVALS, *_NESTED)},
}

#: Roots of sink columns that need no CAST, by source root (besides the root itself).
_IMPLICIT: dict[str, frozenset[str]] = {
    **{root: frozenset(_NUMBERS[_NUMBERS.index(root) :]) for root in (*_INTEGERS, "FLOAT", "DOUBLE")},
    "DECIMAL": frozenset(("FLOAT", "DOUBLE")),
    "CHAR": frozenset(("VARCHAR",)),
    "BINARY": frozenset(("VARBINARY",)),
    "TIMESTAMP_WITHOUT_TIME_ZONE": frozenset(("DATE", _TIME, *_TIMESTAMPS)),
    "TIMESTAMP_WITH_LOCAL_TIME_ZONE": frozenset(_TIMESTAMPS),
}

#: Roots of parameters that need no CAST, by the argument's root: an interval is also the number of its units.
_ARGUMENTS: dict[str, frozenset[str]] = {
    **_IMPLICIT,
    **{root: frozenset(("INTEGER", "BIGINT", "DECIMAL")) for root in _INTERVALS},
}


def cast(rex: RexNode, type_: LogicalType, *, try_: bool = False) -> RexNode:
    """CAST or TRY_CAST; the nullability of the result follows from `rex`, not from `type_`.

    A cast to the same type returns `rex` itself, except for a time attribute, which becomes a plain value. Casts
    between
    BOOLEAN and exact numbers are expanded as in Flink.

    Raises:
        ProgramError: Flink does not allow the cast; names both types.
    """
    source = type_of(rex)
    if not supports_explicit_cast(source, type_):
        raise ProgramError(
            f"cannot cast {source.with_nullability(True)} to {type_.with_nullability(True)}",
            remedy=_cast_remedy(source, type_),
        )
    target = type_.with_nullability(source.nullable or try_)
    attribute = is_attribute(source)
    if same_type(source, target) and not attribute and (source.nullable or not try_):
        return rex
    if isinstance(rex, Literal):
        known = convert(rex, target)
        if known is not None:
            return known
    if try_:
        return Call("$TRY_CAST$1", (rex,), target.with_nullability(True), "SPECIAL")
    return _boolean_cast(rex, target) or Call("$CAST$1", (rex,), target, "SPECIAL")


def _cast_remedy(source: LogicalType, target: LogicalType) -> str:
    if source.ROOT == "VARIANT":
        value = "JSON_UNQUOTE(JSON_STRING(v))" if target.ROOT in _TEXT else f"CAST(JSON_STRING(v) AS {target.text()})"
        return f"write {value}, where v is the VARIANT"
    if target.ROOT == "VARIANT":
        return "write PARSE_JSON(x) of a JSON text, PARSE_JSON(JSON_STRING(x)) of another value"
    return "cast through a type that both sides know, such as STRING"


def coerce(rex: RexNode, type_: LogicalType) -> RexNode:
    """`rex` cast to `type_` unless it has that type already; unchecked, with the nullability of `rex`."""
    source = type_of(rex)
    target = type_.with_nullability(source.nullable)
    if same_type(source, target):
        return rex
    if isinstance(rex, Literal):
        known = convert(rex, target)
        if known is not None:
            return known
    if isinstance(source, IntervalType) and isinstance(target, IntegerType):
        return coerce(whole_units(rex, plan_literals.unit_length(source)), target)
    return Call("$CAST$1", (rex,), target, "SPECIAL")


def whole_units(interval: RexNode, length: int) -> RexNode:
    """The number of whole units in an interval; a unit has `length` milliseconds or months."""
    long = BIGINT.with_nullability(type_of(interval).nullable)
    count = Call("$REINTERPRET$1", (interval,), long, "SPECIAL")
    return count if length == 1 else Call("$/INT$1", (count, plan_literals.integer(length)), long, "BINARY")


def _boolean_cast(rex: RexNode, target: LogicalType) -> RexNode | None:
    source = type_of(rex)
    exact = IntegerType | DecimalType
    if source.ROOT == "BOOLEAN" and isinstance(target, exact):
        one, zero = (coerce(plan_literals.integer(value), target.not_null()) for value in (1, 0))
        known: RexNode = Call("$CASE$1", (rex, one, zero), target.not_null(), "SPECIAL")
        if not source.nullable:
            return known
        present = Call("$IS NOT NULL$1", (rex,), BOOLEAN.not_null(), "POSTFIX")
        return Call("$CASE$1", (present, known, plan_literals.null(target)), target, "SPECIAL")
    if isinstance(source, exact) and target.ROOT == "BOOLEAN":
        zero = coerce(plan_literals.integer(0), source.not_null())
        return Call("$<>$1", (rex, zero), target, "BINARY")
    return None


def implicit_cast(rex: RexNode, type_: LogicalType) -> RexNode:
    """`rex` cast implicitly to the type of a sink's column, as in Flink; the sink enforces NOT NULL.

    Raises:
        ProgramError: not assignable without CAST.
    """
    source = type_of(rex)
    if not supports_implicit_cast(source, type_):
        raise ProgramError(
            f"a column of type {source} does not go into a sink column of type {type_} by itself",
            remedy=f"write CAST(... AS {type_.with_nullability(True)})",
        )
    return rex if avoids_cast(source, type_) else coerce(rex, type_)


def supports_implicit_cast(source: LogicalType, target: LogicalType) -> bool:
    """Return True if a query column of type `source` fits a sink column of type `target` (any nullability)."""
    return _supports(source, target, _IMPLICIT)


def supports_argument(source: LogicalType, target: LogicalType) -> bool:
    """Return True if an argument of type `source` fits a parameter of type `target` (any nullability).

    Flink accepts any row with as many fields for a structured type. Here a row, or an object of another class, needs a
    CAST, so that no overload confuses two classes.
    """
    return _supports(source, target, _ARGUMENTS, same_class=True)


def supports_explicit_cast(source: LogicalType, target: LogicalType) -> bool:
    """Return True if CAST is allowed (any nullability)."""
    return _supports(source, target, _EXPLICIT)


def _supports(
    source: LogicalType, target: LogicalType, table: dict[str, frozenset[str]], *, same_class: bool = False
) -> bool:
    def supports(old: LogicalType, new: LogicalType) -> bool:
        return _supports(old, new, table, same_class=same_class)

    if isinstance(source, NullType) or same_type(source, target):
        return True
    match source, target:
        case ArrayType(), ArrayType():
            return supports(source.element, target.element)
        case MultisetType(), MultisetType():
            return supports(source.element, target.element)
        case MapType(), MapType():
            return supports(source.key, target.key) and supports(source.value, target.value)
        case FieldsType(), StructuredType() if same_class and not (
            isinstance(source, StructuredType) and source.same_class(target)
        ):
            return False
        case FieldsType(), FieldsType():
            return len(source.fields) == len(target.fields) and all(map(supports, source.types, target.types))
    same_root = source.ROOT == target.ROOT and source.ROOT not in ("RAW", *_NESTED)
    return same_root or target.ROOT in table.get(source.ROOT, frozenset())


def avoids_cast(source: LogicalType, target: LogicalType) -> bool:
    """Return True if values of `source` are values of `target` unchanged, so that no cast is planned."""
    match source, target:
        case CharacterType(), VarCharType() | CharType():
            if isinstance(target, VarCharType):
                return source.length <= target.length
            return isinstance(source, CharType) and source.length == target.length
        case BytesType(), VarBinaryType():
            return source.length <= target.length
        case ArrayType(), ArrayType():
            return avoids_cast(source.element, target.element)
        case MultisetType(), MultisetType():
            return avoids_cast(source.element, target.element)
        case MapType(), MapType():
            return avoids_cast(source.key, target.key) and avoids_cast(source.value, target.value)
        case FieldsType(), FieldsType():
            return len(source.fields) == len(target.fields) and all(
                avoids_cast(old, new) for old, new in zip(source.types, target.types, strict=True)
            )
    return same_type(source, target)


def same_type(left: LogicalType, right: LogicalType) -> bool:
    """Return True if the types differ at most in top-level nullability and in being a time attribute."""
    return _plain(left) == _plain(right)


def _plain(type_: LogicalType) -> LogicalType:
    return type_.as_regular().with_nullability(True)


def least_restrictive(types: Sequence[LogicalType]) -> LogicalType | None:
    """The common type for set operations, CASE, comparisons, IN lists, VALUES, ARRAY[] and MAP[]; None if none exists.

    NULL literals only make the result nullable. Of approximate types, and of timestamps of one precision with and
    without time zone, the first wins, as in Flink. Objects have a common type if they are of one class and their
    fields differ at most in lengths and nullability (in Flink, not even in these).
    """
    known = [type_ for type_ in types if not isinstance(type_, NullType)]
    if not known:
        return types[0] if types else None
    if not all(_alike(type_, known[0]) for type_ in known if isinstance(type_, StructuredType)):
        return None
    common: LogicalType | None = known[0]
    for type_ in known[1:]:
        common = _wider(common, type_) if common is not None else None
    if common is None:
        return None
    return common.with_nullability(any(type_.nullable for type_ in types))


def _alike(left: LogicalType, right: LogicalType) -> bool:
    """Return True if types differ at most in nullability and in the lengths of texts and bytes."""
    match left, right:
        case StructuredType(), StructuredType() if not left.same_class(right):
            return False
        case (CharacterType(), CharacterType()) | (BytesType(), BytesType()):
            return True
    parts = [*left.children()], [*right.children()]
    if type(left) is type(right) and parts[0] and len(parts[0]) == len(parts[1]):
        return all(map(_alike, *parts))
    return same_type(left, right)


def _wider_fields(left: FieldsType, right: FieldsType) -> tuple[Field, ...] | None:
    """The fields of two rows with their common types, under the names of the first."""
    if len(left.fields) != len(right.fields):
        return None
    fields = [
        replace(field, type=type_)
        for field, right_type in zip(left.fields, right.types, strict=True)
        if (type_ := _wider(field.type, right_type)) is not None
    ]
    return tuple(fields) if len(fields) == len(left.fields) else None


_DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19}


def as_decimal(type_: LogicalType) -> DecimalType | None:
    """The decimal type with the range of an exact number: INT is DECIMAL(10, 0); None for other types."""
    if isinstance(type_, DecimalType):
        return type_
    digits = _DIGITS.get(type_.ROOT)
    return None if digits is None else DecimalType(precision=digits, scale=0, nullable=type_.nullable)


def _wider(left: LogicalType, right: LogicalType) -> LogicalType | None:
    if same_type(left, right):
        return left.with_nullability(left.nullable or right.nullable)
    nullable = left.nullable or right.nullable
    match left, right:
        case NumericType(), NumericType():
            return _wider_number(left, right).with_nullability(nullable)
        case CharacterType(), CharacterType():
            return VarCharType(length=max(left.length, right.length), nullable=nullable)
        case BytesType(), BytesType():
            both = isinstance(left, BinaryType) and isinstance(right, BinaryType) and left.length == right.length
            make = BinaryType if both else VarBinaryType
            return make(length=max(left.length, right.length), nullable=nullable)
        case TimestampBase(), TimestampBase():
            # Of unlike precisions the second type wins, with the greater one.
            wider = replace(right, precision=max(left.precision, right.precision))
            wider = left if left.precision == right.precision else wider
            return wider.as_regular().with_nullability(nullable)
        case ArrayType(), ArrayType():
            element = _wider(left.element, right.element)
            return None if element is None else ArrayType(element=element, nullable=nullable)
        case MultisetType(), MultisetType():
            element = _wider(left.element, right.element)
            return None if element is None else MultisetType(element=element, nullable=nullable)
        case MapType(), MapType():
            key, value = _wider(left.key, right.key), _wider(left.value, right.value)
            return None if key is None or value is None else MapType(key=key, value=value, nullable=nullable)
        case RowType(), RowType():
            fields = _wider_fields(left, right)
            return None if fields is None else RowType(fields=fields, nullable=nullable)
        case StructuredType(), StructuredType() if (left.class_name, left.names) == (right.class_name, right.names):
            fields = _wider_fields(left, right)
            structured = None if fields is None else StructuredType(class_name=left.class_name, fields=fields)
            return None if structured is None else structured.with_nullability(nullable)
    if left.ROOT == right.ROOT and left.ROOT in (_TIME, *_INTERVALS):
        return _wider_interval(left, right).with_nullability(nullable)
    return None


def _wider_number(left: LogicalType, right: LogicalType) -> LogicalType:
    if isinstance(left, IntegerType) and isinstance(right, IntegerType):
        return left if left.BITS >= right.BITS else right
    first, second = as_decimal(left), as_decimal(right)
    if first is not None and second is not None:
        scale = max(first.scale, second.scale)
        whole = min(max(first.precision - first.scale, second.precision - second.scale), 38 - scale)
        return DecimalType(precision=whole + scale, scale=scale)
    approximate = FloatType | DoubleType
    if isinstance(left, approximate) and isinstance(right, approximate):
        return left
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        return DOUBLE
    return left if isinstance(left, approximate) else right


def _wider_interval(left: LogicalType, right: LogicalType) -> LogicalType:
    if left.ROOT == _TIME:
        return left if getattr(left, "precision", 0) >= getattr(right, "precision", 0) else right
    if isinstance(left, YearMonthIntervalType):
        return plan_literals.interval_type("YEAR TO MONTH")
    return plan_literals.interval_type("DAY TO SECOND")


def common_type(types: Sequence[LogicalType]) -> LogicalType | None:
    """The common type for functions with their own rule in Flink: COALESCE, IFNULL, GREATEST, array functions.

    Differs from `least_restrictive` in timestamps (with local time zone wins) and in approximate numbers (DOUBLE).
    """
    known = [type_ for type_ in types if not isinstance(type_, NullType)]
    if not known:
        return types[0] if types else None
    if as_decimal(known[-1]) is not None:
        # In front of an exact number, an interval is the number of its units.
        known = [type_ for type_ in known if not isinstance(type_, IntervalType)]
    common: LogicalType | None = known[0]
    for type_ in known[1:]:
        common = _common(common, type_) if common is not None else None
    return None if common is None else common.with_nullability(any(type_.nullable for type_ in types))


def _common(left: LogicalType, right: LogicalType) -> LogicalType | None:
    match left, right:
        case FloatType(), DoubleType():
            return right
        case DoubleType(), FloatType():
            return left
        case TimestampBase(), TimestampBase():
            zoned = isinstance(left, TimestampLtzType) or isinstance(right, TimestampLtzType)
            make = TimestampLtzType if zoned else TimestampType
            return make(precision=max(left.precision, right.precision))
        case DecimalType(), FloatType():
            return right
    if left.ROOT == "DATE" and isinstance(right, TimestampType):
        return left
    if right.ROOT == "DATE" and isinstance(left, TimestampType):
        return right
    return _wider(left, right)

"""Lossless widening of internal values to another type.

Source: Flink's implicit casts of a query's columns to those of `toDataStream(table, dataType)`, except for casts that
truncate: BIGINT to INT, DECIMAL(10, 2) to DECIMAL(4, 2), CHAR(5) to VARCHAR(2).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from typing import NoReturn

from compiled_plan.plans.errors import DataError, ProgramError
from compiled_plan.plans.types import logical as t
from compiled_plan.plans.types.converter import Convert

#: Conversion of values other than None; None if values do not change.
Widen = Convert | None

#: By bits of an integer: the maximum number of its decimal digits, and the number of digits that always fit.
_DIGITS = {8: (3, 2), 16: (5, 4), 32: (10, 9), 64: (19, 18)}
_WIDE = Context(prec=76)
#: Bits of the integers that a float holds exactly.
_EXACT = {t.FloatType: 24, t.DoubleType: 53}


def widening(source: t.LogicalType, target: t.LogicalType, path: str) -> Widen:
    """The function from internal values of `source` to those of `target`; None stays None. Is None for no change.

    Fields of rows are matched by name if both have the same names. Raises ProgramError if information could be lost;
    the function raises DataError for a NULL if the target is NOT NULL. `path` is the column, for errors.
    """
    convert = _of_kind(source, target, path)
    if source.nullable and not target.nullable:
        return lambda value: _missing(target, path) if value is None else value if convert is None else convert(value)
    return None if convert is None else lambda value: None if value is None else convert(value)


def _missing(target: t.LogicalType, path: str) -> NoReturn:
    raise DataError(
        f"NULL is no value of {target}",
        where=f"column {path}" if path else "",
        remedy="ask for a type that is nullable (in a class `X | None`), or filter NULLs away",
    )


def _of_kind(source: t.LogicalType, target: t.LogicalType, path: str) -> Widen:
    """Widening of values that are not None; see `widening`."""
    match source, target:
        case (t.IntegerType(), t.IntegerType()) if source.BITS <= target.BITS:
            return None
        case (t.IntegerType(), t.DecimalType()) if _DIGITS[source.BITS][0] <= target.precision - target.scale:
            unit = Decimal(1).scaleb(-target.scale)
            return lambda value: Decimal(value).quantize(unit, context=_WIDE)
        case (t.DecimalType(), t.IntegerType()) if not source.scale and source.precision <= _DIGITS[target.BITS][1]:
            return int
        case (t.DecimalType(), t.DecimalType()) if (
            source.scale <= target.scale and source.precision - source.scale <= target.precision - target.scale
        ):
            step = Decimal(1).scaleb(-target.scale)
            return None if source.scale == target.scale else lambda value: value.quantize(step, context=_WIDE)
        case (t.IntegerType(), t.FloatType() | t.DoubleType()) if _EXACT[type(target)] >= source.BITS:
            return float
        case (t.FloatType(), t.FloatType() | t.DoubleType()) | (t.DoubleType(), t.DoubleType()):
            return None
        case (t.CharacterType(length=length), t.VarCharType(length=limit)) | (
            t.BytesType(length=length),
            t.VarBinaryType(length=limit),
        ) if length <= limit:
            return None
        case (t.TimeType(), t.TimeType()) if source.precision <= target.precision:
            return None
        case (t.TimestampBase(), t.TimestampBase()) if (
            source.ROOT == target.ROOT and source.precision <= target.precision
        ):
            return None
        case (t.IntervalType(), t.IntervalType()) if source.ROOT == target.ROOT:
            return None
        case (t.ArrayType(), t.ArrayType()):
            element = widening(source.element, target.element, f"{path}.element")
            return None if element is None else lambda value: [element(item) for item in value]
        case (t.MapType(), t.MapType()):
            key = widening(source.key, target.key, f"{path}.key")
            return _pairs(key, widening(source.value, target.value, f"{path}.value"))
        case (t.MultisetType(), t.MultisetType()):
            return _pairs(widening(source.element, target.element, f"{path}.element"), None)
        case (t.FieldsType(), t.FieldsType()):
            return fields_widening(source, target, path)
    if source.with_nullability(True) == target.with_nullability(True):
        return None
    raise ProgramError(
        f"column {path or 'value'} of type {source} cannot become {target} without loss",
        remedy=f"ask for {source.with_nullability(True)} or a wider type, or CAST the column in the query",
    )


def _pairs(key: Widen, value: Widen) -> Widen:
    if key is None and value is None:
        return None
    key_of, value_of = key or _same, value or _same
    return lambda entries: {key_of(left): value_of(right) for left, right in entries.items()}


def _same(value: object) -> object:
    return value


def fields_widening(source: t.FieldsType, target: t.FieldsType, path: str) -> Widen:
    """Widening of rows: fields are matched by name if the names are the same, else by position.

    Raises ProgramError as `widening` and `places_of` do.
    """
    places = places_of(source.names, target.names, path)
    parts = [
        widening(source.types[at], field.type, f"{path}.{source.names[at]}" if path else source.names[at])
        for at, field in zip(places, target.fields, strict=True)
    ]
    in_order = list(places) == list(range(len(source.fields)))
    if all(part is None for part in parts):
        return None if in_order else lambda row: tuple([row[at] for at in places])
    moves = list(zip(places, parts, strict=True))
    return lambda row: tuple([row[at] if part is None else part(row[at]) for at, part in moves])


def places_of(source: Sequence[str], target: Sequence[str], path: str = "") -> Sequence[int]:
    """The position in `source` of each name in `target`.

    Raises ProgramError if the numbers of names differ, or only some names match and these at other positions.
    """
    subject = f"column {path}" if path else "the rows"
    if len(source) != len(target):
        raise ProgramError(
            f"{subject} {'has' if path else 'have'} {len(source)} field(s), the type wanted {len(target)}",
            where=f"there are {', '.join(source) or 'none'}",
            remedy="give a type with as many fields, or select the columns that it has",
        )
    for names, wanted in ((source, target), (_folded(source), _folded(target))):
        if len(set(names)) == len(names) and set(names) == set(wanted):
            return [list(names).index(name) for name in wanted]
    moved = next((name for at, name in enumerate(target) if name in source and source[at] != name), None)
    if moved is not None:
        unknown = next(name for name in target if name not in source)
        raise ProgramError(
            f"{subject} {'has' if path else 'have'} no field {unknown!r}, and {moved!r} at another place",
            where=f"there are {', '.join(source)}",
            remedy="give all fields the names of the columns, or none",
        )
    return range(len(source))


def _folded(names: Sequence[str]) -> list[str]:
    return [name.casefold() for name in names]

"""Differences between meanings that are computed alike: widened types, or other rows."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Flag
from functools import lru_cache

from compiled_plan.plans.deep import deeply
from compiled_plan.plans.inspection.lineage.meaning import Meaning, type_text
from compiled_plan.plans.inspection.lineage.operators import Item
from compiled_plan.plans.types import (
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LogicalType,
    TimestampBase,
    TimeType,
    VarBinaryType,
    VarCharType,
)


class Shift(Flag):
    """Difference between two meanings that are computed alike."""

    NONE = 0
    WIDER = 1
    """The type holds more values; existing values are the same."""
    FINER = 2
    """The type is finer: past values were rounded to the coarser one."""
    COMPUTED = 4
    """An operand is wider or finer; the result may differ for values that were rounded or too large."""
    ROWS = 8
    """Computed alike over other rows."""
    BRANCHES = 16
    """Branches of a union were added or removed."""


#: Heads that identify rows: a shared origin does not relate the values computed over it.
_ORIGINS = frozenset({"table", "rows", "values", "windowed", "correlate", "declared", "lookup"})
_CASTS = ("$CAST$1", "$REINTERPRET$1")
#: Calls whose result is one of their operands, or independent of the width of the operands.
_TRANSPARENT = frozenset(
    f"${name}$1"
    for name in "AND OR NOT CASE COALESCE IF = <> < <= > >= IS_NULL IS_NOT_NULL IS_TRUE IS_NOT_TRUE IS_FALSE".split()
) | {"$IS NULL$1", "$IS NOT NULL$1", "$IS TRUE$1", "$IS NOT TRUE$1", "$IS FALSE$1", "$IS NOT FALSE$1"}


@deeply
@lru_cache(maxsize=16384)
def relate(old: Meaning, new: Meaning) -> Shift | None:
    """The shift between two meanings that are computed alike; None if they are unrelated."""
    if old.digest == new.digest:
        return Shift.NONE
    if old.head == new.head == "literal" and old.plain == new.plain and old.plain[1] is None:
        # A numeric constant has the same value in every type.
        return Shift.NONE if _type_shift(old.type, new.type) or _type_shift(new.type, old.type) else None
    inner = _inner(_bare(old), _bare(new))
    outer = _type_shift(old.type, new.type)
    return None if inner is None or outer is None else inner | outer


@lru_cache(maxsize=1024)
def widened(old: LogicalType, new: LogicalType) -> Shift | None:
    """The shift from a type to a wider one; None if it is narrower or unrelated."""
    if type_text(old) == type_text(new):
        return Shift.NONE
    match old, new:
        case IntegerType(), IntegerType() if old.BITS < new.BITS:
            return Shift.WIDER
        case DecimalType(), DecimalType() if (
            old.scale <= new.scale and old.precision - old.scale <= new.precision - new.scale
        ):
            return Shift.WIDER if new.scale == old.scale else Shift.FINER
        case FloatType(), DoubleType():
            return Shift.FINER
        case ((VarCharType() | VarBinaryType()), (VarCharType() | VarBinaryType())):
            return Shift.WIDER if type(old) is type(new) and old.length < new.length else None
        case ((TimestampBase() | TimeType()), (TimestampBase() | TimeType())):
            return Shift.FINER if type(old) is type(new) and old.precision < new.precision else None
    return None


def _type_shift(old: LogicalType | None, new: LogicalType | None) -> Shift | None:
    return Shift.NONE if old is None or new is None else widened(old, new)


def _bare(meaning: Meaning) -> Meaning:
    """Strip casts that only widen."""
    while meaning.head == "call" and meaning.plain[0] in _CASTS and meaning.parts:
        (inside, *_) = meaning.parts
        if inside.type is None or meaning.type is None or widened(inside.type, meaning.type) != Shift.WIDER:
            break
        meaning = inside
    return meaning


def _inner(old: Meaning, new: Meaning) -> Shift | None:
    """The shift, ignoring the result type."""
    if old.digest == new.digest:
        return Shift.NONE
    if old.head in _ORIGINS and new.head in _ORIGINS:
        return Shift.ROWS
    if "either" in (old.head, new.head):
        return _branches(*((side.parts if side.head == "either" else (side,)) for side in (old, new)))
    if old.head != new.head or old.plain != new.plain or len(old.parts) != len(new.parts):
        return None
    if old.head in ("column", "metadata"):
        return Shift.NONE if old.parts == new.parts else None
    combined = Shift.NONE
    parts = new.parts
    if old.head == "result":
        # The order of a group's columns is irrelevant.
        parts = (parts[0], *_sorted_like(old.parts[1:-1], parts[1:-1]), parts[-1])
    for old_part, new_part in zip(old.parts, parts, strict=True):
        # The other fields of a row do not affect one field.
        shift = _inner(_bare(old_part), _bare(new_part)) if old.head == "field" else relate(old_part, new_part)
        if shift is None:
            return None
        combined |= shift
    return combined | _computed(old, new, combined) if old.head == "call" else combined


def _computed(old: Meaning, new: Meaning, operands: Shift) -> Shift:
    """The additional shift of a call whose operands became wider or finer."""
    if old.plain[0] in _TRANSPARENT:
        return Shift.NONE
    if old.plain[0] in _CASTS:
        # Equal values are cast to equal values of one type; to another type they round differently.
        same = old.type is not None and new.type is not None and type_text(old.type) == type_text(new.type)
        return Shift.NONE if same and not operands & Shift.FINER else Shift.COMPUTED
    return Shift.COMPUTED if operands & (Shift.WIDER | Shift.FINER) else Shift.NONE


def _sorted_like(old: Sequence[Meaning], new: Sequence[Meaning]) -> Sequence[Meaning]:
    places = {part.digest: at for at, part in enumerate(old)}
    known = all(part.digest in places for part in new)
    return sorted(new, key=lambda part: places[part.digest]) if known else new


def _branches(old: Sequence[Meaning], new: Sequence[Meaning]) -> Shift | None:
    """The shift of a union, over the branches that both have."""
    if all(part.head in _ORIGINS for part in (*old, *new)):
        return Shift.ROWS
    combined, free = Shift.NONE, list(new)
    shared = 0
    for old_part in old:
        shifts = [(shift, at) for at, new_part in enumerate(free) if (shift := relate(old_part, new_part)) is not None]
        if shifts:
            shift, at = min(shifts, key=lambda candidate: candidate[0].value)
            del free[at]
            combined |= shift
            shared += 1
    if not shared:
        return None
    return combined | (Shift.BRANCHES if free or shared < len(old) else Shift.NONE)


def related(old: Item, new: Item) -> Shift | None:
    """The shift between two items that are computed alike; None if they are unrelated."""
    if (old.digest, old.type) == (new.digest, new.type):
        return Shift.NONE
    if old.meaning is None or new.meaning is None or old.name != new.name:
        return None
    return relate(old.meaning, new.meaning)

"""How far two meanings are from each other that are computed alike: by types that became wider, or over other rows."""

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
    """What lies between two meanings that are computed alike."""

    NONE = 0
    WIDER = 1
    """The type holds more values; those that were there are the same."""
    FINER = 2
    """The type is finer: what was read before was rounded to the coarser one."""
    COMPUTED = 4
    """It is computed of something wider or finer, and may come out otherwise where that was rounded or too large."""
    ROWS = 8
    """It is computed alike of other rows."""
    BRANCHES = 16
    """Of the branches of a union some came or went."""


#: Where rows come from: what two of them have in common says nothing of a value computed of them.
_ORIGINS = frozenset({"table", "rows", "values", "windowed", "correlate", "declared", "lookup"})
_CASTS = ("$CAST$1", "$REINTERPRET$1")
#: Calls whose result is one of their operands, or does not depend on how wide these are.
_TRANSPARENT = frozenset(
    f"${name}$1"
    for name in "AND OR NOT CASE COALESCE IF = <> < <= > >= IS_NULL IS_NOT_NULL IS_TRUE IS_NOT_TRUE IS_FALSE".split()
) | {"$IS NULL$1", "$IS NOT NULL$1", "$IS TRUE$1", "$IS NOT TRUE$1", "$IS FALSE$1", "$IS NOT FALSE$1"}


@deeply
@lru_cache(maxsize=16384)
def relate(old: Meaning, new: Meaning) -> Shift | None:
    """The shift between two meanings that are computed alike; None where they are two different things."""
    if old.digest == new.digest:
        return Shift.NONE
    if old.head == new.head == "literal" and old.plain == new.plain and old.plain[1] is None:
        # A number is the same number, whatever it is compared with.
        return Shift.NONE if _of_types(old.type, new.type) or _of_types(new.type, old.type) else None
    inner = _inner(_bare(old), _bare(new))
    outer = _of_types(old.type, new.type)
    return None if inner is None or outer is None else inner | outer


@lru_cache(maxsize=1024)
def widened(old: LogicalType, new: LogicalType) -> Shift | None:
    """The shift between a type and a wider one; None where it did not become wider, or is another one."""
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


def _of_types(old: LogicalType | None, new: LogicalType | None) -> Shift | None:
    return Shift.NONE if old is None or new is None else widened(old, new)


def _bare(meaning: Meaning) -> Meaning:
    """The meaning without casts that only make it wider."""
    while meaning.head == "call" and meaning.plain[0] in _CASTS and meaning.parts:
        (inside, *_) = meaning.parts
        if inside.type is None or meaning.type is None or widened(inside.type, meaning.type) != Shift.WIDER:
            break
        meaning = inside
    return meaning


def _inner(old: Meaning, new: Meaning) -> Shift | None:
    """The same, whatever type comes out."""
    if old.digest == new.digest:
        return Shift.NONE
    if old.head in _ORIGINS and new.head in _ORIGINS:
        return Shift.ROWS
    if "either" in (old.head, new.head):
        return _branches(*((each.parts if each.head == "either" else (each,)) for each in (old, new)))
    if old.head != new.head or old.plain != new.plain or len(old.parts) != len(new.parts):
        return None
    if old.head in ("column", "metadata"):
        return Shift.NONE if old.parts == new.parts else None
    found = Shift.NONE
    parts = new.parts
    if old.head == "result":
        # A group is the same in whatever order its columns are named.
        parts = (parts[0], *_in_order_of(old.parts[1:-1], parts[1:-1]), parts[-1])
    for one, other in zip(old.parts, parts, strict=True):
        # Of a row, what else is in it says nothing of one field.
        shift = _inner(_bare(one), _bare(other)) if old.head == "field" else relate(one, other)
        if shift is None:
            return None
        found |= shift
    return found | _computed(old, new, found) if old.head == "call" else found


def _computed(old: Meaning, new: Meaning, operands: Shift) -> Shift:
    """Whether a call gives something else where its operands became wider or finer."""
    if old.plain[0] in _TRANSPARENT:
        return Shift.NONE
    if old.plain[0] in _CASTS:
        # Equal values are cast to equal ones; to another type they are rounded otherwise.
        same = old.type is not None and new.type is not None and type_text(old.type) == type_text(new.type)
        return Shift.NONE if same and not operands & Shift.FINER else Shift.COMPUTED
    return Shift.COMPUTED if operands & (Shift.WIDER | Shift.FINER) else Shift.NONE


def _in_order_of(old: Sequence[Meaning], new: Sequence[Meaning]) -> Sequence[Meaning]:
    places = {each.digest: at for at, each in enumerate(old)}
    known = all(each.digest in places for each in new)
    return sorted(new, key=lambda each: places[each.digest]) if known else new


def _branches(old: Sequence[Meaning], new: Sequence[Meaning]) -> Shift | None:
    """Of values that come from several places: those places that both have."""
    if all(each.head in _ORIGINS for each in (*old, *new)):
        return Shift.ROWS
    found, free = Shift.NONE, list(new)
    shared = 0
    for one in old:
        shifts = [(shift, at) for at, other in enumerate(free) if (shift := relate(one, other)) is not None]
        if shifts:
            shift, at = min(shifts, key=lambda each: each[0].value)
            del free[at]
            found |= shift
            shared += 1
    if not shared:
        return None
    return found | (Shift.BRANCHES if free or shared < len(old) else Shift.NONE)


def related(old: Item, new: Item) -> Shift | None:
    """The shift between two items that are computed alike; None where they are two things."""
    if (old.digest, old.type) == (new.digest, new.type):
        return Shift.NONE
    if old.meaning is None or new.meaning is None or old.name != new.name:
        return None
    return relate(old.meaning, new.meaning)

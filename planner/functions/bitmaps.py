"""Functions of bitmaps.

Source: Flink docs, "System (Built-in) Functions", bitmap functions; result types of Flink 2.3's plans.
"""

from __future__ import annotations

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.casts import coerce, supports_argument
from compiled_plan.planner.functions.signatures import (
    ARRAY,
    BITMAP_,
    BYTES_,
    Family,
    Function,
    Operands,
    fixed,
    form,
    is_untyped_null,
)
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex import type_of
from compiled_plan.plans.types import BIGINT, BITMAP, BYTES, INT, STRING, ArrayType, LogicalType

_TWO = (form(BITMAP_, BITMAP_),)
_INTS = ArrayType(element=INT)


def _integers(operands: Operands) -> Operands:
    """The array with elements of type INT, as Flink plans it."""
    (array,) = operands
    if is_untyped_null(array):
        return (plan_literals.null(_INTS),)
    type_ = type_of(array)
    assert isinstance(type_, ArrayType)
    if not supports_argument(type_, _INTS):
        remedy = "supported: BITMAP_BUILD(ARRAY<INT>); cast the array to ARRAY<INT>"
        raise ProgramError(
            f"cannot apply BITMAP_BUILD to an argument of type {type_.with_nullability(True)}", remedy=remedy
        )
    if type_.element.ROOT == INT.ROOT:
        return operands
    # Flink casts to elements that are NOT NULL whatever the elements are; nulls pass through the cast.
    return (coerce(array, ArrayType(element=INT.not_null())),)


def _pair(name: str, doc: str) -> Function:
    return Function(f"BITMAP_{name}", _TWO, fixed(BITMAP)).api(f"x.bitmap_{name.lower()}(bitmap2)", doc)


def _one(name: str, family: Family, type_: LogicalType, doc: str) -> Function:
    return Function(f"BITMAP_{name}", (form(family),), fixed(type_)).api(f"x.bitmap_{name.lower()}", doc)


FUNCTIONS: tuple[Function, ...] = (
    Function("BITMAP_BUILD", (form(ARRAY),), fixed(BITMAP), nulls=True, prepare=_integers).api(
        "x.bitmap_build", "BITMAP_BUILD: the bitmap of the elements of an ARRAY<INT>."
    ),
    _pair("AND", "BITMAP_AND: the members of both bitmaps."),
    _pair("ANDNOT", "BITMAP_ANDNOT: the members of this bitmap that the argument lacks."),
    _pair("OR", "BITMAP_OR: the members of either bitmap."),
    _pair("XOR", "BITMAP_XOR: the members of exactly one of the bitmaps."),
    _one("CARDINALITY", BITMAP_, BIGINT, "BITMAP_CARDINALITY: the number of members."),
    _one("FROM_BYTES", BYTES_, BITMAP, "BITMAP_FROM_BYTES: the bitmap of these bytes."),
    _one("TO_ARRAY", BITMAP_, ArrayType(element=INT), "BITMAP_TO_ARRAY: the members in unsigned order."),
    _one("TO_BYTES", BITMAP_, BYTES, "BITMAP_TO_BYTES: its portable bytes."),
    _one("TO_STRING", BITMAP_, STRING, "BITMAP_TO_STRING: a text such as {1,2,3}."),
)

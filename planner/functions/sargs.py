"""SEARCH: a value looked up in a set of ranges, the form of IN lists in plans.

Source: the `$SEARCH$1` calls of Flink 2.3's plans. Ranges are sorted and do not overlap; a point is a range closed at
both ends; a negation is the ranges between the points.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from planner.functions.casts import coerce, least_restrictive
from plans.rex import Call, Literal, Range, RexNode, Sarg, type_of
from plans.types import BOOLEAN, CharacterType, NumericType

Bound = bool | int | float | str | None


def points(value: RexNode, items: Sequence[Literal]) -> RexNode | None:
    """`value` is one of the constants: nothing, an equality, or a SEARCH.

    Args:
        value: what is looked up.
        items: constants, not NULL, of types that compare with the value's.
    """
    if not items:
        return None
    type_ = least_restrictive([item.type for item in items]) or items[0].type
    nullable = type_of(value).nullable
    bounds: dict[Any, Bound] = {}
    for item in items:
        fitted = coerce(item, type_)
        known = fitted if isinstance(fitted, Literal) else item
        bounds.setdefault(order_key(known), bound_of(known))
    if len(bounds) == 1:
        return Call("$=$1", (value, items[0]), BOOLEAN.with_nullability(nullable), "BINARY")
    ranges = tuple(
        Range(lower=bound, lower_closed=True, upper=bound, upper_closed=True, has_lower=True, has_upper=True)
        for _, bound in sorted(bounds.items(), key=lambda pair: pair[0])
    )
    sarg = Sarg(ranges, "UNKNOWN", type_.not_null())
    return Call("$SEARCH$1", (value, sarg), BOOLEAN.with_nullability(nullable), "INTERNAL")


def order_key(literal: Literal) -> Any:
    """What a constant sorts by: its number, or its text."""
    if isinstance(literal.type, NumericType):
        return Decimal(str(literal.value))
    if isinstance(literal.type, CharacterType):
        return str(literal.value)
    return literal.value


def bound_of(literal: Literal) -> Bound:
    """A constant as the bound of a range."""
    return literal.value


def complement(sarg: Sarg) -> Sarg | None:
    """The ranges around and between those of `sarg`; None when they are everything."""
    found: list[Range] = []
    lower: Bound = None
    closed, has_lower = False, False
    for item in sarg.ranges:
        if item.has_lower:
            found.append(
                Range(
                    lower=lower,
                    lower_closed=closed,
                    has_lower=has_lower,
                    upper=item.lower,
                    upper_closed=not item.lower_closed,
                    has_upper=True,
                )
            )
        lower, closed, has_lower = item.upper, not item.upper_closed, item.has_upper
        if not has_lower:
            break
    else:
        found.append(Range(lower=lower, lower_closed=closed, has_lower=True))
    turned = {"TRUE": "FALSE", "FALSE": "TRUE", "UNKNOWN": "UNKNOWN"}[sarg.null_as]
    return Sarg(tuple(found), turned, sarg.type) if found else None

"""SEARCH: a value looked up in a set of ranges, the form of IN lists in plans.

Source: the `$SEARCH$1` calls of Flink 2.3's plans. Ranges are sorted and do not overlap; a point is a range closed at
both ends; a negation is the ranges between the points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from compiled_plan.planner.functions.casts import coerce, least_restrictive
from compiled_plan.plans.rex import Call, InputRef, Literal, Range, RexNode, Sarg, type_of
from compiled_plan.plans.types import (
    BOOLEAN,
    CharacterType,
    DateType,
    IntegerType,
    LogicalType,
    NumericType,
    TimestampBase,
)

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


@dataclass(frozen=True, slots=True)
class _Span:
    """A range with keys that can be compared; None is open-ended."""

    low: Any
    low_closed: bool
    high: Any
    high_closed: bool
    range: Range


_SIDES: dict[str, tuple[bool, bool]] = {
    # symbol: (has a lower bound, the bound belongs to the range)
    ">": (True, False),
    ">=": (True, True),
    "<": (False, False),
    "<=": (False, True),
}
_MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "=", "<>": "<>"}


@dataclass(frozen=True, slots=True)
class _Term:
    """One test of a value against constants; `literal` where it is a single comparison."""

    value: RexNode
    spans: tuple[_Span, ...]
    type: LogicalType


def merged(operands: Sequence[RexNode], *, conjunction: bool) -> tuple[RexNode, ...]:
    """The operands of AND or OR with the tests of each value against constants merged into one.

    A column tested twice becomes a SEARCH of ranges, as in Flink's plans. Tests that together are always or never
    true stay as they are.
    """
    terms = [_term(operand) for operand in operands]
    groups: dict[RexNode, list[int]] = {}
    for index, term in enumerate(terms):
        if term is not None:
            groups.setdefault(term.value, []).append(index)
    found: list[RexNode | None] = list(operands)
    for value, members in groups.items():
        parts = [term for index in members if (term := terms[index]) is not None]
        together = _together(value, parts, conjunction=conjunction) if len(parts) > 1 else None
        if together is not None:
            found[members[0]] = together
            for index in members[1:]:
                found[index] = None
    return tuple(rex for rex in found if rex is not None)


def _together(value: RexNode, terms: Sequence[_Term], *, conjunction: bool) -> RexNode | None:
    type_ = least_restrictive([term.type for term in terms])
    if type_ is None:
        return None
    spans = terms[0].spans
    for term in terms[1:]:
        spans = _crossed(spans, term.spans) if conjunction else _joined((*spans, *term.spans))
    if not spans or any(span.low is None and span.high is None for span in spans):
        return None
    nullable = BOOLEAN.with_nullability(type_of(value).nullable)
    if len(spans) == 1:
        only = spans[0].range
        bound = only.lower if only.has_lower else only.upper
        literal = Literal(_in_form(bound, type_), type_.not_null())
        if only.has_lower and only.has_upper and spans[0].low == spans[0].high:
            return Call("$=$1", (value, literal), nullable, "BINARY")
        if not (only.has_lower and only.has_upper):
            closed = only.lower_closed or only.upper_closed
            symbol = (">" if only.has_lower else "<") + ("=" if closed else "")
            return Call(f"${symbol}$1", (value, literal), nullable, "BINARY")
    ranges = tuple(
        replace(item, lower=_in_form(item.lower, type_), upper=_in_form(item.upper, type_))
        for item in (span.range for span in spans)
    )
    sarg = Sarg(ranges, "UNKNOWN", type_.not_null())
    return Call("$SEARCH$1", (value, sarg), nullable, "INTERNAL")


def _in_form(bound: Bound, type_: LogicalType) -> Bound:
    """A bound as literals of the type have it: only whole numbers are numbers."""
    inexact = isinstance(type_, NumericType) and not isinstance(type_, IntegerType)
    return str(bound) if inexact and bound is not None else bound


def _term(rex: RexNode) -> _Term | None:
    if not isinstance(rex, Call) or len(rex.operands) != 2:
        return None
    symbol = rex.name[1:-2]
    value, other = rex.operands
    if symbol == "SEARCH" and isinstance(other, Sarg) and other.null_as == "UNKNOWN" and _ordered(other.type):
        spans = tuple(_span(item, other.type) for item in other.ranges)
        return _Term(value, spans, other.type)
    if symbol not in _MIRRORED:
        return None
    if isinstance(value, Literal):
        symbol, value, other = _MIRRORED[symbol], other, value
    if not (isinstance(value, InputRef) and isinstance(other, Literal)) or other.value is None:
        return None
    if not (_ordered(other.type) and _alike(type_of(value), other.type)):
        return None
    return _Term(value, _compared(symbol, other), other.type)


def _ordered(type_: LogicalType) -> bool:
    return isinstance(type_, NumericType | CharacterType | DateType | TimestampBase)


def _alike(one: LogicalType, two: LogicalType) -> bool:
    return one.ROOT == two.ROOT or any(isinstance(one, f) and isinstance(two, f) for f in (NumericType, CharacterType))


def _key(bound: Bound, type_: LogicalType) -> Any:
    if isinstance(type_, TimestampBase):
        head, _, fraction = str(bound).partition(".")
        return f"{head}.{fraction.ljust(9, '0')}"
    return order_key(Literal(bound, type_))


def _span(item: Range, type_: LogicalType) -> _Span:
    low = _key(item.lower, type_) if item.has_lower else None
    high = _key(item.upper, type_) if item.has_upper else None
    return _Span(low, item.lower_closed, high, item.upper_closed, item)


def _compared(symbol: str, literal: Literal) -> tuple[_Span, ...]:
    bound = literal.value
    if symbol in ("=", "<>"):
        point = Range(lower=bound, lower_closed=True, upper=bound, upper_closed=True, has_lower=True, has_upper=True)
        sarg = Sarg((point,), "UNKNOWN", literal.type)
        ranges = sarg.ranges if symbol == "=" else (complement(sarg) or sarg).ranges
        return tuple(_span(item, literal.type) for item in ranges)
    lower, closed = _SIDES[symbol]
    item = (
        Range(lower=bound, lower_closed=closed, has_lower=True)
        if lower
        else Range(upper=bound, upper_closed=closed, has_upper=True)
    )
    return (_span(item, literal.type),)


def _crossed(one: Sequence[_Span], two: Sequence[_Span]) -> tuple[_Span, ...]:
    found = [span for a in one for b in two if (span := _both(a, b)) is not None]
    return tuple(sorted(found, key=_start))


def _both(a: _Span, b: _Span) -> _Span | None:
    low = a if b.low is None or (a.low is not None and (a.low, not a.low_closed) >= (b.low, not b.low_closed)) else b
    high = a if b.high is None or (a.high is not None and (a.high, a.high_closed) <= (b.high, b.high_closed)) else b
    if low.low is not None and high.high is not None:
        if low.low > high.high:
            return None
        if low.low == high.high and not (low.low_closed and high.high_closed):
            return None
    return _combined(low, high)


def _combined(low: _Span, high: _Span) -> _Span:
    """From the start of one span to the end of another."""
    item = replace(
        low.range, upper=high.range.upper, upper_closed=high.range.upper_closed, has_upper=high.range.has_upper
    )
    return _Span(low.low, low.low_closed, high.high, high.high_closed, item)


def _start(span: _Span) -> tuple[Any, ...]:
    return (0,) if span.low is None else (1, span.low, not span.low_closed)


def _joined(spans: Sequence[_Span]) -> tuple[_Span, ...]:
    """The union: spans that overlap or touch become one."""
    found: list[_Span] = []
    for span in sorted(spans, key=_start):
        last = found[-1] if found else None
        if last is None or not _touch(last, span):
            found.append(span)
        elif last.high is not None and (
            span.high is None or (span.high, span.high_closed) > (last.high, last.high_closed)
        ):
            found[-1] = _combined(last, span)
    return tuple(found)


def _touch(one: _Span, two: _Span) -> bool:
    if one.high is None or two.low is None:
        return True
    return bool(one.high > two.low or (one.high == two.low and (one.high_closed or two.low_closed)))

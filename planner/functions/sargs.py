"""SEARCH: membership of a value in a set of ranges; plans have IN lists in this form.

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
    """Test of `value` against the constants: an equality or a SEARCH; None without constants.

    Args:
        value: the tested value.
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


def order_key(literal: Literal) -> object:
    """The sort key of a constant: its number, or its text."""
    if isinstance(literal.type, NumericType):
        return Decimal(str(literal.value))
    if isinstance(literal.type, CharacterType):
        return str(literal.value)
    return literal.value


def bound_of(literal: Literal) -> Bound:
    """A constant as the bound of a range."""
    return literal.value


def complement(sarg: Sarg) -> Sarg | None:
    """The ranges around and between those of `sarg`; None if they cover everything."""
    gaps: list[Range] = []
    lower: Bound = None
    closed, has_lower = False, False
    for item in sarg.ranges:
        if item.has_lower:
            gaps.append(
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
        gaps.append(Range(lower=lower, lower_closed=closed, has_lower=True))
    turned = {"TRUE": "FALSE", "FALSE": "TRUE", "UNKNOWN": "UNKNOWN"}[sarg.null_as]
    return Sarg(tuple(gaps), turned, sarg.type) if gaps else None


@dataclass(frozen=True, slots=True)
class _Span:
    """A range with comparable keys; None is open-ended."""

    low: Any
    low_closed: bool
    high: Any
    high_closed: bool
    range: Range


_SIDES: dict[str, tuple[bool, bool]] = {
    # symbol: (has a lower bound, the bound is inclusive)
    ">": (True, False),
    ">=": (True, True),
    "<": (False, False),
    "<=": (False, True),
}
_MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "=", "<>": "<>"}


@dataclass(frozen=True, slots=True)
class _Term:
    """One test of a value against constants; `literal` if it is a single comparison."""

    value: RexNode
    spans: tuple[_Span, ...]
    type: LogicalType


def merged(operands: Sequence[RexNode], *, conjunction: bool) -> tuple[RexNode, ...]:
    """The operands of AND or OR, with tests of the same value against constants merged into one.

    A column tested twice becomes a SEARCH of ranges, as in Flink's plans. Tests that together are always or never
    true are not merged.
    """
    terms = [_term(operand) for operand in operands]
    groups: dict[RexNode, list[int]] = {}
    for index, term in enumerate(terms):
        if term is not None:
            groups.setdefault(term.value, []).append(index)
    merged_terms: list[RexNode | None] = list(operands)
    for value, members in groups.items():
        parts = [term for index in members if (term := terms[index]) is not None]
        together = _together(value, parts, conjunction=conjunction) if len(parts) > 1 else None
        if together is not None:
            merged_terms[members[0]] = together
            for index in members[1:]:
                merged_terms[index] = None
    return tuple(rex for rex in merged_terms if rex is not None)


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
    """A bound in the form of the type's literals: only integers are numbers."""
    inexact = isinstance(type_, NumericType) and not isinstance(type_, IntegerType)
    return str(bound) if inexact and bound is not None else bound


def _term(rex: RexNode) -> _Term | None:
    if not isinstance(rex, Call) or len(rex.operands) != 2:
        return None
    symbol = rex.name[1:-2]
    value, constant = rex.operands
    if symbol == "SEARCH" and isinstance(constant, Sarg) and constant.null_as == "UNKNOWN" and _ordered(constant.type):
        spans = tuple(_span(item, constant.type) for item in constant.ranges)
        return _Term(value, spans, constant.type)
    if symbol not in _MIRRORED:
        return None
    if isinstance(value, Literal):
        symbol, value, constant = _MIRRORED[symbol], constant, value
    if not (isinstance(value, InputRef) and isinstance(constant, Literal)) or constant.value is None:
        return None
    if not (_ordered(constant.type) and _alike(type_of(value), constant.type)):
        return None
    return _Term(value, _compared(symbol, constant), constant.type)


def _ordered(type_: LogicalType) -> bool:
    return isinstance(type_, NumericType | CharacterType | DateType | TimestampBase)


def _alike(left: LogicalType, right: LogicalType) -> bool:
    return left.ROOT == right.ROOT or any(
        isinstance(left, f) and isinstance(right, f) for f in (NumericType, CharacterType)
    )


def _key(bound: Bound, type_: LogicalType) -> object:
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


def _crossed(left: Sequence[_Span], right: Sequence[_Span]) -> tuple[_Span, ...]:
    spans = [span for a in left for b in right if (span := _both(a, b)) is not None]
    return tuple(sorted(spans, key=_start))


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
    """The span from the start of one span to the end of another."""
    item = replace(
        low.range, upper=high.range.upper, upper_closed=high.range.upper_closed, has_upper=high.range.has_upper
    )
    return _Span(low.low, low.low_closed, high.high, high.high_closed, item)


def _start(span: _Span) -> tuple[object, ...]:
    return (0,) if span.low is None else (1, span.low, not span.low_closed)


def _joined(spans: Sequence[_Span]) -> tuple[_Span, ...]:
    """The union, with overlapping or adjacent spans merged."""
    union: list[_Span] = []
    for span in sorted(spans, key=_start):
        last = union[-1] if union else None
        if last is None or not _touch(last, span):
            union.append(span)
        elif last.high is not None and (
            span.high is None or (span.high, span.high_closed) > (last.high, last.high_closed)
        ):
            union[-1] = _combined(last, span)
    return tuple(union)


def _touch(left: _Span, right: _Span) -> bool:
    if left.high is None or right.low is None:
        return True
    return bool(left.high > right.low or (left.high == right.low and (left.high_closed or right.low_closed)))

"""Constant folding and simplification of row expressions without any change of meaning.

Source: the expressions of Flink 2.3's plans, folded by its optimizer. Only certain results are folded: integers wrap as
in Java, decimals must fit, divisions by zero and failing casts stay for run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.constants import convert, number_of
from compiled_plan.planner.functions.operators import all_of, any_of, negate
from compiled_plan.planner.functions.sargs import merged
from compiled_plan.plans.rex import Call, Literal, RexNode, transform, type_of
from compiled_plan.plans.types import (
    BOOLEAN,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    IntervalType,
    LogicalType,
    NumericType,
    TimestampType,
)

_WIDE = Context(prec=76, rounding=ROUND_HALF_UP)
_DIVISION = Context(prec=38, rounding=ROUND_HALF_UP)


def fold(rex: RexNode) -> RexNode:
    """The expression with calls over literals replaced by their values, if certain."""
    return transform(rex, _folded)


def simplify(rex: RexNode) -> RexNode:
    """Apply `fold` and simplify booleans, NULLs and CASE; preserve the top-level type, by a cast if necessary."""
    simplified = simplify_condition(rex)
    wanted = type_of(rex)
    if type_of(simplified).nullable is wanted.nullable:
        return simplified
    if isinstance(simplified, Literal) and simplified.value is None:
        return Literal(None, wanted)
    return Call("$CAST$1", (simplified,), wanted, "SPECIAL")


def simplify_condition(rex: RexNode) -> RexNode:
    """As `simplify`, but the result may be NOT NULL although the expression was nullable (for WHERE and ON)."""
    return transform(rex, lambda node: _simplified(_folded(node)))


def is_true(rex: RexNode) -> bool:
    return isinstance(rex, Literal) and rex.value is True and isinstance(rex.type, BooleanType)


def is_false(rex: RexNode) -> bool:
    return isinstance(rex, Literal) and rex.value is False and isinstance(rex.type, BooleanType)


def is_null(rex: RexNode) -> bool:
    """Return True for a NULL of any type."""
    return isinstance(rex, Literal) and rex.value is None and rex.symbol is None


def _folded(rex: RexNode) -> RexNode:
    if not isinstance(rex, Call) or not rex.operands:
        return rex
    known = [operand for operand in rex.operands if isinstance(operand, Literal) and operand.symbol is None]
    if rex.name in _STRICT and any(map(is_null, known)):
        return Literal(None, rex.type.with_nullability(True))
    if len(known) != len(rex.operands):
        return rex
    rule = _RULES.get(rex.name)
    folded = None if rule is None else rule(known, rex.type)
    return rex if folded is None else folded


Rule = Callable[[Sequence[Literal], LogicalType], RexNode | None]


def _value(value: Decimal, type_: LogicalType) -> Literal | None:
    """An exact result as a literal of its type: integers wrap, decimals must fit."""
    match type_:
        case IntegerType():
            span, half = 2**type_.BITS, 2 ** (type_.BITS - 1)
            return Literal((int(value) + half) % span - half, type_)
        case DecimalType():
            rounded = value.quantize(Decimal(1).scaleb(-type_.scale), ROUND_HALF_UP, _WIDE)
            if abs(rounded) >= Decimal(10) ** (type_.precision - type_.scale):
                return None
            return Literal(format(rounded, "f"), type_)
    return None


def _arithmetic(exact: Callable[[Decimal, Decimal], Decimal], double: Callable[[float, float], float]) -> Rule:
    def rule(operands: Sequence[Literal], type_: LogicalType) -> RexNode | None:
        if len(operands) != 2:
            return None
        left, right = map(_quantity, operands)
        if left is None or right is None:
            return None
        if isinstance(type_, IntervalType):
            length = exact(left, right)
            return Literal(str(int(length)), type_) if length == int(length) else None
        if isinstance(type_, DoubleType):
            result = double(float(left), float(right))
            return Literal(format(Decimal(result), "f"), type_) if abs(result) < float("inf") else None
        with localcontext(_WIDE):
            return _value(exact(left, right), type_)

    return rule


def _quantity(literal: Literal) -> Decimal | None:
    """A number, or the milliseconds or months of an interval."""
    if isinstance(literal.type, IntervalType) and literal.value is not None:
        return Decimal(str(literal.value))
    return number_of(literal)


def _divide(operands: Sequence[Literal], type_: LogicalType) -> RexNode | None:
    left, right = map(number_of, operands)
    if left is None or right is None or right == 0:
        return None
    match type_:
        case IntegerType():
            return _value(_truncated(left, right), type_)
        case DecimalType():
            return _value(_DIVISION.divide(left, right), type_)
        case DoubleType():
            return Literal(format(Decimal(float(left) / float(right)), "f"), type_)
    return None


def _truncated(value: Decimal, divisor: Decimal) -> Decimal:
    quotient = abs(int(value)) // abs(int(divisor))
    return Decimal(quotient if (value < 0) is (divisor < 0) else -quotient)


def _modulo(operands: Sequence[Literal], type_: LogicalType) -> RexNode | None:
    left, right = map(number_of, operands)
    if left is None or right is None or right == 0 or not isinstance(type_, IntegerType):
        return None
    return _value(left - _truncated(left, right) * right, type_)


def comparable(literal: Literal) -> Decimal | bytes | bool | str | None:
    """The comparison key of a literal; None if unknown at compile time. Text compares by its UTF-8 bytes."""
    value = literal.value
    match literal.type:
        case DoubleType():
            return Decimal(float(str(value)))
        case IntegerType() | DecimalType():
            return Decimal(str(value))
        case CharacterType():
            return str(value).encode("utf-8")
        case BooleanType():
            return bool(value)
        case DateType():
            return str(value)
        case TimestampType():
            head, _, fraction = str(value).partition(".")
            return f"{head}.{fraction.ljust(9, '0')}"
    return None


def _compared(accepts: Callable[[int], bool]) -> Rule:
    def rule(operands: Sequence[Literal], type_: LogicalType) -> RexNode | None:
        left, right = operands
        numbers = isinstance(left.type, NumericType) and isinstance(right.type, NumericType)
        texts = isinstance(left.type, CharacterType) and isinstance(right.type, CharacterType)
        if not (numbers or texts or left.type.ROOT == right.type.ROOT):
            return None
        left_value, right_value = comparable(left), comparable(right)
        if left_value is None or right_value is None:
            return None
        order = (left_value > right_value) - (left_value < right_value)  # type: ignore[operator]
        return plan_literals.boolean(accepts(order))

    return rule


def _concat(operands: Sequence[Literal], type_: LogicalType) -> RexNode | None:
    if not isinstance(type_, CharacterType):
        return None
    return Literal("".join(str(operand.value) for operand in operands), type_)


def _ascii(change: Callable[[str], str]) -> Rule:
    def rule(operands: Sequence[Literal], type_: LogicalType) -> RexNode | None:
        text = str(operands[0].value)
        return Literal(change(text), type_) if text.isascii() else None

    return rule


def _cast(operands: Sequence[Literal], type_: LogicalType) -> RexNode | None:
    return convert(operands[0], type_)


def _length(operands: Sequence[Literal], type_: LogicalType) -> RexNode | None:
    text = str(operands[0].value)
    return Literal(len(text), type_) if text.isascii() else None


_RULES: dict[str, Rule] = {
    "$+$1": _arithmetic(lambda a, b: a + b, lambda a, b: a + b),
    "$-$1": _arithmetic(lambda a, b: a - b, lambda a, b: a - b),
    "$*$1": _arithmetic(lambda a, b: a * b, lambda a, b: a * b),
    "$/$1": _divide,
    "$MOD$1": _modulo,
    "$=$1": _compared(lambda order: order == 0),
    "$<>$1": _compared(lambda order: order != 0),
    "$<$1": _compared(lambda order: order < 0),
    "$<=$1": _compared(lambda order: order <= 0),
    "$>$1": _compared(lambda order: order > 0),
    "$>=$1": _compared(lambda order: order >= 0),
    "$||$1": _concat,
    "$UPPER$1": _ascii(str.upper),
    "$LOWER$1": _ascii(str.lower),
    "$CHAR_LENGTH$1": _length,
    "$CAST$1": _cast,
}

#: Functions that return NULL if an operand is NULL.
_STRICT = frozenset(_RULES)


def _simplified(rex: RexNode) -> RexNode:
    rule = _SIMPLER.get(rex.name) if isinstance(rex, Call) else None
    return rule(rex) if rule is not None and isinstance(rex, Call) else rex


def _and(call: Call) -> RexNode:
    if any(map(is_false, call.operands)):
        return plan_literals.boolean(False)
    left = tuple(operand for operand in call.operands if not is_true(operand))
    return all_of(merged(left, conjunction=True)) if left else plan_literals.boolean(True)


def _or(call: Call) -> RexNode:
    if any(map(is_true, call.operands)):
        return plan_literals.boolean(True)
    left = tuple(operand for operand in call.operands if not is_false(operand))
    return any_of(merged(left, conjunction=False)) if left else plan_literals.boolean(False)


def _not(call: Call) -> RexNode:
    return Literal(None, BOOLEAN) if is_null(call.operands[0]) else negate(call.operands)


def _null_test(when_null: bool) -> Callable[[Call], RexNode]:
    def rule(call: Call) -> RexNode:
        operand = call.operands[0]
        if is_null(operand):
            return plan_literals.boolean(when_null)
        return call if type_of(operand).nullable else plan_literals.boolean(not when_null)

    return rule


def _truth_test(wanted: bool, negated: bool) -> Callable[[Call], RexNode]:
    """IS TRUE, IS FALSE and their negations."""

    def rule(call: Call) -> RexNode:
        operand = call.operands[0]
        if isinstance(operand, Literal):
            return plan_literals.boolean((operand.value is wanted) is not negated)
        if type_of(operand).nullable:
            return call
        return operand if wanted is not negated else negate((operand,))

    return rule


def _case(call: Call) -> RexNode:
    """CASE: remove branches that are never taken, and all branches after one that is always taken."""
    *branches, default = call.operands
    reachable: list[RexNode] = []
    for condition, value in zip(branches[::2], branches[1::2], strict=True):
        if is_false(condition) or is_null(condition):
            continue
        if is_true(condition):
            default = value
            break
        reachable += [condition, value]
    values = [*reachable[1::2], default]
    if all(value == default for value in values):
        return default
    if len(reachable) == 2 and is_true(reachable[1]) and is_false(default):
        test = Call("$IS TRUE$1", (reachable[0],), BOOLEAN.not_null(), "POSTFIX")
        return _truth_test(True, False)(test)
    missing = any(type_of(value).nullable for value in values)
    return Call(call.name, (*reachable, default), call.type.with_nullability(missing), call.syntax)


def _first_known(call: Call) -> RexNode:
    """COALESCE: remove NULLs, and all operands after the first one that is never NULL."""
    remaining: list[RexNode] = []
    for operand in call.operands:
        if is_null(operand):
            continue
        remaining.append(operand)
        if not type_of(operand).nullable:
            break
    if not remaining:
        return Literal(None, call.type.with_nullability(True))
    if len(remaining) == 1:
        only = remaining[0]
        if type_of(only).with_nullability(True) == call.type.with_nullability(True):
            return only
        return (convert(only, call.type) if isinstance(only, Literal) else None) or call
    return Call(call.name, tuple(remaining), call.type, call.syntax)


def _compare_truth(call: Call) -> RexNode:
    """Rewrite x = TRUE to x, and x = FALSE to NOT x."""
    left, right = call.operands
    for value, constant in ((left, right), (right, left)):
        if isinstance(constant, Literal) and isinstance(constant.value, bool):
            return value if constant.value is (call.name == "$=$1") else negate((value,))
    return call


_SIMPLER: dict[str, Callable[[Call], RexNode]] = {
    "$AND$1": _and,
    "$OR$1": _or,
    "$NOT$1": _not,
    "$IS NULL$1": _null_test(True),
    "$IS NOT NULL$1": _null_test(False),
    "$IS TRUE$1": _truth_test(True, False),
    "$IS NOT TRUE$1": _truth_test(True, True),
    "$IS FALSE$1": _truth_test(False, False),
    "$IS NOT FALSE$1": _truth_test(False, True),
    "$CASE$1": _case,
    "$COALESCE$1": _first_known,
    "$=$1": _compare_truth,
    "$<>$1": _compare_truth,
}

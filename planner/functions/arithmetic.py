"""Arithmetic operators and functions.

Source: Flink docs, "System (Built-in) Functions", arithmetic; decimal result types as in Flink (at most 38 digits,
integral digits preserved first, at least 6 fractional digits).
"""

from __future__ import annotations

from collections.abc import Callable

from compiled_plan.planner.functions import plan_literals
from compiled_plan.planner.functions.casts import as_decimal, coerce, least_restrictive
from compiled_plan.planner.functions.signatures import (
    EXACT,
    INTERVAL,
    NUMBER,
    TEXT,
    WHOLE,
    Family,
    Function,
    Operands,
    ReturnRule,
    any_nullable,
    fixed,
    form,
    nullable,
    same,
)
from compiled_plan.planner.functions.temporal_math import minus_time, plus_time, temporal_forms
from compiled_plan.plans.rex import Call, Literal, RexNode, type_of
from compiled_plan.plans.types import (
    DOUBLE,
    INT,
    STRING,
    DecimalType,
    FloatType,
    IntervalType,
    LogicalType,
    NumericType,
    VarBinaryType,
)

MAX_PRECISION = 38
MIN_DIVISION_SCALE = 6


def adjusted(precision: int, scale: int) -> DecimalType:
    """DECIMAL(precision, scale) reduced to 38 digits; keeps the integral digits and up to 6 fractional digits."""
    if precision <= MAX_PRECISION:
        return DecimalType(precision=precision, scale=scale)
    whole = precision - scale
    return DecimalType(precision=MAX_PRECISION, scale=max(MAX_PRECISION - whole, min(scale, MIN_DIVISION_SCALE)))


def plus_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of a sum or difference."""
    scale = max(left.scale, right.scale)
    return adjusted(max(left.precision - left.scale, right.precision - right.scale) + scale + 1, scale)


def times_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of a product."""
    return adjusted(left.precision + right.precision + 1, left.scale + right.scale)


def divide_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of a quotient."""
    scale = max(MIN_DIVISION_SCALE, left.scale + right.precision + 1)
    return adjusted(left.precision - left.scale + right.scale + scale, scale)


def modulo_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of a remainder."""
    scale = max(left.scale, right.scale)
    return adjusted(min(left.precision - left.scale, right.precision - right.scale) + scale, scale)


def _binary(decimals: Callable[[DecimalType, DecimalType], DecimalType]) -> ReturnRule:
    def rule(operands: Operands) -> LogicalType:
        left, right = map(type_of, operands)
        missing = any_nullable(operands)
        if isinstance(left, IntervalType) or isinstance(right, IntervalType):
            return _interval_type(left, right).with_nullability(missing)
        if isinstance(left, DecimalType) or isinstance(right, DecimalType):
            first, second = as_decimal(left), as_decimal(right)
            if first is not None and second is not None:
                return decimals(first, second).with_nullability(missing)
        return (least_restrictive((left, right)) or DOUBLE).with_nullability(missing)

    return rule


def _interval_type(left: LogicalType, right: LogicalType) -> LogicalType:
    if isinstance(left, IntervalType) and isinstance(right, IntervalType):
        if left.resolution == right.resolution:
            return left
        start = min(left, right, key=lambda item: _UNITS.index(_parts(item)[0].split("(")[0]))
        end = max(left, right, key=lambda item: _UNITS.index(_parts(item)[1].split("(")[0]))
        return plan_literals.interval_type(f"{_parts(start)[0]} TO {_parts(end)[1]}")
    return left if isinstance(left, IntervalType) else right


_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


def _parts(type_: IntervalType) -> tuple[str, str]:
    start, _, end = type_.resolution.partition(" TO ")
    return start, end or start


def _decimals(operands: Operands) -> Operands:
    """The operands as the decimals that hold them; an approximate number has 15 digits behind its point."""
    return tuple(coerce(rex, _held(type_of(rex)).with_nullability(type_of(rex).nullable)) for rex in operands)


def _held(type_: LogicalType) -> DecimalType:
    if isinstance(type_, IntervalType):
        return DecimalType(precision=1, scale=0)
    approximate = DecimalType(precision=14, scale=7) if isinstance(type_, FloatType) else _DOUBLE
    return as_decimal(type_) or approximate


_DOUBLE = DecimalType(precision=30, scale=15)


def _sum_of_decimals(operands: Operands) -> LogicalType:
    type_ = type_of(operands[1])
    scale = type_.scale if isinstance(type_, DecimalType) else 0
    return DecimalType(precision=MAX_PRECISION, scale=scale, nullable=type_.nullable)


def _modulo(operands: Operands) -> LogicalType:
    left, right = map(type_of, operands)
    first, second = as_decimal(left), as_decimal(right)
    if first is None or second is None or (first.scale == 0 and second.scale == 0):
        return right.with_nullability(any_nullable(operands))
    return modulo_type(first, second).with_nullability(any_nullable(operands))


def _plus(operands: Operands) -> RexNode:
    if len(operands) == 1:
        return operands[0]
    return plus_time(operands) or Call("$+$1", operands, _binary(plus_type)(operands), "BINARY")


def _minus(operands: Operands) -> RexNode:
    if len(operands) == 1:
        rex = operands[0]
        if isinstance(rex, Literal) and isinstance(rex.type, NumericType) and rex.value is not None:
            text = str(rex.value)
            # SQL has no negative zero.
            turned = text[1:] if text.startswith("-") else f"-{text}" if text.strip("0.") else text
            return Literal(int(turned) if isinstance(rex.value, int) else turned, rex.type)
        return Call("$-$1", operands, type_of(rex), "PREFIX")
    return minus_time(operands) or Call("$-$1", operands, _binary(plus_type)(operands), "BINARY")


def _sqrt(operands: Operands) -> RexNode:
    half = plan_literals.decimal("0.5")
    return Call("$POWER$1", (*operands, half), DOUBLE.with_nullability(any_nullable(operands)))


def _integral_type(operands: Operands) -> LogicalType:
    """FLOOR and CEIL of a number: decimals get scale 0."""
    type_ = type_of(operands[0])
    if isinstance(type_, DecimalType) and type_.scale:
        return DecimalType(precision=type_.precision, scale=0, nullable=type_.nullable)
    return type_.with_nullability(any_nullable(operands))


def _rounded(operands: Operands) -> LogicalType:
    """ROUND and TRUNCATE: a decimal's scale is the constant number of places."""
    type_ = type_of(operands[0])
    missing = any_nullable(operands)
    if not isinstance(type_, DecimalType):
        return type_.with_nullability(missing)
    places = 0
    if len(operands) == 2:
        known = operands[1]
        if not (isinstance(known, Literal) and isinstance(known.value, int)):
            return type_.with_nullability(missing)
        places = known.value
    if places >= type_.scale:
        return type_.with_nullability(missing)
    whole = type_.precision - type_.scale + 1
    if places < 0:
        return DecimalType(precision=min(MAX_PRECISION, whole), scale=0, nullable=missing)
    return DecimalType(precision=min(MAX_PRECISION, whole + places), scale=places, nullable=missing)


def _constant(value: str) -> Callable[[Operands], RexNode]:
    return lambda operands: plan_literals.double(value)


#: Functions from a number to DOUBLE, and their documentation.
_TO_DOUBLE = {
    "EXP": "EXP: e to the power of this.",
    "LN": "LN: the natural logarithm.",
    "LOG10": "LOG10: the logarithm to base 10.",
    "LOG2": "LOG2: the logarithm to base 2.",
    "DEGREES": "DEGREES of radians.",
    "RADIANS": "RADIANS of degrees.",
    "SIN": "SIN of radians.",
    "COS": "COS of radians.",
    "TAN": "TAN of radians.",
    "COT": "COT of radians.",
    "ASIN": "ASIN, in radians.",
    "ACOS": "ACOS, in radians.",
    "ATAN": "ATAN, in radians.",
    "SINH": "SINH: the hyperbolic sine.",
    "COSH": "COSH: the hyperbolic cosine.",
    "TANH": "TANH: the hyperbolic tangent.",
}
_NUMBERS = (form(NUMBER, NUMBER),)
_ARITHMETIC = (*_NUMBERS, form(INTERVAL, INTERVAL))
_SCALED = (form(NUMBER, INTERVAL), form(INTERVAL, NUMBER))
_QUANTITY = Family("NUMERIC or INTERVAL", (NumericType, IntervalType))
_QUANTITIES = (form(_QUANTITY, _QUANTITY),)
_ONE_OR_TWO = (form(NUMBER), form(NUMBER, WHOLE))

FUNCTIONS: tuple[Function, ...] = (
    Function(
        "+", (*_ARITHMETIC, *temporal_forms(reversible=True), form(NUMBER), form(INTERVAL)), rewrite=_plus, infix=True
    ),
    Function("-", (*_ARITHMETIC, *temporal_forms(), form(NUMBER), form(INTERVAL)), rewrite=_minus, infix=True),
    Function("*", (*_NUMBERS, *_SCALED), _binary(times_type), syntax="BINARY", infix=True),
    Function("/", (*_NUMBERS, form(INTERVAL, NUMBER)), _binary(divide_type), syntax="BINARY", infix=True),
    # The arithmetic of Flink's own decimal aggregates: the result has the scale or the type of the second operand.
    *(Function(f"AGG_DECIMAL_{sign}", _QUANTITIES, _sum_of_decimals, prepare=_decimals) for sign in ("PLUS", "MINUS")),
    Function("HIVE_AGG_DECIMAL_PLUS", _QUANTITIES, lambda operands: type_of(operands[1]), prepare=_decimals),
    Function("%", (form(EXACT, EXACT),), _modulo, "$MOD$1", infix=True),
    Function("MOD", (form(EXACT, EXACT),), _modulo),
    Function("ABS", (form(NUMBER), form(INTERVAL)), same(0)).api("x.abs", "ABS: the absolute value."),
    Function("SIGN", (form(NUMBER),), same(0)).api("x.sign", "SIGN: -1, 0 or 1."),
    Function("ROUND", _ONE_OR_TWO, _rounded).api("x.round(places=0)", "ROUND to a number of decimal places."),
    Function("TRUNCATE", _ONE_OR_TWO, _rounded).api("x.truncate(n=0)", "TRUNCATE to a number of decimal places."),
    *(Function(name, (form(NUMBER),), fixed(DOUBLE)).api(f"x.{name.lower()}", doc) for name, doc in _TO_DOUBLE.items()),
    Function("LOG", (form(NUMBER), form(NUMBER, NUMBER)), fixed(DOUBLE)),
    Function("POWER", (form(NUMBER, NUMBER),), fixed(DOUBLE)).api(
        "x.power(other)", "POWER: this to the power of `other`; the same as `**`."
    ),
    Function("ATAN2", (form(NUMBER, NUMBER),), fixed(DOUBLE)).api(
        "atan2(y, x)",
        "ATAN2: the angle of a point, in radians.",
        '>>> items.select(cp.atan2(1, 2).alias("x"))',
        "Table(x DOUBLE NOT NULL)",
    ),
    Function("SQRT", (form(NUMBER),), rewrite=_sqrt).api("x.sqrt", "SQRT: the square root."),
    Function("PI", (form(),), rewrite=_constant("3.141592653589793115997963468544185161590576171875")).api(
        "pi()", "PI().", '>>> items.select(cp.pi().alias("x"))', "Table(x DOUBLE NOT NULL)"
    ),
    Function("E", (form(),), rewrite=_constant("2.718281828459045090795598298427648842334747314453125")).api(
        "e()", "E().", '>>> items.select(cp.e().alias("x"))', "Table(x DOUBLE NOT NULL)"
    ),
    Function("RAND", (form(), form(WHOLE)), fixed(DOUBLE), deterministic=False).api(
        "rand(seed=None)",
        "RAND([seed]): from 0.0 (inclusive) to 1.0 (exclusive).",
        '>>> items.select(cp.rand(42).alias("x"))',
        "Table(x DOUBLE NOT NULL)",
    ),
    Function("RAND_INTEGER", (form(WHOLE), form(WHOLE, WHOLE)), fixed(INT), deterministic=False),
    Function("BIN", (form(WHOLE),), fixed(STRING)).api("x.bin", "BIN: the integer in binary digits."),
    Function("HEX", (form(WHOLE), form(TEXT)), fixed(STRING)).api(
        "x.hex", "HEX: the number or text in hexadecimal digits."
    ),
    Function("UNHEX", (form(TEXT),), nullable(VarBinaryType())).api(
        "x.unhex", "UNHEX: the bytes of hexadecimal digits."
    ),
)

floor_type = _integral_type

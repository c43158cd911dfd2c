"""Arithmetic functions.

Source: Flink docs, "System (Built-in) Functions", arithmetic functions.
"""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.expressions.core import FunctionProperty, Operand, call_node


class Numbers(Operand):
    """`.abs`, `.round(2)`, `.sin` and the like."""

    __slots__ = ()

    abs = FunctionProperty("ABS", "ABS: the absolute value.")
    sign = FunctionProperty("SIGN", "SIGN: -1, 0 or 1.")
    exp = FunctionProperty("EXP", "EXP: e to the power of this.")
    ln = FunctionProperty("LN", "LN: the natural logarithm.")
    log10 = FunctionProperty("LOG10", "LOG10: the logarithm to base 10.")
    log2 = FunctionProperty("LOG2", "LOG2: the logarithm to base 2.")
    sqrt = FunctionProperty("SQRT", "SQRT: the square root.")
    sin = FunctionProperty("SIN", "SIN of radians.")
    sinh = FunctionProperty("SINH", "SINH: the hyperbolic sine.")
    cos = FunctionProperty("COS", "COS of radians.")
    cosh = FunctionProperty("COSH", "COSH: the hyperbolic cosine.")
    tan = FunctionProperty("TAN", "TAN of radians.")
    tanh = FunctionProperty("TANH", "TANH: the hyperbolic tangent.")
    cot = FunctionProperty("COT", "COT of radians.")
    asin = FunctionProperty("ASIN", "ASIN, in radians.")
    acos = FunctionProperty("ACOS", "ACOS, in radians.")
    atan = FunctionProperty("ATAN", "ATAN, in radians.")
    degrees = FunctionProperty("DEGREES", "DEGREES of radians.")
    radians = FunctionProperty("RADIANS", "RADIANS of degrees.")
    bin = FunctionProperty("BIN", "BIN: the whole number in binary digits.")
    hex = FunctionProperty("HEX", "HEX: the number or text in hexadecimal digits.")
    unhex = FunctionProperty("UNHEX", "UNHEX: the bytes that hexadecimal digits stand for.")

    def log(self, base: object | None = None) -> Self:
        """LOG: the natural logarithm, or that to a base."""
        if base is None:
            return self._call("log", "LOG")
        return self._method(call_node("LOG", base, self), "log", base)

    def power(self, other: object) -> Self:
        """POWER: this to the power of `other`; the same as `**`."""
        return self._call("power", "POWER", other)

    def round(self, places: object = 0) -> Self:
        """ROUND to a number of decimal places."""
        return self._call("round", "ROUND", places)

    def truncate(self, places: object = 0) -> Self:
        """TRUNCATE to a number of decimal places."""
        return self._call("truncate", "TRUNCATE", places)

    def floor(self, unit: str | None = None) -> Self:
        """FLOOR of a number; of a time, to a unit such as "DAY"."""
        return self._rounded("floor", "FLOOR", unit)

    def ceil(self, unit: str | None = None) -> Self:
        """CEIL of a number; of a time, to a unit such as "DAY"."""
        return self._rounded("ceil", "CEIL", unit)

    def _rounded(self, name: str, function: str, unit: str | None) -> Self:
        if unit is None:
            return self._call(name, function)
        node = call_node(function, self)
        node.append("expressions", ast.Keyword(this=unit.upper()))
        return self._method(node, name, unit)

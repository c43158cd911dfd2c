"""Arithmetic functions.

Source: Flink docs, "System (Built-in) Functions", arithmetic functions.
"""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.expressions.core import Operand, call_node


class Numbers(Operand):
    """`.abs`, `.round(2)`, `.sin` and the like."""

    __slots__ = ()

    def log(self, base: object | None = None) -> Self:
        """LOG: the natural logarithm, or that to a base."""
        if base is None:
            return self._call("log", "LOG")
        return self._method(call_node("LOG", base, self), "log", base)

    def floor(self, unit: str | None = None) -> Self:
        """FLOOR of a number; of a time, to a unit such as "DAY"."""
        return self._rounded("floor", "FLOOR", unit)

    def ceil(self, unit: str | None = None) -> Self:
        """CEIL of a number; of a time, to a unit such as "DAY"."""
        return self._rounded("ceil", "CEIL", unit)

    def _rounded(self, name: str, function: str, unit: str | None) -> Self:
        if unit is None:
            return self._call(name, function)
        node = call_node(function, self, ast.Keyword(unit.upper()))
        return self._method(node, name, unit)

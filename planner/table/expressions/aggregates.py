"""Aggregates with DISTINCT, FILTER and OVER; sort directions.

Source: Flink docs, "System (Built-in) Functions", aggregate functions; "Table API", over windows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import identifier, named
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.core import Operand, as_property, refuse, shown_of, text_of


class Aggregates(Operand):
    """`.sum`, `.count.distinct`, `.max.filter(...)`, `.avg.over(col("w"))`, `.desc` and the like."""

    __slots__ = ()

    def list_agg(self, separator: str = ",") -> Self:
        """LISTAGG: the texts joined by a separator."""
        return self._call("list_agg", "LISTAGG", *(() if separator == "," else (separator,)))

    @property
    def distinct(self) -> Self:
        """Aggregate distinct values: SUM(DISTINCT a)."""
        return as_property(self, replace(self._aggregate("distinct"), distinct=True), "distinct")

    def filter(self, condition: Operand) -> Self:
        """Aggregate the rows that satisfy a condition: SUM(a) FILTER (WHERE condition)."""
        call = replace(self._aggregate("filter"), filter=node_of(condition))
        return self._method(call, "filter", condition)

    def over(self, alias: Operand | str) -> Self:
        """Aggregate over a window of `over_window`, by its alias."""
        node = alias if isinstance(alias, str) else alias._node
        if isinstance(node, ast.ColumnRef):
            node = node.name
        if not isinstance(node, str):
            raise refuse(f"{shown_of(alias)} is no name of a window", 'write .over(col("w"))')
        name = named(identifier(node), f"over({shown_of(alias)})")
        call = replace(self._aggregate("over"), over=name)
        return self._method(call, "over", alias)

    def _aggregate(self, function: str) -> ast.Call:
        if not isinstance(self._node, ast.Call):
            raise refuse(
                f"{text_of(self)} is no aggregate, so .{function} cannot follow it",
                f"write {text_of(self)}.sum.{function}",
            )
        return self._node

    # --- order

    @property
    def asc(self) -> Self:
        """Sort in ascending order; NULLs come first."""
        return as_property(self, ast.Ordered(self._node), "asc")

    @property
    def desc(self) -> Self:
        """Sort in descending order; NULLs come last."""
        return as_property(self, ast.Ordered(self._node, descending=True), "desc")

    @property
    def nulls_first(self) -> Self:
        """Sort NULLs before all other values."""
        return as_property(self, self._sorted(nulls_first=True), "nulls_first")

    @property
    def nulls_last(self) -> Self:
        """Sort NULLs behind all other values."""
        return as_property(self, self._sorted(nulls_first=False), "nulls_last")

    def _sorted(self, *, nulls_first: bool) -> ast.Ordered:
        node = ordered(self._node)
        return ast.Ordered(node.operand, node.descending, nulls_first)


def ordered(node: ast.Expression) -> ast.Ordered:
    """The sort key of an expression; ascending by default."""
    return node if isinstance(node, ast.Ordered) else ast.Ordered(node)

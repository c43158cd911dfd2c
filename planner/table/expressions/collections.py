"""Arrays, maps, rows: access, and their functions.

Source: Flink docs, "System (Built-in) Functions", collection and value access functions.
"""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import identifier
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.core import Operand, as_property


class Collections(Operand):
    """`.at(1)`, `.get("field")`, `.cardinality`, `.array_contains(x)` and the like."""

    __slots__ = ()

    def at(self, index: object) -> Self:
        """The element of an array (from 1), or the value of a map's key."""
        return self._method(ast.ItemAccess(self._node, node_of(index)), "at", index)

    def __getitem__(self, index: object) -> Self:
        return self.at(index)

    def get(self, field: str | int) -> Self:
        """A field of a ROW or structured value, by name or by place (from 0)."""
        if isinstance(field, int):
            return self._method(ast.ItemAccess(self._node, node_of(field + 1)), "get", field)
        return self._method(ast.FieldAccess(self._node, identifier(field)), "get", field)

    @property
    def flatten(self) -> Self:
        """All fields of a ROW, each a column of its own; in `select` alone."""
        return as_property(self, ast.FieldAccess(self._node, ast.AllColumns()), "flatten")

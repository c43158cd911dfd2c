"""Functions of texts, hashes and JSON.

Source: Flink docs, "System (Built-in) Functions", string, hash and JSON functions.
"""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.core import Operand, call_node, present


class Texts(Operand):
    """`.upper_case`, `.substring(2, 3)`, `.md5`, `.json_value("$.a")` and the like."""

    __slots__ = ()

    def trim(self, character: object = " ") -> Self:
        """TRIM at both ends."""
        return self._trimmed("trim", "BOTH", character)

    def trim_leading(self, character: object = " ") -> Self:
        """TRIM(LEADING ...)."""
        return self._trimmed("trim_leading", "LEADING", character)

    def trim_trailing(self, character: object = " ") -> Self:
        """TRIM(TRAILING ...)."""
        return self._trimmed("trim_trailing", "TRAILING", character)

    def _trimmed(self, name: str, flag: str, character: object) -> Self:
        call = call_node("TRIM", ast.Keyword(flag), character, self)
        return self._method(call, name, *(() if character == " " else (character,)))

    # --- JSON

    def json_exists(self, path: str) -> Self:
        """JSON_EXISTS: whether the path is there."""
        return self._method(ast.JsonExists(self._node, node_of(path)), "json_exists", path)

    def json_value(self, path: str, returning: object | None = None) -> Self:
        """JSON_VALUE: the scalar at the path, NULL where there is none; `returning` is its type (STRING)."""
        from compiled_plan.planner.table.expressions.types import type_node

        spec = None if returning is None else type_node(returning)
        node = ast.JsonValue(self._node, node_of(path), spec)
        return self._method(node, "json_value", path, *present(returning))

    def json_query(self, path: str) -> Self:
        """JSON_QUERY: the object or array at the path, as text."""
        return self._method(ast.JsonQuery(self._node, node_of(path)), "json_query", path)

"""`Expression`: the class that combines all families of methods.

Source: Flink docs, "System (Built-in) Functions"; FLIP-520, "Value Modification", for `object_update`.
"""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import FunctionAlias, identifier, named
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.aggregates import Aggregates
from compiled_plan.planner.table.expressions.core import (
    as_property,
    call_node,
    pairs_of,
    present,
    refuse,
    shown_of,
    text_of,
)
from compiled_plan.planner.table.expressions.plain_methods import PlainMethods
from compiled_plan.planner.table.expressions.predicates import Predicates
from compiled_plan.planner.table.expressions.times import Times
from compiled_plan.planner.table.expressions.types import type_node


class Expression(Predicates, PlainMethods, Times, Aggregates):
    """A value per row: a column, a literal, a call, or an operation on these. Immutable.

    `col("a")`, `lit(1)` and `call("name", ...)` create expressions. An expression belongs to no table: the operation of
    a
    `Table` that takes it resolves its names, types and functions, like those of SQL.

    Source: Flink's "Table API" page and its expressions; FLIP-55.
    """

    __slots__ = ()

    def alias(self, name: str, *more: str) -> Self:
        """The expression under another name; for a table function, the names of its columns."""
        if not name or not all(more):
            raise refuse(f"{text_of(self)}.alias() needs a name", "give a text that is not empty")
        node = ast.Alias(self._node, identifier(name))
        if more:
            node = FunctionAlias(self._node, identifier(name), (name, *more))
        return self._method(node, "alias", name, *more)

    def cast(self, data_type: object) -> Self:
        """CAST(this AS data_type).

        Args:
            data_type: the SQL text of the type ("INT", "DECIMAL(10, 2)"), or a data type.
        """
        return self._method(ast.Cast(self._node, type_node(data_type)), "cast", data_type)

    def try_cast(self, data_type: object) -> Self:
        """TRY_CAST: as `cast`, but NULL if the value cannot be cast."""
        return self._method(ast.Cast(self._node, type_node(data_type), safe=True), "try_cast", data_type)

    # --- numbers and times

    def log(self, base: object | None = None) -> Self:
        """LOG: the natural logarithm, or the one to a base."""
        if base is None:
            return self._call("log", "LOG")
        return self._method(call_node("LOG", base, self), "log", base)

    def floor(self, unit: str | None = None) -> Self:
        """FLOOR of a number, or of a time to a unit such as "DAY"."""
        return self._rounded("floor", "FLOOR", unit)

    def ceil(self, unit: str | None = None) -> Self:
        """CEIL of a number, or of a time to a unit such as "DAY"."""
        return self._rounded("ceil", "CEIL", unit)

    def _rounded(self, name: str, function: str, unit: str | None) -> Self:
        if unit is None:
            return self._call(name, function)
        node = call_node(function, self, ast.Keyword(unit.upper()))
        return self._method(node, name, unit)

    # --- texts

    def trim(self, character: object = " ") -> Self:
        """TRIM on both sides."""
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
        """JSON_EXISTS: True if the path exists."""
        return self._method(ast.JsonExists(self._node, node_of(path)), "json_exists", path)

    def json_value(self, path: str, returning: object | None = None) -> Self:
        """JSON_VALUE: the scalar at the path, NULL if missing; `returning` is its type (default STRING)."""
        spec = None if returning is None else type_node(returning)
        node = ast.JsonValue(self._node, node_of(path), spec)
        return self._method(node, "json_value", path, *present(returning))

    def json_query(self, path: str) -> Self:
        """JSON_QUERY: the object or array at the path, as text."""
        return self._method(ast.JsonQuery(self._node, node_of(path)), "json_query", path)

    # --- arrays, maps, rows, structured values

    def at(self, index: object) -> Self:
        """The element of an array (from 1), or the value of a map's key."""
        return self._method(ast.ItemAccess(self._node, node_of(index)), "at", index)

    def __getitem__(self, index: object) -> Self:
        return self.at(index)

    def get(self, field: str | int) -> Self:
        """The field of a ROW or structured value, by name or by index (from 0)."""
        if isinstance(field, int):
            return self._method(ast.ItemAccess(self._node, node_of(field + 1)), "get", field)
        return self._method(ast.FieldAccess(self._node, identifier(field)), "get", field)

    @property
    def flatten(self) -> Self:
        """The fields of a ROW as separate columns; in `select` only."""
        return as_property(self, ast.FieldAccess(self._node, ast.AllColumns()), "flatten")

    def object_update(self, *keys_and_values: object, **fields: object) -> Self:
        """OBJECT_UPDATE: a structured value with some fields replaced.

        Args:
            keys_and_values: alternating names and values: `.object_update("name", "Alice", "age", 43)`; or
            fields: by keyword: `.object_update(name="Alice")`.

        Raises:
            ProgramError: a name without a value, or a name that is no text; raised by the table's operation: a value
                that is
                not structured, an unknown field (names the known ones).
        """
        pairs = pairs_of(f"{text_of(self)}.object_update", keys_and_values, fields)
        return self._call("object_update", "OBJECT_UPDATE", *pairs)


def call_of(node: ast.Expression, name: str, *arguments: object) -> Expression:
    """The expression returned by the function `name`."""
    return Expression(named(node, f"{name}({', '.join(map(shown_of, arguments))})"))

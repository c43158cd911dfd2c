"""Expression: all families in one class."""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import FunctionAlias, identifier, named
from compiled_plan.planner.table.expressions.aggregates import Aggregates
from compiled_plan.planner.table.expressions.collections import Collections
from compiled_plan.planner.table.expressions.core import refuse, shown_of, text_of
from compiled_plan.planner.table.expressions.numbers import Numbers
from compiled_plan.planner.table.expressions.objects import Objects
from compiled_plan.planner.table.expressions.plain_methods import PlainMethods
from compiled_plan.planner.table.expressions.predicates import Predicates
from compiled_plan.planner.table.expressions.texts import Texts
from compiled_plan.planner.table.expressions.times import Times
from compiled_plan.planner.table.expressions.types import type_node


class Expression(Predicates, PlainMethods, Numbers, Texts, Times, Collections, Objects, Aggregates):
    """A value of each row: a column, a literal, a call, or what their operators and methods make of them. Immutable.

    `col("a")`, `lit(1)` and `call("name", ...)` make the first ones. An expression belongs to no table: its names,
    types and functions are resolved by the operation of a `Table` that takes it, as those of SQL are.

    Source: Flink's "Table API" page and its expressions; FLIP-55.
    """

    __slots__ = ()

    def alias(self, name: str, *more: str) -> Self:
        """This under another name; of a table function, the names of its columns."""
        if not name or not all(more):
            raise refuse(f"{text_of(self)}.alias() needs a name", "give a text that is not empty")
        node = ast.Alias(self._node, identifier(name))
        if more:
            node = FunctionAlias(self._node, identifier(name), (name, *more))
        return self._method(node, "alias", name, *more)

    def cast(self, data_type: object) -> Self:
        """CAST(this AS data_type).

        Args:
            data_type: SQL's text of the type ("INT", "DECIMAL(10, 2)"), or a data type.
        """
        return self._method(ast.Cast(self._node, type_node(data_type)), "cast", data_type)

    def try_cast(self, data_type: object) -> Self:
        """TRY_CAST: as `cast`, with NULL where the value cannot be cast."""
        return self._method(ast.Cast(self._node, type_node(data_type), safe=True), "try_cast", data_type)


def made_by(node: ast.Expression, name: str, *arguments: object) -> Expression:
    """The expression that the function `name` gives."""
    return Expression(named(node, f"{name}({', '.join(map(shown_of, arguments))})"))

"""Expression: all families in one class."""

from __future__ import annotations

from sqlglot import exp

from planner.table.expressions.aggregates import Aggregates
from planner.table.expressions.collections import Collections
from planner.table.expressions.core import refuse, text_of
from planner.table.expressions.numbers import Numbers
from planner.table.expressions.objects import Objects
from planner.table.expressions.predicates import Predicates
from planner.table.expressions.texts import Texts
from planner.table.expressions.times import Times
from planner.table.expressions.types import type_node
from planner.table.nodes import identifier


class Expression(Predicates, Numbers, Texts, Times, Collections, Objects, Aggregates):
    """A value of each row: a column, a literal, a call, or what their operators and methods make of them. Immutable.

    `col("a")`, `lit(1)` and `call("name", ...)` make the first ones. An expression belongs to no table: its names,
    types and functions are resolved by the operation of a `Table` that takes it, as those of SQL are.

    Source: Flink's "Table API" page and its expressions; FLIP-55.
    """

    __slots__ = ()

    def alias(self, name: str, *more: str) -> Expression:
        """This under another name; of a table function, the names of its columns."""
        if not name or not all(more):
            raise refuse(f"{text_of(self)}.alias() needs a name", "give a text that is not empty")
        node = exp.Alias(this=self._node, alias=identifier(name))
        if more:
            node.meta["columns"] = (name, *more)
        return self._method(node, "alias", name, *more)

    def cast(self, data_type: object) -> Expression:
        """CAST(this AS data_type).

        Args:
            data_type: SQL's text of the type ("INT", "DECIMAL(10, 2)"), or a data type.
        """
        return self._method(exp.Cast(this=self._node, to=type_node(data_type)), "cast", data_type)

    def try_cast(self, data_type: object) -> Expression:
        """TRY_CAST: as `cast`, with NULL where the value cannot be cast."""
        return self._method(exp.TryCast(this=self._node, to=type_node(data_type)), "try_cast", data_type)

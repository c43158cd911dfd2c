"""Arrays, maps, rows: access, and their functions.

Source: Flink docs, "System (Built-in) Functions", collection and value access functions.
"""

from __future__ import annotations

from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import identifier
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.core import FunctionProperty, Operand, as_property


class Collections(Operand):
    """`.at(1)`, `.get("field")`, `.cardinality`, `.array_contains(x)` and the like."""

    __slots__ = ()

    cardinality = FunctionProperty("CARDINALITY", "CARDINALITY: the number of elements.")
    element = FunctionProperty("ELEMENT", "ELEMENT: the only element of an array.")
    map_keys = FunctionProperty("MAP_KEYS", "MAP_KEYS: the keys of a map, as an array.")
    map_values = FunctionProperty("MAP_VALUES", "MAP_VALUES: the values of a map, as an array.")
    map_entries = FunctionProperty("MAP_ENTRIES", "MAP_ENTRIES: keys and values of a map, as an array of rows.")
    array_distinct = FunctionProperty("ARRAY_DISTINCT", "ARRAY_DISTINCT: every element once.")
    array_reverse = FunctionProperty("ARRAY_REVERSE", "ARRAY_REVERSE: back to front.")
    array_max = FunctionProperty("ARRAY_MAX", "ARRAY_MAX: the greatest element.")
    array_min = FunctionProperty("ARRAY_MIN", "ARRAY_MIN: the least element.")

    def at(self, index: object) -> Self:
        """The element of an array (from 1), or the value of a map's key."""
        return self._method(ast.ItemAccess(this=self._node, item=node_of(index)), "at", index)

    def __getitem__(self, index: object) -> Self:
        return self.at(index)

    def get(self, field: str | int) -> Self:
        """A field of a ROW or structured value, by name or by place (from 0)."""
        if isinstance(field, int):
            return self._method(ast.ItemAccess(this=self._node, item=node_of(field + 1)), "get", field)
        return self._method(ast.FieldAccess(this=self._node, field=identifier(field)), "get", field)

    @property
    def flatten(self) -> Self:
        """All fields of a ROW, each a column of its own; in `select` alone."""
        return as_property(self, ast.FieldAccess(this=self._node, field=ast.AllColumns(parts=[])), "flatten")

    def elt(self, *values: object) -> Self:
        """ELT: of the values that of this place, from 1."""
        return self._call("elt", "ELT", *values)

    def array_append(self, element: object) -> Self:
        """ARRAY_APPEND."""
        return self._call("array_append", "ARRAY_APPEND", element)

    def array_prepend(self, element: object) -> Self:
        """ARRAY_PREPEND."""
        return self._call("array_prepend", "ARRAY_PREPEND", element)

    def array_contains(self, element: object) -> Self:
        """ARRAY_CONTAINS."""
        return self._call("array_contains", "ARRAY_CONTAINS", element)

    def array_position(self, element: object) -> Self:
        """ARRAY_POSITION: from 1; 0 where it is not there."""
        return self._call("array_position", "ARRAY_POSITION", element)

    def array_remove(self, element: object) -> Self:
        """ARRAY_REMOVE: without the elements that equal this one."""
        return self._call("array_remove", "ARRAY_REMOVE", element)

    def array_concat(self, *arrays: object) -> Self:
        """ARRAY_CONCAT."""
        return self._call("array_concat", "ARRAY_CONCAT", *arrays)

    def array_union(self, array: object) -> Self:
        """ARRAY_UNION: the elements of both, each once."""
        return self._call("array_union", "ARRAY_UNION", array)

    def array_intersect(self, array: object) -> Self:
        """ARRAY_INTERSECT: the elements that both have."""
        return self._call("array_intersect", "ARRAY_INTERSECT", array)

    def array_except(self, array: object) -> Self:
        """ARRAY_EXCEPT: the elements that the other has not."""
        return self._call("array_except", "ARRAY_EXCEPT", array)

    def array_slice(self, start: object, end: object | None = None) -> Self:
        """ARRAY_SLICE from one place to another, both included."""
        return self._call("array_slice", "ARRAY_SLICE", start, *(() if end is None else (end,)))

    def array_sort(self, *how: object) -> Self:
        """ARRAY_SORT: ascending or not, nulls first or not."""
        return self._call("array_sort", "ARRAY_SORT", *how)

    def array_join(self, delimiter: object, null: object | None = None) -> Self:
        """ARRAY_JOIN: the elements as one text."""
        return self._call("array_join", "ARRAY_JOIN", delimiter, *(() if null is None else (null,)))

    def map_union(self, *maps: object) -> Self:
        """MAP_UNION: the later maps win."""
        return self._call("map_union", "MAP_UNION", *maps)

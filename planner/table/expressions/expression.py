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
from compiled_plan.planner.table.expressions.units import (
    JsonExistsOnError,
    JsonQueryOnEmptyOrError,
    JsonQueryWrapper,
    JsonValueOnEmptyOrError,
    KeywordEnum,
    TimeIntervalUnit,
    keyword_of,
)

#: A unit of time: of the enumeration, or its keyword.
Unit = TimeIntervalUnit | str


class Expression(Predicates, PlainMethods, Times, Aggregates):
    """A value per row: a column, a literal, a call, or an operation on these. Immutable.

    `col("a")`, `lit(1)` and `call("name", ...)` create expressions. An expression belongs to no table: the operation of
    a
    `Table` that takes it resolves its names, types and functions, like those of SQL.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> price = cp.col("price")
    >>> items.select((price * 2 + 1).cast("BIGINT").alias("x"), price.between(1, 5).alias("fair"))
    Table(x BIGINT NOT NULL, fair BOOLEAN NOT NULL)

    Source: Flink's "Table API" page and its expressions; FLIP-55.
    """

    __slots__ = ()

    def alias(self, name: str, *extra_names: str) -> Self:
        """The expression under another name; for a table function, the names of its columns."""
        if not name or not all(extra_names):
            raise refuse(f"{text_of(self)}.alias() needs a name", "give a text that is not empty")
        node = ast.Alias(self._node, identifier(name))
        if extra_names:
            node = FunctionAlias(self._node, identifier(name), (name, *extra_names))
        return self._method(node, "alias", name, *extra_names)

    def as_argument(self, name: str) -> Expression:
        """The expression as the argument of that name in the call of a function."""
        return call_of(ast.NamedArgument(identifier(name), self._node), f"{text_of(self)}.as_argument", name)

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

    def floor(self, time_interval_unit: Unit | None = None) -> Self:
        """FLOOR of a number, or of a time to a unit such as "DAY"."""
        return self._rounded("floor", "FLOOR", time_interval_unit)

    def ceil(self, time_interval_unit: Unit | None = None) -> Self:
        """CEIL of a number, or of a time to a unit such as "DAY"."""
        return self._rounded("ceil", "CEIL", time_interval_unit)

    def _rounded(self, name: str, function: str, unit: Unit | None) -> Self:
        if unit is None:
            return self._call(name, function)
        node = call_node(function, self, ast.Keyword(keyword_of(unit)))
        return self._method(node, name, unit)

    # --- texts

    def concat(self, other: object) -> Self:
        """CONCAT: this text, followed by another one."""
        return self._call("concat", "CONCAT", other)

    def trim(self, character: object = " ") -> Self:
        """TRIM(BOTH ...): remove blanks, or another text, on both sides."""
        return self._trimmed("trim", "BOTH", character)

    def trim_leading(self, character: object = " ") -> Self:
        """TRIM(LEADING ...): remove blanks, or another text, at the start."""
        return self._trimmed("trim_leading", "LEADING", character)

    def trim_trailing(self, character: object = " ") -> Self:
        """TRIM(TRAILING ...): remove blanks, or another text, at the end."""
        return self._trimmed("trim_trailing", "TRAILING", character)

    def _trimmed(self, name: str, flag: str, character: object) -> Self:
        call = call_node("TRIM", ast.Keyword(flag), character, self)
        return self._method(call, name, *(() if character == " " else (character,)))

    # --- JSON

    def json_exists(self, path: str, on_error: JsonExistsOnError | str | None = None) -> Self:
        """JSON_EXISTS: True if the path exists; `on_error` (FALSE) is the result for an invalid path or text."""
        behaviour = None if on_error is None else keyword_of(on_error, JsonExistsOnError)
        return self._method(ast.JsonExists(self._node, node_of(path), behaviour), "json_exists", path)

    def json_value(
        self,
        path: str,
        returning_type: object | None = None,
        on_empty: JsonValueOnEmptyOrError | str = JsonValueOnEmptyOrError.NULL,
        default_on_empty: object | None = None,
        on_error: JsonValueOnEmptyOrError | str = JsonValueOnEmptyOrError.NULL,
        default_on_error: object | None = None,
    ) -> Self:
        """JSON_VALUE: the scalar at the path.

        Args:
            path: the path, such as "$.name".
            returning_type: the type of the result, STRING by default.
            on_empty: NULL, ERROR, or DEFAULT for `default_on_empty`, if there is no value.
            default_on_empty: the result for DEFAULT.
            on_error: NULL, ERROR, or DEFAULT for `default_on_error`, for an invalid path or text.
            default_on_error: the result for DEFAULT.
        """
        spec = None if returning_type is None else type_node(returning_type)
        behaviors = (
            *_behaviors("EMPTY", on_empty, default_on_empty),
            *_behaviors("ERROR", on_error, default_on_error),
        )
        node = ast.JsonValue(self._node, node_of(path), spec, behaviors)
        return self._method(node, "json_value", path, *present(returning_type))

    def json_query(
        self,
        path: str,
        wrapping_behavior: JsonQueryWrapper | str = JsonQueryWrapper.WITHOUT_ARRAY,
        on_empty: JsonQueryOnEmptyOrError | str = JsonQueryOnEmptyOrError.NULL,
        on_error: JsonQueryOnEmptyOrError | str = JsonQueryOnEmptyOrError.NULL,
    ) -> Self:
        """JSON_QUERY: the object or array at the path, as text.

        Args:
            path: the path, such as "$.items".
            wrapping_behavior: WITHOUT ARRAY, WITH CONDITIONAL ARRAY or WITH UNCONDITIONAL ARRAY.
            on_empty: NULL, EMPTY ARRAY, EMPTY OBJECT or ERROR, if there is no value.
            on_error: the same, for an invalid path or text.
        """
        wrapper = _unless(wrapping_behavior, JsonQueryWrapper.WITHOUT_ARRAY)
        empty = _unless(on_empty, JsonQueryOnEmptyOrError.NULL)
        error = _unless(on_error, JsonQueryOnEmptyOrError.NULL)
        node = ast.JsonQuery(self._node, node_of(path), None, wrapper, empty, error)
        return self._method(node, "json_query", path)

    # --- arrays, maps, rows, structured values

    def at(self, index: object) -> Self:
        """The element of an array (from 1), or the value of a map's key."""
        return self._method(ast.ItemAccess(self._node, node_of(index)), "at", index)

    def __getitem__(self, index: object) -> Self:
        return self.at(index)

    def get(self, name_or_index: str | int) -> Self:
        """The field of a ROW or structured value, by name or by index (from 0)."""
        if isinstance(name_or_index, int):
            return self._method(ast.ItemAccess(self._node, node_of(name_or_index + 1)), "get", name_or_index)
        return self._method(ast.FieldAccess(self._node, identifier(name_or_index)), "get", name_or_index)

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


def _behaviors(
    event: str, behaviour: JsonValueOnEmptyOrError | str, default: object | None
) -> tuple[ast.JsonBehavior, ...]:
    """The clause of JSON_VALUE for an event; none for the default, NULL."""
    keyword = keyword_of(behaviour, JsonValueOnEmptyOrError)
    value = node_of(default) if keyword == "DEFAULT" else keyword
    return () if keyword == "NULL" else (ast.JsonBehavior(value, event),)


def _unless(value: KeywordEnum | str, default: KeywordEnum) -> str | None:
    """The keyword of a behaviour, None for the default."""
    keyword = keyword_of(value, type(default))
    return None if keyword == str(default) else keyword


def call_of(node: ast.Expression, name: str, *arguments: object) -> Expression:
    """The expression returned by the function `name`."""
    return Expression(named(node, f"{name}({', '.join(map(shown_of, arguments))})"))

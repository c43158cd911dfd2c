"""map and flat_map, and calls of functions that return rows.

Source: Flink's "Table API" page, row-based operations.
"""

from __future__ import annotations

from compiled_plan.planner.functions.signatures import plain_times
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import column, column_at, identifier
from compiled_plan.planner.table.building.planned import PlannedTable, T
from compiled_plan.planner.table.expressions.core import Operand, call_node
from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.expressions.functions import call
from compiled_plan.planner.table.expressions.types import type_node
from compiled_plan.planner.table.joins import join_lateral, names_of_alias
from compiled_plan.planner.table.operations import aliased
from compiled_plan.planner.table.selecting import select
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.functions.definitions import FunctionHolder
from compiled_plan.plans.types import ArrayType, FieldsType, row_of


def map_rows(table: T, function: object) -> T:
    """Map each row to one row; the fields of a ROW become columns."""
    node, names = call_and_names(table, function, "map")
    if table._context.mutable_rows:
        node = aliased(node, "f0")  # PyFlink's name, unless the column is a ROW
    whole = select(table, [Expression(node)], "map")
    return flattened(whole, 0, names, "map")


def call_and_names(table: PlannedTable, function: object, operation: str) -> tuple[ast.Expression, tuple[str, ...]]:
    """The node of a call, and the column names of its alias; a function itself is called with whole rows."""
    if isinstance(function, FunctionHolder):
        return of_row(table, function), function.aliases
    if not isinstance(function, Operand):
        raise ProgramError(
            f"{operation}() takes an expression, not {function!r}",
            where=f"{operation}()",
            remedy=f'write {operation}(call("function", col("a")))',
        )
    node = function._node
    if isinstance(node, ast.Alias):
        return node.value, names_of_alias(node)
    return node, ()


def join_lateral_rows(table: T, function: object, condition: object | None, kind: str, operation: str) -> T:
    """Join each row with the rows of a table function; a function itself is called with whole rows."""
    if isinstance(function, FunctionHolder):
        call_of_row = Expression(of_row(table, function))
        function = call_of_row.alias(*function.aliases) if function.aliases else call_of_row
    return join_lateral(table, function, condition, kind, operation)


def of_row(table: PlannedTable, function: FunctionHolder) -> ast.Expression:
    """The call of a function with a table's row as its only argument: ROW<...> of all columns."""
    rows = table._rows
    row_type = row_of(rows.names, tuple(plain_times(type_) for type_ in rows.rel.row_type.types))
    # By name: the columns of a lateral call have no place.
    row = ast.RowValue(tuple(map(column, rows.names)), explicit=True)
    return call(function, Expression(ast.Cast(row, type_node(row_type))))._node


def flattened(table: T, place: int, names: tuple[str, ...], operation: str) -> T:
    """The table with its last column, if it is a ROW, replaced by columns for its fields, under other names."""
    rows = table._rows
    type_ = rows.rel.row_type.types[place]
    columns = [Expression(column_at(name, at)) for at, name in enumerate(rows.names[:place])]
    last = column_at(rows.names[place], place)
    if isinstance(type_, FieldsType):
        fields: list[ast.Expression] = [ast.FieldAccess(last, identifier(name)) for name in type_.names]
        known = list(type_.names)
    else:
        fields, known = [last], [rows.names[place]]
    if names and len(names) != len(fields):
        raise ProgramError(
            f"{operation}() gives {len(fields)} column(s), the alias names {len(names)}",
            where=f"{operation}()",
            remedy="name all, or none",
        )
    fields_of_row = [Expression(item).alias(name) for item, name in zip(fields, names or known, strict=True)]
    return select(table, [*columns, *fields_of_row], operation)


def flat_map(table: T, function: object) -> T:
    """Map each row to the rows of a table function."""
    width = len(table._rows.names)
    joined = join_lateral_rows(table, function, None, "INNER", "flat_map")
    names = list(enumerate(joined._rows.names))[width:]
    return select(joined, [Expression(column_at(name, place)) for place, name in names], "flat_map")


def unnested(table: T, place: int, names: tuple[str, ...], operation: str) -> T:
    """The table with its last column, an ARRAY of rows, replaced by these rows, under other names."""
    rows = table._rows
    type_ = rows.rel.row_type.types[place]
    if not isinstance(type_, ArrayType):
        raise ProgramError(
            f"{operation}() takes a table aggregate function, and this function gives one {type_} for a group",
            where=f"{operation}()",
            remedy="declare a TableAggregateFunction with udtaf(...), or write aggregate(...)",
        )
    known = type_.element.names if isinstance(type_.element, FieldsType) else ("f0",)
    if names and len(names) != len(known):
        raise ProgramError(
            f"{operation}() gives {len(known)} column(s), the alias names {len(names)}",
            where=f"{operation}()",
            remedy="name all, or none",
        )
    array = Expression(call_node("UNNEST", Expression(column(rows.names[place]))))
    joined = join_lateral(table, array.alias(*(names or known)), None, "INNER", operation)
    rest = [(at, name) for at, name in enumerate(joined._rows.names) if at != place]
    return select(joined, [Expression(column_at(name, at)) for at, name in rest], operation)

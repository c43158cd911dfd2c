"""SELECT, WHERE, DISTINCT, ORDER BY, LIMIT, set operations, and operations on columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from compiled_plan.planner.algebra.nodes import Filter, Project, RelNode, Sort
from compiled_plan.planner.functions.registry import is_aggregate, is_function
from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Context
from compiled_plan.planner.sql.binding.expressions import bind_condition, bind_value
from compiled_plan.planner.sql.binding.user_functions import find_user_function
from compiled_plan.planner.table.building.nodes import (
    Columns,
    FunctionAlias,
    InlineCall,
    by_name,
    column_at,
    identifier,
)
from compiled_plan.planner.table.building.planned import PlannedTable, T
from compiled_plan.planner.table.building.rows import rows
from compiled_plan.planner.table.building.source import not_too_deep
from compiled_plan.planner.table.building.unfinished import check_table
from compiled_plan.planner.table.expressions.aggregates import ordered
from compiled_plan.planner.table.labels import labelled
from compiled_plan.planner.table.operations import (
    aliased,
    all_columns,
    bind,
    bind_select,
    binder_for,
    condition_node,
    names_of,
    nodes_of,
    place_of,
    relation_node,
    spelled,
)
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.rex.nodes import type_of
from compiled_plan.plans.types import FieldsType

if TYPE_CHECKING:
    from compiled_plan.planner.table.expressions.expression import Expression


def select(table: T, fields: Sequence[object], operation: str = "select", **clauses: object) -> T:
    """SELECT fields FROM the table."""
    if not fields:
        raise ProgramError(f"{operation}() has no columns", where=f"{operation}()", remedy='write select(col("name"))')
    items = list(select_items(table, operation, fields))
    binder = binder_for(table._context, operation)
    aggregated = any(_is_aggregate(binder, part) for item in items for part in ast.walk(item))
    if table._context.mutable_rows:
        items = [part for item in items for part in _fields(table, binder, item, operation)]
        items = labelled(items, lambda part: _is_aggregate(binder, part))
    hints = table._hints if aggregated or clauses.get("group") is not None else ()
    bound = bind_select(table._context, operation, table._rows, items, hints=hints, **clauses)
    return table._derived(rows(bound, table._rows.name), hints=() if hints else table._hints)


def _fields(table: PlannedTable, binder: Binder, item: ast.Expression, operation: str) -> list[ast.Expression]:
    """The fields of a column of rows, `col("r").flatten`, as items of their own; any other item."""
    if not isinstance(item, ast.FieldAccess) or not isinstance(item.field, ast.AllColumns):
        return [item]
    operand = item.operand
    while isinstance(operand, ast.FieldAccess):
        operand = operand.operand
    if not isinstance(operand, ast.ColumnRef):
        return [item]
    scope = table._rows.scope(table._rows.rel.row_type, None, binder.names.correlation())
    type_ = type_of(bind_value(binder, item.operand, Context(scope, clause=f"{operation}()")))
    if not isinstance(type_, FieldsType):
        return [item]
    return [ast.FieldAccess(item.operand, identifier(name)) for name in type_.names]


def _is_aggregate(binder: Binder, node: ast.Node) -> bool:
    if not isinstance(node, ast.Call) or node.over is not None:
        return False
    if isinstance(node, InlineCall):
        node = by_name(binder.catalog, node)
    user = find_user_function(binder, node, lambda name: is_aggregate(name) or is_function(name))
    return is_aggregate(node.name) if user is None else user.callables.kind.value == "AGGREGATE"


def select_items(table: PlannedTable, operation: str, fields: Sequence[object]) -> list[ast.Expression]:
    """The items of a SELECT list; "*" stands for all columns."""
    items: list[ast.Expression] = []
    for node in nodes_of(operation, fields):
        if isinstance(node, ast.ColumnRef) and node.name == "*":
            items += all_columns(table._rows)
        elif isinstance(node, Columns):
            items += _several(table, operation, node)
        elif isinstance(node, FunctionAlias):
            raise ProgramError(
                "several names are for the columns of a table function",
                where=f"{operation}()",
                remedy="give one name, or use join_lateral(...)",
            )
        else:
            items.append(node)
    return items


def _several(table: PlannedTable, operation: str, node: Columns) -> list[ast.Expression]:
    """The columns of `with_columns` in the order of mention; those of `without_columns` in the table's."""
    everything = all_columns(table._rows)

    def place(column: str | int) -> int:
        if isinstance(column, str):
            return place_of(operation, column, table._rows)
        if not 1 <= column <= len(everything):
            raise ProgramError(
                f"there is no column {column}: the table has {len(everything)}",
                where=f"{operation}()",
                remedy="give a place from 1",
            )
        return column - 1

    places = [at for first, last in node.chosen for at in range(place(first), place(last) + 1)]
    if node.negated:
        places = [at for at in range(len(everything)) if at not in places]
    return [everything[at] for at in places]


def where(table: T, condition: object, operation: str) -> T:
    """Keep the rows for which a condition is true."""
    node = condition_node(operation, condition)
    binder = binder_for(table._context, operation)
    rows = table._rows
    scope = rows.scope(rows.rel.row_type, None, binder.names.correlation())
    rex = not_too_deep(operation, lambda: bind_condition(binder, node, Context(scope, clause=f"{operation}()")))
    return table._derived(rows.with_rel(Filter(rows.rel, rex)))


def distinct(table: T) -> T:
    """SELECT DISTINCT *: each row once, with state without end by default."""
    bound = bind_select(
        table._context, "distinct", table._rows, all_columns(table._rows), hints=table._hints, distinct=True
    )
    return table._derived(rows(bound, table._rows.name, table._rows.with_rel(bound.rel).keys), hints=())


def order_by(table: T, fields: Sequence[object]) -> T:
    """ORDER BY: a stream is sorted by its time, or limited by `fetch`."""
    keys = ast.OrderBy(tuple(map(ordered, nodes_of("order_by", fields))))
    if not fields:
        raise ProgramError("order_by() has no columns", where="order_by()", remedy='write order_by(col("a").desc)')
    bound = bind_select(table._context, "order_by", table._rows, all_columns(table._rows), order=keys)
    return table._derived(rows(bound, table._rows.name, table._rows.with_rel(bound.rel).keys))


def limit(table: T, operation: str, *, offset: object = None, fetch: object = None) -> T:
    """OFFSET and FETCH, of a preceding ORDER BY if there is one."""
    first, count = (None if number is None else _number(operation, number) for number in (offset, fetch))
    return table._derived(table._rows.with_rel(_limited(table._rows.rel, first, count)))


def _number(operation: str, number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ProgramError(
            f"{operation}() takes a number of rows, not {number!r}", where=f"{operation}()", remedy="give 0 or more"
        )
    return number


def _limited(rel: RelNode, offset: int | None, fetch: int | None) -> RelNode:
    if isinstance(rel, Project) and isinstance(rel.input, Sort) and rel.input.fetch is None:
        return replace(rel, input=_limited(rel.input, offset, fetch))
    if isinstance(rel, Sort) and rel.fetch is None and (not rel.offset or offset is None):
        return replace(rel, offset=rel.offset if offset is None else offset, fetch=fetch)
    return Sort(rel, (), offset or 0, fetch)


_SETS: dict[str, tuple[Literal["UNION", "INTERSECT", "EXCEPT"], bool]] = {
    "union": ("UNION", True),
    "union_all": ("UNION", False),
    "intersect": ("INTERSECT", True),
    "intersect_all": ("INTERSECT", False),
    "minus": ("EXCEPT", True),
    "minus_all": ("EXCEPT", False),
}


def combine(table: T, right: PlannedTable, operation: str) -> T:
    """Combine two tables with equally many columns of matching types by a set operation; the left names remain."""
    check_same_environment(table, right, operation)
    operator, distinct = _SETS[operation]
    node = ast.SetOperation(operator, relation_node(table._rows), relation_node(right._rows), distinct)
    return table._derived(rows(bind(table._context, operation, node)), hints=())


def check_same_environment(table: PlannedTable, right: object, operation: str) -> None:
    """Raise if the value is no table, or belongs to another environment.

    Raises:
        ProgramError: names the operation.
    """
    if check_table(right, operation)._context is not table._context:
        raise ProgramError(
            f"{operation}() takes tables of one TableEnvironment alone",
            where=f"{operation}()",
            remedy="make both tables with the same environment",
        )


# --- columns --------------------------------------------------------------------------------------------------------


def rename_all(table: T, names: Sequence[object]) -> T:
    """Rename all columns (or the first ones)."""
    new_names = names_only("alias", names)
    known = table._rows.names
    if len(new_names) > len(known):
        raise ProgramError(
            f"alias() gives {len(new_names)} names, the table has {len(known)} column(s)",
            where="alias()",
            remedy=f"the columns are: {', '.join(known)}",
        )
    _check_unique("alias", [*new_names, *known[len(new_names) :]])
    items = [aliased(node, name) for node, name in zip(all_columns(table._rows), new_names, strict=False)]
    return select(
        table, [*map(_expression, items), *map(_expression, all_columns(table._rows)[len(new_names) :])], "alias"
    )


def names_only(operation: str, names: Sequence[object]) -> list[str]:
    """Names, given as texts or as `col("name")`."""
    return list(map(spelled, nodes_of(operation, names)))


def add_columns(table: T, fields: Sequence[object]) -> T:
    """Append columns behind those of the table."""
    items = _new_columns(table, "add_columns", fields)
    names = [*table._rows.names, *(_name_of(item) or "" for item in items)]
    _check_unique("add_columns", names)
    return select(table, [*map(_expression, all_columns(table._rows)), *map(_expression, items)], "add_columns")


def add_or_replace_columns(table: T, fields: Sequence[object]) -> T:
    """Replace the columns of these names, and append others."""
    items = all_columns(table._rows)
    names = list(table._rows.names)
    for item in _new_columns(table, "add_or_replace_columns", fields):
        name = _name_of(item)
        if name is not None and name in names:
            items[place_of("add_or_replace_columns", name, table._rows)] = item
        else:
            items.append(item)
    return select(table, list(map(_expression, items)), "add_or_replace_columns")


def rename_columns(table: T, fields: Sequence[object]) -> T:
    """Rename the given columns by their aliases."""
    items = all_columns(table._rows)
    names = list(table._rows.names)
    for node in nodes_of("rename_columns", fields):
        if not isinstance(node, ast.Alias) or not isinstance(node.value, ast.ColumnRef):
            raise ProgramError(
                "rename_columns() takes columns with aliases",
                where="rename_columns()",
                remedy='write rename_columns(col("a").alias("b"))',
            )
        place = place_of("rename_columns", node.value.name, table._rows)
        names[place] = node.name.name
        items[place] = aliased(items[place], names[place])
    _check_unique("rename_columns", names)
    return select(table, list(map(_expression, items)), "rename_columns")


def drop_columns(table: T, fields: Sequence[object]) -> T:
    """Drop columns, and keep the order of the others."""
    dropped = {place_of("drop_columns", name, table._rows) for name in names_of("drop_columns", fields, table._rows)}
    remaining = [node for place, node in enumerate(all_columns(table._rows)) if place not in dropped]
    if not remaining:
        raise ProgramError("drop_columns() leaves no column", where="drop_columns()", remedy="keep at least one")
    return select(table, list(map(_expression, remaining)), "drop_columns")


def _new_columns(table: PlannedTable, operation: str, fields: Sequence[object]) -> list[ast.Expression]:
    if not fields:
        raise ProgramError(f"{operation}() has no columns", where=f"{operation}()", remedy="give at least one")
    return select_items(table, operation, fields)


def _name_of(node: ast.Expression) -> str | None:
    if isinstance(node, ast.Alias):
        return node.name.name
    return node.name if isinstance(node, ast.ColumnRef) else None


def _check_unique(operation: str, names: Sequence[str]) -> None:
    for at, name in enumerate(names):
        if name and name in names[:at]:
            raise ProgramError(
                f"two columns would be named {name!r}",
                where=f"{operation}()",
                remedy="give another name, or use add_or_replace_columns(...)",
            )


def _expression(node: ast.Expression) -> Expression:
    from compiled_plan.planner.table.expressions.expression import Expression

    return Expression(node)


def with_columns_at(table: T, changed: dict[int, ast.Expression], operation: str) -> T:
    """Replace columns by index; all columns keep their positions and names."""
    names = table._rows.names
    items = [
        aliased(changed[place], name) if place in changed else column_at(name, place)
        for place, name in enumerate(names)
    ]
    return select(table, list(map(_expression, items)), operation)

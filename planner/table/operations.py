"""Shared parts of operations: a binder whose errors name the operation, and the SELECT of an operation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Binder, Bound, Surroundings
from compiled_plan.planner.sql.binding.from_clause import BoundRelation
from compiled_plan.planner.sql.binding.queries import bind_query
from compiled_plan.planner.table.building.nodes import column, column_at, columns_remedy, identifier, named
from compiled_plan.planner.table.building.rows import Rows
from compiled_plan.planner.table.building.source import Operation, not_too_deep
from compiled_plan.planner.table.expressions.core import Operand, text_of
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.planner.sql.context import PlanningContext


def binder_for(context: PlanningContext, operation: str) -> Binder:
    """A binder whose errors name the operation."""
    return Binder(Operation(operation), context.catalog, bind_query, context.names)


def relation_node(rows: Rows, as_of: ast.Expression | None = None) -> BoundRelation:
    """The rows of a table as a relation of a query."""
    return BoundRelation(rows, as_of)


def all_columns(rows: Rows) -> list[ast.Expression]:
    """The columns of `*`, by index."""
    return [column_at(name, place) for place, name in enumerate(rows.names)]


def nodes_of(operation: str, fields: Iterable[object], expected: str = "a column") -> list[ast.Expression]:
    """The nodes of expressions and column names.

    Raises:
        ProgramError: neither an expression nor a text.
    """
    nodes: list[ast.Expression] = []
    for item in fields:
        if isinstance(item, Operand):
            nodes.append(item._node)
        elif isinstance(item, str):
            nodes.append(named(column(item), f"col({item!r})"))
        else:
            raise ProgramError(
                f"{item!r} is no expression",
                where=f"{operation}()",
                remedy=f'write col("name") for {expected}, lit(...)',
            )
    return nodes


def listed(operation: str, fields: object) -> Sequence[object]:
    """Return the fields, which must be a list: a plain text would be iterated by characters.

    Raises:
        ProgramError: no list.
    """
    if isinstance(fields, list | tuple):
        return fields
    shown = text_of(fields) if isinstance(fields, Operand) else repr(fields)
    remedy = f"write [{shown}]" if isinstance(fields, Operand | str) else 'write [col("a"), col("b")]'
    raise ProgramError(f"{operation}() takes a list of fields, not {shown}", where=f"{operation}()", remedy=remedy)


def condition_node(operation: str, condition: object) -> ast.Expression:
    """The node of a condition.

    Raises:
        ProgramError: no expression.
    """
    if isinstance(condition, str):
        raise ProgramError(
            f"{operation}() takes a condition, not the text {condition!r}",
            where=f"{operation}()",
            remedy='write col("a") > 1, or call_sql("a > 1")',
        )
    return nodes_of(operation, [condition], "a condition")[0]


def names_of(operation: str, fields: Sequence[object], rows: Rows) -> list[str]:
    """The names of columns, given as texts or as `col("name")`.

    Raises:
        ProgramError: an expression that is no column; an unknown name.
    """
    names: list[str] = []
    for item in fields:
        name = item
        if isinstance(item, Operand):
            if not isinstance(item._node, ast.ColumnRef):
                raise ProgramError(
                    f"{text_of(item)} is no column", where=f"{operation}()", remedy='give names, or col("name")'
                )
            name = item._node.name
        if not isinstance(name, str):
            raise ProgramError(f"{item!r} is no column", where=f"{operation}()", remedy='give names, or col("name")')
        place_of(operation, name, rows)
        names.append(name)
    return names


def place_of(operation: str, name: str, rows: Rows) -> int:
    """The index of the column of that name.

    Raises:
        ProgramError: there is none, or several.
    """
    places = [at for at, known in enumerate(rows.names) if known == name]
    if not places:
        raise ProgramError(
            f"there is no column {name!r}", where=f"{operation}()", remedy=columns_remedy(name, list(rows.names))
        )
    if len(places) > 1:
        raise ProgramError(
            f"column {name!r} is ambiguous: {len(places)} columns have that name",
            where=f"{operation}()",
            remedy="rename one of them before, or select the columns from their tables",
        )
    return places[0]


def spelled(node: ast.Expression) -> str:
    """The name in a node: of a column or function, or a constant text; else empty."""
    match node:
        case ast.ColumnRef() | ast.Call():
            return node.name
        case ast.Constant():
            return node.text
    return ""


def aliased(node: ast.Expression, name: str) -> ast.Expression:
    """The expression under a name."""
    return ast.Alias(node, identifier(name))


def bind_select(
    context: PlanningContext,
    operation: str,
    rows: Rows,
    items: Sequence[ast.Expression],
    **clauses: Any,
) -> Bound:
    """Bind SELECT items FROM the rows, with further clauses by their field names in `ast.Select`."""
    return bind(context, operation, ast.Select(items=tuple(items), source=relation_node(rows), **clauses))


def bind(context: PlanningContext, operation: str, node: ast.QueryNode) -> Bound:
    """Bind a query in the session of a table; errors name the operation."""
    binder = binder_for(context, operation)
    return not_too_deep(operation, lambda: binder.bind_query(binder, node, Surroundings()))


def table_hint(name: str, options: Mapping[str, str]) -> ast.TableHint:
    """The node of a hint with options."""
    pairs = tuple(ast.HintOption(str(key), str(value)) for key, value in options.items())
    return ast.TableHint(identifier(name), pairs)

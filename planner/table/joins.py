"""Joins: regular, temporal, and with table functions.

Source: FLIP-155, "asof"; Flink's "Table API" page, joins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.core import Surroundings
from compiled_plan.planner.sql.binding.from_clause import Place, bind_from
from compiled_plan.planner.sql.binding.hints import bind_block_hints, check_names
from compiled_plan.planner.table.building.nodes import FunctionAlias, InlineCall, by_name, identifier
from compiled_plan.planner.table.building.planned import PlannedTable, T
from compiled_plan.planner.table.building.rows import joined_rows
from compiled_plan.planner.table.building.source import not_too_deep
from compiled_plan.planner.table.building.unfinished import Unfinished
from compiled_plan.planner.table.expressions.core import Operand, shown_of
from compiled_plan.planner.table.operations import binder_for, condition_node, relation_node
from compiled_plan.planner.table.selecting import check_same_environment
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.planner.sql.binding.from_clause import From


@dataclass(frozen=True, eq=False, repr=False)
class TemporalTable(Unfinished):
    """A table as of a time, as the right side of a join: `rates.as_of(orders.order_time)`.

    Args:
        table: the versioned table, or the lookup table.
        time: a time attribute of the left side.
    """

    WHAT = "a table as of a time"
    NEXT = "give it to join(...) or left_outer_join(...) of the other table as the right side"

    table: PlannedTable
    time: ast.Expression


def join(table: T, right: PlannedTable | TemporalTable, condition: object | None, kind: str, operation: str) -> T:
    """Join two tables; without a condition, pair all rows."""
    as_of = right.time if isinstance(right, TemporalTable) else None
    right_table = right.table if isinstance(right, TemporalTable) else right
    check_same_environment(table, right_table, operation)
    on: ast.Expression | None = None
    if condition is not None:
        on = condition_node(operation, condition)
    elif kind != "INNER" or as_of is not None:
        on = ast.TruthValue(True)
    node = ast.Join(
        relation_node(table._rows.for_join()),
        relation_node(right_table._rows.for_join(), as_of),
        "CROSS" if on is None else kind,
        on=on,
    )
    return table._derived(joined_rows(_bound(table, node, operation, (*table._hints, *right_table._hints))), hints=())


def _bound(table: PlannedTable, node: ast.Join, operation: str, hints: tuple[ast.TableHint, ...] = ()) -> From:
    binder = binder_for(table._context, operation)
    bound = bind_block_hints(hints, binder.source)
    joined = not_too_deep(operation, lambda: bind_from(binder, node, Place(Surroundings(), bound)))
    check_names(bound, [relation.name for relation in joined.relations])
    return joined


def lateral_node(function: object, operation: str) -> ast.Unnest | ast.TableFunction:
    """The relation of a table function's call: `call("split", col("a")).alias("word", "length")`.

    Also UNNEST of an array, map or multiset.

    Raises:
        ProgramError: it is no call.
    """
    call = function._node if isinstance(function, Operand) else None
    names: tuple[str, ...] = ()
    if isinstance(call, ast.Alias):
        names = names_of_alias(call)
        call = call.value
    if not isinstance(call, ast.Call):
        raise ProgramError(
            f"{operation}() takes the call of a table function, not {shown_of(function)}",
            where=f"{operation}()",
            remedy='write call("function", col("a")).alias("x", "y")',
        )
    alias = ast.TableAlias(columns=tuple(map(identifier, names))) if names else None
    if call.name == "UNNEST":
        return ast.Unnest(call.arguments, alias=alias)
    return ast.TableFunction(call, alias)


def names_of_alias(node: ast.Alias) -> tuple[str, ...]:
    """The column names in the alias of a function."""
    return node.columns if isinstance(node, FunctionAlias) else (node.name.name,)


def join_lateral(table: T, function: object, condition: object | None, kind: str, operation: str) -> T:
    """Join each row with the rows that a table function returns for it."""
    on: ast.Expression = ast.TruthValue(True) if condition is None else condition_node(operation, condition)
    right = lateral_node(function, operation)
    if isinstance(right, ast.TableFunction) and isinstance(right.call, InlineCall):
        right = replace(right, call=by_name(table._context.catalog, right.call))
    node = ast.Join(relation_node(table._rows.for_join()), right, kind, on=on)
    return table._derived(joined_rows(_bound(table, node, operation)), hints=())

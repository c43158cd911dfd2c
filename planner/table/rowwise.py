"""map and flat_map: each row made others by a function.

Source: Flink's "Table API" page, row-based operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from planner.sql import nodes as ast
from planner.table.expressions.core import Operand
from planner.table.expressions.expression import Expression
from planner.table.joins import join_lateral
from planner.table.nodes import column_at, identifier
from planner.table.selecting import select
from plans.errors import ProgramError
from plans.types import FieldsType

if TYPE_CHECKING:
    from planner.table.table import Table


def map_rows(table: Table, function: object) -> Table:
    """One row for each; the fields of a ROW become columns."""
    if not isinstance(function, Operand):
        raise ProgramError(
            f"map() takes an expression, not {function!r}",
            where="map()",
            remedy='write map(call("function", col("a")))',
        )
    node = function._node
    names: tuple[str, ...] = ()
    if isinstance(node, exp.Alias):
        names = node.meta.get("columns") or (node.args["alias"].name,)
        node = node.this
    whole = select(table, [Expression(node)], "map")
    type_ = whole._rows.rel.row_type.types[0]
    if isinstance(type_, FieldsType):
        fields = [ast.FieldAccess(this=node, field=identifier(name)) for name in type_.names]
        whole = select(
            table, [Expression(item).alias(name) for item, name in zip(fields, type_.names, strict=True)], "map"
        )
    return whole.alias(*names) if names else whole


def flat_map(table: Table, function: object) -> Table:
    """The rows that a table function gives for each."""
    width = len(table._rows.names)
    joined = join_lateral(table, function, None, "INNER", "flat_map")
    names = list(enumerate(joined._rows.names))[width:]
    return select(joined, [Expression(column_at(name, place)) for place, name in names], "flat_map")

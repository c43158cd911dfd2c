"""SQL functions over a whole table: windows, and changelog conversions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import column_at, identifier
from compiled_plan.planner.table.building.planned import PlannedTable, T
from compiled_plan.planner.table.building.rows import rows
from compiled_plan.planner.table.expressions.core import call_node
from compiled_plan.planner.table.expressions.functions import map_
from compiled_plan.planner.table.operations import bind, relation_node
from compiled_plan.plans.errors import ProgramError


def over_table(
    table: T,
    operation: str,
    function: str,
    arguments: Sequence[ast.Expression],
    partition: Sequence[ast.Expression] = (),
) -> T:
    """SELECT * FROM TABLE(function(TABLE table [PARTITION BY partition], arguments))."""
    places = [column_at(name, at) for at, name in enumerate(table._rows.names)]
    source = ast.Select(items=tuple(places), source=relation_node(table._rows))
    data = ast.TableArgument(ast.Subquery(source), tuple(partition))
    relation = ast.TableFunction(call_node(function, data, *arguments))
    bound = bind(table._context, operation, ast.Select(items=(ast.AllColumns(),), source=relation))
    return table._derived(rows(bound, table._rows.name))


def to_changelog(table: T, op: object, op_mapping: object) -> T:
    """TO_CHANGELOG."""
    return over_table(table, "to_changelog", "TO_CHANGELOG", _codes(table, "to_changelog", op, op_mapping))


def from_changelog(table: T, op: object, op_mapping: object) -> T:
    """FROM_CHANGELOG."""
    return over_table(table, "from_changelog", "FROM_CHANGELOG", _codes(table, "from_changelog", op, op_mapping))


def _codes(table: PlannedTable, operation: str, op: object, op_mapping: object) -> list[ast.Expression]:
    default = ast.Keyword("DEFAULT")
    if op is not None and not isinstance(op, str):
        raise ProgramError(f"op is the name of a column, not {op!r}", where=f"{operation}()", remedy='write op="code"')
    column = default if op is None else ast.Descriptor((identifier(op),))
    if op_mapping is None:
        return [column, default]
    if not isinstance(op_mapping, Mapping) or not op_mapping:
        raise ProgramError(
            f"op_mapping is a dict of texts, not {op_mapping!r}", where=f"{operation}()", remedy='{"c, r": "INSERT"}'
        )
    return [column, map_(*(part for item in op_mapping.items() for part in item))._node]

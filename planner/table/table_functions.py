"""Functions of SQL over a whole table: windows, and changes as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import column_at, identifier
from compiled_plan.planner.table.building.planned import PlannedTable, T
from compiled_plan.planner.table.building.rows import rows
from compiled_plan.planner.table.expressions.functions import map_
from compiled_plan.planner.table.operations import bind, relation_node
from compiled_plan.plans.errors import ProgramError


def over_table(
    table: T, operation: str, function: str, arguments: Sequence[exp.Expr], partition: Sequence[exp.Expr] = ()
) -> T:
    """SELECT * FROM TABLE(function(TABLE table [PARTITION BY partition], arguments))."""
    places = [column_at(name, at) for at, name in enumerate(table._rows.names)]
    source = exp.Select(expressions=places, from_=exp.From(this=relation_node(table._rows)))
    data = ast.TableArgument(this=exp.Subquery(this=source), partition_by=list(partition))
    call = ast.Call(parts=[identifier(function)], expressions=[data, *arguments])
    relation = ast.TableFunction(call=call, form="TABLE")
    star = ast.AllColumns(parts=[])
    bound = bind(table._context, operation, exp.Select(expressions=[star], from_=exp.From(this=relation)))
    return table._derived(rows(bound, table._rows.name))


def to_changelog(table: T, op: object, op_mapping: object) -> T:
    """TO_CHANGELOG."""
    return over_table(table, "to_changelog", "TO_CHANGELOG", _codes(table, "to_changelog", op, op_mapping))


def from_changelog(table: T, op: object, op_mapping: object) -> T:
    """FROM_CHANGELOG."""
    return over_table(table, "from_changelog", "FROM_CHANGELOG", _codes(table, "from_changelog", op, op_mapping))


def _codes(table: PlannedTable, operation: str, op: object, op_mapping: object) -> list[exp.Expr]:
    default = ast.Keyword(this="DEFAULT")
    if op is not None and not isinstance(op, str):
        raise ProgramError(f"op is the name of a column, not {op!r}", where=f"{operation}()", remedy='write op="code"')
    column = default if op is None else ast.Descriptor(expressions=[identifier(op)])
    if op_mapping is None:
        return [column, default.copy()]
    if not isinstance(op_mapping, Mapping) or not op_mapping:
        raise ProgramError(
            f"op_mapping is a dict of texts, not {op_mapping!r}", where=f"{operation}()", remedy='{"c, r": "INSERT"}'
        )
    return [column, map_(*(part for item in op_mapping.items() for part in item))._node]

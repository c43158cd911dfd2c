"""SQL functions over a whole table: windows, and changelog conversions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import column_at, identifier
from compiled_plan.planner.table.building.planned import T
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.building.rows import rows
from compiled_plan.planner.table.expressions.core import Operand, call_node
from compiled_plan.planner.table.expressions.functions import map_
from compiled_plan.planner.table.operations import bind, relation_node
from compiled_plan.plans.errors import ProgramError

_ARGUMENTS = ("op", "op_mapping", "on_time", "uid")
_DESCRIPTORS = ("op", "on_time")
#: The form of each argument, and an example.
_FORMS = {
    "op": ("the name of a column", 'write op="code"'),
    "op_mapping": ("a dict of texts", 'write op_mapping={"c, r": "INSERT"}'),
    "on_time": ("the name of a time attribute", 'write on_time="ts"'),
    "uid": ("a text", 'write uid="changes"'),
}


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
    data: ast.Expression = ast.TableArgument(ast.Subquery(source), tuple(partition))
    if any(isinstance(item, ast.NamedArgument) for item in arguments):
        data = ast.NamedArgument(identifier("input"), data)
    relation = ast.TableFunction(call_node(function, data, *arguments))
    bound = bind(table._context, operation, ast.Select(items=(ast.AllColumns(),), source=relation))
    return table._derived(rows(bound, table._rows.name))


def changelog(table: T, function: str, positional: Sequence[object], named: Mapping[str, object]) -> T:
    """TO_CHANGELOG or FROM_CHANGELOG.

    Args:
        table: the input.
        function: its name.
        positional: the arguments behind the table in their order, or expressions with `as_argument`.
        named: arguments by name; None for those that are left out.
    """
    operation = function.lower()
    if len(positional) > len(_ARGUMENTS):
        remedy = f"pass {', '.join(_ARGUMENTS)}"
        raise ProgramError(f"{operation}() takes {len(_ARGUMENTS)} arguments", where=f"{operation}()", remedy=remedy)
    pairs = [*zip(_ARGUMENTS, positional, strict=False), *named.items()]
    arguments = [_argument(operation, name, value) for name, value in pairs if value is not None]
    return over_table(table, operation, function, arguments)


def _argument(operation: str, name: str, value: object) -> ast.NamedArgument:
    if isinstance(value, Operand):
        node = value._node
        return node if isinstance(node, ast.NamedArgument) else ast.NamedArgument(identifier(name), node)
    if isinstance(value, str) and name in _DESCRIPTORS:
        return ast.NamedArgument(identifier(name), ast.Descriptor((identifier(value),)))
    if isinstance(value, str) and name == "uid":
        return ast.NamedArgument(identifier(name), node_of(value))
    if isinstance(value, Mapping) and value and name == "op_mapping":
        parts = [part for item in value.items() for part in item]
        return ast.NamedArgument(identifier(name), map_(*parts)._node)
    text, remedy = _FORMS[name]
    raise ProgramError(f"{name} is {text}, not {value!r}", where=f"{operation}()", remedy=remedy)

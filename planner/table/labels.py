"""Names of unnamed columns in sessions of `compiled_plan.pyflink`, as Flink's Table API generates them.

Other sessions have the names of SQL: `EXPR$` and a position.

Source: the names in schemas of PyFlink 2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.group_windows import AUXILIARY
from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.planner.sql.binding.source import SourceText
from compiled_plan.planner.sql.binding.types import bind_type
from compiled_plan.planner.table.operations import aliased


def labelled(items: Sequence[ast.Expression], is_aggregate: Callable[[ast.Node], bool]) -> list[ast.Expression]:
    """The items of a SELECT list with a name for each.

    Aggregates and bounds of windows are `EXPR$` and their number, fields `row$field`, casts `name-TYPE`, and others
    `_c` and their position.

    Args:
        items: the items. The first one with an unknown number of columns (`*`, the fields of a computed row) and all
            items behind it stay unnamed.
        is_aggregate: return True for the call of an aggregate function.
    """
    parts = (part for item in items for part in ast.walk(item))
    computed = dict.fromkeys(part for part in parts if is_aggregate(part) or _is_bound(part))
    labels = {part: f"EXPR${number}" for number, part in enumerate(computed)}
    result: list[ast.Expression] = []
    for at, item in enumerate(items):
        if _has_several_columns(item):
            return [*result, *items[at:]]
        named = isinstance(item, ast.ColumnRef | ast.Alias)
        result.append(item if named else aliased(item, _label(item, labels) or f"_c{at}"))
    return result


def _label(node: ast.Expression, labels: dict[ast.Node, str]) -> str | None:
    """The name that follows from the parts of an expression; None if there is none."""
    if isinstance(node, ast.ColumnRef):
        return node.name
    if isinstance(node, ast.FieldAccess) and isinstance(node.field, ast.Identifier):
        row = _label(node.operand, labels)
        return None if row is None else f"{row}${node.field.name}"
    if isinstance(node, ast.Cast) and not node.safe:
        value = _label(node.operand, labels)
        return None if value is None else f"{value}-{summary(bind_type(node.type, SourceText('')))}"
    return labels.get(node)


def _is_bound(node: ast.Node) -> bool:
    return isinstance(node, ast.Call) and len(node.parts) == 1 and node.name in AUXILIARY


def _has_several_columns(node: ast.Expression) -> bool:
    return isinstance(node, ast.AllColumns) or (
        isinstance(node, ast.FieldAccess) and isinstance(node.field, ast.AllColumns)
    )

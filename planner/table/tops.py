"""Deduplication and top-n: ROW_NUMBER() OVER (...) with a condition on it.

Source: FLIP-155, "deduplicate" and "topn".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import column_at
from compiled_plan.planner.table.building.planned import T
from compiled_plan.planner.table.building.rows import rows
from compiled_plan.planner.table.expressions.aggregates import ordered
from compiled_plan.planner.table.expressions.core import call_node
from compiled_plan.planner.table.expressions.functions import col
from compiled_plan.planner.table.operations import aliased, all_columns, bind, listed, nodes_of, relation_node
from compiled_plan.plans.errors import ProgramError

_RANK = "rownum"


def deduplicate(table: T, fields: Sequence[object], order_field: object, keep_first: object) -> T:
    """Keep the first or last row per value of the fields."""
    partition = nodes_of("deduplicate", listed("deduplicate", fields))
    (order,) = nodes_of("deduplicate", [order_field])
    if isinstance(order, ast.Ordered):
        raise ProgramError(
            "the order field of deduplicate() is a time attribute, without a direction",
            where="deduplicate()",
            remedy="say with keep_first which rows to keep",
        )
    if not isinstance(keep_first, bool):
        raise ProgramError(
            f"keep_first of deduplicate() is True or False, not {keep_first!r}",
            where="deduplicate()",
            remedy="write True for the first row, False for the last",
        )
    key = ast.Ordered(order, not keep_first)
    return _numbered(table, "deduplicate", partition, [key], "=", 1, None)


def topn(table: T, n: object, partition: Sequence[object], order: Sequence[object], rank_column: str | None) -> T:
    """Keep the first n rows per value of the partition fields, by an order."""
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise ProgramError(f"topn() takes a number of rows, not {n!r}", where="topn()", remedy="give 1 or more")
    keys = [ordered(node) for node in nodes_of("topn", listed("topn", order))]
    if not keys:
        raise ProgramError("topn() has no order", where="topn()", remedy='give order fields, such as col("c").desc')
    fields = nodes_of("topn", listed("topn", partition))
    return _numbered(table, "topn", fields, keys, "<=", n, rank_column)


def _numbered(
    table: T,
    operation: str,
    partition: list[ast.Expression],
    order: list[ast.Ordered],
    comparison: str,
    number: int,
    rank_column: str | None,
) -> T:
    """SELECT * FROM (SELECT *, ROW_NUMBER() OVER (...) AS rownum FROM table) WHERE rownum <= number."""
    source = table._rows
    spec = ast.WindowSpec(partition_by=tuple(partition), order=ast.OrderBy(tuple(order)))
    call = replace(call_node("ROW_NUMBER"), over=spec)
    name = rank_column or _RANK
    if rank_column is None:
        while name in source.names:
            name += "_"
    elif rank_column in source.names:
        raise ProgramError(
            f"the table has a column {rank_column!r} already", where=f"{operation}()", remedy="name the rank otherwise"
        )
    inner = ast.Select(items=(*all_columns(source), aliased(call, name)), source=relation_node(source))
    ranked = rows(bind(table._context, operation, inner), source.name)
    width = len(source.names) + (rank_column is not None)
    items = [column_at(known, at) for at, known in enumerate(ranked.names[:width])]
    limit = ast.Binary(comparison, col(name)._node, ast.Constant(str(number)))
    outer = ast.Select(items=tuple(items), source=relation_node(ranked), where=limit)
    bound = bind(table._context, operation, outer)
    keys = () if rank_column is not None else source.with_rel(bound.rel).keys
    return table._derived(rows(bound, source.name, keys))

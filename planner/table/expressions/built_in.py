"""Functions of SQL without an input expression: clock, random numbers, JSON, windows, texts.

Source: Flink's `Expressions`; names as in its Python API.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.core import call_node, refuse
from compiled_plan.planner.table.expressions.expression import Expression, call_of


def negative(value: object) -> Expression:
    """The negated value."""
    return call_of(ast.Unary("-", node_of(value)), "negative", value)


def log(value: object, base: object | None = None) -> Expression:
    """LOG: the natural logarithm, or the one to a base."""
    operands = (value,) if base is None else (base, value)
    return call_of(call_node("LOG", *operands), "log", value, *operands[1:])


def count_star() -> Expression:
    """COUNT(*)."""
    return call_of(call_node("COUNT", ast.AllColumns()), "count_star")


def lag(value: object, offset: int = 1, default: object | None = None) -> Expression:
    """LAG(value, offset [, default]), for an over window."""
    return Expression(node_of(value)).lag(offset, default)


def lead(value: object, offset: int = 1, default: object | None = None) -> Expression:
    """LEAD(value, offset [, default]), for an over window."""
    return Expression(node_of(value)).lead(offset, default)


def rand_integer(bound: object, seed: object | None = None) -> Expression:
    """RAND_INTEGER([seed,] bound): from 0 (inclusive) to the bound (exclusive)."""
    operands = (bound,) if seed is None else (seed, bound)
    return call_of(call_node("RAND_INTEGER", *operands), "rand_integer", *operands)


def _bare(function: str, name: str) -> Expression:
    return call_of(replace(call_node(function), bare=True), name)


def current_date() -> Expression:
    """CURRENT_DATE."""
    return _bare("CURRENT_DATE", "current_date")


def current_time() -> Expression:
    """CURRENT_TIME."""
    return _bare("CURRENT_TIME", "current_time")


def current_timestamp() -> Expression:
    """CURRENT_TIMESTAMP."""
    return _bare("CURRENT_TIMESTAMP", "current_timestamp")


def local_time() -> Expression:
    """LOCALTIME."""
    return _bare("LOCALTIME", "local_time")


def local_timestamp() -> Expression:
    """LOCALTIMESTAMP."""
    return _bare("LOCALTIMESTAMP", "local_timestamp")


def timestamp_diff(unit: str, start: object, end: object) -> Expression:
    """TIMESTAMPDIFF(unit, start, end)."""
    node = call_node("TIMESTAMPDIFF", ast.Keyword(unit.upper()), start, end)
    return call_of(node, "timestamp_diff", unit, start, end)


def temporal_overlaps(start: object, end: object, other_start: object, other_end: object) -> Expression:
    """(start, end) OVERLAPS (other_start, other_end); an end may be an interval."""
    left, right = (ast.RowValue((node_of(a), node_of(b))) for a, b in ((start, end), (other_start, other_end)))
    node = ast.Binary("OVERLAPS", left, right)
    return call_of(node, "temporal_overlaps", start, end, other_start, other_end)


def json_object(*keys_and_values: object, absent_on_null: bool = False) -> Expression:
    """JSON_OBJECT(key VALUE value, ... {NULL | ABSENT} ON NULL)."""
    if len(keys_and_values) % 2:
        raise refuse("json_object() takes keys and values in turn", 'write json_object("k", 1, "l", 2)')
    nodes = list(map(node_of, keys_and_values))
    pairs = tuple(ast.JsonPair(key, value) for key, value in zip(nodes[::2], nodes[1::2], strict=True))
    node = ast.JsonObject(pairs, _on_null(absent_on_null))
    return call_of(node, "json_object", *keys_and_values)


def json_array(*values: object, absent_on_null: bool = True) -> Expression:
    """JSON_ARRAY(value, ... {NULL | ABSENT} ON NULL)."""
    return call_of(ast.JsonArray(tuple(map(node_of, values)), _on_null(absent_on_null)), "json_array", *values)


def json_object_agg(key: object, value: object, *, absent_on_null: bool = False) -> Expression:
    """JSON_OBJECTAGG(key VALUE value), an aggregate."""
    node = replace(call_node("JSON_OBJECTAGG", key, value), on_null=_on_null(absent_on_null))
    return call_of(node, "json_object_agg", key, value)


def json_array_agg(value: object, *, absent_on_null: bool = True) -> Expression:
    """JSON_ARRAYAGG(value), an aggregate."""
    node = replace(call_node("JSON_ARRAYAGG", value), on_null=_on_null(absent_on_null))
    return call_of(node, "json_array_agg", value)


def _on_null(absent: bool) -> str:
    return "ABSENT" if absent else "NULL"

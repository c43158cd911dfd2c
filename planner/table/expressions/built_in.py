"""Functions of SQL without an input expression: clock, random numbers, JSON, windows, texts.

Source: Flink's `Expressions`; names as in its Python API.
"""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import identifier
from compiled_plan.planner.table.building.python_literals import node_of
from compiled_plan.planner.table.expressions.core import call_node, refuse
from compiled_plan.planner.table.expressions.expression import Expression, call_of
from compiled_plan.planner.table.expressions.units import JsonOnNull, TimePointUnit, keyword_of


def negative(v: object) -> Expression:
    """The negated value.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.select(cp.negative(cp.col("price")).alias("x")).explain())
    [2] Calc(select=[-(price) AS x])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])
    """
    return call_of(ast.Unary("-", node_of(v)), "negative", v)


def log(v: object, base: object | None = None) -> Expression:
    """LOG: the natural logarithm, or the one to a base.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.select(cp.log(cp.col("price"), 2).alias("x")).explain())
    [2] Calc(select=[LOG(2, price) AS x])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])
    """
    operands = (v,) if base is None else (base, v)
    return call_of(call_node("LOG", *operands), "log", v, *operands[1:])


def count_star() -> Expression:
    """COUNT(*).

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.group_by("item").select("item", cp.count_star().alias("n"))
    Table(item CHAR(3) NOT NULL, n BIGINT NOT NULL)
    """
    return call_of(call_node("COUNT", ast.AllColumns()), "count_star")


def lag(value: object, offset: int = 1, default: object | None = None) -> Expression:
    """LAG(value, offset [, default]), for an over window.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> over = cp.Over.partition_by("item").order_by("price").alias("w")
    >>> items.over_window(over).select(cp.lag(cp.col("price"), 1, 0).over(cp.col("w")).alias("x"))
    Table(x INT NOT NULL)
    """
    return Expression(node_of(value)).lag(offset, default)


def lead(value: object, offset: int = 1, default: object | None = None) -> Expression:
    """LEAD(value, offset [, default]), for an over window.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> over = cp.Over.partition_by("item").order_by("price").alias("w")
    >>> items.over_window(over).select(cp.lead(cp.col("price")).over(cp.col("w")).alias("x"))
    Table(x INT)
    """
    return Expression(node_of(value)).lead(offset, default)


def rand_integer(bound: object, seed: object | None = None) -> Expression:
    """RAND_INTEGER([seed,] bound): from 0 (inclusive) to the bound (exclusive).

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.rand_integer(10).alias("x"))
    Table(x INT NOT NULL)
    """
    operands = (bound,) if seed is None else (seed, bound)
    return call_of(call_node("RAND_INTEGER", *operands), "rand_integer", *operands)


def _bare(function: str, name: str) -> Expression:
    return call_of(replace(call_node(function), bare=True), name)


def current_date() -> Expression:
    """CURRENT_DATE.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.current_date())
    Table(CURRENT_DATE DATE NOT NULL)
    """
    return _bare("CURRENT_DATE", "current_date")


def current_time() -> Expression:
    """CURRENT_TIME.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.current_time())
    Table(CURRENT_TIME TIME(0) NOT NULL)
    """
    return _bare("CURRENT_TIME", "current_time")


def current_timestamp() -> Expression:
    """CURRENT_TIMESTAMP.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.current_timestamp())
    Table(CURRENT_TIMESTAMP TIMESTAMP_LTZ(3) NOT NULL)
    """
    return _bare("CURRENT_TIMESTAMP", "current_timestamp")


def local_time() -> Expression:
    """LOCALTIME.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.local_time())
    Table(LOCALTIME TIME(0) NOT NULL)
    """
    return _bare("LOCALTIME", "local_time")


def local_timestamp() -> Expression:
    """LOCALTIMESTAMP.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.local_timestamp())
    Table(LOCALTIMESTAMP TIMESTAMP(3) NOT NULL)
    """
    return _bare("LOCALTIMESTAMP", "local_timestamp")


def timestamp_diff(time_point_unit: TimePointUnit | str, time_point1: object, time_point2: object) -> Expression:
    """TIMESTAMPDIFF(unit, from, to).

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.timestamp_diff("DAY", cp.to_date("2024-02-29"), cp.current_date()).alias("x"))
    Table(x INT)
    """
    unit = keyword_of(time_point_unit, TimePointUnit)
    node = call_node("TIMESTAMPDIFF", ast.Keyword(unit), time_point1, time_point2)
    return call_of(node, "timestamp_diff", unit, time_point1, time_point2)


def source_watermark() -> Expression:
    """SOURCE_WATERMARK(), for the watermark of a `Schema`."""
    return call_of(call_node("SOURCE_WATERMARK"), "source_watermark")


def descriptor(*column_names: str) -> Expression:
    """DESCRIPTOR(columns), an argument of functions over tables."""
    return call_of(ast.Descriptor(tuple(map(identifier, column_names))), "descriptor", *column_names)


def temporal_overlaps(
    left_time_point: object, left_temporal: object, right_time_point: object, right_temporal: object
) -> Expression:
    """(start, end) OVERLAPS (start, end) of two periods; an end may be an interval.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> start, days = cp.to_date("2024-02-29"), cp.lit(3).days
    >>> items.select(cp.temporal_overlaps(start, days, cp.current_date(), days).alias("x"))
    Table(x BOOLEAN)
    """
    periods = ((left_time_point, left_temporal), (right_time_point, right_temporal))
    left, right = (ast.RowValue((node_of(start), node_of(end))) for start, end in periods)
    node = ast.Binary("OVERLAPS", left, right)
    return call_of(node, "temporal_overlaps", left_time_point, left_temporal, right_time_point, right_temporal)


def json_object(*keys_and_values: object, absent_on_null: bool = False) -> Expression:
    """JSON_OBJECT(key VALUE value, ... {NULL | ABSENT} ON NULL); the first argument may be a `JsonOnNull`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.select(cp.json_object("item", cp.col("item")).alias("x")).explain())
    [2] Calc(select=[JSON_OBJECT(NULL, 'item', item) AS x])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])
    """
    keys_and_values, on_null = _on_null(keys_and_values, absent_on_null)
    if len(keys_and_values) % 2:
        raise refuse("json_object() takes keys and values in turn", 'write json_object("k", 1, "l", 2)')
    nodes = list(map(node_of, keys_and_values))
    pairs = tuple(ast.JsonPair(key, value) for key, value in zip(nodes[::2], nodes[1::2], strict=True))
    node = ast.JsonObject(pairs, on_null)
    return call_of(node, "json_object", *keys_and_values)


def json_array(*values: object, absent_on_null: bool = True) -> Expression:
    """JSON_ARRAY(value, ... {NULL | ABSENT} ON NULL); the first argument may be a `JsonOnNull`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.select(cp.json_array(1, cp.col("price")).alias("x")).explain())
    [2] Calc(select=[JSON_ARRAY(ABSENT, 1, price) AS x])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])
    """
    values, on_null = _on_null(values, absent_on_null)
    return call_of(ast.JsonArray(tuple(map(node_of, values)), on_null), "json_array", *values)


def json_object_agg(*key_and_value: object, absent_on_null: bool = False) -> Expression:
    """JSON_OBJECTAGG(key VALUE value), an aggregate; the first argument may be a `JsonOnNull`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.json_object_agg(cp.col("item"), cp.col("price")).alias("prices"))
    Table(prices VARCHAR(2000) NOT NULL)
    """
    return _json_aggregate("JSON_OBJECTAGG", "json_object_agg", key_and_value, 2, absent_on_null)


def json_array_agg(*value: object, absent_on_null: bool = True) -> Expression:
    """JSON_ARRAYAGG(value), an aggregate; the first argument may be a `JsonOnNull`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.json_array_agg(cp.col("price")).alias("prices"))
    Table(prices VARCHAR(2000) NOT NULL)
    """
    return _json_aggregate("JSON_ARRAYAGG", "json_array_agg", value, 1, absent_on_null)


def _json_aggregate(function: str, name: str, values: tuple[object, ...], width: int, absent: bool) -> Expression:
    values, on_null = _on_null(values, absent)
    if len(values) != width:
        raise refuse(f"{name}() takes {width} expression(s), not {len(values)}", f"write {name}({_EXAMPLES[width]})")
    return call_of(replace(call_node(function, *values), on_null=on_null), name, *values)


_EXAMPLES = {1: 'col("value")', 2: 'col("key"), col("value")'}


def _on_null(values: tuple[object, ...], absent: bool) -> tuple[tuple[object, ...], str]:
    """The values without a leading `JsonOnNull`, and the treatment of NULLs."""
    if values and isinstance(values[0], JsonOnNull):
        return values[1:], str(values[0])
    return values, "ABSENT" if absent else "NULL"

"""The functions that make expressions: columns, literals, calls, constructors, conditions, the clock.

Source: Flink's `Expressions`; names as in its Python API.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner.sql import nodes as ast
from planner.sql.parse import parse_expression
from planner.table.expressions.core import Operand, call_node, node_of, refuse, shown_of
from planner.table.expressions.expression import Expression
from planner.table.expressions.types import type_node
from planner.table.literals import literal
from planner.table.nodes import Columns, InlineCall, column, identifier
from planner.table.nodes import named as with_text


def _expression(node: exp.Expr, name: str, *arguments: object) -> Expression:
    return Expression(with_text(node, f"{name}({', '.join(map(shown_of, arguments))})"))


def col(name: str) -> Expression:
    """A column by name.

    Raises:
        ProgramError: the name is no text, or empty.
    """
    if not name or not isinstance(name, str):
        raise refuse(f"col({name!r}) names no column", 'write col("name"), or lit(...) for a value')
    return _expression(column(name), "col", name)


def lit(value: object, data_type: object | None = None) -> Expression:
    """A Python value as a literal.

    int is INT (BIGINT where it does not fit), float DOUBLE, Decimal DECIMAL, str CHAR, bool, bytes, date, time,
    datetime TIMESTAMP (with a time zone TIMESTAMP_LTZ(3)), timedelta INTERVAL, list ARRAY, dict MAP, tuple ROW, None.

    Args:
        value: the value.
        data_type: its type ("DECIMAL(10, 2)"), where another is wanted.

    Raises:
        ProgramError: there is no literal for the value.
    """
    if isinstance(value, Operand):
        raise refuse(f"{value!r} is an expression already", "leave lit(...) out")
    if data_type is None:
        return Expression(literal(value))
    return _expression(exp.Cast(this=literal(value), to=type_node(data_type)), "lit", value, data_type)


def null_of(data_type: object) -> Expression:
    """NULL of a type."""
    return _expression(exp.Cast(this=exp.Null(), to=type_node(data_type)), "null_of", data_type)


def call(function: object, *arguments: object, **named_arguments: object) -> Expression:
    """The call of a function.

    Args:
        function: its name, of the catalog or built in, as in SQL; or a function class of the program's own, or an
            object of one, which needs no name.
        arguments: values and expressions, by position.
        named_arguments: values and expressions, by the names of a user's function.
    """
    named = [ast.NamedArgument(name_=identifier(key), this=node_of(value)) for key, value in named_arguments.items()]
    if isinstance(function, str):
        node = call_node(function, *arguments)
    else:
        class_ = function if isinstance(function, type) else type(function)
        name = f"{class_.__module__}.{class_.__qualname__}"
        node = InlineCall(parts=[identifier(name)], expressions=list(map(node_of, arguments)), function=function)
    for item in named:
        node.append("expressions", item)
    shown = [shown_of(function) if isinstance(function, str) else getattr(function, "__name__", repr(function))]
    shown += [shown_of(item) for item in arguments]
    shown += [f"{key}={shown_of(value)}" for key, value in named_arguments.items()]
    return Expression(with_text(node, f"call({', '.join(shown)})"))


def call_sql(text: str) -> Expression:
    """An expression of SQL: `call_sql("UPPER(name) || '!'")`.

    Raises:
        ProgramError: it cannot be parsed; with line, column and caret.
    """
    node = parse_expression(text)
    for part in node.walk():
        with_text(part, f"call_sql({text!r})")
    return Expression(node, infix=isinstance(node, exp.Binary | exp.Not | ast.IsPredicate))


def row(*fields: object) -> Expression:
    """ROW(...)."""
    return _expression(ast.RowValue(expressions=list(map(node_of, fields)), explicit=True), "row", *fields)


def array(*elements: object) -> Expression:
    """ARRAY[...]."""
    return _expression(ast.ArrayValue(expressions=list(map(node_of, elements))), "array", *elements)


def map_(*keys_and_values: object) -> Expression:
    """MAP[key, value, ...]."""
    if len(keys_and_values) % 2:
        raise refuse("map_() takes keys and values in turn", 'write map_("k", 1, "l", 2)')
    return _expression(ast.MapValue(expressions=list(map(node_of, keys_and_values))), "map_", *keys_and_values)


def map_from_arrays(keys: object, values: object) -> Expression:
    """MAP_FROM_ARRAYS."""
    return _expression(call_node("MAP_FROM_ARRAYS", keys, values), "map_from_arrays", keys, values)


def if_then_else(condition: object, if_true: object, if_false: object) -> Expression:
    """CASE WHEN condition THEN if_true ELSE if_false END."""
    branch = exp.If(this=node_of(condition), true=node_of(if_true))
    node = exp.Case(ifs=[branch], default=node_of(if_false))
    return _expression(node, "if_then_else", condition, if_true, if_false)


def case(*branches: tuple[object, object], otherwise: object | None = None) -> Expression:
    """CASE WHEN ... THEN ... [WHEN ... THEN ...] ELSE otherwise END."""
    ifs = [exp.If(this=node_of(condition), true=node_of(value)) for condition, value in branches]
    return _expression(exp.Case(ifs=ifs, default=node_of(otherwise)), "case", *branches)


def coalesce(*values: object) -> Expression:
    """COALESCE: the first that is not NULL."""
    return _expression(call_node("COALESCE", *values), "coalesce", *values)


def concat(*texts: object) -> Expression:
    """CONCAT."""
    return _expression(call_node("CONCAT", *texts), "concat", *texts)


def concat_ws(separator: object, *texts: object) -> Expression:
    """CONCAT_WS: with a separator, NULLs left out."""
    return _expression(call_node("CONCAT_WS", separator, *texts), "concat_ws", separator, *texts)


def greatest(*values: object) -> Expression:
    """GREATEST."""
    return _expression(call_node("GREATEST", *values), "greatest", *values)


def least(*values: object) -> Expression:
    """LEAST."""
    return _expression(call_node("LEAST", *values), "least", *values)


def and_(*conditions: object) -> Expression:
    """AND of all."""
    return _joined(exp.And, "and_", conditions)


def or_(*conditions: object) -> Expression:
    """OR of all."""
    return _joined(exp.Or, "or_", conditions)


def _joined(class_: type[exp.Expr], name: str, conditions: Sequence[object]) -> Expression:
    if not conditions:
        raise refuse(f"{name}() has no conditions", "give at least one")
    found = node_of(conditions[0])
    for condition in conditions[1:]:
        found = class_(this=found, expression=node_of(condition))
    return _expression(found, name, *conditions) if len(conditions) > 1 else Expression(found)


def not_(condition: object) -> Expression:
    """NOT."""
    return _expression(exp.Not(this=node_of(condition)), "not_", condition)


def negative(value: object) -> Expression:
    """A minus before the value."""
    return _expression(exp.Neg(this=node_of(value)), "negative", value)


def atan2(y: object, x: object) -> Expression:
    """ATAN2: the angle of a point, in radians."""
    return _expression(call_node("ATAN2", y, x), "atan2", y, x)


def log(value: object, base: object | None = None) -> Expression:
    """LOG: the natural logarithm, or that to a base."""
    given = (value,) if base is None else (base, value)
    return _expression(call_node("LOG", *given), "log", value, *given[1:])


def count_star() -> Expression:
    """COUNT(*)."""
    node = call_node("COUNT")
    node.set("expressions", [ast.AllColumns(parts=[])])
    return _expression(node, "count_star")


def lag(value: object, offset: int = 1, default: object | None = None) -> Expression:
    """LAG(value, offset [, default]), of an over window."""
    return Expression(node_of(value)).lag(offset, default)


def lead(value: object, offset: int = 1, default: object | None = None) -> Expression:
    """LEAD(value, offset [, default]), of an over window."""
    return Expression(node_of(value)).lead(offset, default)


def row_number() -> Expression:
    """ROW_NUMBER(), of an over window."""
    return _expression(call_node("ROW_NUMBER"), "row_number")


def rank() -> Expression:
    """RANK(), of an over window."""
    return _expression(call_node("RANK"), "rank")


def dense_rank() -> Expression:
    """DENSE_RANK(), of an over window."""
    return _expression(call_node("DENSE_RANK"), "dense_rank")


def rand(seed: object | None = None) -> Expression:
    """RAND([seed]): from 0.0 to below 1.0."""
    given = () if seed is None else (seed,)
    return _expression(call_node("RAND", *given), "rand", *given)


def rand_integer(bound: object, seed: object | None = None) -> Expression:
    """RAND_INTEGER([seed,] bound): from 0 to below the bound."""
    given = (bound,) if seed is None else (seed, bound)
    return _expression(call_node("RAND_INTEGER", *given), "rand_integer", *given)


def pi() -> Expression:
    """PI()."""
    return _expression(call_node("PI"), "pi")


def e() -> Expression:
    """E()."""
    return _expression(call_node("E"), "e")


def uuid() -> Expression:
    """UUID()."""
    return _expression(call_node("UUID"), "uuid")


def _bare(function: str, name: str) -> Expression:
    node = call_node(function)
    node.set("bare", True)
    return _expression(node, name)


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


def current_watermark(rowtime: object) -> Expression:
    """CURRENT_WATERMARK of a rowtime column."""
    return _expression(call_node("CURRENT_WATERMARK", rowtime), "current_watermark", rowtime)


def proctime() -> Expression:
    """PROCTIME()."""
    return _expression(call_node("PROCTIME"), "proctime")


def to_date(text: object, pattern: object | None = None) -> Expression:
    """TO_DATE of a text, with a pattern other than yyyy-MM-dd."""
    given = () if pattern is None else (pattern,)
    return _expression(call_node("TO_DATE", text, *given), "to_date", text, *given)


def to_timestamp(text: object, pattern: object | None = None) -> Expression:
    """TO_TIMESTAMP of a text, with a pattern other than yyyy-MM-dd HH:mm:ss."""
    given = () if pattern is None else (pattern,)
    return _expression(call_node("TO_TIMESTAMP", text, *given), "to_timestamp", text, *given)


def to_timestamp_ltz(epoch: object, precision: object = 3) -> Expression:
    """TO_TIMESTAMP_LTZ of seconds (precision 0) or milliseconds (3) since 1970."""
    return _expression(call_node("TO_TIMESTAMP_LTZ", epoch, precision), "to_timestamp_ltz", epoch, precision)


def from_unixtime(seconds: object, pattern: object | None = None) -> Expression:
    """FROM_UNIXTIME: the text of seconds since 1970."""
    given = () if pattern is None else (pattern,)
    return _expression(call_node("FROM_UNIXTIME", seconds, *given), "from_unixtime", seconds, *given)


def unix_timestamp(text: object | None = None, pattern: object | None = None) -> Expression:
    """UNIX_TIMESTAMP: seconds since 1970, of now or of a text."""
    given = tuple(item for item in (text, pattern) if item is not None)
    return _expression(call_node("UNIX_TIMESTAMP", *given), "unix_timestamp", *given)


def timestamp_diff(unit: str, start: object, end: object) -> Expression:
    """TIMESTAMPDIFF(unit, start, end)."""
    node = call_node("TIMESTAMPDIFF")
    node.set("expressions", [ast.Keyword(this=unit.upper()), node_of(start), node_of(end)])
    return _expression(node, "timestamp_diff", unit, start, end)


def date_format(time: object, pattern: object) -> Expression:
    """DATE_FORMAT with a pattern such as yyyy-MM-dd."""
    return _expression(call_node("DATE_FORMAT", time, pattern), "date_format", time, pattern)


def convert_tz(text: object, from_zone: object, to_zone: object) -> Expression:
    """CONVERT_TZ: a timestamp's text from one time zone to another."""
    return _expression(call_node("CONVERT_TZ", text, from_zone, to_zone), "convert_tz", text, from_zone, to_zone)


def temporal_overlaps(start: object, end: object, other_start: object, other_end: object) -> Expression:
    """(start, end) OVERLAPS (other_start, other_end); an end may be an interval."""
    left, right = (
        ast.RowValue(expressions=[node_of(a), node_of(b)]) for a, b in ((start, end), (other_start, other_end))
    )
    node = ast.Overlaps(this=left, expression=right, kind="OVERLAPS")
    return _expression(node, "temporal_overlaps", start, end, other_start, other_end)


def current_database() -> Expression:
    """CURRENT_DATABASE()."""
    return _expression(call_node("CURRENT_DATABASE"), "current_database")


def json_string(value: object) -> Expression:
    """JSON_STRING: any value as JSON."""
    return _expression(call_node("JSON_STRING", value), "json_string", value)


def json_object(*keys_and_values: object, absent_on_null: bool = False) -> Expression:
    """JSON_OBJECT(key VALUE value, ... {NULL | ABSENT} ON NULL)."""
    if len(keys_and_values) % 2:
        raise refuse("json_object() takes keys and values in turn", 'write json_object("k", 1, "l", 2)')
    nodes = list(map(node_of, keys_and_values))
    pairs = [ast.JsonPair(this=key, value=value) for key, value in zip(nodes[::2], nodes[1::2], strict=True)]
    node = ast.JsonObject(expressions=pairs, on_null="ABSENT" if absent_on_null else "NULL")
    return _expression(node, "json_object", *keys_and_values)


def json_array(*values: object, absent_on_null: bool = True) -> Expression:
    """JSON_ARRAY(value, ... {NULL | ABSENT} ON NULL)."""
    node = ast.JsonArray(expressions=list(map(node_of, values)), on_null="ABSENT" if absent_on_null else "NULL")
    return _expression(node, "json_array", *values)


def json_object_agg(key: object, value: object, *, absent_on_null: bool = False) -> Expression:
    """JSON_OBJECTAGG(key VALUE value), an aggregate."""
    node = call_node("JSON_OBJECTAGG", key, value)
    node.set("on_null", "ABSENT" if absent_on_null else "NULL")
    return _expression(node, "json_object_agg", key, value)


def json_array_agg(value: object, *, absent_on_null: bool = True) -> Expression:
    """JSON_ARRAYAGG(value), an aggregate."""
    node = call_node("JSON_ARRAYAGG", value)
    node.set("on_null", "ABSENT" if absent_on_null else "NULL")
    return _expression(node, "json_array_agg", value)


# --- columns by the dozen, in select


def with_all_columns() -> Expression:
    """All columns; the same as `col("*")`."""
    return col("*")


def with_columns(*columns: Expression | str | int) -> Expression:
    """These columns, in `select`: names, places (from 1), and ranges (`range_("b", "e")`)."""
    return _expression(Columns(chosen=list(map(_chosen, columns)), negated=False), "with_columns", *columns)


def without_columns(*columns: Expression | str | int) -> Expression:
    """All columns but these, in `select`: names, places (from 1), and ranges (`range_("b", "e")`)."""
    return _expression(Columns(chosen=list(map(_chosen, columns)), negated=True), "without_columns", *columns)


def range_(first: str | int, last: str | int) -> Expression:
    """The columns from one to another, for `with_columns` and `without_columns`."""
    return _expression(Columns(chosen=[(first, last)], negated=False), "range_", first, last)


def _chosen(column: Expression | str | int) -> tuple[str | int, str | int]:
    if isinstance(column, str | int):
        return column, column
    node = column._node
    if isinstance(node, Columns):
        found: tuple[str | int, str | int] = node.args["chosen"][0]
        return found
    if isinstance(node, ast.ColumnRef):
        return node.name, node.name
    raise refuse(f"{column!r} is no column", 'write names, places, or range_("b", "e")')


def row_interval(rows: int) -> Expression:
    """A number of rows: of an over window's frame."""
    return lit(rows).rows

"""Functions that create expressions: columns, literals, calls, constructors, conditions, the clock.

Source: Flink's `Expressions`; names as in its Python API.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.parse import parse_expression
from compiled_plan.planner.table.building.nodes import Columns, InlineCall, column, identifier, shortened
from compiled_plan.planner.table.building.nodes import named as with_text
from compiled_plan.planner.table.building.python_literals import literal, node_of
from compiled_plan.planner.table.expressions.core import Operand, call_node, refuse, shown_of
from compiled_plan.planner.table.expressions.expression import Expression, call_of
from compiled_plan.planner.table.expressions.types import type_node
from compiled_plan.plans.functions.definitions import FunctionHolder


def col(name: str) -> Expression:
    """A column by name.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.col("price") * 2, cp.col("item").upper_case.alias("name"))
    Table(`EXPR$0` INT NOT NULL, name CHAR(3) NOT NULL)

    Raises:
        ProgramError: the name is no text, or empty.
    """
    if not name or not isinstance(name, str):
        raise refuse(f"col({name!r}) names no column", 'write col("name"), or lit(...) for a value')
    return call_of(column(name), "col", name)


def lit(v: object, data_type: object | None = None) -> Expression:
    """A Python value as a literal.

    int is INT (BIGINT if it does not fit), float DOUBLE, Decimal DECIMAL, str CHAR, bool, bytes, date, time,
    datetime TIMESTAMP (with a time zone TIMESTAMP_LTZ(3)), timedelta INTERVAL, list ARRAY, dict MAP, tuple ROW, None.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.lit(3).alias("a"), cp.lit("x").alias("b"), cp.lit(3, "DECIMAL(10, 2)").alias("c"))
    Table(a INT NOT NULL, b CHAR(1) NOT NULL, c DECIMAL(10, 2) NOT NULL)

    Args:
        v: the value.
        data_type: its type ("DECIMAL(10, 2)"), if not the default one.

    Raises:
        ProgramError: the value has no literal.
    """
    if isinstance(v, Operand):
        raise refuse(f"{v!r} is an expression already", "leave lit(...) out")
    if data_type is None:
        return Expression(literal(v))
    return call_of(ast.Cast(literal(v), type_node(data_type)), "lit", v, data_type)


def null_of(data_type: object) -> Expression:
    """NULL of a type.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.null_of("DECIMAL(10, 2)").alias("x"))
    Table(x DECIMAL(10, 2))
    """
    return call_of(ast.Cast(ast.Null(), type_node(data_type)), "null_of", data_type)


def call(function: object, *arguments: object, **named_arguments: object) -> Expression:
    """The call of a function.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.select(cp.call("REPEAT", cp.col("item"), 2).alias("x")).explain())
    [2] Calc(select=[REPEAT(item, 2) AS x])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])

    Args:
        function: the name of a catalog or built-in function, as in SQL; or a function class of the program, or an
            instance of one, which needs no name.
        arguments: values and expressions, by position.
        named_arguments: values and expressions, by the names of a user's function.
    """
    named = [ast.NamedArgument(identifier(key), node_of(value)) for key, value in named_arguments.items()]
    if isinstance(function, str):
        node = call_node(function, *arguments, *named)
    else:
        node = InlineCall((identifier(_title(function)),), tuple(map(node_of, (*arguments, *named))), function=function)
    shown = [shown_of(function) if isinstance(function, str) else getattr(function, "__name__", repr(function))]
    shown += [shown_of(item) for item in arguments]
    shown += [f"{key}={shown_of(value)}" for key, value in named_arguments.items()]
    return Expression(with_text(node, f"call({', '.join(shown)})"))


def _title(function: object) -> str:
    """The name of a function without a name in the catalog."""
    if isinstance(function, FunctionHolder):
        return function.function.title
    class_ = function if isinstance(function, type) else type(function)
    return f"{class_.__module__}.{class_.__qualname__}"


def call_sql(sql_expression: str) -> Expression:
    """An expression of SQL: `call_sql("UPPER(name) || '!'")`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.select(cp.call_sql("UPPER(item) || '!'").alias("x")).explain())
    [2] Calc(select=[(UPPER(item) || '!') AS x])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])

    Raises:
        ProgramError: it cannot be parsed; with line, column and caret.
    """
    node = parse_expression(sql_expression, shortened(f"call_sql({sql_expression!r})"))
    negated = isinstance(node, ast.Unary) and node.operator == "NOT"
    return Expression(node, infix=negated or isinstance(node, ast.Binary | ast.IsPredicate))


def row(*fields: object) -> Expression:
    """ROW(...).

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.row(1, cp.col("item")).alias("x"))
    Table(x ROW<`EXPR$0` INT NOT NULL, `EXPR$1` CHAR(3) NOT NULL> NOT NULL)
    """
    return call_of(ast.RowValue(tuple(map(node_of, fields)), explicit=True), "row", *fields)


def array(*elements: object) -> Expression:
    """ARRAY[...].

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.array(1, cp.col("price")).alias("x"))
    Table(x ARRAY<INT NOT NULL> NOT NULL)
    """
    return call_of(ast.Collection("ARRAY", tuple(map(node_of, elements))), "array", *elements)


def map_(*keys_and_values: object) -> Expression:
    """MAP[key, value, ...].

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.map_("k", cp.col("price")).alias("x"))
    Table(x MAP<CHAR(1) NOT NULL, INT NOT NULL> NOT NULL)
    """
    if len(keys_and_values) % 2:
        raise refuse("map_() takes keys and values in turn", 'write map_("k", 1, "l", 2)')
    return call_of(ast.Collection("MAP", tuple(map(node_of, keys_and_values))), "map_", *keys_and_values)


def if_then_else(condition: object, if_true: object, if_false: object) -> Expression:
    """CASE WHEN condition THEN if_true ELSE if_false END.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.select(cp.if_then_else(cp.col("price") > 5, "dear", "cheap").alias("x")).explain())
    [2] Calc(select=[CASE((price > 5), 'dear', 'cheap') AS x])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])
    """
    node = ast.Case((ast.When(node_of(condition), node_of(if_true)),), node_of(if_false))
    return call_of(node, "if_then_else", condition, if_true, if_false)


def case(*branches: tuple[object, object], otherwise: object | None = None) -> Expression:
    """CASE WHEN ... THEN ... [WHEN ... THEN ...] ELSE otherwise END.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> price = cp.col("price")
    >>> grade = cp.case((price > 5, "dear"), (price > 1, "fair"), otherwise="cheap")
    >>> print(items.select(grade.alias("x")).explain())
    [2] Calc(select=[CASE((price > 5), 'dear', (price > 1), 'fair', 'cheap') AS x])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])
    """
    whens = tuple(ast.When(node_of(condition), node_of(value)) for condition, value in branches)
    return call_of(ast.Case(whens, node_of(otherwise)), "case", *branches)


def and_(*conditions: object) -> Expression:
    """AND of all conditions.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.where(cp.and_(cp.col("price") > 1, cp.col("item") == "nut")).explain())
    [2] Calc(select=[item, price], where=[((price > 1) AND (item = 'nut'))])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])
    """
    return _joined("AND", "and_", conditions)


def or_(*conditions: object) -> Expression:
    """OR of all conditions.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.where(cp.or_(cp.col("price") > 5, cp.col("item") == "nut")).explain())
    [2] Calc(select=[item, price], where=[((price > 5) OR (item = 'nut'))])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])
    """
    return _joined("OR", "or_", conditions)


def _joined(operator: str, name: str, conditions: Sequence[object]) -> Expression:
    if not conditions:
        raise refuse(f"{name}() has no conditions", "give at least one")
    joined = node_of(conditions[0])
    for condition in conditions[1:]:
        joined = ast.Binary(operator, joined, node_of(condition))
    return call_of(joined, name, *conditions) if len(conditions) > 1 else Expression(joined)


def not_(expression: object) -> Expression:
    """NOT of the expression.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> print(items.where(cp.not_(cp.col("price") > 5)).explain())
    [2] Calc(select=[item, price], where=[(price <= 5)])
    +- [1] Values(tuples=[[{ _UTF-16LE'nut', 3 }]])
    """
    return call_of(ast.Unary("NOT", node_of(expression)), "not_", expression)


# --- columns by the dozen, in select


def with_all_columns() -> Expression:
    """All columns; the same as `col("*")`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.with_all_columns(), (cp.col("price") * 2).alias("double"))
    Table(item CHAR(3) NOT NULL, price INT NOT NULL, double INT NOT NULL)
    """
    return col("*")


def with_columns(*columns: Expression | str | int) -> Expression:
    """These columns, in `select`: names, positions (from 1), and ranges (`range_("b", "e")`).

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.with_columns("price", 1)).columns
    ['price', 'item']
    """
    return call_of(Columns(tuple(map(_chosen, columns)), negated=False), "with_columns", *columns)


def without_columns(*columns: Expression | str | int) -> Expression:
    """All columns except these, in `select`: names, positions (from 1), and ranges (`range_("b", "e")`).

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.without_columns("price"))
    Table(item CHAR(3) NOT NULL)
    """
    return call_of(Columns(tuple(map(_chosen, columns)), negated=True), "without_columns", *columns)


def range_(start: str | int, end: str | int) -> Expression:
    """A range of columns, for `with_columns` and `without_columns`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.with_columns(cp.range_("item", "price")))
    Table(item CHAR(3) NOT NULL, price INT NOT NULL)
    """
    return call_of(Columns(((start, end),), negated=False), "range_", start, end)


def _chosen(column: Expression | str | int) -> tuple[str | int, str | int]:
    if isinstance(column, str | int):
        return column, column
    node = column._node
    if isinstance(node, Columns):
        return node.chosen[0]
    if isinstance(node, ast.ColumnRef):
        return node.name, node.name
    raise refuse(f"{column!r} is no column", 'write names, places, or range_("b", "e")')


def row_interval(rows: int) -> Expression:
    """A number of rows, as a bound of an over window.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> over = cp.Over.order_by("price").preceding(cp.row_interval(2)).alias("w")
    >>> items.over_window(over).select(cp.col("price").sum.over(cp.col("w")).alias("recent"))
    Table(recent INT NOT NULL)
    """
    return lit(rows).rows

"""GROUP BY, windows, and OVER: the steps between a table and its `select`.

Source: FLIP-155, "window"; Flink's "Table API" page, aggregations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.sql.binding.group_windows import GROUP_WINDOWS
from compiled_plan.planner.table.building.nodes import WindowProperty, identifier
from compiled_plan.planner.table.building.planned import T
from compiled_plan.planner.table.building.unfinished import Unfinished
from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.operations import nodes_of
from compiled_plan.planner.table.rowwise import call_and_names, flattened, unnested
from compiled_plan.planner.table.selecting import select, select_items
from compiled_plan.planner.table.table_functions import over_table
from compiled_plan.planner.table.windows import OverWindow, Window
from compiled_plan.plans.errors import ProgramError


@dataclass(frozen=True, eq=False, repr=False)
class GroupedTable(Unfinished, Generic[T]):
    """A table with GROUP BY; requires `select`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.group_by("item").select("item", cp.col("price").sum.alias("total"))
    Table(item CHAR(3) NOT NULL, total INT NOT NULL)
    """

    WHAT = "a grouped table"
    NEXT = 'write group_by(...).select(col("key"), col("value").sum), and the operation behind it'

    _table: T
    _keys: tuple[ast.Expression, ...]
    _names: Mapping[str, ast.Expression]
    _window: Window | None = None

    def select(self, *fields: Expression | str) -> T:
        """Select one row per group: grouping fields, aggregates, and expressions of them.

        Raises:
            ProgramError: a column that is neither grouped nor aggregated; wrong names or types.
        """
        items = [self._resolved(item) for item in select_items(self._table, "select", fields)]
        group = ast.GroupBy(self._keys) if self._keys else None
        return select(self._table, list(map(Expression, items)), "select", group=group)

    def aggregate(self, func: object) -> AggregatedTable[T]:
        """Add the result of an aggregate function to each group; a ROW becomes one column per field.

        A function itself, `aggregate(f)`, takes whole rows.

        `table.group_by(col("a")).aggregate(call("f", col("b")).alias("x", "y")).select(col("a"), col("x"))`
        """
        whole, place, names = self._aggregated(func, "aggregate")
        return AggregatedTable(flattened(whole, place, names, "aggregate"))

    def flat_aggregate(self, func: object) -> AggregatedTable[T]:
        """Add the rows of a table aggregate function to each group.

        `table.group_by(col("a")).flat_aggregate(top2(col("b")).alias("x")).select(col("a"), col("x"))`

        Flink's plans have no operator for such functions. Here they are an aggregate with an ARRAY of rows, and UNNEST.
        """
        whole, place, names = self._aggregated(func, "flat_aggregate")
        return AggregatedTable(unnested(whole, place, names, "flat_aggregate"))

    def _aggregated(self, function: object, operation: str) -> tuple[T, int, tuple[str, ...]]:
        """The keys and a function's result, the place of the result, and the names for its columns."""
        node, names = call_and_names(self._table, function, operation)
        aliases = {id(key): name for name, key in self._names.items()}
        keys = [
            Expression(key).alias(aliases[id(key)]) if id(key) in aliases else Expression(key)
            for key in self._keys
            if not (isinstance(key, ast.Call) and key.name in GROUP_WINDOWS)
        ]
        return self.select(*keys, Expression(node)), len(keys), names

    def _resolved(self, node: ast.Expression) -> ast.Expression:
        """The item with names of keys and window properties replaced by their definitions."""
        window = self._window

        def change(part: ast.Node) -> ast.Node | None:
            if isinstance(part, ast.ColumnRef):
                return self._names.get(part.name)
            if isinstance(part, WindowProperty) and window is not None and part.window == window.name:
                return replace(window.group_call(f"_{part.kind}"), python=part.python)
            return None

        if not self._names and window is None:
            return node
        if isinstance(node, ast.ColumnRef) and node.name in self._names:
            return ast.Alias(self._names[node.name], identifier(node.name))
        return ast.rewrite(node, change)


def aggregate_all(table: T, function: object) -> AggregatedTable[T]:
    """Aggregate the whole table as one group."""
    return GroupedTable(table, (), {}).aggregate(function)


def flat_aggregate_all(table: T, function: object) -> AggregatedTable[T]:
    """Aggregate the whole table as one group, to several rows."""
    return GroupedTable(table, (), {}).flat_aggregate(function)


@dataclass(frozen=True, eq=False, repr=False)
class AggregatedTable(Unfinished, Generic[T]):
    """Groups with the columns of an aggregate function; requires `select`."""

    WHAT = "an aggregated table"
    NEXT = "write group_by(...).aggregate(...).select(...), and the operation behind it"

    _table: T

    def select(self, *fields: Expression | str) -> T:
        """Select the grouping fields, the columns of the function, and expressions of them."""
        return select(self._table, fields)


def group_by(table: T, fields: Sequence[object], window: Window | None = None) -> GroupedTable[T]:
    """Group the table by the fields."""
    keys: list[ast.Expression] = []
    names: dict[str, ast.Expression] = {}
    windowed = False
    for node in nodes_of("group_by", fields):
        if window is not None and isinstance(node, ast.ColumnRef) and node.name == window.name:
            keys.append(window.group_call())
            windowed = True
        elif isinstance(node, ast.Alias):
            keys.append(node.value)
            names[node.name.name] = node.value
        else:
            keys.append(node)
    if window is not None and not windowed:
        raise ProgramError(
            f"the window {window.name!r} is not among the grouping fields",
            where="group_by()",
            remedy=f'write group_by(col("{window.name}"), ...)',
        )
    if not keys:
        raise ProgramError("group_by() has no fields", where="group_by()", remedy="select aggregates without group_by")
    return GroupedTable(table, tuple(keys), names, window)


@dataclass(frozen=True, eq=False, repr=False)
class WindowedTable(Unfinished, Generic[T]):
    """A table with a group window (one with an alias); requires `group_by`.

    >>> import compiled_plan as cp
    >>> env = cp.TableEnvironment()
    >>> _ = env.execute_sql('''
    ...     CREATE TABLE bids (price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')
    ... ''')
    >>> window = cp.Tumble.over(cp.lit(1).hour).on("ts").alias("w")
    >>> env.from_path("bids").window(window).group_by("w").select(cp.col("w").start, cp.col("price").max)
    Table(`EXPR$0` TIMESTAMP(3) NOT NULL, `EXPR$1` INT)
    """

    WHAT = "a table with a group window"
    NEXT = (
        'write window(...alias("w")).group_by(col("w"), ...).select(...), and the operation behind it; '
        "or leave .alias(...) out for a table with window_start and window_end"
    )

    _table: T
    _window: Window

    def group_by(self, *fields: Expression | str) -> GroupedTable[T]:
        """Group by the window, by its alias, and further fields."""
        return group_by(self._table, fields, self._window)


@dataclass(frozen=True, eq=False, repr=False)
class OverWindowedTable(Unfinished, Generic[T]):
    """A table with OVER windows; requires `select`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> over = cp.Over.partition_by("item").order_by("price").alias("w")
    >>> items.over_window(over).select("item", cp.col("price").sum.over(cp.col("w")).alias("total"))
    Table(item CHAR(3) NOT NULL, total INT NOT NULL)
    """

    WHAT = "a table with windows of OVER"
    NEXT = 'write over_window(...).select(col("value").sum.over(col("w"))), and the operation behind it'

    _table: T
    _windows: tuple[OverWindow, ...]

    def select(self, *fields: Expression | str) -> T:
        """Select each row, with aggregates over the windows: `.over(col("w"))`."""
        return select(self._table, fields, "select", windows=tuple(window.node() for window in self._windows))


def window_table(table: T, window: Window) -> T:
    """A window table function: the table's columns, then window_start, window_end, window_time."""
    lengths = [length._node for length in window.lengths]
    shift = [] if window.shift is None else [window.shift._node]
    arguments = [ast.Descriptor((window.descriptor(),)), *lengths, *shift]
    partition = [_plain(node) for node in nodes_of("window", window.partition)]
    return over_table(table, "window", window.kind, arguments, partition)


def _plain(node: ast.Expression) -> ast.Expression:
    """A column by its unqualified name, as SQL's PARTITION BY requires."""
    return ast.ColumnRef((identifier(node.name),)) if isinstance(node, ast.ColumnRef) else node

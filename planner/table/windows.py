"""Windows of `Table.window` and of OVER, as values.

Source: FLIP-155, "window"; Flink's "Table API" page, group windows and over windows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Self

from compiled_plan.planner.sql import nodes as ast
from compiled_plan.planner.table.building.nodes import identifier
from compiled_plan.planner.table.building.python_literals import literal, node_of
from compiled_plan.planner.table.building.unfinished import Beginning, Unfinished
from compiled_plan.planner.table.expressions.aggregates import ordered
from compiled_plan.planner.table.expressions.core import call_node, shown_of
from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.operations import nodes_of, spelled
from compiled_plan.plans.errors import ProgramError, UnsupportedError

#: A length of time: `lit(10).minutes`, or a timedelta.
Length = Expression | timedelta


@dataclass(frozen=True, eq=False, repr=False)
class Window(Unfinished):
    """A window for `Table.window`: kind, lengths, time attribute.

    Args:
        kind: TUMBLE, HOP, CUMULATE or SESSION.
        lengths: its intervals in the order of SQL's function.
        time: the time attribute, set by `on`.
        partition: the columns of a session's PARTITION BY.
        shift: the offset, or None.
        name: the alias of a group window; empty for a window table function.
    """

    WHAT = "a window"
    NEXT = (
        'write table.window(Tumble.over(lit(10).minutes).on(col("ts"))), and the operation behind it; '
        "Slide alone has .every(...), Cumulate .step(...), Session .partition_by(...)"
    )

    kind: str
    lengths: tuple[Expression, ...]
    time: Expression | None = None
    partition: tuple[Expression | str, ...] = ()
    shift: Expression | None = None
    name: str = ""

    def on(self, time: Expression | str) -> Self:
        """Set the time attribute of the window."""
        node = Expression(nodes_of(f"{self.kind.title()}.on", [time])[0])
        return replace(self, time=node)

    def offset(self, interval: Length) -> Self:
        """Shift the window starts, which are otherwise aligned to the epoch (1970)."""
        if self.kind == "SESSION":
            raise ProgramError("a session window has no offset", remedy="leave .offset(...) out")
        return replace(self, shift=_interval("offset", interval))

    def alias(self, name: str | Expression) -> Self:
        """Set the name, which makes it a window of GROUP BY: `col(name).start` and `.end` are its bounds."""
        return replace(self, name=_name(name))

    def descriptor(self) -> ast.Identifier:
        """The name of the time column.

        Raises:
            ProgramError: `on` was not called, or not with a column.
        """
        node = self._time()
        if not isinstance(node, ast.ColumnRef):
            raise ProgramError(
                f"the time of a window must be a column, not {shown_of(self.time)}",
                where="window()",
                remedy='write .on(col("ts"))',
            )
        return identifier(node.name)

    def group_call(self, suffix: str = "") -> ast.Call:
        """TUMBLE(time, size) of GROUP BY, or TUMBLE_START and the like."""
        if self.kind == "CUMULATE" or self.partition or self.shift is not None:
            construct = "partitions" if self.partition else "an offset" if self.shift is not None else "CUMULATE"
            raise ProgramError(
                f"a window with an alias cannot have {construct}",
                where="window()",
                remedy="leave .alias(...) out, and group by window_start and window_end",
            )
        return call_node(f"{self.kind}{suffix}", Expression(self._time()), *self.lengths)

    def _time(self) -> ast.Expression:
        if self.time is None:
            raise ProgramError("the window has no time", where="window()", remedy='write .on(col("ts"))')
        return self.time._node


class Tumble(metaclass=Beginning):
    """Adjacent windows of a fixed length.

    >>> import compiled_plan as cp
    >>> env = cp.TableEnvironment()
    >>> _ = env.execute_sql('''
    ...     CREATE TABLE bids (price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')
    ... ''')
    >>> window = cp.Tumble.over(cp.lit(10).minutes).on("ts")
    >>> env.from_path("bids").window(window).columns
    ['price', 'ts', 'window_start', 'window_end', 'window_time']
    """

    BEGIN = 'Tumble.over(lit(10).minutes).on(col("ts"))'

    @staticmethod
    def over(size: Length) -> Window:
        """Windows of a fixed length: `Tumble.over(lit(10).minutes)`."""
        return Window("TUMBLE", (_interval("Tumble.over", size),))


@dataclass(frozen=True, eq=False, repr=False)
class SlideWithSize(Unfinished):
    """The result of `Slide.over(...)`; requires `.every(...)`."""

    WHAT = "a sliding window without its slide"
    NEXT = 'write Slide.over(lit(10).minutes).every(lit(5).minutes).on(col("ts"))'

    size: Expression

    def every(self, slide: Length) -> Window:
        """Set the distance between window starts."""
        return Window("HOP", (_interval("Slide.every", slide), self.size))


class Slide(metaclass=Beginning):
    """Windows of a fixed length that start after each slide.

    >>> import compiled_plan as cp
    >>> env = cp.TableEnvironment()
    >>> _ = env.execute_sql('''
    ...     CREATE TABLE bids (price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')
    ... ''')
    >>> window = cp.Slide.over(cp.lit(10).minutes).every(cp.lit(5).minutes).on("ts").alias("w")
    >>> env.from_path("bids").window(window).group_by("w").select(cp.col("w").start, cp.col("price").max)
    Table(`EXPR$0` TIMESTAMP(3) NOT NULL, `EXPR$1` INT)
    """

    BEGIN = 'Slide.over(lit(10).minutes).every(lit(5).minutes).on(col("ts"))'

    @staticmethod
    def over(size: Length) -> SlideWithSize:
        """Windows of a fixed length: `Slide.over(lit(10).minutes).every(lit(5).minutes)`."""
        return SlideWithSize(_interval("Slide.over", size))


@dataclass(frozen=True, eq=False, repr=False)
class SessionWindow(Window):
    """The result of `Session.with_gap(...)`, to which `on` adds the time column."""

    def partition_by(self, *fields: Expression | str) -> SessionWindow:
        """Set the columns that partition sessions."""
        return replace(self, partition=fields)


class Session(metaclass=Beginning):
    """Windows that end after a gap without rows.

    >>> import compiled_plan as cp
    >>> env = cp.TableEnvironment()
    >>> _ = env.execute_sql('''
    ...     CREATE TABLE bids (price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')
    ... ''')
    >>> window = cp.Session.with_gap(cp.lit(10).minutes).on("ts").alias("w")
    >>> env.from_path("bids").window(window).group_by("w").select(cp.col("w").end, cp.col("price").max)
    Table(`EXPR$0` TIMESTAMP(3) NOT NULL, `EXPR$1` INT)
    """

    BEGIN = 'Session.with_gap(lit(10).minutes).partition_by(col("key")).on(col("ts"))'

    @staticmethod
    def with_gap(gap: Length) -> SessionWindow:
        """Sessions with a gap: `Session.with_gap(lit(10).minutes).partition_by(col("bidder"))`."""
        return SessionWindow("SESSION", (_interval("Session.with_gap", gap),))


@dataclass(frozen=True, eq=False, repr=False)
class CumulateWithSize(Unfinished):
    """The result of `Cumulate.over(...)`; requires `.step(...)`."""

    WHAT = "a cumulating window without its step"
    NEXT = 'write Cumulate.over(lit(10).minutes).step(lit(2).minutes).on(col("ts"))'

    size: Expression

    def step(self, step: Length) -> Window:
        """Set the step by which windows grow."""
        return Window("CUMULATE", (_interval("Cumulate.step", step), self.size))


class Cumulate(metaclass=Beginning):
    """Windows with a common start that end after each step, up to a maximum length.

    >>> import compiled_plan as cp
    >>> env = cp.TableEnvironment()
    >>> _ = env.execute_sql('''
    ...     CREATE TABLE bids (price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')
    ... ''')
    >>> window = cp.Cumulate.over(cp.lit(10).minutes).step(cp.lit(2).minutes).on("ts")
    >>> env.from_path("bids").window(window).columns
    ['price', 'ts', 'window_start', 'window_end', 'window_time']
    """

    BEGIN = 'Cumulate.over(lit(10).minutes).step(lit(2).minutes).on(col("ts"))'

    @staticmethod
    def over(size: Length) -> CumulateWithSize:
        """Windows up to a maximum length: `Cumulate.over(lit(10).minutes).step(lit(2).minutes)`."""
        return CumulateWithSize(_interval("Cumulate.over", size))


def _interval(method: str, length: Length) -> Expression:
    if isinstance(length, timedelta):
        return Expression(literal(length))
    if not isinstance(length, Expression):
        raise ProgramError(
            f"{method} needs an interval, not {length!r}",
            remedy=f"write {method}(lit(10).minutes), .seconds, .hours, .days",
        )
    if length._property and isinstance(length._node, ast.Constant):
        raise UnsupportedError(
            f"a window of a number of rows is not supported: {method}({shown_of(length)})",
            where="window()",
            remedy="give a length of time; or aggregate the last rows before each row: "
            'over_window(Over.partition_by(...).order_by(col("pt")).preceding(row_interval(2)).alias("w"))',
        )
    return length


def _name(name: object) -> str:
    """The name in an alias, given as text or as a column."""
    text = spelled(name._node) if isinstance(name, Expression) else name
    if not isinstance(text, str) or not text:
        raise ProgramError(f"{name!r} is no name of a window", where="alias()", remedy='write .alias("w")')
    return text


# --- OVER -----------------------------------------------------------------------------------------------------------

UNBOUNDED_ROW = "UNBOUNDED_ROW"
UNBOUNDED_RANGE = "UNBOUNDED_RANGE"
CURRENT_ROW = "CURRENT_ROW"
CURRENT_RANGE = "CURRENT_RANGE"


@dataclass(frozen=True, eq=False, repr=False)
class OverWindow(Unfinished):
    """An OVER window, for `Table.over_window`."""

    WHAT = "a window of OVER"
    NEXT = 'write table.over_window(Over.partition_by(col("a")).order_by(col("ts")).alias("w")).select(...)'

    partition: tuple[Expression | str, ...] = ()
    order: tuple[Expression | str, ...] = ()
    lower: Expression | str | None = None
    upper: Expression | str | None = None
    name: str = ""

    def order_by(self, *fields: Expression | str) -> OverWindow:
        """Set the order of the rows: a time attribute, or columns of a bounded table."""
        return replace(self, order=fields)

    def preceding(self, bound: Expression | str) -> OverWindow:
        """Set the lower bound: UNBOUNDED_RANGE, UNBOUNDED_ROW, an interval, or `lit(3).rows`."""
        return replace(self, lower=bound)

    def following(self, bound: Expression | str) -> OverWindow:
        """Set the upper bound: CURRENT_RANGE or CURRENT_ROW."""
        return replace(self, upper=bound)

    def alias(self, name: str | Expression) -> OverWindow:
        """Set the name for `.over(col(name))`."""
        return replace(self, name=_name(name))

    def node(self) -> ast.NamedWindow:
        """WINDOW name AS (...).

        Raises:
            ProgramError: it has no name, or its bounds are inconsistent.
        """
        if not self.name:
            raise ProgramError("the window has no name", where="over_window()", remedy='write .alias("w")')
        if not self.order:
            raise ProgramError(
                f"the window {self.name!r} has no order",
                where="over_window()",
                remedy='write Over.partition_by(...).order_by(col("ts")).alias("w"), with a time attribute',
            )
        order = ast.OrderBy(tuple(map(ordered, nodes_of("over_window", self.order))))
        spec = ast.WindowSpec(None, tuple(nodes_of("over_window", self.partition)), order, self._frame())
        return ast.NamedWindow(identifier(self.name), spec)

    def _frame(self) -> ast.Frame | None:
        if self.lower is None and self.upper is None:
            return None
        lower = UNBOUNDED_RANGE if self.lower is None else self.lower
        unit = _unit(lower)
        upper = (CURRENT_ROW if unit == "ROWS" else CURRENT_RANGE) if self.upper is None else self.upper
        if _unit(upper) != unit:
            raise ProgramError(
                f"a window cannot begin by {unit.lower()} and end by {_unit(upper).lower()}",
                where="over_window()",
                remedy="give both bounds as rows, or both as ranges",
            )
        return ast.Frame(unit, _bound(lower, "PRECEDING"), _bound(upper, "FOLLOWING"))


def _unit(bound: Expression | str) -> str:
    if isinstance(bound, str):
        return "ROWS" if bound in (UNBOUNDED_ROW, CURRENT_ROW) else "RANGE"
    return "RANGE" if isinstance(bound._node, ast.IntervalLiteral | ast.ColumnRef) else "ROWS"


def _bound(bound: Expression | str, side: str) -> ast.FrameBound:
    if isinstance(bound, str):
        kinds = {
            UNBOUNDED_ROW: f"UNBOUNDED {side}",
            UNBOUNDED_RANGE: f"UNBOUNDED {side}",
            CURRENT_ROW: "CURRENT ROW",
            CURRENT_RANGE: "CURRENT ROW",
        }
        if bound not in kinds:
            raise ProgramError(
                f"{bound!r} is no bound of a window", where="over_window()", remedy=f"write {', '.join(kinds)}"
            )
        return ast.FrameBound(kinds[bound])
    return ast.FrameBound(side, node_of(bound))


class Over(metaclass=Beginning):
    """Windows of OVER: `Over.partition_by(col("a")).order_by(col("ts")).preceding(lit(1).minutes).alias("w")`.

    >>> import compiled_plan as cp
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> over = cp.Over.partition_by("item").order_by("price").preceding(cp.UNBOUNDED_ROW).alias("w")
    >>> items.over_window(over).select(cp.col("price").sum.over(cp.col("w")).alias("total"))
    Table(total INT NOT NULL)
    """

    BEGIN = 'Over.partition_by(col("a")).order_by(col("ts")).alias("w")'

    @staticmethod
    def partition_by(*fields: Expression | str) -> OverWindow:
        """One window per value of the fields."""
        return OverWindow(partition=fields)

    @staticmethod
    def order_by(*fields: Expression | str) -> OverWindow:
        """One window over all rows, ordered by the fields."""
        return OverWindow(order=fields)

"""Operations of `Table` that group rows and assign windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self, overload

from compiled_plan.planner.table import grouping
from compiled_plan.planner.table.building.planned import PlannedTable
from compiled_plan.planner.table.building.unfinished import remedy_of
from compiled_plan.planner.table.grouping import AggregatedTable, GroupedTable, OverWindowedTable, WindowedTable
from compiled_plan.planner.table.windows import OverWindow, Window
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.planner.table.expressions.expression import Expression


class GroupMethods(PlannedTable):
    """GROUP BY, windows, OVER.

    >>> from compiled_plan import TableEnvironment, col
    >>> orders = TableEnvironment().from_values([("nut", 3), ("nut", 4)], ["item", "price"])
    >>> orders.group_by("item").select("item", col("price").sum.alias("total")).columns
    ['item', 'total']
    """

    __slots__ = ()

    def group_by(self, *fields: Expression | str) -> GroupedTable[Self]:
        """GROUP BY, to be followed by `select`.

        Args:
            fields: the grouping columns or expressions.
        """
        return grouping.group_by(self, fields)

    def aggregate(self, func: object) -> AggregatedTable[Self]:
        """Aggregate the whole table, to be followed by `select`; a ROW becomes one column per field.

        Args:
            func: the call of an aggregate function, or the function itself, which then takes whole rows.
        """
        return grouping.aggregate_all(self, func)

    def flat_aggregate(self, func: object) -> AggregatedTable[Self]:
        """Aggregate the whole table to several rows, to be followed by `select`.

        Args:
            func: the call of a table aggregate function, or the function itself, which then takes whole rows.
        """
        return grouping.flat_aggregate_all(self, func)

    @overload
    def window(self, window: Window) -> Self: ...

    @overload
    def window(self, window: OverWindow) -> OverWindowedTable[Self]: ...

    def window(self, window: Window | OverWindow) -> Self | WindowedTable[Self] | OverWindowedTable[Self]:
        """Apply a window table function, which appends window_start, window_end and window_time to the columns.

        `table.window(Tumble.over(lit(10).minutes).on(col("ts")))`

        Args:
            window: a `Tumble`, `Slide`, `Session` or `Cumulate`. With an alias it is a group window instead, to be
                followed by `group_by`; `group_window` is the typed variant. An `Over` window is as for `over_window`.

        Source: FLIP-155, "window".
        """
        if isinstance(window, OverWindow):
            return self.over_window(window)
        _check_window(window)
        return WindowedTable(self, window) if window.name else grouping.window_table(self, window)

    def group_window(self, window: Window) -> WindowedTable[Self]:
        """Define a group window: `group_window(Tumble.over(lit(1).hours).on(col("ts")).alias("w")).group_by(col("w"))`.

        Args:
            window: the window, with an alias.

        Raises:
            ProgramError: the window has no alias.
        """
        _check_window(window)
        if not window.name:
            raise ProgramError("a group window needs a name", where="group_window()", remedy='write .alias("w")')
        return WindowedTable(self, window)

    def over_window(self, *windows: OverWindow) -> OverWindowedTable[Self]:
        """Define OVER windows for `.over(col("w"))` in the following `select`.

        Args:
            windows: `Over.partition_by(col("a")).order_by(col("ts")).alias("w")`.

        Raises:
            ProgramError: there is no window, or a window of another kind.
        """
        _check_over_windows(windows)
        return OverWindowedTable(self, windows)


def _check_window(window: object) -> None:
    if not isinstance(window, Window):
        raise ProgramError(
            f"window() takes a window, not {getattr(window, '__name__', None) or repr(window)}",
            where="window()",
            remedy=remedy_of(window, 'write Tumble.over(lit(10).minutes).on(col("ts"))'),
        )
    if window.time is None:
        raise ProgramError("the window has no time", where="window()", remedy='write .on(col("ts"))')


def _check_over_windows(windows: Sequence[object]) -> None:
    wrong = next((window for window in windows if not isinstance(window, OverWindow)), None)
    if not windows or wrong is not None:
        raise ProgramError(
            "over_window() has no window" if wrong is None else f"over_window() takes windows of OVER, not {wrong!r}",
            where="over_window()",
            remedy='write over_window(Over.partition_by(col("a")).order_by(col("ts")).alias("w"))',
        )
    for window in windows:
        assert isinstance(window, OverWindow)
        window.node()

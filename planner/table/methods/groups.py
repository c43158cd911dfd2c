"""Operations of a table that group rows, and put them into windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from planner.table.methods.base import TableBase
from plans.errors import ProgramError

if TYPE_CHECKING:
    from planner.table.expressions.expression import Expression
    from planner.table.grouping import GroupedTable, OverWindowedTable, WindowedTable
    from planner.table.table import Table
    from planner.table.windows import OverWindow, Window


class GroupMethods(TableBase):
    """GROUP BY, windows, OVER."""

    __slots__ = ()

    def group_by(self, *fields: Expression | str) -> GroupedTable:
        """GROUP BY; `select` follows."""
        from planner.table.grouping import group_by

        return group_by(self._this, fields)

    @overload
    def window(self, window: Window) -> Table: ...

    @overload
    def window(self, window: OverWindow) -> OverWindowedTable: ...

    def window(self, window: Window | OverWindow) -> Table | WindowedTable | OverWindowedTable:
        """A window table function: all columns, then window_start, window_end, window_time.

        `table.window(Tumble.over(lit(10).minutes).on(col("ts")))`; the window may be a `Tumble`, `Slide`, `Session` or
        `Cumulate`. With an alias it is a group window instead, after which only `group_by` can follow: see
        `group_window`, which has the types for it.

        Source: FLIP-155, "window".
        """
        from planner.table.grouping import WindowedTable, window_table
        from planner.table.windows import OverWindow

        if isinstance(window, OverWindow):
            return self.over_window(window)
        _check_window(window)
        return WindowedTable(self._this, window) if window.name else window_table(self._this, window)

    def group_window(self, window: Window) -> WindowedTable:
        """A group window: `group_window(Tumble.over(lit(1).hours).on(col("ts")).alias("w")).group_by(col("w"))`."""
        from planner.table.grouping import WindowedTable

        _check_window(window)
        if not window.name:
            raise ProgramError("a group window needs a name", where="group_window()", remedy='write .alias("w")')
        return WindowedTable(self._this, window)

    def over_window(self, *windows: OverWindow) -> OverWindowedTable:
        """Windows for `.over(col("w"))` in the `select` that follows."""
        from planner.table.grouping import OverWindowedTable

        return OverWindowedTable(self._this, windows)


def _check_window(window: object) -> None:
    from planner.table.windows import Window

    if not isinstance(window, Window):
        raise ProgramError(
            f"window() takes a window, not {window!r}",
            where="window()",
            remedy='write Tumble.over(lit(10).minutes).on(col("ts")); Slide needs .every(...), Cumulate .step(...)',
        )

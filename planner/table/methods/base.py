"""What the operations of a table have at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from planner.environment import TableEnvironment
    from planner.sql.nodes import TableHint
    from planner.table.rows import Origin, Rows
    from planner.table.table import Table


class TableBase:
    """The parts of a `Table`: its environment and its relation.

    `_hints` are those that the next aggregate or join takes; `_origin` is set of a table of the catalog.
    """

    __slots__ = ("_env", "_hints", "_origin", "_rows")

    _env: TableEnvironment
    _rows: Rows
    _hints: tuple[TableHint, ...]
    _origin: Origin | None

    @property
    def _this(self) -> Table:
        return cast("Table", self)

"""Parameter and result type of Table API operations; `api.table.Table` is its subclass for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Self, TypeVar

from compiled_plan.planner.sql.binding.from_clause import BoundRelation
from compiled_plan.planner.sql.nodes import TableHint

if TYPE_CHECKING:
    from compiled_plan.planner.sql.context import PlanningContext
    from compiled_plan.planner.table.building.rows import Origin, Rows


class PlannedTable:
    """Rows with their planning context. Immutable.

    Args:
        context: the planning context.
        rows: the bound relation.
        hints: pending hints for the next aggregate or join.
        origin: the catalog table that these rows are; None for derived rows.
    """

    __slots__ = ("_context", "_hints", "_origin", "_rows")

    _context: PlanningContext
    _rows: Rows
    _hints: tuple[TableHint, ...]
    _origin: Origin | None

    def __init__(
        self,
        context: PlanningContext,
        rows: Rows,
        hints: tuple[TableHint, ...] = (),
        origin: Origin | None = None,
    ) -> None:
        object.__setattr__(self, "_context", context)
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_hints", hints)
        object.__setattr__(self, "_origin", origin)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a table cannot be changed: {name} = {value!r}; its operations give other tables")

    def _derived(self, rows: Rows, hints: tuple[TableHint, ...] | None = None) -> Self:
        return type(self)(self._context, rows, self._hints if hints is None else hints)

    def _node(self) -> BoundRelation:
        """The rows as a relation of a query."""
        return BoundRelation(self._rows)


#: Class of an operation's table, which is also that of its result.
T = TypeVar("T", bound=PlannedTable)

"""Sorts of bounded input and by time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import Inputs, PlanNode
from compiled_plan.plans.nodes.flink_state import RECENT_ROWS, FlinkMapping, Row, StateItem, row_types
from compiled_plan.plans.nodes.late_rows import LateRowsNode, late_by_order
from compiled_plan.plans.nodes.model import Enforcing
from compiled_plan.plans.nodes.rules import Columns, Path, order, same_as_input
from compiled_plan.plans.nodes.specs import SortSpec
from compiled_plan.plans.types import RowType, TimeKind, TimestampBase
from compiled_plan.plans.types.temporal import is_proctime


class Sort(PlanNode):
    """Sort of all rows, of bounded input at its end. Flink plans it only with a special option, and does not run it."""

    NAME = "stream-exec-sort"
    TITLE = "Sort {of}"
    TRANSFORMATION = "sort"
    KEEPS_STATE = True
    RUNNABLE = False
    INSTEAD = "ORDER BY a time attribute first, add LIMIT, or sort where the table is read"

    order_by: Enforcing[SortSpec]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from order(self.order_by, inputs.types, ("orderBy",))
        yield from same_as_input(self.output_type, inputs)

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        return row_types(rows)


class TemporalSort(LateRowsNode):
    """Sort by a time attribute, then by other columns; watermarks or the clock release rows."""

    NAME = "stream-exec-temporal-sort"
    TITLE = "Sort {of}"
    TRANSFORMATION = "temporal-sort"
    KEEPS_STATE = True

    order_by: Enforcing[SortSpec]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from order(self.order_by, inputs.types, ("orderBy",))
        yield from time_first(self.order_by, inputs.types, ("orderBy",))
        if self.order_by.fields and not self.order_by.fields[0].is_ascending:
            place = ("orderBy", "fields", 0, "isAscending")
            yield refusal(place, "it sorts by time descending", "sort by time ascending", False)
        yield from same_as_input(self.output_type, inputs)

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        return late_by_order(self.order_by, rows[0])

    @property
    def flink_mapping(self) -> FlinkMapping:
        time = self.output_type.types[self.order_by.fields[0].index]
        by_arrival = is_proctime(time)
        if by_arrival:
            # Rows arrive in the order of processing time: Flink sorts only by further columns.
            return FlinkMapping(states=("sortState",), unless=RECENT_ROWS, stateless=len(self.order_by.fields) == 1)
        return FlinkMapping(states=("dataState", "lastTriggeringTsState"))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        return row_types(rows)


def time_first(spec: SortSpec, columns: Columns, path: Path) -> Iterator[Fault]:
    """Fault of an order that does not begin with a time attribute."""
    if not spec.fields:
        yield Fault((*path, "fields"), "there is no order", "order by a time attribute", [])
        return
    at = spec.fields[0].index
    if not 0 <= at < len(columns):
        return
    time = columns[at]
    if not isinstance(time, TimestampBase) or time.kind is TimeKind.REGULAR:
        place = (*path, "fields", 0, "index")
        message = f"the order begins with column {at} of type {time}, which is no time attribute"
        yield Fault(place, message, "name a column with a watermark, or of processing time", at)

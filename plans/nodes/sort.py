"""Sorts."""

from __future__ import annotations

from collections.abc import Iterator

from plans.findings import Fault
from plans.nodes.base import Enforcing, PlanNode
from plans.nodes.rules import Columns, Inputs, Path, order, same_as_input
from plans.nodes.specs import SortSpec
from plans.types import TimeKind, TimestampBase


class Sort(PlanNode):
    """Sorts all rows; of bounded input, at its end."""

    NAME = "stream-exec-sort"
    KEEPS_STATE = True

    order_by: Enforcing[SortSpec]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from order(self.order_by, inputs.types, ("orderBy",))
        yield from same_as_input(self.output_type, inputs)


class TemporalSort(PlanNode):
    """Sorts by time, then by other columns, as time moves on."""

    NAME = "stream-exec-temporal-sort"
    KEEPS_STATE = True

    order_by: Enforcing[SortSpec]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from order(self.order_by, inputs.types, ("orderBy",))
        yield from time_first(self.order_by, inputs.types, ("orderBy",))
        yield from same_as_input(self.output_type, inputs)


def time_first(spec: SortSpec, columns: Columns, path: Path) -> Iterator[Fault]:
    """An order that does not begin with a time attribute."""
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

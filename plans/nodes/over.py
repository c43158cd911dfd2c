"""OVER aggregates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.base import Inputs
from compiled_plan.plans.nodes.calls import calls
from compiled_plan.plans.nodes.fields import RexJson
from compiled_plan.plans.nodes.flink_state import (
    RECENT_ROWS,
    FlinkMapping,
    Row,
    StateItem,
    accumulators,
    accumulators_mapping,
    key_types,
    row_types,
)
from compiled_plan.plans.nodes.late_rows import LateRowsNode, late_by_order
from compiled_plan.plans.nodes.model import Always, Bool, Enforcing, Int, PlanModel
from compiled_plan.plans.nodes.rules import Columns, expression_faults, order, output, partition
from compiled_plan.plans.nodes.specs import AggregateCall, PartitionSpec, SortSpec
from compiled_plan.plans.rex import InputRef
from compiled_plan.plans.rex import Literal as RexLiteral
from compiled_plan.plans.types import IntegerType, IntervalType, RowType, TimeKind, TimestampBase
from compiled_plan.plans.types.changelog import ChangelogMode
from compiled_plan.plans.types.temporal import is_proctime

#: Names of Flink's states: by time with and without lower bound, and by other columns.
_STATES = (
    *("accState", "inputState", "processedCountState", "smallestTSState", "cleanupTsState", "lastTriggeringTsState"),
    *("*OverCleanupTime", "valueMapState", "sortedListState", "accMapState", "idState"),
)


class CurrentRow(PlanModel):
    """Bound of a frame: `CURRENT ROW`."""

    kind: Always[Literal["CURRENT_ROW"]] = "CURRENT_ROW"


class UnboundedPreceding(PlanModel):
    """Bound of a frame: `UNBOUNDED PRECEDING`."""

    kind: Always[Literal["UNBOUNDED_PRECEDING"]] = "UNBOUNDED_PRECEDING"


class UnboundedFollowing(PlanModel):
    """Bound of a frame: `UNBOUNDED FOLLOWING`."""

    kind: Always[Literal["UNBOUNDED_FOLLOWING"]] = "UNBOUNDED_FOLLOWING"


class BoundedWindow(PlanModel):
    """`n PRECEDING` or `n FOLLOWING`; `offset` refers to a constant, after the input's columns."""

    kind: Always[Literal["BOUNDED_WINDOW"]] = "BOUNDED_WINDOW"
    is_preceding: Bool | None = None
    is_following: Bool | None = None
    offset: RexJson


Bound = Annotated[CurrentRow | UnboundedPreceding | UnboundedFollowing | BoundedWindow, Field(discriminator="kind")]


class OverGroup(PlanModel):
    """Aggregates over one window of rows or of time."""

    order_by: SortSpec
    is_rows: Bool
    lower_bound: Bound
    upper_bound: Bound
    agg_calls: tuple[AggregateCall, ...]


class OverSpec(PlanModel):
    """All OVER windows of one node. Indices from `original_input_fields` on refer to `constants`."""

    partition: PartitionSpec
    groups: tuple[OverGroup, ...]
    constants: tuple[RexJson, ...]
    original_input_fields: Int


class OverAggregate(LateRowsNode):
    """Aggregation over OVER windows: appends aggregates over preceding rows to each row."""

    NAME = "stream-exec-over-aggregate"
    TITLE = "Running aggregate of {of}{by}"
    TRANSFORMATION = "over-aggregate"
    KEEPS_STATE = True
    TAIL: ClassVar[tuple[str, ...]] = ("unbounded_over_version",)

    over_spec: Enforcing[OverSpec]
    unbounded_over_version: Enforcing[Int] = Field(default=1)

    @property
    def columns_end(self) -> int:
        """The number of input columns; indices from there on refer to constants."""
        return self.over_spec.original_input_fields

    @property
    def forgets_idle_keys(self) -> bool:
        """True except for windows over a time interval, which clean up by time only, as in Flink 2.3."""
        groups = self.over_spec.groups
        return bool(groups) and (groups[0].is_rows or isinstance(groups[0].lower_bound, UnboundedPreceding))

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        return late_by_order(self.over_spec.groups[0].order_by, rows[0]) if self.over_spec.groups else {}

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        spec, path = self.over_spec, ("overSpec",)
        yield from partition(spec.partition, inputs.types, (*path, "partition"))
        if spec.original_input_fields != len(inputs.types):
            message = f"the input has {len(inputs.types)} columns, not {spec.original_input_fields}"
            at = (*path, "originalInputFields")
            yield Fault(at, message, f"write {len(inputs.types)}", spec.original_input_fields)
            return
        for number, constant in enumerate(spec.constants):
            if not isinstance(constant, RexLiteral):
                yield Fault((*path, "constants", number), "a constant must be a LITERAL", "write its value")
                return
            yield from expression_faults(constant, (), (*path, "constants", number))
        columns = (*inputs.types, *(constant.type for constant in spec.constants if isinstance(constant, RexLiteral)))
        if not spec.groups:
            yield Fault((*path, "groups"), "there is no window", "give it one", [])
        for number, group in enumerate(spec.groups):
            place = (*path, "groups", number)
            yield from order(group.order_by, inputs.types, (*place, "orderBy"))
            yield from calls(group.agg_calls, columns, (*place, "aggCalls"), over=True)
            for name, bound in (("lowerBound", group.lower_bound), ("upperBound", group.upper_bound)):
                if isinstance(bound, BoundedWindow):
                    yield from self._offset(bound, columns, (*place, name))
        yield from self._refusals(inputs)
        results = (call.type for group in spec.groups for call in group.agg_calls)
        yield from output(self.output_type, (*inputs.types, *results), "it")

    def _refusals(self, inputs: Inputs) -> Iterator[Fault]:
        path = ("overSpec", "groups")
        if len(self.over_spec.groups) != 1:
            yield refusal(path, "its OVER windows differ", "compute all aggregates of a query block on one window")
            return
        (group,) = self.over_spec.groups
        fields = group.order_by.fields
        time = inputs.types[fields[0].index] if fields and 0 <= fields[0].index < len(inputs.types) else None
        by_time = isinstance(time, TimestampBase) and time.kind is not TimeKind.REGULAR
        if by_time and (len(fields) > 1 or not fields[0].is_ascending):
            message = "its order is not that of one time column ascending"
            yield refusal((*path, 0, "orderBy"), message, "order the window by the time alone")
        if not isinstance(group.upper_bound, CurrentRow):
            message = "its window ends after the current row"
            yield refusal((*path, 0, "upperBound"), message, "end it at CURRENT ROW")
        if isinstance(group.lower_bound, UnboundedFollowing) or getattr(group.lower_bound, "is_following", False):
            message = "its window starts after the current row"
            yield refusal((*path, 0, "lowerBound"), message, "start it at a PRECEDING row")
        elif not by_time and not isinstance(group.lower_bound, UnboundedPreceding):
            message = "its window is bounded and not ordered by time"
            yield refusal((*path, 0, "lowerBound"), message, "order the window by a time attribute")

    def _offset(self, bound: BoundedWindow, columns: Columns, path: tuple[str | int, ...]) -> Iterator[Fault]:
        """Faults of a bound: it must be a constant offset in the right direction."""
        if bool(bound.is_preceding) == bool(bound.is_following):
            message = "the bound is neither PRECEDING nor FOLLOWING"
            yield Fault(
                (*path, "isPreceding"), message, "set `isPreceding` or `isFollowing` to true", bound.is_preceding
            )
        place = (*path, "offset")
        wrong = list(expression_faults(bound.offset, columns, place))
        yield from wrong
        if wrong:
            return
        offset = bound.offset
        if isinstance(offset, InputRef) and offset.index >= self.over_spec.original_input_fields:
            offset = self.over_spec.constants[offset.index - self.over_spec.original_input_fields]
        if not isinstance(offset, RexLiteral) or not isinstance(offset.type, IntegerType | IntervalType):
            yield Fault(place, "the offset of a window must be a constant number", "name one of the `constants`")
        elif offset.value is None or (isinstance(offset.type, IntegerType) and int(str(offset.value)) < 0):
            yield Fault(place, f"a window cannot reach back by {offset.value}", "write 0 or more", offset.value)

    def clock(self, columns: Columns) -> TimeKind | None:
        """The clock of a window's order; None for an order by other columns, whose rows may be retracted."""
        first = [group.order_by.fields[0].index for group in self.over_spec.groups if group.order_by.fields]
        times = [type_ for at in first if at < len(columns) and isinstance(type_ := columns[at], TimestampBase)]
        return next((type_.kind for type_ in times if type_.is_time_attribute), None)

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        # The columns of the input come first in the output.
        by_time = self.clock(self.output_type.types) is not None
        return ChangelogMode.INSERT if by_time and received[0].insert_only else ChangelogMode.ALL

    @property
    def flink_mapping(self) -> FlinkMapping:
        groups = self.over_spec.groups
        calls = [call for group in groups for call in group.agg_calls]
        mapping = accumulators_mapping(calls, counted=False, states=_STATES)
        has_rows = any(map(_is_bounded, groups)) or self.clock(self.output_type.types) is None
        if mapping.refusal or not has_rows:
            return mapping
        by_arrival = self.clock(self.output_type.types) is TimeKind.PROCTIME
        waits = by_arrival and any(_is_bounded(group) and not group.is_rows for group in groups)
        return replace(
            mapping,
            computation="the results of each window are computed from its rows",
            refusals={},
            unless=RECENT_ROWS if waits else "",
        )

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield key_types(rows[0], self.over_spec.partition.fields)
        groups = self.over_spec.groups
        # Unbounded windows in order of arrival store accumulators only.
        if not all(_arriving(group, rows[0]) and not _is_bounded(group) for group in groups):
            yield from row_types(rows)
        types = (
            *rows[0],
            *(constant.type for constant in self.over_spec.constants if isinstance(constant, RexLiteral)),
        )
        for group in groups:
            bounded = _is_bounded(group)
            # Rows that leave a window with a lower bound are retracted.
            yield accumulators(group.agg_calls, types, (bounded,) * len(group.agg_calls), counted=False)
            kind = f"{'ROWS' if group.is_rows else 'RANGE'}{' with a lower bound' * bounded}"
            yield StateItem("kind of window", kind, sure=False)


def _is_bounded(group: OverGroup) -> bool:
    return not isinstance(group.lower_bound, UnboundedPreceding)


def _arriving(group: OverGroup, row: Row) -> bool:
    """Return True for a window ordered by processing time."""
    order = [row[field.index] for field in group.order_by.fields]
    return all(is_proctime(type_) for type_ in order)

"""Window operators. Watermarks clean their state: they have no `state` array, hence no TTL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from compiled_plan.plans.findings import Fault, refusal
from compiled_plan.plans.nodes.aggregate import accumulator_columns, called, grouped_types, same_row
from compiled_plan.plans.nodes.base import INSERTS, TWO_INPUTS, Inputs, PlanNode
from compiled_plan.plans.nodes.calls import calls
from compiled_plan.plans.nodes.deduplicate import one_row
from compiled_plan.plans.nodes.fields import RowTypeJson
from compiled_plan.plans.nodes.flink_state import (
    FlinkMapping,
    Row,
    StateItem,
    accumulators,
    accumulators_mapping,
    key_types,
    row_types,
    types_at,
)
from compiled_plan.plans.nodes.late_rows import LateRowsNode
from compiled_plan.plans.nodes.model import Always, Bool, Enforcing, Int, OfInput, OfNone, OfRight, PlanModel
from compiled_plan.plans.nodes.ranks import ConstantRange, RankRange, RankType, range_faults
from compiled_plan.plans.nodes.rules import (
    ROW_NUMBER,
    Columns,
    index,
    indices,
    join,
    joined_types,
    order,
    output,
    partition,
    same_as_input,
)
from compiled_plan.plans.nodes.specs import AggregateCall, JoinSpec, PartitionSpec, SortSpec
from compiled_plan.plans.nodes.windows import (
    CumulativeWindow,
    GroupWindow,
    HoppingWindow,
    NamedWindowProperty,
    SessionWindow,
    SliceAttachedWindowing,
    SlidingGroupWindow,
    TimeAttributeWindowing,
    TumblingGroupWindow,
    WindowAttachedWindowing,
    Windowing,
    group_window_faults,
    property_faults,
    property_types,
    windowing_faults,
)
from compiled_plan.plans.types import LogicalType, RowType, TimestampType
from compiled_plan.plans.types.changelog import ChangelogMode
from compiled_plan.plans.types.temporal import is_rowtime

#: The reason why there are no entries to edit.
CLEANED = "watermarks (or the clock) end windows and evict their state"


class _OverWindows(LateRowsNode):
    """Base of the operators with state per window."""

    WITHOUT_ENTRIES = CLEANED
    KEEPS_STATE = True


def _late_times(windowing: Windowing | SliceAttachedWindowing) -> Mapping[int, int | None]:
    if not windowing.is_rowtime:
        return {}
    return {0: windowing.time_attribute_index if isinstance(windowing, TimeAttributeWindowing) else None}


class WindowTableFunction(_OverWindows):
    """TUMBLE, HOP, CUMULATE or SESSION over a table: appends the window's columns."""

    NAME = "stream-exec-window-table-function"
    TITLE = "Windows over {of}"
    TRANSFORMATION = "window"

    windowing: Enforcing[Windowing]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from _windowing(self.windowing, inputs.types, TimeAttributeWindowing)
        time = TimestampType(precision=3)
        more = (time, time, self.windowing.time_attribute_type)
        yield from output(self.output_type, (*inputs.types, *more), "the windows")

    @property
    def keeps_state(self) -> bool:
        """True for sessions, which store their rows until they are complete; other windows follow from each row."""
        return isinstance(self.windowing.window, SessionWindow)

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        return _late_times(self.windowing) if self.keeps_state else {}

    @property
    def flink_mapping(self) -> FlinkMapping:
        return FlinkMapping(states=("session-window-tvf-*", "session-window-mapping"))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield from row_types(rows)
        yield _kind_of(self.windowing.window)


class WindowAggregate(_OverWindows):
    """Aggregation by window and columns, in one phase."""

    NAME = "stream-exec-window-aggregate"
    TITLE = "Aggregate windows of {of}{by}"
    TRANSFORMATION = "window-aggregate"

    grouping: Enforcing[OfInput[tuple[Int, ...]]]
    agg_calls: Enforcing[tuple[AggregateCall, ...]]
    windowing: Enforcing[Windowing]
    named_window_properties: tuple[NamedWindowProperty, ...]
    #: Absent in plans of Flink 1.18, whose windows read insert-only input.
    need_retraction: Always[Enforcing[Bool]] = False

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from _windowing(self.windowing, inputs.types, TimeAttributeWindowing, WindowAttachedWindowing)
        wrong = _keys_and_calls(self, inputs.types, inputs.types)
        yield from wrong
        if not wrong:
            yield from _results(self, inputs.types, self.windowing.time_attribute_type)

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return INSERTS

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        return _late_times(self.windowing)

    @property
    def flink_mapping(self) -> FlinkMapping:
        return _mapping(self, self.windowing.window)

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        return _state(self, rows[0], rows[0], self.windowing.window)


class LocalWindowAggregate(PlanNode):
    """First phase of a window aggregate, before the exchange."""

    NAME = "stream-exec-local-window-aggregate"
    TITLE = "Pre-aggregate windows of {of}{by}"
    WITHOUT_ENTRIES = CLEANED

    grouping: OfInput[tuple[Int, ...]]
    agg_calls: tuple[AggregateCall, ...]
    windowing: Windowing
    need_retraction: Always[Bool] = False

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        return _late_times(self.windowing)

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from _windowing(self.windowing, inputs.types, TimeAttributeWindowing, WindowAttachedWindowing)
        wrong = _keys_and_calls(self, inputs.types, inputs.types)
        yield from wrong
        if not wrong:
            yield from accumulator_columns(self.output_type, self.grouping, inputs.types)


class GlobalWindowAggregate(_OverWindows):
    """Second phase of a window aggregate."""

    NAME = "stream-exec-global-window-aggregate"
    TITLE = "Aggregate windows of {of}{by}"
    TRANSFORMATION = "global-window-aggregate"
    PLACED_AFTER: ClassVar[dict[str, str]] = {"local_agg_input_row_type": "input_properties"}

    grouping: Enforcing[OfInput[tuple[Int, ...]]]
    #: Over the input columns of the local aggregate.
    agg_calls: Enforcing[OfNone[tuple[AggregateCall, ...]]]
    windowing: Enforcing[Windowing]
    named_window_properties: tuple[NamedWindowProperty, ...]
    need_retraction: Always[Enforcing[Bool]] = False
    local_agg_input_row_type: Enforcing[RowTypeJson]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from _windowing(self.windowing, inputs.types, SliceAttachedWindowing, WindowAttachedWindowing)
        wrong = _keys_and_calls(self, inputs.types, self.local_agg_input_row_type.types)
        yield from wrong
        local = inputs.nodes[0]
        if not isinstance(local, LocalWindowAggregate):
            message = f"its input is {local.type}, not a local window aggregate"
            yield Fault(("type",), message, "compile the program again", self.type)
            return
        yield from same_row(self.local_agg_input_row_type, inputs.before[0][0], "localAggInputRowType")
        if len(local.grouping) != len(self.grouping):
            message = f"{len(self.grouping)} keys, and the local aggregate has {len(local.grouping)}"
            yield Fault(("grouping",), message, "make them equal", list(self.grouping))
        for name, own, expected in (
            ("windowing", self.windowing.window, local.windowing.window),
            ("windowing", self.windowing.is_rowtime, local.windowing.is_rowtime),
            ("aggCalls", called(self.agg_calls), called(local.agg_calls)),
        ):
            if own != expected:
                message = f"its {name} is not that of the local aggregate"
                yield Fault((name,), message, f"make it that of node {local.id}")
        if not wrong:
            yield from _results(self, inputs.types, self.windowing.time_attribute_type)

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return INSERTS

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        return _late_times(self.windowing)

    @property
    def flink_mapping(self) -> FlinkMapping:
        return _mapping(self, self.windowing.window)

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        return _state(self, rows[0], self.local_agg_input_row_type.types, self.windowing.window)


#: Early and late fire in a description: Flink writes them into no other field.
_EMIT = re.compile(r", emit=\[([^\[\]]*)\]\)$")
#: Remedy for early and late fire, with the same rows in the end.
EMIT_REMEDY = (
    "group by an expression of the time, as in GROUP BY k, FLOOR(ts TO MINUTE), with a state TTL: "
    "each change is emitted at once, late rows included"
)


class GroupWindowAggregate(_OverWindows):
    """Aggregation by a window in GROUP BY, the legacy syntax."""

    NAME = "stream-exec-group-window-aggregate"
    TITLE = "Aggregate windows of {of}{by}"
    TRANSFORMATION = "group-window-aggregate"

    grouping: Enforcing[OfInput[tuple[Int, ...]]]
    agg_calls: Enforcing[tuple[AggregateCall, ...]]
    window: Enforcing[GroupWindow]
    named_window_properties: tuple[NamedWindowProperty, ...]
    need_retraction: Enforcing[Bool]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        emit = _EMIT.search(self.description)
        if emit is not None:
            message = f"a window that emits before its end, or again after it ({emit[1]}), is not supported"
            yield Fault(("description",), message, EMIT_REMEDY, self.description)
        yield from group_window_faults(self.window, inputs.types, ("window",))
        wrong = _keys_and_calls(self, inputs.types, inputs.types)
        yield from wrong
        if not wrong:
            yield from _results(self, inputs.types, self.window.time_field.field_type)

    def may_send(self, received: Sequence[ChangelogMode]) -> ChangelogMode:
        return INSERTS

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        time = self.window.time_field
        by_rows = isinstance(self.window, TumblingGroupWindow | SlidingGroupWindow) and not self.window.is_time_window
        return {} if by_rows or not is_rowtime(time.field_type) else {0: time.field_index}

    @property
    def flink_mapping(self) -> FlinkMapping:
        if not getattr(self.window, "is_time_window", True):
            return FlinkMapping(refusal="Flink's state of windows that count rows is not converted")
        return _mapping(self, self.window)

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        return _state(self, rows[0], rows[0], self.window)


class WindowJoin(_OverWindows):
    """Join of the rows of one window."""

    NAME = "stream-exec-window-join"
    TITLE = "Window join {left} with {right}"
    TRANSFORMATION = "window-join"
    INPUTS = TWO_INPUTS

    join_spec: Enforcing[JoinSpec]
    left_windowing: Enforcing[Windowing]
    right_windowing: Enforcing[OfRight[Windowing]]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from join(self.join_spec, inputs, ("joinSpec",))
        sides = (("leftWindowing", self.left_windowing), ("rightWindowing", self.right_windowing))
        for (name, windowing), row in zip(sides, inputs.rows, strict=True):
            yield from _windowing(windowing, row.types, WindowAttachedWindowing, name=name)
        if self.left_windowing.is_rowtime != self.right_windowing.is_rowtime:
            message = "one side goes by rowtime and the other does not"
            yield Fault(("rightWindowing", "isRowtime"), message, "make them agree", self.right_windowing.is_rowtime)
        yield from output(self.output_type, joined_types(self.join_spec, inputs), "the join")

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        windowings = (self.left_windowing, self.right_windowing)
        return {at: None for at, windowing in enumerate(windowings) if windowing.is_rowtime}

    @property
    def flink_mapping(self) -> FlinkMapping:
        states = ("left-records", "right-records")
        return FlinkMapping("the key gets the start of each window from its rows", states=states)

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield key_types(rows[0], self.join_spec.left_keys)
        yield from row_types(rows)


class WindowRank(_OverWindows):
    """The first rows of each window and partition."""

    NAME = "stream-exec-window-rank"
    TITLE = "First {ranks} of {of}{for_each}"
    TRANSFORMATION = "window-rank"

    rank_type: RankType
    partition_spec: Enforcing[PartitionSpec]
    sort_spec: Enforcing[SortSpec]
    rank_range: Enforcing[RankRange]
    output_row_number: Bool
    windowing: Enforcing[Windowing]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from partition(self.partition_spec, inputs.types, ("partitionSpec",))
        yield from order(self.sort_spec, inputs.types, ("sortSpec",))
        yield from range_faults(self.rank_range, inputs.types, ("rankRange",))
        if self.rank_type != "ROW_NUMBER":
            yield refusal(("rankType",), f"{self.rank_type} in a window top-n", "rank with ROW_NUMBER")
        if not isinstance(self.rank_range, ConstantRange):
            message = "a window top-n without a constant end"
            yield refusal(("rankRange",), message, "compare the row number with a number")
        yield from _windowing(self.windowing, inputs.types, WindowAttachedWindowing)
        yield from same_as_input(self.output_type, inputs, (ROW_NUMBER,) if self.output_row_number else ())

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        return _late_times(self.windowing)

    @property
    def flink_mapping(self) -> FlinkMapping:
        computation = "the rows of each window are sorted by the plan's order, and cut to its ranks"
        return FlinkMapping(computation, states=("window_rank",))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield key_types(rows[0], self.partition_spec.fields)
        yield from row_types(rows)
        yield StateItem("order", types_at(rows[0], [field.index for field in self.sort_spec.fields]), sure=False)


class WindowDeduplicate(_OverWindows):
    """The first or last row of each window and key."""

    NAME = "stream-exec-window-deduplicate"
    TRANSFORMATION = "window-deduplicate"

    partition_keys: Enforcing[OfInput[tuple[Int, ...]]]
    order_key: Enforcing[OfInput[Int]]
    keep_last_row: Enforcing[Bool]
    windowing: Enforcing[Windowing]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        yield from indices(self.partition_keys, inputs.types, ("partitionKeys",))
        yield from index(self.order_key, inputs.types, ("orderKey",))
        yield from _windowing(self.windowing, inputs.types, WindowAttachedWindowing)
        yield from same_as_input(self.output_type, inputs)

    @property
    def title(self) -> str:
        return one_row(self.keep_last_row)

    def late_times(self, rows: Sequence[RowType]) -> Mapping[int, int | None]:
        return _late_times(self.windowing)

    @property
    def flink_mapping(self) -> FlinkMapping:
        return FlinkMapping("the key gets the start of each window from its row", states=("window_deduplicate",))

    def flink_state(self, rows: Sequence[Row]) -> Iterator[StateItem]:
        yield key_types(rows[0], self.partition_keys)
        yield from row_types(rows)


def _windowing(
    windowing: Windowing, columns: Columns, *known: type[PlanModel], name: str = "windowing"
) -> Iterator[Fault]:
    """Faults of a windowing that the operator does not support, or that is inconsistent with the columns."""
    if not isinstance(windowing, known):
        names = [str(model.model_fields["strategy"].default) for model in known]
        message = f"its windows are {windowing.strategy}"
        yield Fault((name, "strategy"), message, f"known here: {', '.join(names)}", windowing.strategy)
    # Only a local aggregate attaches slices.
    yield from windowing_faults(windowing, columns, (name,), behind_local=SliceAttachedWindowing in known)


def _kind_of(window: PlanModel) -> StateItem:
    """State of sessions is by window, of all others by slice; sizes and steps do not affect it."""
    return StateItem("kind of window", "session" if type(window).__name__.startswith("Session") else "slices")


_Aggregate = WindowAggregate | GlobalWindowAggregate | GroupWindowAggregate


def _keys_and_calls(node: _Aggregate | LocalWindowAggregate, keys: Columns, arguments: Columns) -> list[Fault]:
    return [*indices(node.grouping, keys, ("grouping",), once=True), *calls(node.agg_calls, arguments, ("aggCalls",))]


def _results(node: _Aggregate, columns: Columns, time: LogicalType) -> Iterator[Fault]:
    """Fault of an output other than the key, the calls, and the properties of the window."""
    yield from property_faults(node.named_window_properties, time)
    shown = property_types(node.named_window_properties, time)
    yield from output(node.output_type, (*grouped_types(node.grouping, node.agg_calls, columns), *shown), "it")


def _mapping(node: _Aggregate, window: PlanModel) -> FlinkMapping:
    states = ("window-aggs", "session-window-mapping")
    mapping = accumulators_mapping(node.agg_calls, counted=counts_rows(node), states=states)
    if mapping.refusal:
        return mapping
    if not isinstance(node, GroupWindowAggregate) and isinstance(node.windowing, WindowAttachedWindowing):
        if isinstance(window, SessionWindow):
            return FlinkMapping(refusal="Flink's state of sessions that rows carry has no starts")
        return replace(mapping, computation=_joined("starts of windows follow from their ends", mapping))
    if isinstance(window, HoppingWindow | CumulativeWindow | SlidingGroupWindow):
        return replace(mapping, computation=_joined("slices of windows that have not fired", mapping), timed=True)
    return mapping


def _joined(computation: str, mapping: FlinkMapping) -> str:
    return "; ".join(filter(None, (computation, mapping.computation)))


def counts_rows(node: WindowAggregate | GlobalWindowAggregate | GroupWindowAggregate) -> bool:
    """True if Flink counts the rows of windows: with retraction, and for HOP, whose empty windows it detects so."""
    hops = not isinstance(node, GroupWindowAggregate) and isinstance(node.windowing.window, HoppingWindow)
    return node.need_retraction or hops


def _state(node: _Aggregate, keys: Row, arguments: Row, window: PlanModel) -> Iterator[StateItem]:
    yield key_types(keys, node.grouping)
    retracting = (node.need_retraction,) * len(node.agg_calls)
    yield accumulators(node.agg_calls, arguments, retracting, counted=counts_rows(node))
    yield _kind_of(window)

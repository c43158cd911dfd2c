"""Window aggregates: over window table functions, in one phase or two, and over windows in GROUP BY.

The local half of a two-phase aggregate passes its rows through. The kernel gets the columns that it needs, and the time
or the window of a row as ms. With tumbling windows, and with windows carried by rows, the window is part of the key,
so that the windows of few groups are still spread over tasks. Overlapping windows share their state in one key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pyspark.sql import Column

from compiled_plan.plans.execution.expressions import canonical_key
from compiled_plan.plans.execution.operators.aggregate_calls import kernel_aggregate, placed
from compiled_plan.plans.execution.operators.base import Flow, KeyedOperator, KeyedPort, Lowering, keyed, stateless
from compiled_plan.plans.execution.operators.calc import same
from compiled_plan.plans.execution.operators.parameters import Aggregate, Parameters
from compiled_plan.plans.execution.operators.windowing import (
    MILLIS,
    Aligned,
    Attached,
    Cumulative,
    Hopping,
    Session,
    Tumbling,
    aligned,
    millis,
    session,
    tumbling_end,
    zone_of,
)
from compiled_plan.plans.inspection.lineage.kernel_operators import Computed
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.window import (
    GlobalWindowAggregate,
    GroupWindowAggregate,
    LocalWindowAggregate,
    WindowAggregate,
    counts_rows,
)
from compiled_plan.plans.nodes.windows import (
    GroupWindow,
    HoppingWindow,
    SessionGroupWindow,
    SessionWindow,
    SlidingGroupWindow,
    TimeAttributeWindowing,
    TumblingGroupWindow,
    WindowAttachedWindowing,
    Windowing,
)
from compiled_plan.plans.text.durations import parse_iso_duration
from compiled_plan.plans.types.temporal import is_rowtime

stateless(LocalWindowAggregate)(same)

_PROPERTIES = {"WindowStart": "start", "WindowEnd": "end", "Rowtime": "rowtime", "Proctime": "proctime"}


@dataclass(frozen=True, slots=True)
class AggregatesInWindows(Parameters):
    """Parameters of all aggregates of groups in windows.

    Args:
        grouping: the columns of the key.
        aggs: the calls.
        need_retraction: True if rows may be retracted, so that a window may end empty.
    """

    grouping: tuple[int, ...]
    aggs: tuple[Aggregate, ...]
    need_retraction: bool


@dataclass(frozen=True, slots=True)
class WindowAggregateParameters(AggregatesInWindows):
    """Aggregates of groups in aligned windows, or in windows carried by rows.

    Args:
        properties: the window's properties in the output after the results: "start", "end", "rowtime", "proctime".
        window: the windows.
        zone: the time zone of the windows' clock; None for UTC.
        time: the column with a row's time in ms on that clock; None for processing time, or windows carried by rows.
        window_start: the column with the start of the window carried by a row, in ms on that clock.
        window_end: the column with its end.
        drop_null_times: skip rows without a time; otherwise they are an error.
        newest_first: merge the slices of a window from the newest on, as Flink does for HOP.
    """

    TYPE: ClassVar[str] = "window-aggregate"
    properties: tuple[str, ...]
    window: Aligned | Attached
    zone: str | None
    time: int | None
    window_start: int | None
    window_end: int | None
    drop_null_times: bool
    newest_first: bool


@dataclass(frozen=True, slots=True)
class SessionAggregateParameters(AggregatesInWindows):
    """Aggregates of groups in sessions; see `WindowAggregateParameters`."""

    TYPE: ClassVar[str] = "session-aggregate"
    properties: tuple[str, ...]
    window: Session
    zone: str | None
    time: int | None
    drop_null_times: bool


@dataclass(frozen=True, slots=True)
class CountWindow:
    """Windows of `size` rows, starting every `slide` rows."""

    size: int
    slide: int


@dataclass(frozen=True, slots=True)
class CountWindowAggregateParameters(AggregatesInWindows):
    """Aggregates of groups in windows of a number of rows."""

    TYPE: ClassVar[str] = "count-window-aggregate"
    window: CountWindow


AnyWindow = Aligned | Attached | Session | CountWindow


@dataclass(frozen=True, slots=True)
class FlinkWindows:
    """The facts that determine the state of windows in Flink beside their parameters.

    Args:
        counts_rows: True if there is a COUNT(*) among the accumulators, added if no call is one.
        window: the windows that rows carry.
    """

    counts_rows: bool
    window: Aligned | None = None


@dataclass(frozen=True, slots=True)
class _Assignment:
    """Assignment of rows to windows.

    Args:
        window: the kernel's `window`.
        zone: see `zone_of`.
        times: input columns converted to ms for the kernel: one time, or the start and end of the window.
        key: the part of the key that identifies windows, from `times` in ms; None if there is none.
        drop_null_times: see `WindowAggregateParameters`.
        newest_first: likewise.
        carried: the windows that rows carry.
    """

    window: AnyWindow
    zone: str | None = None
    times: tuple[int, ...] = ()
    key: Callable[[Sequence[Column]], Sequence[Column]] | None = None
    drop_null_times: bool = False
    newest_first: bool = False
    carried: Aligned | None = None


def _is_rowtime(node: WindowAggregate | GlobalWindowAggregate) -> bool:
    return node.windowing.is_rowtime


@keyed(WindowAggregate, event_time=_is_rowtime)
def window_aggregate(node: WindowAggregate, lowering: Lowering) -> KeyedOperator:
    """Flink's SlicingWindowOperator and UnslicingWindowOperator in one phase."""
    return _operator(node, node, _assignment(node, node.windowing, lowering), lowering)


@keyed(GlobalWindowAggregate, event_time=_is_rowtime)
def global_window_aggregate(node: GlobalWindowAggregate, lowering: Lowering) -> KeyedOperator:
    """The global half of a two-phase window aggregate, on the input rows of the local half."""
    local = lowering.below_exchanges(node)
    assert isinstance(local, LocalWindowAggregate)
    return _operator(node, local, _assignment(node, local.windowing, lowering), lowering)


@keyed(GroupWindowAggregate, event_time=lambda node: _is_rowtime_group(node.window))
def group_window_aggregate(node: GroupWindowAggregate, lowering: Lowering) -> KeyedOperator:
    """Flink's AggregateWindowOperator: windows in GROUP BY."""
    return _operator(node, node, _group_assignment(node, lowering), lowering)


def _is_rowtime_group(window: GroupWindow) -> bool:
    type_ = window.time_field.field_type
    return is_rowtime(type_)


def _assignment(node: PlanNode, windowing: Windowing, lowering: Lowering) -> _Assignment:
    zone, window = zone_of(node, windowing.time_attribute_type, lowering), windowing.window
    if isinstance(windowing, TimeAttributeWindowing):
        assigned = session(window) if isinstance(window, SessionWindow) else aligned(window)
        hops = isinstance(window, HoppingWindow)
        return _timed(assigned, zone, windowing.time_attribute_index, windowing.is_rowtime, newest_first=hops)
    assert isinstance(windowing, WindowAttachedWindowing)
    return _Assignment(
        Attached(),
        zone,
        (windowing.window_start, windowing.window_end),
        lambda times: times,
        carried=None if isinstance(window, SessionWindow) else aligned(window),
    )


def _timed(
    window: Aligned | Session,
    zone: str | None,
    column: int,
    is_rowtime: bool,
    *,
    drop_null_times: bool = False,
    newest_first: bool = False,
) -> _Assignment:
    """Windows by a time attribute; by processing time the kernel reads its own clock."""
    assignment = _Assignment(window, zone, drop_null_times=drop_null_times, newest_first=newest_first)
    if not is_rowtime:
        return assignment
    key = (lambda times: [tumbling_end(times[0], window)]) if isinstance(window, Tumbling) else None
    return replace(assignment, times=(column,), key=key)


def _group_assignment(node: GroupWindowAggregate, lowering: Lowering) -> _Assignment:
    window = node.window
    if isinstance(window, TumblingGroupWindow | SlidingGroupWindow) and not window.is_time_window:
        return _Assignment(_count_window(window))
    time = window.time_field
    zone = zone_of(node, time.field_type, lowering)
    return _timed(_group_window(window), zone, time.field_index, _is_rowtime_group(window), drop_null_times=True)


def _count_window(window: TumblingGroupWindow | SlidingGroupWindow) -> CountWindow:
    size = window.size
    slide = window.slide if isinstance(window, SlidingGroupWindow) else size
    assert isinstance(size, int)
    assert isinstance(slide, int)
    return CountWindow(size, slide)


def _group_window(window: GroupWindow) -> Aligned | Session:
    match window:
        case TumblingGroupWindow():
            return Tumbling(_ms(window.size), 0)
        case SlidingGroupWindow():
            return Hopping(_ms(window.size), _ms(window.slide), 0)
        case SessionGroupWindow():
            return Session(_ms(window.gap))


def _ms(length: str | int) -> int:
    return parse_iso_duration(length) if isinstance(length, str) else length


def _operator(
    node: WindowAggregate | GlobalWindowAggregate | GroupWindowAggregate,
    reader: WindowAggregate | LocalWindowAggregate | GroupWindowAggregate,
    assignment: _Assignment,
    lowering: Lowering,
) -> KeyedOperator:
    types, grouping, calls = lowering.input_types(reader), reader.grouping, reader.agg_calls
    arguments = [at for call in calls for at in (*call.arg_list, call.filter_arg) if at >= 0]
    used = list(dict.fromkeys((*grouping, *arguments)))
    place = {at: position for position, at in enumerate(used)}

    def columns(flow: Flow) -> list[Column]:
        times = (millis(flow.columns[at], types[at], assignment.zone) for at in assignment.times)
        return [*(flow.columns[at] for at in used), *times]

    def key(columns: Sequence[Column]) -> Column:
        windows = [] if assignment.key is None else list(assignment.key(columns[len(used) :]))
        groups = [columns[place[at]] for at in grouping]
        return canonical_key([*groups, *windows], [*(types[at] for at in grouping), *([MILLIS] * len(windows))])

    port = KeyedPort(
        (*(types[at] for at in used), *([MILLIS] * len(assignment.times))),
        key=lambda flow: key(columns(flow)),
        columns=columns,
        key_columns=tuple(place[at] for at in grouping),
        sources=(*used, *(Computed("millis", (at,)) for at in assignment.times)),
        state_key=key,
    )
    needs = _needs(assignment.window, reader.need_retraction)
    aggs = tuple(
        kernel_aggregate(
            node, call, types, lowering, needs, retracts=reader.need_retraction, place=lambda at: place[at]
        )
        for call in calls
    )
    shared = (port.key_columns, aggs, reader.need_retraction)
    properties = tuple(_PROPERTIES[property_.property.kind] for property_ in node.named_window_properties)
    return KeyedOperator(
        (port,),
        node.output_type.types,
        _parameters(assignment, shared, properties, len(used)),
        calls=tuple(placed(call, place.__getitem__) for call in calls),
        reader=reader.id,
        flink=FlinkWindows(counts_rows(node), assignment.carried),
    )


def _parameters(
    assignment: _Assignment,
    shared: tuple[tuple[int, ...], tuple[Aggregate, ...], bool],
    properties: tuple[str, ...],
    first_time: int,
) -> AggregatesInWindows:
    """The parameters by the kind of window; the columns with times begin at `first_time`."""
    time = first_time if len(assignment.times) == 1 else None
    zone, drop_null_times = assignment.zone, assignment.drop_null_times
    match assignment.window:
        case CountWindow() as window:
            return CountWindowAggregateParameters(*shared, window)
        case Session() as window:
            return SessionAggregateParameters(*shared, properties, window, zone, time, drop_null_times)
        case window:
            carried = isinstance(window, Attached)
            return WindowAggregateParameters(
                *shared,
                properties,
                window,
                zone,
                time,
                window_start=first_time if carried else None,
                window_end=first_time + 1 if carried else None,
                drop_null_times=drop_null_times,
                newest_first=assignment.newest_first,
            )


def _needs(window: AnyWindow, need_retraction: bool) -> tuple[str, ...]:
    """The methods that Python functions need; sessions and cumulating windows merge accumulators."""
    merging = isinstance(window, Session | Cumulative)
    return (*(("retract",) if need_retraction else ()), *(("merge",) if merging else ()))

"""Window aggregates: over window table functions, in one phase or two, and over windows in GROUP BY.

The local half of a two-phase aggregate passes its rows on. The kernel gets the columns that it needs, and the time or
the window of a row as ms. With tumbling windows, and with windows that rows carry, the window is part of the key: so
the windows of few groups are still spread over tasks. Windows that overlap share their state in one key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column

from plans.durations import parse_iso_duration
from plans.execution.expressions import canonical_key
from plans.execution.operators.aggregate_calls import python_call
from plans.execution.operators.base import Flow, KeyedOperator, KeyedPort, Lowering, keyed, refuse, stateless
from plans.execution.operators.calc import same
from plans.execution.operators.windowing import MILLIS, millis, tumbling_end, window_spec, zone_of
from plans.nodes import Exchange, GlobalWindowAggregate, GroupWindowAggregate, LocalWindowAggregate, WindowAggregate
from plans.nodes.base import PlanNode
from plans.nodes.specs import AggregateCall
from plans.nodes.windows import (
    GroupWindow,
    HoppingWindow,
    NamedWindowProperty,
    SessionGroupWindow,
    SlidingGroupWindow,
    TimeAttributeWindowing,
    TumblingGroupWindow,
    WindowAttachedWindowing,
    Windowing,
)
from plans.types import LogicalType, RowType, TimeKind, TimestampBase

stateless(LocalWindowAggregate)(same)

_PROPERTIES = {"WindowStart": "start", "WindowEnd": "end", "Rowtime": "rowtime", "Proctime": "proctime"}


@dataclass(frozen=True, slots=True)
class _Assignment:
    """How rows get their windows.

    Args:
        window: the kernel's `window`.
        zone: see `zone_of`.
        times: columns of the input that the kernel gets as ms: one time, or the start and the end of the window.
        field_names: the kernel's names of these columns.
        key: the part of the key that tells windows apart, from `times` in ms; None: none.
        fields: further fields of the kernel's spec.
    """

    window: dict[str, Any]
    zone: str | None
    times: tuple[int, ...]
    field_names: tuple[str, ...]
    key: Callable[[Sequence[Column]], Sequence[Column]] | None
    fields: dict[str, Any]


def _is_rowtime(node: WindowAggregate | GlobalWindowAggregate) -> bool:
    return node.windowing.is_rowtime


@keyed(WindowAggregate, event_time=_is_rowtime)
def window_aggregate(node: WindowAggregate, lowering: Lowering) -> KeyedOperator:
    """Flink's SlicingWindowOperator and UnslicingWindowOperator in one phase."""
    return _operator(
        node,
        lowering.input_types(node),
        node.grouping,
        node.agg_calls,
        node.need_retraction,
        node.named_window_properties,
        _assignment(node, node.windowing, lowering),
        lowering,
    )


@keyed(GlobalWindowAggregate, event_time=_is_rowtime)
def global_window_aggregate(node: GlobalWindowAggregate, lowering: Lowering) -> KeyedOperator:
    """The global half of a two-phase window aggregate, on the rows in front of the local half."""
    local = lowering.plan.inputs(node.id)[0]
    while isinstance(local, Exchange):
        local = lowering.plan.inputs(local.id)[0]
    if not isinstance(local, LocalWindowAggregate):
        raise refuse(node, f"its input is {local.type}, not a local window aggregate", "compile the program again")
    return _operator(
        node,
        lowering.input_types(local),
        local.grouping,
        local.agg_calls,
        local.need_retraction,
        node.named_window_properties,
        _assignment(node, local.windowing, lowering),
        lowering,
    )


_TYPES = {"session": "session-aggregate", "count": "count-window-aggregate"}


@keyed(GroupWindowAggregate, event_time=lambda node: _is_rowtime_group(node.window))
def group_window_aggregate(node: GroupWindowAggregate, lowering: Lowering) -> KeyedOperator:
    """Flink's AggregateWindowOperator: windows in GROUP BY."""
    return _operator(
        node,
        lowering.input_types(node),
        node.grouping,
        node.agg_calls,
        node.need_retraction,
        node.named_window_properties,
        _group_assignment(node, lowering),
        lowering,
    )


def _is_rowtime_group(window: GroupWindow) -> bool:
    type_ = window.time_field.field_type
    return isinstance(type_, TimestampBase) and type_.kind is TimeKind.ROWTIME


def _assignment(node: PlanNode, windowing: Windowing, lowering: Lowering) -> _Assignment:
    zone = zone_of(node, windowing.time_attribute_type, lowering)
    match windowing:
        case TimeAttributeWindowing():
            fields = {"newestFirst": isinstance(windowing.window, HoppingWindow)}
            return _timed(
                window_spec(windowing.window), zone, windowing.time_attribute_index, windowing.is_rowtime, fields
            )
        case WindowAttachedWindowing():
            columns = (windowing.window_start, windowing.window_end)
            names = ("windowStart", "windowEnd")
            return _Assignment({"type": "attached"}, zone, columns, names, lambda times: times, {})
    raise refuse(node, f"its windows are {windowing.strategy}", "compile the program again")


def _timed(
    spec: dict[str, Any], zone: str | None, column: int, is_rowtime: bool, fields: dict[str, Any]
) -> _Assignment:
    """Windows by a time attribute; by processing time the kernel reads its own clock."""
    if not is_rowtime:
        return _Assignment(spec, zone, (), (), None, fields)
    by_window = spec["type"] == "tumbling"
    key = (lambda times: [tumbling_end(times[0], spec)]) if by_window else None
    return _Assignment(spec, zone, (column,), ("time",), key, fields)


def _group_assignment(node: GroupWindowAggregate, lowering: Lowering) -> _Assignment:
    window = node.window
    if isinstance(window, TumblingGroupWindow | SlidingGroupWindow) and not window.is_time_window:
        slide = window.slide if isinstance(window, SlidingGroupWindow) else window.size
        return _Assignment({"type": "count", "size": window.size, "slide": slide}, None, (), (), None, {})
    match window:
        case TumblingGroupWindow():
            spec = {"type": "tumbling", "size": _ms(window.size), "offset": 0}
        case SlidingGroupWindow():
            spec = {"type": "hopping", "size": _ms(window.size), "slide": _ms(window.slide), "offset": 0}
        case SessionGroupWindow():
            spec = {"type": "session", "gap": _ms(window.gap)}
    time = window.time_field
    zone = zone_of(node, time.field_type, lowering)
    return _timed(spec, zone, time.field_index, _is_rowtime_group(window), {"dropNullTimes": True})


def _ms(length: str | int) -> int:
    return parse_iso_duration(length) if isinstance(length, str) else length


def _operator(
    node: PlanNode,
    types: Sequence[LogicalType],
    grouping: Sequence[int],
    calls: Sequence[AggregateCall],
    need_retraction: bool,
    properties: Sequence[NamedWindowProperty],
    assignment: _Assignment,
    lowering: Lowering,
) -> KeyedOperator:
    row = node.output_type
    assert isinstance(row, RowType)
    arguments = [at for call in calls for at in (*call.arg_list, call.filter_arg) if at >= 0]
    used = list(dict.fromkeys((*grouping, *arguments)))
    place = {at: position for position, at in enumerate(used)}

    def times(flow: Flow) -> list[Column]:
        return [millis(flow.columns[at], types[at], assignment.zone) for at in assignment.times]

    def key(flow: Flow) -> Column:
        windows = [] if assignment.key is None else list(assignment.key(times(flow)))
        columns = [flow.columns[at] for at in grouping]
        return canonical_key([*columns, *windows], [*(types[at] for at in grouping), *([MILLIS] * len(windows))])

    port = KeyedPort(
        (*(types[at] for at in used), *([MILLIS] * len(assignment.times))),
        key=key,
        columns=lambda flow: (*(flow.columns[at] for at in used), *times(flow)),
    )
    return KeyedOperator(
        type=_TYPES.get(assignment.window["type"], "window-aggregate"),
        ports=(port,),
        output=row.types,
        parameters={
            "grouping": [place[at] for at in grouping],
            "aggs": [
                _call(call, place) | python_call(node, call, types, lowering, needs=_needs(assignment, need_retraction))
                for call in calls
            ],
            "needRetraction": need_retraction,
            "properties": [_PROPERTIES[each.property.kind] for each in properties],
            "window": assignment.window,
            "zone": assignment.zone,
            **{name: len(used) + at for at, name in enumerate(assignment.field_names)},
            **assignment.fields,
        },
    )


def _needs(assignment: _Assignment, need_retraction: bool) -> tuple[str, ...]:
    """The methods that functions in Python need; of sessions and cumulating windows, parts are put together."""
    merging = assignment.window["type"] in ("session", "cumulative")
    return (*(("retract",) if need_retraction else ()), *(("merge",) if merging else ()))


def _call(call: AggregateCall, place: dict[int, int]) -> dict[str, Any]:
    return {
        "function": call.internal_name,
        "args": [place[at] for at in call.arg_list],
        "filter": place[call.filter_arg] if call.filter_arg >= 0 else -1,
        "distinct": call.distinct,
        "ignoreNulls": call.ignore_nulls,
    }

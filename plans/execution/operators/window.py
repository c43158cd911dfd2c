"""Window table functions, and the operators over rows that carry their window: joins, top-n and deduplication."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from plans.execution.expressions import canonical_key
from plans.execution.operators.base import Exploded, Flow, KeyedOperator, KeyedPort, Lowering, keyed, refuse, stateless
from plans.execution.operators.join import joined_condition
from plans.execution.operators.windowing import (
    MILLIS,
    attached,
    millis,
    time_attribute,
    timestamp,
    window_ends,
    window_spec,
    window_start,
    zone_of,
)
from plans.nodes import WindowDeduplicate, WindowJoin, WindowRank, WindowTableFunction
from plans.nodes.ranks import ConstantRange
from plans.nodes.windows import SessionWindow
from plans.types import LogicalType, RowType


def _is_session(node: WindowTableFunction) -> bool:
    return isinstance(node.windowing.window, SessionWindow)


@stateless(WindowTableFunction)
def aligned_windows(node: WindowTableFunction, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow | Exploded]:
    """Each row once for each window it is in (Flink's AlignedWindowTableFunctionOperator); none without a time."""
    windowing = time_attribute(node, node.windowing)
    context = lowering.context(node)
    type_ = windowing.time_attribute_type
    time = flow.columns[windowing.time_attribute_index] if windowing.is_rowtime else context.now()
    zone = zone_of(node, type_, lowering)
    spec = window_spec(windowing.window)
    row = node.output_type
    assert isinstance(row, RowType)
    start_type, end_type, time_type = row.types[-3:]

    def with_window(end: Column) -> tuple[Column, ...]:
        last = context.now() if not windowing.is_rowtime else timestamp(end - F.lit(1), time_type, zone)
        start = timestamp(window_start(end, spec), start_type, zone)
        return (*flow.columns, start, timestamp(end, end_type, zone), last)

    def make(end: Column, position: Column) -> Flow:
        tail = F.to_binary(F.lpad(F.hex(position), 8, "0"), F.lit("hex"))
        path = F.concat(F.coalesce(flow.path, F.lit(b"")), tail)
        return replace(flow, columns=with_window(end), path=path, condition=None)

    timed = flow.where(time.isNotNull()) if windowing.is_rowtime else flow
    ends = window_ends(millis(time, type_, zone), spec)
    if spec["type"] == "tumbling":
        return [replace(timed, columns=with_window(F.element_at(ends, 1)))]
    return [Exploded(ends, make, timed.condition)]


@keyed(WindowTableFunction, event_time=lambda node: node.windowing.is_rowtime, when=_is_session)
def session_windows(node: WindowTableFunction, lowering: Lowering) -> KeyedOperator:
    """Flink's UnalignedWindowTableFunctionOperator."""
    windowing = time_attribute(node, node.windowing)
    window = windowing.window
    assert isinstance(window, SessionWindow)
    types = lowering.input_types(node)
    zone = zone_of(node, windowing.time_attribute_type, lowering)
    keys = window.partition_key_indices
    at = windowing.time_attribute_index
    row = node.output_type
    assert isinstance(row, RowType)

    def columns(flow: Flow) -> Sequence[Column]:
        if not windowing.is_rowtime:
            return flow.columns
        return (*flow.columns, millis(flow.columns[at], types[at], zone))

    return KeyedOperator(
        type="session-rows",
        ports=(
            KeyedPort(
                (*types, MILLIS) if windowing.is_rowtime else types,
                key=lambda flow: canonical_key([flow.columns[key] for key in keys], [types[key] for key in keys]),
                columns=columns,
            ),
        ),
        output=row.types,
        parameters={
            "window": window_spec(window),
            "zone": zone,
            "dropNullTimes": True,
            **({"time": len(types)} if windowing.is_rowtime else {}),
        },
    )


def _by_window(keys: Sequence[int], window: Sequence[int], types: Sequence[LogicalType]) -> Callable[[Flow], Column]:
    """The key of rows that carry their window: columns, then the window."""
    columns = [*keys, *window]
    return lambda flow: canonical_key([flow.columns[at] for at in columns], [types[at] for at in columns])


@keyed(WindowRank, event_time=lambda node: node.windowing.is_rowtime)
def window_rank(node: WindowRank, lowering: Lowering) -> KeyedOperator:
    """Flink's WindowRankOperator."""
    if node.rank_type != "ROW_NUMBER":
        raise refuse(node, f"{node.rank_type} in a window top-n", "rank with ROW_NUMBER")
    if not isinstance(node.rank_range, ConstantRange):
        raise refuse(node, "a window top-n without a constant end", "compare the row number with a number")
    order = [
        {"index": field.index, "ascending": field.is_ascending, "nullsLast": field.null_is_last}
        for field in node.sort_spec.fields
    ]
    parameters = {
        "orderBy": order,
        "start": node.rank_range.start,
        "end": node.rank_range.end,
        "outputRowNumber": node.output_row_number,
    }
    return _attached("window-rank", node, node.partition_spec.fields, parameters, lowering)


@keyed(WindowDeduplicate, event_time=lambda node: node.windowing.is_rowtime)
def window_deduplicate(node: WindowDeduplicate, lowering: Lowering) -> KeyedOperator:
    """Flink's RowTimeWindowDeduplicateOperator."""
    parameters = {"orderColumn": node.order_key, "keepLast": node.keep_last_row}
    return _attached("window-deduplicate", node, node.partition_keys, parameters, lowering)


def _attached(
    kind: str,
    node: WindowRank | WindowDeduplicate,
    keys: Sequence[int],
    parameters: dict[str, Any],
    lowering: Lowering,
) -> KeyedOperator:
    windowing = attached(node, node.windowing)
    types = lowering.input_types(node)
    row = node.output_type
    assert isinstance(row, RowType)
    window = (windowing.window_start, windowing.window_end)
    return KeyedOperator(
        type=kind,
        ports=(KeyedPort(types, _by_window(keys, window, types)),),
        output=row.types,
        parameters={
            "windowEnds": [windowing.window_end],
            "zone": zone_of(node, windowing.time_attribute_type, lowering),
            **parameters,
        },
    )


@keyed(WindowJoin, event_time=lambda node: node.left_windowing.is_rowtime)
def window_join(node: WindowJoin, lowering: Lowering) -> KeyedOperator:
    """Flink's WindowJoinOperator. Windows are equal when start and end are: sessions may share an end alone."""
    spec = node.join_spec
    sides = (attached(node, node.left_windowing), attached(node, node.right_windowing))
    types = (lowering.input_types(node, 0), lowering.input_types(node, 1))
    row = node.output_type
    assert isinstance(row, RowType)
    ports = tuple(
        KeyedPort(types[at], _by_window(keys, (sides[at].window_start, sides[at].window_end), types[at]))
        for at, keys in enumerate((spec.left_keys, spec.right_keys))
    )
    return KeyedOperator(
        type="window-join",
        ports=ports,
        output=row.types,
        parameters={
            "joinType": spec.join_type,
            "leftKeys": list(spec.left_keys),
            "rightKeys": list(spec.right_keys),
            "filterNulls": list(spec.filter_nulls),
            "condition": joined_condition(spec.non_equi_condition, (*types[0], *types[1]), lowering, node),
            "windowEnds": [side.window_end for side in sides],
            "zone": zone_of(node, sides[0].time_attribute_type, lowering),
        },
    )

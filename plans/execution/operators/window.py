"""Window table functions, and the operators over rows that carry their window: joins, top-n and deduplication."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pyspark.sql import Column
from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions import canonical_key
from compiled_plan.plans.execution.operators.base import (
    Exploded,
    Flow,
    KeyedOperator,
    KeyedPort,
    Lowering,
    keyed,
    stateless,
)
from compiled_plan.plans.execution.operators.join import BinaryJoin, binary_join
from compiled_plan.plans.execution.operators.parameters import Parameters, SortColumn, sort_columns
from compiled_plan.plans.execution.operators.windowing import (
    MILLIS,
    Session,
    Tumbling,
    aligned,
    attached,
    millis,
    session,
    time_attribute,
    timestamp,
    window_ends,
    window_start,
    zone_of,
)
from compiled_plan.plans.inspection.lineage.kernel_operators import Computed
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.ranks import ConstantRange
from compiled_plan.plans.nodes.window import WindowDeduplicate, WindowJoin, WindowRank, WindowTableFunction
from compiled_plan.plans.nodes.windows import SessionWindow, WindowAttachedWindowing
from compiled_plan.plans.types import LogicalType, RowType


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
    window = windowing.window
    assert not isinstance(window, SessionWindow)
    windows = aligned(window)
    row = node.output_type
    assert isinstance(row, RowType)
    start_type, end_type, time_type = row.types[-3:]

    def with_window(end: Column) -> tuple[Column, ...]:
        last = context.now() if not windowing.is_rowtime else timestamp(end - F.lit(1), time_type, zone)
        start = timestamp(window_start(end, windows), start_type, zone)
        return (*flow.columns, start, timestamp(end, end_type, zone), last)

    def make(end: Column, position: Column) -> Flow:
        tail = F.to_binary(F.lpad(F.hex(position), 8, "0"), F.lit("hex"))
        path = F.concat(F.coalesce(flow.path, F.lit(b"")), tail)
        return replace(flow, columns=with_window(end), path=path, condition=None)

    timed = flow.where(time.isNotNull()) if windowing.is_rowtime else flow
    ends = window_ends(millis(time, type_, zone), windows)
    if isinstance(windows, Tumbling):
        return [replace(timed, columns=with_window(F.element_at(ends, 1)))]
    return [Exploded(ends, make, timed.condition)]


@dataclass(frozen=True, slots=True)
class SessionRowsParameters(Parameters):
    """Rows with their sessions.

    Args:
        window: the sessions.
        zone: the zone of the clock that they lie on; None for UTC.
        time: the column with a row's time in ms on that clock; None for processing time.
        drop_null_times: whether rows without a time are left out; else they are an error.
    """

    TYPE: ClassVar[str] = "session-rows"
    window: Session
    zone: str | None
    time: int | None
    drop_null_times: bool


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
        ports=(
            KeyedPort(
                (*types, MILLIS) if windowing.is_rowtime else types,
                key=lambda flow: canonical_key([flow.columns[key] for key in keys], [types[key] for key in keys]),
                columns=columns,
                key_columns=tuple(keys),
                sources=(*range(len(types)), *([Computed("millis", (at,))] if windowing.is_rowtime else [])),
            ),
        ),
        output=row.types,
        parameters=SessionRowsParameters(
            session(window), zone, len(types) if windowing.is_rowtime else None, drop_null_times=True
        ),
    )


def _by_window(keys: Sequence[int], window: Sequence[int], types: Sequence[LogicalType]) -> Callable[[Flow], Column]:
    """The key of rows that carry their window: columns, then the window."""
    columns = [*keys, *window]
    return lambda flow: canonical_key([flow.columns[at] for at in columns], [types[at] for at in columns])


@dataclass(frozen=True, slots=True)
class AttachedWindows(Parameters):
    """What operators over one input whose rows carry their window have.

    Args:
        window_ends: for each input the column with the end of a row's window.
        zone: the zone of the clock that windows lie on; None for UTC.
    """

    window_ends: tuple[int, ...]
    zone: str | None


@dataclass(frozen=True, slots=True)
class WindowRankParameters(AttachedWindows):
    """Top-n of a window: ranks from `start` to `end`."""

    TYPE: ClassVar[str] = "window-rank"
    order_by: tuple[SortColumn, ...]
    start: int
    end: int
    output_row_number: bool


@dataclass(frozen=True, slots=True)
class WindowDeduplicateParameters(AttachedWindows):
    """The first or the last row of a window, by `order_column`."""

    TYPE: ClassVar[str] = "window-deduplicate"
    order_column: int
    keep_last: bool


@dataclass(frozen=True, slots=True)
class WindowJoinParameters(BinaryJoin):
    """A join of the rows of one window; see `AttachedWindows`."""

    TYPE: ClassVar[str] = "window-join"
    window_ends: tuple[int, ...]
    zone: str | None


@keyed(WindowRank, event_time=lambda node: node.windowing.is_rowtime)
def window_rank(node: WindowRank, lowering: Lowering) -> KeyedOperator:
    """Flink's WindowRankOperator."""
    assert isinstance(node.rank_range, ConstantRange)
    windowing = attached(node, node.windowing)
    parameters = WindowRankParameters(
        **_windows(node, (windowing,), lowering),
        order_by=sort_columns(node.sort_spec.fields),
        start=node.rank_range.start,
        end=node.rank_range.end,
        output_row_number=node.output_row_number,
    )
    return _over_windows(node, windowing, node.partition_spec.fields, parameters, lowering)


@keyed(WindowDeduplicate, event_time=lambda node: node.windowing.is_rowtime)
def window_deduplicate(node: WindowDeduplicate, lowering: Lowering) -> KeyedOperator:
    """Flink's RowTimeWindowDeduplicateOperator."""
    windowing = attached(node, node.windowing)
    parameters = WindowDeduplicateParameters(
        **_windows(node, (windowing,), lowering), order_column=node.order_key, keep_last=node.keep_last_row
    )
    return _over_windows(node, windowing, node.partition_keys, parameters, lowering)


def _windows(node: PlanNode, sides: Sequence[WindowAttachedWindowing], lowering: Lowering) -> dict[str, Any]:
    """The fields of `AttachedWindows`."""
    return {
        "window_ends": tuple(side.window_end for side in sides),
        "zone": zone_of(node, sides[0].time_attribute_type, lowering),
    }


def _over_windows(
    node: WindowRank | WindowDeduplicate,
    windowing: WindowAttachedWindowing,
    keys: Sequence[int],
    parameters: AttachedWindows,
    lowering: Lowering,
) -> KeyedOperator:
    types = lowering.input_types(node)
    row = node.output_type
    assert isinstance(row, RowType)
    window = (windowing.window_start, windowing.window_end)
    return KeyedOperator(
        ports=(KeyedPort(types, _by_window(keys, window, types), key_columns=(*keys, *window)),),
        output=row.types,
        parameters=parameters,
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
        KeyedPort(
            types[at],
            _by_window(keys, (sides[at].window_start, sides[at].window_end), types[at]),
            key_columns=(*keys, sides[at].window_start, sides[at].window_end),
        )
        for at, keys in enumerate((spec.left_keys, spec.right_keys))
    )
    return KeyedOperator(
        ports=ports,
        output=row.types,
        parameters=WindowJoinParameters(**binary_join(node, spec, lowering), **_windows(node, sides, lowering)),
    )

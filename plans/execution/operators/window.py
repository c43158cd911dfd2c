"""Window table functions, and the operators over rows that carry their window: joins, top-n and deduplication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pyspark.sql import Column
from pyspark.sql import functions as F

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
    millis,
    session,
    timestamp,
    window_ends,
    window_start,
    zone_of,
)
from compiled_plan.plans.inspection.lineage.kernel_operators import Computed
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.ranks import ConstantRange
from compiled_plan.plans.nodes.window import WindowDeduplicate, WindowJoin, WindowRank, WindowTableFunction
from compiled_plan.plans.nodes.windows import SessionWindow, TimeAttributeWindowing, WindowAttachedWindowing, Windowing


def _is_session(node: WindowTableFunction) -> bool:
    return isinstance(node.windowing.window, SessionWindow)


@stateless(WindowTableFunction)
def aligned_windows(node: WindowTableFunction, port: int, flow: Flow, lowering: Lowering) -> Sequence[Flow | Exploded]:
    """Emit each row once per window (Flink's AlignedWindowTableFunctionOperator); skip rows without a time."""
    windowing = node.windowing
    assert isinstance(windowing, TimeAttributeWindowing)
    context = lowering.context(node)
    type_ = windowing.time_attribute_type
    time = flow.columns[windowing.time_attribute_index] if windowing.is_rowtime else context.now()
    zone = zone_of(node, type_, lowering)
    window = windowing.window
    assert not isinstance(window, SessionWindow)
    windows = aligned(window)
    start_type, end_type, time_type = node.output_type.types[-3:]

    def with_window(end: Column) -> tuple[Column, ...]:
        last = context.now() if not windowing.is_rowtime else timestamp(end - F.lit(1), time_type, zone)
        start = timestamp(window_start(end, windows), start_type, zone)
        return (*flow.columns, start, timestamp(end, end_type, zone), last)

    def make(end: Column, position: Column) -> Flow:
        return replace(flow, columns=with_window(end), path=flow.path_to(position), condition=None)

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
        zone: the time zone of the sessions' clock; None for UTC.
        time: the column with a row's time in ms on that clock; None for processing time.
        drop_null_times: skip rows without a time; otherwise they are an error.
    """

    TYPE: ClassVar[str] = "session-rows"
    window: Session
    zone: str | None
    time: int | None
    drop_null_times: bool


@keyed(WindowTableFunction, event_time=lambda node: node.windowing.is_rowtime, when=_is_session)
def session_windows(node: WindowTableFunction, lowering: Lowering) -> KeyedOperator:
    """Operator of SESSION windows, as Flink's UnalignedWindowTableFunctionOperator."""
    windowing = node.windowing
    assert isinstance(windowing, TimeAttributeWindowing)
    assert isinstance(windowing.window, SessionWindow)
    types = lowering.input_types(node)
    zone = zone_of(node, windowing.time_attribute_type, lowering)
    times = [windowing.time_attribute_index] if windowing.is_rowtime else []
    port = KeyedPort.by(
        windowing.window.partition_key_indices,
        types,
        [(Computed("millis", (at,)), MILLIS) for at in times],
        lambda flow: [millis(flow.columns[at], types[at], zone) for at in times],
    )
    parameters = SessionRowsParameters(
        session(windowing.window), zone, len(types) if times else None, drop_null_times=True
    )
    return KeyedOperator((port,), node.output_type.types, parameters)


@dataclass(frozen=True, slots=True)
class AttachedWindows(Parameters):
    """Parameters common to operators over inputs whose rows carry their window.

    Args:
        window_ends: per input, the column with the end of a row's window.
        zone: the time zone of the windows' clock; None for UTC.
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
    assert isinstance(node.rank_range, ConstantRange)
    parameters = WindowRankParameters(
        **_windows(node, (node.windowing,), lowering),
        order_by=sort_columns(node.sort_spec.fields),
        start=node.rank_range.start,
        end=node.rank_range.end,
        output_row_number=node.output_row_number,
    )
    return _over_windows(node, node.partition_spec.fields, parameters, lowering)


@keyed(WindowDeduplicate, event_time=lambda node: node.windowing.is_rowtime)
def window_deduplicate(node: WindowDeduplicate, lowering: Lowering) -> KeyedOperator:
    parameters = WindowDeduplicateParameters(
        **_windows(node, (node.windowing,), lowering), order_column=node.order_key, keep_last=node.keep_last_row
    )
    return _over_windows(node, node.partition_keys, parameters, lowering)


def _windows(node: PlanNode, sides: Sequence[Windowing], lowering: Lowering) -> dict[str, Any]:
    return {
        "window_ends": tuple(_window(side)[1] for side in sides),
        "zone": zone_of(node, sides[0].time_attribute_type, lowering),
    }


def _over_windows(
    node: WindowRank | WindowDeduplicate, keys: Sequence[int], parameters: AttachedWindows, lowering: Lowering
) -> KeyedOperator:
    port = KeyedPort.by((*keys, *_window(node.windowing)), lowering.input_types(node))
    return KeyedOperator((port,), node.output_type.types, parameters)


def _window(windowing: Windowing) -> tuple[int, int]:
    """The columns with the start and end of the window in a row, which are the last ones of the key."""
    assert isinstance(windowing, WindowAttachedWindowing)
    return windowing.window_start, windowing.window_end


@keyed(WindowJoin, event_time=lambda node: node.left_windowing.is_rowtime)
def window_join(node: WindowJoin, lowering: Lowering) -> KeyedOperator:
    """Flink's WindowJoinOperator. Windows are equal if start and end are: sessions may share only an end."""
    spec = node.join_spec
    sides = (node.left_windowing, node.right_windowing)
    return KeyedOperator(
        ports=tuple(
            KeyedPort.by((*keys, *_window(sides[at])), lowering.input_types(node, at))
            for at, keys in enumerate((spec.left_keys, spec.right_keys))
        ),
        output=node.output_type.types,
        parameters=WindowJoinParameters(**binary_join(node, spec, lowering), **_windows(node, sides, lowering)),
    )

"""Joins and sorts by time: interval joins, temporal joins, temporal sorts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from compiled_plan.plans.execution.operators.base import KeyedOperator, KeyedPort, Lowering, assigners_above, keyed
from compiled_plan.plans.execution.operators.join import BinaryJoin, binary_join, join_ports
from compiled_plan.plans.execution.operators.parameters import Parameters, SortColumn, sort_columns
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import IntervalJoin, TemporalJoin
from compiled_plan.plans.nodes.sort import TemporalSort
from compiled_plan.plans.types import TimeKind, TimestampBase


def time_kind(node: PlanNode, column: int) -> TimeKind:
    """The time attribute kind of a node's output column; the columns of its (left) input come first."""
    type_ = node.output_type.types[column]
    return type_.kind if isinstance(type_, TimestampBase) else TimeKind.REGULAR


def _shares_watermark(node: PlanNode, lowering: Lowering) -> bool:
    """Return True if both inputs share a row's watermark: it is of one assigner, or travels between the rows."""
    return lowering.row_by_row or len(assigners_above(lowering.plan, node.id)) == 1


@dataclass(frozen=True, slots=True)
class IntervalJoinParameters(BinaryJoin):
    """A join of rows whose times are close.

    Args:
        left_time: the time column of the left input; -1 for processing time.
        right_time: the time column of the right input; likewise.
        lower_bound: the minimum of left time minus right time, in ms.
        upper_bound: its maximum.
        shared_watermark: True if a row's watermark is that of both inputs.
    """

    TYPE: ClassVar[str] = "interval-join"
    left_time: int
    right_time: int
    lower_bound: int
    upper_bound: int
    shared_watermark: bool


@dataclass(frozen=True, slots=True)
class TemporalJoinParameters(BinaryJoin):
    """A join with the version of the right input at the left row's time."""

    TYPE: ClassVar[str] = "temporal-join"
    left_time: int
    right_time: int
    shared_watermark: bool


@dataclass(frozen=True, slots=True)
class ProctimeTemporalJoinParameters(BinaryJoin):
    """A join with the newest version of the right input."""

    TYPE: ClassVar[str] = "proctime-temporal-join"


@dataclass(frozen=True, slots=True)
class RowtimeSortParameters(Parameters):
    """A sort by the column `time`, then by others."""

    TYPE: ClassVar[str] = "rowtime-sort"
    time: int
    order_by: tuple[SortColumn, ...]


@dataclass(frozen=True, slots=True)
class ProctimeSortParameters(Parameters):
    """A sort of the rows that arrive at one time."""

    TYPE: ClassVar[str] = "proctime-sort"
    order_by: tuple[SortColumn, ...]


@keyed(IntervalJoin, event_time=lambda node: node.interval_join_spec.window_bounds.is_event_time)
def interval_join(node: IntervalJoin, lowering: Lowering) -> KeyedOperator:
    """Operator of a join within a time interval, as Flink's RowTimeIntervalJoin and ProcTimeIntervalJoin."""
    spec, bounds = node.interval_join_spec.join_spec, node.interval_join_spec.window_bounds
    left, right = -bounds.left_lower_bound, bounds.left_upper_bound
    # Rows padded with nulls are emitted when their cleanup is due, half an interval after the last match.
    padding = 0 if spec.join_type == "INNER" else max(left + right, 0) // 2 + 1
    return KeyedOperator(
        ports=join_ports(node, spec, lowering),
        output=node.output_type.types,
        parameters=IntervalJoinParameters(
            **binary_join(node, spec, lowering),
            left_time=bounds.left_time_index,
            right_time=bounds.right_time_index,
            lower_bound=bounds.left_lower_bound,
            upper_bound=bounds.left_upper_bound,
            shared_watermark=_shares_watermark(node, lowering),
        ),
        holds_back=max(left, right, 0) + padding if bounds.is_event_time else 0,
    )


def _joins_in_event_time(node: TemporalJoin) -> bool:
    return node.right_time_attribute_index >= 0


@keyed(TemporalJoin, event_time=_joins_in_event_time)
def temporal_join(node: TemporalJoin, lowering: Lowering) -> KeyedOperator:
    """Operator of a temporal join, as Flink's TemporalRowTimeJoinOperator and TemporalProcessTimeJoinOperator."""
    both = binary_join(node, node.join_spec, lowering)
    parameters: Parameters = ProctimeTemporalJoinParameters(**both)
    if _joins_in_event_time(node):
        parameters = TemporalJoinParameters(
            **both,
            left_time=node.left_time_attribute_index,
            right_time=node.right_time_attribute_index,
            shared_watermark=_shares_watermark(node, lowering),
        )
    return KeyedOperator(join_ports(node, node.join_spec, lowering), node.output_type.types, parameters)


def _first_kind(node: TemporalSort) -> TimeKind:
    return time_kind(node, node.order_by.fields[0].index)


@keyed(TemporalSort, event_time=lambda node: _first_kind(node) is TimeKind.ROWTIME)
def temporal_sort(node: TemporalSort, lowering: Lowering) -> KeyedOperator:
    """Operator of a sort by time, as Flink's RowTimeSortOperator and ProcTimeSortOperator."""
    first, *others = node.order_by.fields
    order = sort_columns(others)
    in_event_time = _first_kind(node) is TimeKind.ROWTIME
    # One task gets all rows, because there is one order.
    return KeyedOperator(
        ports=(KeyedPort.by((), lowering.input_types(node)),),
        output=node.output_type.types,
        parameters=RowtimeSortParameters(first.index, order) if in_event_time else ProctimeSortParameters(order),
    )

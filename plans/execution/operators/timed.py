"""Joins and sorts by time: interval joins, temporal joins, temporal sorts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql import functions as F

from compiled_plan.plans.execution.operators.base import (
    KeyedOperator,
    KeyedPort,
    Lowering,
    assigners_above,
    keyed,
    refuse,
)
from compiled_plan.plans.execution.operators.join import BinaryJoin, binary_join, join_key
from compiled_plan.plans.execution.operators.parameters import Parameters, SortColumn, sort_columns
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import IntervalJoin, TemporalJoin
from compiled_plan.plans.nodes.sort import TemporalSort
from compiled_plan.plans.nodes.specs import JoinSpec
from compiled_plan.plans.types import RowType, TimeKind, TimestampBase


def time_kind(node: PlanNode, column: int) -> TimeKind:
    """What a column of a node's output is to time; the columns of its (left) input come first in it."""
    row = node.output_type
    assert isinstance(row, RowType)
    found = row.types[column]
    return found.kind if isinstance(found, TimestampBase) else TimeKind.REGULAR


def _output(node: PlanNode) -> RowType:
    assert isinstance(node.output_type, RowType)
    return node.output_type


def _ports(node: PlanNode, spec: JoinSpec, lowering: Lowering) -> tuple[KeyedPort, KeyedPort]:
    left, right = lowering.input_types(node, 0), lowering.input_types(node, 1)
    return (
        KeyedPort(left, join_key(spec.left_keys, spec.filter_nulls, left), key_columns=tuple(spec.left_keys)),
        KeyedPort(right, join_key(spec.right_keys, spec.filter_nulls, right), key_columns=tuple(spec.right_keys)),
    )


def _shares_watermark(node: PlanNode, lowering: Lowering) -> bool:
    """Whether a row's watermark is that of both inputs: of one watermark assigner, or as it came between the rows."""
    return lowering.row_by_row or len(assigners_above(lowering.plan, node.id)) == 1


@dataclass(frozen=True, slots=True)
class IntervalJoinParameters(BinaryJoin):
    """A join of rows whose times are near each other.

    Args:
        left_time: the time column of the left input; -1 for processing time.
        right_time: that of the right one.
        lower_bound: how far, in ms, the left time is from the right one, at least.
        upper_bound: and at most.
        shared_watermark: whether the watermark of a row is that of both inputs.
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
    """A sort of the rows that come at one time."""

    TYPE: ClassVar[str] = "proctime-sort"
    order_by: tuple[SortColumn, ...]


@keyed(IntervalJoin, event_time=lambda node: node.interval_join_spec.window_bounds.is_event_time)
def interval_join(node: IntervalJoin, lowering: Lowering) -> KeyedOperator:
    """Flink's RowTimeIntervalJoin and ProcTimeIntervalJoin."""
    spec, bounds = node.interval_join_spec.join_spec, node.interval_join_spec.window_bounds
    if spec.join_type in ("SEMI", "ANTI"):
        raise refuse(node, f"an interval join of type {spec.join_type}", "join INNER, LEFT, RIGHT or FULL")
    left, right = -bounds.left_lower_bound, bounds.left_upper_bound
    # Rows that are padded with nulls come when their cleanup is due, half an interval after the last match.
    padding = 0 if spec.join_type == "INNER" else max(left + right, 0) // 2 + 1
    return KeyedOperator(
        ports=_ports(node, spec, lowering),
        output=_output(node).types,
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
    """Flink's TemporalRowTimeJoinOperator and TemporalProcessTimeJoinOperator."""
    joins = ("INNER",) if node.is_temporal_function_join else ("INNER", "LEFT")
    if node.join_spec.join_type not in joins:
        raise refuse(node, f"a temporal join of type {node.join_spec.join_type}", f"join {' or '.join(joins)}")
    if not (node.is_temporal_function_join or _joins_in_event_time(node)):
        # Flink refuses it, too: no row of the left input could wait for the versions of the right one.
        raise refuse(
            node,
            "a processing-time temporal join with a table that is not looked up",
            "join as of a rowtime, or with a table that can be looked up, such as one of 'jdbc'",
        )
    both = binary_join(node, node.join_spec, lowering)
    parameters: Parameters = ProctimeTemporalJoinParameters(**both)
    if _joins_in_event_time(node):
        parameters = TemporalJoinParameters(
            **both,
            left_time=node.left_time_attribute_index,
            right_time=node.right_time_attribute_index,
            shared_watermark=_shares_watermark(node, lowering),
        )
    return KeyedOperator(_ports(node, node.join_spec, lowering), _output(node).types, parameters)


def _first_kind(node: TemporalSort) -> TimeKind:
    return time_kind(node, node.order_by.fields[0].index)


@keyed(TemporalSort, event_time=lambda node: _first_kind(node) is TimeKind.ROWTIME)
def temporal_sort(node: TemporalSort, lowering: Lowering) -> KeyedOperator:
    """Flink's RowTimeSortOperator and ProcTimeSortOperator."""
    first, *others = node.order_by.fields
    if not first.is_ascending:
        raise refuse(node, "it sorts by time descending", "sort by time ascending")
    types = lowering.input_types(node)
    order = sort_columns(others)
    in_event_time = _first_kind(node) is TimeKind.ROWTIME
    # All rows are one task's, for there is one order.
    return KeyedOperator(
        ports=(KeyedPort(types, key=lambda flow: F.lit("")),),
        output=_output(node).types,
        parameters=RowtimeSortParameters(first.index, order) if in_event_time else ProctimeSortParameters(order),
    )

"""Joins and sorts by time: interval joins, temporal joins, temporal sorts."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from plans.execution.operators.base import KeyedOperator, KeyedPort, Lowering, assigners_above, keyed, refuse
from plans.execution.operators.join import join_key, joined_condition
from plans.nodes import IntervalJoin, TemporalJoin, TemporalSort
from plans.nodes.base import PlanNode
from plans.nodes.specs import JoinSpec
from plans.types import RowType, TimeKind, TimestampBase


def time_kind(node: PlanNode, column: int) -> TimeKind:
    """What a column of a node's output is to time; the columns of its (left) input come first in it."""
    row = node.output_type
    assert isinstance(row, RowType)
    found = row.types[column]
    return found.kind if isinstance(found, TimestampBase) else TimeKind.REGULAR


def _output(node: PlanNode) -> RowType:
    assert isinstance(node.output_type, RowType)
    return node.output_type


def _joined(node: PlanNode, spec: JoinSpec, lowering: Lowering) -> tuple[tuple[KeyedPort, KeyedPort], dict[str, Any]]:
    """The inputs and the parameters that all joins have."""
    left, right = lowering.input_types(node, 0), lowering.input_types(node, 1)
    ports = (
        KeyedPort(left, join_key(spec.left_keys, spec.filter_nulls, left)),
        KeyedPort(right, join_key(spec.right_keys, spec.filter_nulls, right)),
    )
    return ports, {
        "joinType": spec.join_type,
        "leftKeys": list(spec.left_keys),
        "rightKeys": list(spec.right_keys),
        "filterNulls": list(spec.filter_nulls),
        "condition": joined_condition(spec.non_equi_condition, (*left, *right), lowering, node),
        # Of one watermark assigner: a row's watermark is then that of both inputs.
        "sharedWatermark": len(assigners_above(lowering.plan, node.id)) == 1,
    }


@keyed(IntervalJoin, event_time=lambda node: node.interval_join_spec.window_bounds.is_event_time)
def interval_join(node: IntervalJoin, lowering: Lowering) -> KeyedOperator:
    """Flink's RowTimeIntervalJoin and ProcTimeIntervalJoin."""
    spec, bounds = node.interval_join_spec.join_spec, node.interval_join_spec.window_bounds
    if spec.join_type in ("SEMI", "ANTI"):
        raise refuse(node, f"an interval join of type {spec.join_type}", "join INNER, LEFT, RIGHT or FULL")
    ports, parameters = _joined(node, spec, lowering)
    left, right = -bounds.left_lower_bound, bounds.left_upper_bound
    # Rows that are padded with nulls come when their cleanup is due, half an interval after the last match.
    padding = 0 if spec.join_type == "INNER" else max(left + right, 0) // 2 + 1
    return KeyedOperator(
        type="interval-join",
        ports=ports,
        output=_output(node).types,
        parameters={
            **parameters,
            "leftTime": bounds.left_time_index,
            "rightTime": bounds.right_time_index,
            "lowerBound": bounds.left_lower_bound,
            "upperBound": bounds.left_upper_bound,
        },
        holds_back=max(left, right, 0) + padding if bounds.is_event_time else 0,
    )


def _joins_in_event_time(node: TemporalJoin) -> bool:
    return node.right_time_attribute_index >= 0


@keyed(TemporalJoin, event_time=_joins_in_event_time)
def temporal_join(node: TemporalJoin, lowering: Lowering) -> KeyedOperator:
    """Flink's TemporalRowTimeJoinOperator and TemporalProcessTimeJoinOperator."""
    if node.join_spec.join_type not in ("INNER", "LEFT"):
        raise refuse(node, f"a temporal join of type {node.join_spec.join_type}", "join INNER or LEFT")
    ports, parameters = _joined(node, node.join_spec, lowering)
    return KeyedOperator(
        type="temporal-join",
        ports=ports,
        output=_output(node).types,
        parameters={
            **parameters,
            "leftTime": node.left_time_attribute_index,
            "rightTime": node.right_time_attribute_index,
        },
    )


def _first_kind(node: TemporalSort) -> TimeKind:
    return time_kind(node, node.order_by.fields[0].index)


@keyed(TemporalSort, event_time=lambda node: _first_kind(node) is TimeKind.ROWTIME)
def temporal_sort(node: TemporalSort, lowering: Lowering) -> KeyedOperator:
    """Flink's RowTimeSortOperator and ProcTimeSortOperator."""
    first, *others = node.order_by.fields
    if not first.is_ascending:
        raise refuse(node, "it sorts by time descending", "sort by time ascending")
    types = lowering.input_types(node)
    # All rows are one task's, for there is one order.
    return KeyedOperator(
        type="temporal-sort",
        ports=(KeyedPort(types, key=lambda flow: F.lit("")),),
        output=_output(node).types,
        parameters={
            "time": first.index,
            "orderBy": [
                {"index": field.index, "ascending": field.is_ascending, "nullsLast": field.null_is_last}
                for field in others
            ],
        },
    )

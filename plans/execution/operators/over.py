"""OVER windows, by event time, processing time or other columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from compiled_plan.plans.execution.expressions import to_column
from compiled_plan.plans.execution.operators.aggregate_calls import kernel_aggregate, placed
from compiled_plan.plans.execution.operators.base import KeyedOperator, KeyedPort, Lowering, keyed
from compiled_plan.plans.execution.operators.parameters import Aggregate, Parameters, SortColumn, sort_columns
from compiled_plan.plans.execution.operators.timed import time_kind
from compiled_plan.plans.nodes.over import BoundedWindow, CurrentRow, OverAggregate, OverGroup
from compiled_plan.plans.rex import InputRef, Literal, RexNode
from compiled_plan.plans.types import LogicalType, TimeKind


def _kind(node: OverAggregate) -> TimeKind:
    fields = node.over_spec.groups[0].order_by.fields
    return time_kind(node, fields[0].index) if fields else TimeKind.REGULAR


@dataclass(frozen=True, slots=True)
class RowtimeOverParameters(Parameters):
    """Aggregates over the preceding rows in event time.

    Args:
        time: the time column.
        rows: True for ROWS, False for RANGE.
        preceding: the number of preceding rows, or ms; None for all.
        aggs: the calls.
    """

    TYPE: ClassVar[str] = "rowtime-over"
    time: int
    rows: bool
    preceding: int | None
    aggs: tuple[Aggregate, ...]


@dataclass(frozen=True, slots=True)
class ProctimeOverParameters(Parameters):
    """Aggregates over the preceding rows in the order of arrival."""

    TYPE: ClassVar[str] = "proctime-over"
    rows: bool
    preceding: int | None
    aggs: tuple[Aggregate, ...]


@dataclass(frozen=True, slots=True)
class ColumnOverParameters(Parameters):
    """Aggregates over all preceding rows in the order of columns; an earlier row updates the later ones."""

    TYPE: ClassVar[str] = "column-over"
    rows: bool
    order_by: tuple[SortColumn, ...]
    aggs: tuple[Aggregate, ...]


@keyed(OverAggregate, event_time=lambda node: _kind(node) is TimeKind.ROWTIME)
def over_aggregate(node: OverAggregate, lowering: Lowering) -> KeyedOperator:
    """Flink's RowTime, ProcTime and NonTime over functions."""
    spec = node.over_spec
    (group,), kind = spec.groups, _kind(node)
    preceding = _preceding(node, group)
    types = lowering.input_types(node)
    width = spec.original_input_fields
    # Constant arguments become columns after the input's.
    used = sorted({at for call in group.agg_calls for at in call.arg_list if at >= width})
    constants = [spec.constants[at - width] for at in used]
    places = {at: width + place for place, at in enumerate(used)}
    context = lowering.context(node)

    def place(at: int) -> int:
        return places.get(at, at)

    bounded = preceding is not None
    aggs = tuple(
        kernel_aggregate(
            node,
            call,
            (*types, *map(_type, spec.constants)),
            lowering,
            needs=("retract",) if bounded else (),
            retracts=bounded,
            place=place,
        )
        for call in group.agg_calls
    )
    return KeyedOperator(
        ports=(
            KeyedPort.by(
                spec.partition.fields,
                types,
                [(constant, _type(constant)) for constant in constants],
                lambda flow: [to_column(constant, flow.columns, context) for constant in constants],
            ),
        ),
        output=node.output_type.types,
        parameters=_parameters(kind, group, preceding, aggs),
        calls=tuple(placed(call, place) for call in group.agg_calls),
    )


def _parameters(
    kind: TimeKind, group: OverGroup, preceding: int | None, aggs: tuple[Aggregate, ...]
) -> RowtimeOverParameters | ProctimeOverParameters | ColumnOverParameters:
    match kind:
        case TimeKind.ROWTIME:
            return RowtimeOverParameters(group.order_by.fields[0].index, group.is_rows, preceding, aggs)
        case TimeKind.PROCTIME:
            return ProctimeOverParameters(group.is_rows, preceding, aggs)
        case TimeKind.REGULAR:
            return ColumnOverParameters(group.is_rows, sort_columns(group.order_by.fields), aggs)


def _preceding(node: OverAggregate, group: OverGroup) -> int | None:
    """The number of preceding rows, or ms; None for all."""
    match group.lower_bound:
        case CurrentRow():
            return 0
        case BoundedWindow(offset=offset):
            return _constant(node, offset)
    return None


def _constant(node: OverAggregate, offset: RexNode) -> int:
    spec = node.over_spec
    operand: Any = offset
    if isinstance(operand, InputRef):
        operand = spec.constants[operand.index - spec.original_input_fields]
    return int(operand.value)


def _type(constant: RexNode) -> LogicalType:
    assert isinstance(constant, Literal)
    return constant.type

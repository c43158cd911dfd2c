"""OVER windows, by event time, processing time or other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from plans.execution.expressions import canonical_key, to_column
from plans.execution.operators.aggregate_calls import python_call
from plans.execution.operators.base import Flow, KeyedOperator, KeyedPort, Lowering, keyed, refuse
from plans.execution.operators.timed import time_kind
from plans.nodes import OverAggregate
from plans.nodes.over import BoundedWindow, CurrentRow, OverGroup, UnboundedPreceding
from plans.rex import InputRef, Literal, RexNode
from plans.types import LogicalType, RowType, TimeKind

_ORDERS = {TimeKind.ROWTIME: "rowtime", TimeKind.PROCTIME: "proctime"}


def _kind(node: OverAggregate) -> TimeKind:
    fields = node.over_spec.groups[0].order_by.fields
    return time_kind(node, fields[0].index) if fields else TimeKind.REGULAR


@keyed(OverAggregate, event_time=lambda node: _kind(node) is TimeKind.ROWTIME)
def over_aggregate(node: OverAggregate, lowering: Lowering) -> KeyedOperator:
    """Flink's RowTime, ProcTime and NonTime over functions."""
    spec = node.over_spec
    if len(spec.groups) != 1:
        raise refuse(node, "its OVER windows differ", "compute all aggregates of a query block on one window")
    group, kind = spec.groups[0], _kind(node)
    if kind is not TimeKind.REGULAR and (len(group.order_by.fields) > 1 or not group.order_by.fields[0].is_ascending):
        raise refuse(node, "its order is not that of one time column ascending", "order the window by the time alone")
    preceding = _preceding(node, group)
    if preceding is not None and kind is TimeKind.REGULAR:
        raise refuse(node, "its window is bounded and not ordered by time", "order the window by a time attribute")
    types = lowering.input_types(node)
    width = spec.original_input_fields
    # Constants that are arguments become columns behind the input's.
    used = sorted({at for call in group.agg_calls for at in call.arg_list if at >= width})
    constants = [spec.constants[at - width] for at in used]
    places = {at: width + place for place, at in enumerate(used)}
    keys = spec.partition.fields
    key_types = [types[at] for at in keys]
    context = lowering.context(node)

    def columns(flow: Flow) -> Sequence[Column]:
        return (*flow.columns, *(to_column(constant, flow.columns, context) for constant in constants))

    row = node.output_type
    assert isinstance(row, RowType)
    return KeyedOperator(
        type="over-aggregate",
        ports=(
            KeyedPort(
                (*types, *(_type(constant) for constant in constants)),
                key=lambda flow: canonical_key([flow.columns[at] for at in keys], key_types) if keys else F.lit(""),
                columns=columns,
            ),
        ),
        output=row.types,
        parameters={
            "order": _ORDERS.get(kind, "columns"),
            "time": group.order_by.fields[0].index if group.order_by.fields else None,
            "orderBy": [
                {"index": field.index, "ascending": field.is_ascending, "nullsLast": field.null_is_last}
                for field in group.order_by.fields
            ],
            "rows": group.is_rows,
            "preceding": preceding,
            "aggs": [
                {
                    "function": call.internal_name,
                    "args": [places.get(at, at) for at in call.arg_list],
                    "filter": call.filter_arg,
                    "distinct": call.distinct,
                    "ignoreNulls": call.ignore_nulls,
                }
                | python_call(
                    node,
                    call,
                    (*types, *map(_type, spec.constants)),
                    lowering,
                    needs=() if preceding is None else ("retract",),
                )
                for call in group.agg_calls
            ],
        },
    )


def _preceding(node: OverAggregate, group: OverGroup) -> int | None:
    """How many rows, or ms, the window reaches back; None for all."""
    if not isinstance(group.upper_bound, CurrentRow):
        raise refuse(node, "its window ends after the current row", "end it at CURRENT ROW")
    match group.lower_bound:
        case UnboundedPreceding():
            return None
        case CurrentRow():
            return 0
        case BoundedWindow(is_preceding=True, offset=offset):
            return _constant(node, offset)
        case _:
            raise refuse(node, "its window starts after the current row", "start it at a PRECEDING row")


def _constant(node: OverAggregate, offset: RexNode) -> int:
    spec = node.over_spec
    found: Any = offset
    if isinstance(found, InputRef):
        found = spec.constants[found.index - spec.original_input_fields]
    if not isinstance(found, Literal) or found.value is None:
        raise refuse(node, "the start of its window is no constant")
    return int(found.value)


def _type(constant: RexNode) -> LogicalType:
    assert isinstance(constant, Literal)
    return constant.type

"""OVER aggregates."""

from __future__ import annotations

from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.expressions import Scope, meaning_of
from compiled_plan.plans.inspection.lineage.meaning import Meaning, made_of, value
from compiled_plan.plans.inspection.lineage.rules.calls import (
    Columns,
    calls_of,
    is_rowtime,
    order_of,
    results_of,
    type_at,
)
from compiled_plan.plans.nodes.over import Bound, BoundedWindow, OverAggregate, OverGroup
from compiled_plan.plans.types import TimestampBase

#: The kernel's operator for an order that is no time attribute: it may take rows back.
COLUMN_OVER = "column-over"


@rule(OverAggregate)
def over_aggregate(node: OverAggregate, context: Context) -> RuleResult:
    """Kept: the rows of the frame, or what unbounded calls have added up."""
    (port,) = context.ports(node)
    spec = node.over_spec
    draft = OperatorDraft(node, "over-aggregate", context, (port,))
    draft.key(port, spec.partition.fields)
    width = spec.original_input_fields
    nothing = Scope(lambda at: made_of("nothing", text="nothing"))
    constants = [meaning_of(rex, nothing) for rex in spec.constants]

    def column(at: int) -> Meaning:
        return constants[at - width] if width <= at < width + len(constants) else port.column(at)

    keys = [port.column(at) for at in spec.partition.fields]
    types = context.types(node)
    results: list[Meaning] = []
    for number, group in enumerate(spec.groups, start=1):
        place = number if len(spec.groups) > 1 else 0
        order = order_of(group.order_by.fields, port.column)
        frame = _frame(group, column)
        calls = calls_of(group.agg_calls, column)
        draft.add("order", order, [type_at(types, each.index) for each in group.order_by.fields], number=place)
        draft.add("frame", [frame], number=place)
        draft.add("aggregates", calls, [call.type for call in group.agg_calls], number=place)
        results += results_of(calls, [*keys, *order, frame], port.origin, "over")
    draft.stored(port)
    first = [group.order_by.fields[0].index for group in spec.groups if group.order_by.fields]
    times = [type_ for at in first if isinstance(type_ := type_at(types, at), TimestampBase)]
    clock = next((type_.kind for type_ in times if type_.is_time_attribute), None)
    draft.kernel = COLUMN_OVER if clock is None else f"{clock.value.lower()}-over"
    draft.watermarks(any(map(is_rowtime, times)))
    return draft.made((*port.all_columns(), *results), "over")


def _frame(group: OverGroup, column: Columns) -> Meaning:
    bounds = [_bound(bound, column) for bound in (group.lower_bound, group.upper_bound)]
    unit = "ROWS" if group.is_rows else "RANGE"
    return made_of("frame", bounds, unit, text=f"{unit} BETWEEN {bounds[0].text} AND {bounds[1].text}")


def _bound(bound: Bound, column: Columns) -> Meaning:
    if not isinstance(bound, BoundedWindow):
        return value(bound.kind.replace("_", " "))
    offset = meaning_of(bound.offset, Scope(column))
    direction = "PRECEDING" if bound.is_preceding else "FOLLOWING"
    return made_of("bound", (offset,), direction, text=f"{offset.text} {direction}")

"""Sorts by time."""

from __future__ import annotations

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, declare
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.operators.calls import is_rowtime, order_of, type_at
from compiled_plan.plans.nodes.sort import TemporalSort


@rule(TemporalSort)
def sort(node: TemporalSort, context: Context) -> RuleResult:
    """State: the rows that wait for their time."""
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "temporal-sort", context, (port,))
    fields = node.order_by.fields
    types = context.types(node)
    draft.add("order", order_of(fields, port.column), [type_at(types, field.index) for field in fields])
    draft.stored(port)
    in_event_time = bool(fields) and is_rowtime(type_at(types, fields[0].index))
    draft.kernel = "rowtime-sort" if in_event_time else "proctime-sort"
    draft.watermarks(in_event_time)
    return draft.finish(port.all_columns(), "sorted")


declare(
    OperatorKind("temporal-sort", lambda texts: f"rows sorted by {texts['order']}", waiting=" that wait for their time")
)

"""Sorts by time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, declare
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.shifts import Shift
from compiled_plan.plans.inspection.operators.calls import order_of, type_at
from compiled_plan.plans.nodes.sort import TemporalSort
from compiled_plan.plans.types.temporal import is_rowtime

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement


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


def _order(edited: Edited) -> Judgement:
    """Judge an order: rows wait for their time, and are sorted by the other columns when it comes."""
    if edited.list.stays and not edited.list.is_permuted and edited.list.matches[0].shift is Shift.NONE:
        return edited.full(listed=True)  # wider types sort alike
    if [item.digest for item in edited.list.old[:1]] == [item.digest for item in edited.list.new[:1]]:
        return edited.full("rows that were emitted before are in the old order")
    return edited.incompatible("rows from before wait for another time")


declare(
    OperatorKind(
        "temporal-sort",
        lambda texts: f"rows sorted by {texts['order']}",
        {"order": _order},
        waiting=" that wait for their time",
    )
)

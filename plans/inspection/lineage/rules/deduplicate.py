"""Deduplication and changelog normalisation."""

from __future__ import annotations

from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.expressions import conjuncts
from compiled_plan.plans.inspection.lineage.rows import in_order
from compiled_plan.plans.inspection.lineage.rules.calls import is_rowtime
from compiled_plan.plans.nodes.deduplicate import ChangelogNormalize, Deduplicate

#: The order of rows that are told apart by their arrival.
ARRIVAL = "arrival"


def say_row(draft: OperatorDraft, keeps_last: bool) -> None:
    """Add the property that says whether an operator keeps the last row of each key or the first."""
    draft.say("keeps", keeps_last, "the last row" if keeps_last else "the first row")


@rule(Deduplicate)
def deduplicate(node: Deduplicate, context: Context) -> RuleResult:
    """Kept: the first or last row of each key; of the first to arrive only that there was one."""
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "deduplicate", context, (port,))
    types = context.types(node)
    draft.key(port, node.unique_keys)
    say_row(draft, node.keep_last_row)
    time = next((at for at, type_ in enumerate(types) if is_rowtime(type_)), None)
    if node.is_rowtime and time is not None:
        draft.add("order", [port.column(time)], [types[time]])
    else:
        draft.say("order", ARRIVAL)
    waits = node.is_rowtime and node.output_insert_only and not node.keep_last_row
    draft.say("waits for the watermark", waits)
    if waits:
        draft.kernel = "keep-first-in-order"
        draft.watermarks()
    if node.is_rowtime or node.keep_last_row:
        draft.stored(port)
    return draft.made(port.all_columns(), "last" if node.keep_last_row else "first")


@rule(ChangelogNormalize)
def changelog_normalize(node: ChangelogNormalize, context: Context) -> RuleResult:
    """Kept: the last row of each key."""
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "changelog-normalize", context, (port,))
    draft.key(port, node.unique_keys)
    # Which rows went out is not kept: the condition tells it of the row that is.
    draft.add("condition", in_order(conjuncts(node.filter_condition, context.scope(node, port.column))))
    draft.stored(port)
    return draft.made(port.all_columns(), "normalized")

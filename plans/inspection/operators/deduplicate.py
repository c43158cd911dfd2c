"""Deduplication and changelog normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, Texts, declare
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.expressions import conjuncts
from compiled_plan.plans.inspection.lineage.operators import listed
from compiled_plan.plans.inspection.lineage.rows import in_order
from compiled_plan.plans.nodes.deduplicate import ChangelogNormalize, Deduplicate
from compiled_plan.plans.types.temporal import is_rowtime

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement


def add_row_choice(draft: OperatorDraft, keeps_last: bool) -> None:
    """Add the property that tells if an operator keeps the last row of each key or the first."""
    draft.add_value("keeps", keeps_last, "the last row" if keeps_last else "the first row")


@rule(Deduplicate)
def deduplicate(node: Deduplicate, context: Context) -> RuleResult:
    """State: the first or last row of each key; for the first row in arrival order only its existence."""
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "deduplicate", context, (port,))
    types = context.types(node)
    draft.key(port, node.unique_keys)
    add_row_choice(draft, node.keep_last_row)
    time = next((at for at, type_ in enumerate(types) if is_rowtime(type_)), None)
    if node.is_rowtime and time is not None:
        draft.add("order", [port.column(time)], [types[time]])
    else:
        draft.add_value("order", "arrival")
    draft.add_value("waits for the watermark", node.waits_for_watermarks)
    if node.waits_for_watermarks:
        draft.kernel = "keep-first-in-order"
        draft.watermarks()
    if node.is_rowtime or node.keep_last_row:
        draft.stored(port)
    return draft.finish(port.all_columns(), "last" if node.keep_last_row else "first")


@rule(ChangelogNormalize)
def changelog_normalize(node: ChangelogNormalize, context: Context) -> RuleResult:
    """State: the last row of each key."""
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "changelog-normalize", context, (port,))
    draft.key(port, node.unique_keys)
    # Emitted rows are not stored: the condition determines them from the stored row.
    draft.selected = in_order(conjuncts(node.filter_condition, context.scope(node, port.column)))
    draft.add("condition", draft.selected)
    draft.stored(port)
    return draft.finish(port.all_columns(), "normalized")


def keeps(edited: Edited) -> Judgement:
    """Judge keeping the other row: the first row does not determine the last."""
    was, becomes = edited.texts
    return edited.incompatible(f"{was} of each key is stored, and {becomes} is unknown")


def order(edited: Edited) -> Judgement:
    """Judge an edit of the time that determines the first or last row."""
    if edited.list.added or edited.list.dropped:
        return edited.incompatible("the stored row was selected by another time")
    return edited.unless_rounded("the times of rows from before are rounded")


def _waits(edited: Edited) -> Judgement:
    """Judge waiting for watermarks, which changes the form of the state."""
    return edited.incompatible("the state has another form if rows wait for the watermark")


def _condition(edited: Edited) -> Judgement:
    """Judge a condition; the last row of a key is stored if it passes."""
    items = edited.list
    if items.stays:
        return edited.full(listed=True)
    parts = []
    if items.dropped:
        parts.append(f"rows that `{listed(items.dropped)}` held back are emitted only with their next change")
    if items.added:
        parts.append(f"rows that fail `{listed(items.added)}` stay until their next change")
    failing = (items.dropped, items.added)
    return edited.partial("; ".join(parts) or "rows from before passed by rounded values", listed=True, failing=failing)


def one_row(texts: Texts) -> str:
    """Label of the row that is stored for each key."""
    return f"{texts['keeps']}{texts.for_each} by {texts['order']}"


declare(
    OperatorKind(
        "deduplicate", one_row, {"keeps": keeps, "order": order, "waits for the watermark": _waits}, retract_key="key"
    ),
    OperatorKind(
        "changelog-normalize", lambda texts: f"last row{texts.for_each}", {"condition": _condition}, retract_key="key"
    ),
)

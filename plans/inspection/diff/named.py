"""Named differences: the columns of a sink whose rows a changed program may make different, by its verdicts."""

from __future__ import annotations

from compiled_plan.plans.inspection.diff.model import OperatorEdit, PlanDiff, SinkEdit, SourceEdit
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.inspection.lineage.plans import sinks_of
from compiled_plan.plans.plan import CompiledPlan

#: The beginning of the name of a property that is a column.
COLUMN = "column "


def named_columns(diff: PlanDiff, sink: SinkEdit, new: CompiledPlan) -> frozenset[str] | None:
    """The columns of a sink that may have other values than in the old program.

    Args:
        diff: the difference.
        sink: one of its sinks, which both programs write.
        new: the new plan.

    Returns:
        the columns; None if its rows may be others altogether.
    """
    below = sinks_of(new)
    names = {name for node in sink.new_nodes for name in below[node]}
    parts: list[OperatorEdit | SourceEdit] = [*diff.operators, *diff.sources]
    upstream = {node for part in parts if part.verdict is not Verdict.FULL for node in _nodes(part)}
    if diff.whole or any(below[node] & names for node in upstream):
        return None
    columns = frozenset(edit.property.removeprefix(COLUMN) for edit in sink.edits if edit.property.startswith(COLUMN))
    is_named = len(columns) == len(sink.edits) and (sink.verdict is Verdict.FULL or bool(columns))
    return columns if is_named else None


def _nodes(part: OperatorEdit | SourceEdit) -> tuple[int, ...]:
    """The nodes of a part in the new plan."""
    if isinstance(part, SourceEdit):
        return part.new_nodes
    return () if part.new_node is None else (part.new_node,)

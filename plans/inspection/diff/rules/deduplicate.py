"""Rules for deduplication and changelog normalisation."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.judging import Edited, Judgement, verdict
from compiled_plan.plans.inspection.diff.lists import listed
from compiled_plan.plans.inspection.diff.model import Verdict
from compiled_plan.plans.inspection.lineage.shifts import Shift

_UNIQUE = ("deduplicate", "window-deduplicate")


@verdict("keeps", of=_UNIQUE)
def keeps(edited: Edited) -> Iterator[Judgement]:
    """The first row says nothing of the last."""
    was, becomes = edited.texts
    yield edited.finding(Verdict.INCOMPATIBLE, f"{was} of each key is kept, and {becomes} is not known")


@verdict("order", of=_UNIQUE)
def order(edited: Edited) -> Iterator[Judgement]:
    """Which row is the first or last is said by its time."""
    if edited.list.added or edited.list.dropped:
        yield edited.finding(Verdict.INCOMPATIBLE, "the row that is kept was chosen by another time")
    elif edited.list.shift & (Shift.FINER | Shift.COMPUTED):
        yield edited.finding(Verdict.PARTIAL, "the times of rows from before are rounded", listed=True)
    else:
        yield edited.finding(Verdict.FULL, listed=True)


@verdict("waits for the watermark", of=("deduplicate",))
def waits(edited: Edited) -> Iterator[Judgement]:
    """A row that waits is kept otherwise than one that was given out."""
    yield edited.finding(Verdict.INCOMPATIBLE, "what is kept has another form where rows wait for the watermark")


@verdict("condition", of=("changelog-normalize",))
def condition(edited: Edited) -> Iterator[Judgement]:
    """The last row of a key is kept where it passes."""
    items = edited.list
    if not items.added and not items.dropped and not items.shift & (Shift.FINER | Shift.COMPUTED):
        yield edited.finding(Verdict.FULL, listed=True)
        return
    parts = []
    if items.dropped:
        parts.append(f"rows that `{listed(items.dropped)}` held back come with their next change alone")
    if items.added:
        parts.append(f"rows that fail `{listed(items.added)}` stay until their next change")
    yield edited.finding(Verdict.PARTIAL, "; ".join(parts) or "rows from before passed by rounded values", listed=True)

"""Rules for MATCH_RECOGNIZE and for what counts rows."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.judging import Edited, Judgement, verdict
from compiled_plan.plans.inspection.diff.model import Verdict
from compiled_plan.plans.inspection.lineage.shifts import Shift

_PARTS = ("order", "pattern", "definitions", "measures", "after match", "within", "subsets", "all rows")


@verdict(*_PARTS, of=("match",))
def pattern(edited: Edited) -> Iterator[Judgement]:
    """How far a match is says something for its own pattern alone."""
    items = edited.list
    if items.added or items.dropped or items.is_permuted or items.shift & (Shift.FINER | Shift.COMPUTED):
        why = "matches that are under way are those of the old pattern"
        yield edited.finding(Verdict.INCOMPATIBLE, why, listed=True)
    else:
        yield edited.finding(Verdict.FULL, listed=True)


@verdict("condition", of=("row-counter",))
def counted(edited: Edited) -> Iterator[Judgement]:
    """How many rows there were."""
    yield edited.finding(Verdict.PARTIAL, "the count goes on from the rows that passed the old condition", listed=True)

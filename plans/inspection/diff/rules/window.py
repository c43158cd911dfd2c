"""Rules for windows."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.judging import Edited, Judgement, verdict
from compiled_plan.plans.inspection.diff.model import Verdict

_KINDS = ("window-aggregate", "window-join", "window-rank", "window-deduplicate", "session-rows")


@verdict("window", of=_KINDS)
def window(edited: Edited) -> Iterator[Judgement]:
    """What is kept stands under its window."""
    items = edited.list
    if items.added or items.dropped:
        yield edited.finding(
            Verdict.INCOMPATIBLE, "what is kept of open windows stands under the old ones, and is not found in the new"
        )
    else:
        yield edited.finding(Verdict.FULL, listed=True)

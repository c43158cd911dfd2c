"""Rules for sinks that keep rows by their primary key."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.judging import Edited, Judgement, verdict
from compiled_plan.plans.inspection.diff.model import Verdict

_SINK = ("materialising sink",)


@verdict("primary key", "key", of=_SINK)
def primary_key(edited: Edited) -> Iterator[Judgement]:
    """Rows are kept by it."""
    if edited.list.added or edited.list.dropped or edited.list.is_permuted:
        yield edited.finding(Verdict.INCOMPATIBLE, "rows are kept by the old primary key, and not found by the new one")
    else:
        yield edited.finding(Verdict.FULL, listed=True)


@verdict("conflict strategy", of=_SINK)
def conflict_strategy(edited: Edited) -> Iterator[Judgement]:
    """What is kept differs."""
    yield edited.finding(Verdict.INCOMPATIBLE, "which rows of a primary key are kept follows from the old strategy")


@verdict("upsert key", of=_SINK)
def upsert_key(edited: Edited) -> Iterator[Judgement]:
    """By it a row that is taken back is found; without one by all its columns."""
    if edited.list.dropped:
        why = "rows that are kept were told apart by the old upsert key: without it what takes one back may miss it"
        yield edited.finding(Verdict.INCOMPATIBLE, why)
    else:
        yield edited.finding(Verdict.FULL)


@verdict("table", of=_SINK)
def table(edited: Edited) -> Iterator[Judgement]:
    """The rows that are kept are those that the table shows."""
    yield edited.finding(
        Verdict.PARTIAL, "rows that are kept were written to the old table, and are not in the new one"
    )

"""Rules for top-n, also of windows."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.judging import UNTIL, Edited, Judgement, verdict
from compiled_plan.plans.inspection.diff.model import Verdict
from compiled_plan.plans.nodes.ranks import Retract

_RETRACT = Retract().type
_RANKS = ("rank", "window-rank")


@verdict("ranks", of=_RANKS)
def ranks(edited: Edited) -> Iterator[Judgement]:
    """Rows behind the last rank are forgotten, where none is taken back."""
    # Ranks whose end is a column begin at 1, and their end is not known here.
    (old_first, old_last), (new_first, new_last) = (ranks or (1, None) for ranks in edited.values)
    until = UNTIL.get(edited.pair.new.kind, "")
    parts = []
    if new_last is None or old_last is None or new_last > old_last:
        parts.append(f"rows from before{until} that ranked behind the old last rank do not come out")
    if until:
        parts = parts or ["rows of windows that have closed came out by the old ranks"]
    elif new_last is None or old_last is None or new_last < old_last:
        parts.append("rows from before that rank behind the new last rank were given, and stay")
    if new_first != old_first:
        parts.append("rows before the first rank change with the next row of their key alone")
    yield edited.finding(Verdict.PARTIAL, "; ".join(parts))


@verdict("strategy", of=("rank",))
def strategy(edited: Edited) -> Iterator[Judgement]:
    """Where rows may be taken back, all are kept."""
    old, _ = edited.values
    if old == _RETRACT:
        yield edited.finding(Verdict.FULL)
    else:
        why = "rows from before that ranked behind the last rank are not known: none of them moves up for one that goes"
        yield edited.finding(Verdict.PARTIAL, why)


@verdict("primary key", of=("rank",))
def primary_key(edited: Edited) -> Iterator[Judgement]:
    """Rows are replaced by it, where the strategy says so."""
    old, new = (bool(each and each.items) for each in (edited.old, edited.new))
    if old and new and (edited.list.added or edited.list.dropped):
        yield edited.finding(Verdict.INCOMPATIBLE, "the rows that are kept replaced each other by another key")

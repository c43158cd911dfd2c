"""Rules for aggregates over groups and over windows."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.judging import Edited, Judgement, verdict
from compiled_plan.plans.inspection.diff.lists import list_edit, listed
from compiled_plan.plans.inspection.diff.model import Verdict
from compiled_plan.plans.inspection.lineage.meaning import counts_rows, function_of
from compiled_plan.plans.inspection.lineage.shifts import Shift

_BOTH = ("group-aggregate", "window-aggregate")
#: Functions that keep all their values where rows are taken back, and one where they are not.
_TWO_FORMS = frozenset(f"${name}$1" for name in ("MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "LISTAGG"))


@verdict("aggregates", of=_BOTH)
def aggregates(edited: Edited) -> Iterator[Judgement]:
    """A call keeps its sums wherever it stands, one that was not there has none; all rows are counted anyway."""
    items = edited.list
    if added := [each for each in items.added if not counts_rows(each.meaning)]:
        windows = edited.pair.new.kind == "window-aggregate"
        many = len(added) > 1
        why = (
            f"{listed(added)} {'begin' if many else 'begins'} empty: "
            + ("until the windows that are open have closed" if windows else "in every group that is there already")
            + f" {'they lack' if many else 'it lacks'} the rows from before"
        )
        if not edited.pair.appends():
            why += f", and {'take' if many else 'takes'} back rows that {'they' if many else 'it'} never counted"
        yield edited.finding(Verdict.PARTIAL, why, listed=True)
    elif computed := items.shifted(Shift.FINER | Shift.COMPUTED):
        why = f"what {listed(computed)} took in before was rounded to the old type"
        yield edited.finding(Verdict.PARTIAL, why, listed=True)
    else:
        yield edited.finding(Verdict.FULL, listed=True)


@verdict("argument types", of=_BOTH)
def argument_types(edited: Edited) -> Iterator[Judgement]:
    """Said of the calls, whose meaning their arguments' types are part of."""
    old, new = edited.pair.property("aggregates")
    if old is not None and new is not None and old.digest == new.digest:
        yield edited.finding(Verdict.UNKNOWN, "the calls are the same, and their arguments are of other types")


@verdict("takes rows back", of=("group-aggregate",))
def takes_rows_back(edited: Edited) -> Iterator[Judgement]:
    """How many rows a group has is known anyway; the values that MIN or MAX passed over are not."""
    old, new = edited.pair.property("aggregates")
    calls = list_edit(old.items if old else (), new.items if new else ())
    kept = {calls.new[each.new].digest for each in calls.found}
    before = {calls.old[each.old].digest for each in calls.found}
    needed = [each for each in edited.list.added if each.digest in kept and function_of(each.meaning) in _TWO_FORMS]
    freed = [each for each in edited.list.dropped if each.digest in before and function_of(each.meaning) in _TWO_FORMS]
    if needed:
        why = f"{listed(needed)} kept one value, and now needs all of them, since rows are taken back"
        yield edited.finding(Verdict.INCOMPATIBLE, why)
    elif freed:
        why = f"{listed(freed)} kept all values, and has another form where rows are never taken back"
        yield edited.finding(Verdict.INCOMPATIBLE, why)
    elif not edited.list.found or edited.list.dropped or edited.list.added:
        yield from _quietly(edited)


def _quietly(edited: Edited) -> Iterator[Judgement]:
    """What follows from other calls alone is no edit of its own."""
    old_ends, new_ends = edited.values
    if old_ends != new_ends:
        yield Judgement(edited.finding(Verdict.FULL).edit)


@verdict("takes rows back", of=("window-aggregate",))
def windows_take_rows_back(edited: Edited) -> Iterator[Judgement]:
    """As of groups; which calls it is is not said of windows."""
    old, new = edited.pair.property("aggregates")
    calls = list_edit(old.items if old else (), new.items if new else ())
    kept = [calls.new[each.new] for each in calls.found if function_of(calls.new[each.new].meaning) in _TWO_FORMS]
    if kept:
        why = f"{listed(kept)} has another form where rows are taken back than where they are not"
        yield edited.finding(Verdict.INCOMPATIBLE, why)
    else:
        yield edited.finding(Verdict.FULL)

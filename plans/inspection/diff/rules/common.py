"""Rules for properties that many kinds of operators have: keys, stored columns, orders, watermarks."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.judging import UNTIL, Edited, Judgement, Pair, verdict
from compiled_plan.plans.inspection.diff.lists import listed
from compiled_plan.plans.inspection.diff.model import Verdict
from compiled_plan.plans.inspection.lineage.meaning import is_null
from compiled_plan.plans.inspection.lineage.shifts import Shift

#: Kinds that keep one row of a key, or versions by time: a row that is taken back is found whatever its columns.
_BY_KEY = frozenset({"deduplicate", "changelog-normalize", "temporal-join", "window-deduplicate"})
#: The property that tells the rows of an input apart, where there is one.
_TOLD_BY = {
    "join": "unique keys",
    "multi-join": "unique keys",
    "rank": "primary key",
    "materialising sink": "upsert key",
}


@verdict("key")
def key(edited: Edited) -> Iterator[Judgement]:
    """State is found by the text of its key, which is the same for wider whole numbers and longer texts."""
    items = edited.list
    if items.added or items.dropped or len(items.old) != len(items.new):
        yield edited.finding(
            Verdict.INCOMPATIBLE, "what is kept stands under the old key: under the new one nothing is found again"
        )
    elif items.is_permuted or [each.old for each in items.found] != list(range(len(items.old))):
        yield edited.finding(
            Verdict.INCOMPATIBLE, "what is kept is found by its key's columns in their order, and they change places"
        )
    elif items.shift & (Shift.FINER | Shift.COMPUTED):
        why = "keys from before are rounded to the old type: what was one key stays one"
        yield edited.finding(Verdict.PARTIAL, why, listed=True)
    else:
        # Other rows are said of the rows themselves.
        yield edited.finding(Verdict.FULL, listed=True)


@verdict("columns")
def columns(edited: Edited) -> Iterator[Judgement]:
    """Rows that are kept whole: without columns that were not wanted before."""
    items = edited.list
    # What is not there is NULL, which is right where NULL is all that is ever there.
    added = [each for each in items.added if not is_null(each.meaning)]
    computed = items.shifted(Shift.FINER | Shift.COMPUTED)
    rows = f"rows from before{UNTIL.get(edited.pair.new.kind, '')}"
    if added or computed:
        named = listed((*added, *computed))
        if not found_again(edited.pair, edited.present.input):
            why = (
                f"{rows} are kept without {named}, and what takes one back has it: they would miss each other, and "
                "the old row would stay for ever"
            )
            yield edited.finding(Verdict.INCOMPATIBLE, why, listed=True)
        else:
            lacks = (
                f"{rows} have no value in {named}" if added else f"{rows} keep {named} as it was rounded or computed"
            )
            yield edited.finding(Verdict.PARTIAL, lacks, listed=True)
    else:
        yield edited.finding(Verdict.FULL, listed=True)


def found_again(pair: Pair, at: int) -> bool:
    """Whether a row that is taken back is found without looking at all its columns, or none ever is."""
    if pair.appends(at) or pair.new.kind in _BY_KEY:
        return True
    name = _TOLD_BY.get(pair.new.kind)
    return name is not None and all(
        each is not None and bool(each.items)
        for each in pair.property(pair.both.new.ports(pair.new.node)[at].named(name))
    )


@verdict("order")
def order(edited: Edited) -> Iterator[Judgement]:
    """What was left out by the old order is not known."""
    items = edited.list
    if items.added or items.dropped or items.is_permuted:
        yield edited.finding(
            Verdict.INCOMPATIBLE, "what is kept was chosen and sorted by the old order: what it left out is not known"
        )
    elif items.shift & (Shift.FINER | Shift.COMPUTED):
        yield edited.finding(Verdict.PARTIAL, "rows from before are ordered by what was rounded", listed=True)
    else:
        yield edited.finding(Verdict.FULL, listed=True)


@verdict("watermark")
def watermark(edited: Edited) -> Iterator[Judgement]:
    """Rows that were late are gone."""
    why = "rows that were late by the old watermark are gone, and what was due by it has been given"
    yield edited.finding(Verdict.PARTIAL, why)


@verdict("operator")
def operator(edited: Edited) -> Iterator[Judgement]:
    """Another operator of the kernel keeps other things."""
    yield edited.finding(Verdict.INCOMPATIBLE, "what is kept has another form")

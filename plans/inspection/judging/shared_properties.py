"""Verdicts on properties that many kinds of operators have: keys, stored columns, orders, watermarks.

A property without a rule is judged by its role: under another key no state is found; any other effect is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compiled_plan.plans.inspection.judging.edited import Edited, Judgement, Pair
from compiled_plan.plans.inspection.judging.kinds import kind_of
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.inspection.lineage.meaning import is_null
from compiled_plan.plans.inspection.lineage.operators import Role, listed


def judged(edited: Edited) -> Judgement | None:
    """Judge an edit of a property; None if there is nothing to report."""
    subject = edited.present.subject
    rule = kind_of(edited.pair.new.kind).rules.get(subject) or _COMMON.get(subject) or _by_role
    judgement = rule(edited)
    if judgement is None or judgement.past_fault or judgement.edit.verdict is not Verdict.FULL or edited.list.is_edited:
        return judgement
    return None


def _key(edited: Edited) -> Judgement:
    """Judge a key edit. The text of a key finds its state; it is the same for wider whole numbers and longer texts."""
    items = edited.list
    if items.added or items.dropped or len(items.old) != len(items.new):
        return edited.incompatible("state is stored under the old key, and not found under the new one")
    if items.is_permuted or [match_.old for match_ in items.matches] != list(range(len(items.old))):
        return edited.incompatible("state is found by the key's columns in order, and their order changed")
    # Changes of the incoming rows are reported by the property of the rows.
    return edited.unless_rounded("keys from before are rounded to the old type: what was one key stays one")


def _columns(edited: Edited) -> Judgement:
    """Judge an edit of rows that are stored whole: past rows lack the new columns."""
    items = edited.list
    # A missing column reads as NULL, which is right if it is always NULL.
    added = [item for item in items.added if not is_null(item.meaning)]
    rows = f"rows from before{kind_of(edited.pair.new.kind).waiting}"
    if not added and not items.rounded:
        return edited.full(listed=True)
    lacking = (*added, *items.rounded)
    named = listed(lacking)
    if not _finds_retracted(edited.pair, edited.present.input):
        why = (
            f"{rows} are stored without {named}, and their retractions have it: they would not match, and "
            "the old row would stay for ever"
        )
        return edited.incompatible(why, listed=True)
    lacks = f"{rows} have no value in {named}" if added else f"{rows} keep {named} as it was rounded or computed"
    return edited.partial(lacks, listed=True, values=lacking)


def _finds_retracted(pair: Pair, at: int) -> bool:
    """Return True if no row is retracted, or if retracted rows are found without comparing all columns."""
    name = kind_of(pair.new.kind).retract_key
    if pair.appends(at) or name == "key":
        return True
    return bool(name) and all(property_ is not None and bool(property_.items) for property_ in pair.of_input(name, at))


def _order(edited: Edited) -> Judgement:
    """Judge an edit of the order: rows that the old order left out are unknown."""
    items = edited.list
    if items.added or items.dropped or items.is_permuted:
        return edited.incompatible("state was selected and sorted by the old order: rows that it left out are unknown")
    return edited.unless_rounded("rows from before are ordered by what was rounded")


def _watermark(edited: Edited) -> Judgement:
    """Judge an edit of the watermark: late rows are gone."""
    return edited.partial("rows that were late by the old watermark are gone, and results due by it were emitted")


def _operator(edited: Edited) -> Judgement:
    """Judge a change of the kernel's operator, whose state has another form."""
    return edited.incompatible("the state has another form")


def _by_role(edited: Edited) -> Judgement:
    if edited.present.role is Role.KEY:
        return edited.incompatible("state is stored under it, and not found under another one")
    return edited.unknown(f"no rule covers the effect of another {edited.name} on the state")


_COMMON: Mapping[str, Callable[[Edited], Judgement]] = {
    "key": _key,
    "columns": _columns,
    "order": _order,
    "watermark": _watermark,
    "operator": _operator,
}

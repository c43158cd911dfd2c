"""Verdicts on properties that many kinds of operators have: keys, stored columns, orders, watermarks.

A property that no rule stands for is judged by its role: state under another key is never found, of anything else
nobody can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compiled_plan.plans.inspection.judging.edited import Edited, Judgement, Pair
from compiled_plan.plans.inspection.judging.kinds import kind_of
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.inspection.lineage.meaning import is_null
from compiled_plan.plans.inspection.lineage.operators import Role, listed


def judged(edited: Edited) -> Judgement | None:
    """Judge an edit of a property; None where nothing is to be said of it."""
    subject = edited.present.subject
    rule = kind_of(edited.pair.new.kind).rules.get(subject) or _COMMON.get(subject) or _by_role
    found = rule(edited)
    if found is None or found.given or found.edit.verdict is not Verdict.FULL or edited.list.says_something:
        return found
    return None


def _key(edited: Edited) -> Judgement:
    """State is found by the text of its key, which is the same for wider whole numbers and longer texts."""
    items = edited.list
    if items.added or items.dropped or len(items.old) != len(items.new):
        return edited.incompatible("what is kept stands under the old key: under the new one nothing is found again")
    if items.is_permuted or [each.old for each in items.found] != list(range(len(items.old))):
        return edited.incompatible("what is kept is found by its key's columns in their order, and they change places")
    # Other rows are said of the rows themselves.
    return edited.unless_rounded("keys from before are rounded to the old type: what was one key stays one")


def _columns(edited: Edited) -> Judgement:
    """Rows that are kept whole: without columns that were not wanted before."""
    items = edited.list
    # What is not there is NULL, which is right where NULL is all that is ever there.
    added = [each for each in items.added if not is_null(each.meaning)]
    rows = f"rows from before{kind_of(edited.pair.new.kind).waiting}"
    if not added and not items.rounded:
        return edited.full(listed=True)
    named = listed((*added, *items.rounded))
    if not _found_again(edited.pair, edited.present.input):
        why = (
            f"{rows} are kept without {named}, and what takes one back has it: they would miss each other, and "
            "the old row would stay for ever"
        )
        return edited.incompatible(why, listed=True)
    lacks = f"{rows} have no value in {named}" if added else f"{rows} keep {named} as it was rounded or computed"
    return edited.partial(lacks, listed=True)


def _found_again(pair: Pair, at: int) -> bool:
    """True where no row is taken back, or such a row is found without looking at all its columns."""
    name = kind_of(pair.new.kind).found_by
    if pair.appends(at) or name == "key":
        return True
    return bool(name) and all(each is not None and bool(each.items) for each in pair.of_input(name, at))


def _order(edited: Edited) -> Judgement:
    """Rows that the old order left out are not known."""
    items = edited.list
    if items.added or items.dropped or items.is_permuted:
        return edited.incompatible("what is kept was chosen and sorted by the old order: what it left out is not known")
    return edited.unless_rounded("rows from before are ordered by what was rounded")


def _watermark(edited: Edited) -> Judgement:
    """Rows that were late are gone."""
    return edited.partial("rows that were late by the old watermark are gone, and what was due by it has been given")


def _operator(edited: Edited) -> Judgement:
    """Another operator of the kernel keeps other things."""
    return edited.incompatible("what is kept has another form")


def _by_role(edited: Edited) -> Judgement:
    if edited.present.role is Role.KEY:
        return edited.incompatible("state is kept by it: under another one nothing is found again")
    return edited.unknown(f"no rule says what another {edited.name} does to what is kept")


_COMMON: Mapping[str, Callable[[Edited], Judgement]] = {
    "key": _key,
    "columns": _columns,
    "order": _order,
    "watermark": _watermark,
    "operator": _operator,
}

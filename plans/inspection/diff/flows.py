"""Differences between the rows that reach an operator or a sink in the old and the new plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.judging.edited import Judgement
from compiled_plan.plans.inspection.judging.lists import ListEdit, list_edit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict
from compiled_plan.plans.inspection.lineage.operators import Item, listed
from compiled_plan.plans.inspection.lineage.rows import Branch, Port, in_order


@dataclass(frozen=True, slots=True)
class Words:
    """Wording for the rows of one operator or sink."""

    stay: str = "stay"  # verb for stale rows: "stay counted"
    appends: bool = True  # True if its rows are never retracted
    by_time: bool = False  # True if it waits for watermarks, which pass the old rows of a new table


def flow_findings(both: PlanPair, old: Port, new: Port, words: Words) -> Iterator[Judgement]:
    """Differences between the rows that reach one input in both plans."""
    pairs, gone, added = _paired(both, old.rows, new.rows)
    yield from _other_rows(both, new, (gone, added), words)
    for before, after in pairs:
        edit = list_edit(_predicates(before, after), _predicates(after, before))
        where = f"of {after.origin.text}" if len(new.rows) > 1 else ""
        yield from _filtered(edit, new.named("filter"), where, words)


def _paired(
    both: PlanPair, old: Sequence[Branch], new: Sequence[Branch]
) -> tuple[list[tuple[Branch, Branch]], list[Branch], list[Branch]]:
    """Pair branches with the same rows, equal filters first; return the pairs, the removed and the added branches."""
    pairs, gone, added = [], list(old), list(new)
    for fits in (_is_equal, lambda before, after: both.continues(before.origin, after.origin)):
        for branch in list(added):
            partner = next((candidate for candidate in gone if fits(candidate, branch)), None)
            if partner is not None:
                pairs.append((partner, branch))
                gone.remove(partner)
                added.remove(branch)
    return pairs, gone, added


def _is_equal(old: Branch, new: Branch) -> bool:
    return old.origin == new.origin and _predicates(old, new) == _predicates(new, old)


def _other_rows(
    both: PlanPair, new: Port, parts: tuple[list[Branch], list[Branch]], words: Words
) -> Iterator[Judgement]:
    gone, added = parts
    if not gone and not added:
        return
    old_text, new_text = (listed([Item.of(branch.origin) for branch in side]) for side in (gone, added))
    fresh = all(both.is_fresh(branch.origin) for branch in added)
    if gone and added and not fresh:
        why = f"rows from before came from {old_text}, and {words.stay}; from now on they come from {new_text}"
        verdict = Verdict.PARTIAL
    elif gone:
        why, verdict = f"rows from before that came from {old_text} {words.stay}", Verdict.PARTIAL
        why += f"; those from {new_text} are read from their beginning" if added else ""
    elif not fresh:
        why, verdict = f"rows of {new_text} from before are missing", Verdict.PARTIAL
    elif words.by_time:
        why = f"rows of {new_text} are read from their beginning, and those that the watermark has passed are late"
        verdict = Verdict.PARTIAL
    else:
        why, verdict = f"rows of {new_text} are read from their beginning", Verdict.FULL
    yield Judgement(PropertyEdit(new.named("rows"), old_text, new_text, verdict, why))


def _filtered(edit: ListEdit, name: str, where: str, words: Words) -> Iterator[Judgement]:
    if not edit.is_edited:
        return
    if edit.stays:
        yield Judgement(PropertyEdit(name, *edit.texts))
        return
    rows = f"rows {where} from before".replace("  ", " ")
    parts = []
    if edit.added:
        parts.append(f"{rows} for which `{_all(edit.added)}` does not hold {words.stay}")
        if not words.appends:
            parts[-1] += ", and are not retracted when they change"
    if edit.dropped:
        parts.append(f"{rows} that `{_all(edit.dropped)}` rejected are missing")
        if not words.appends:
            parts[-1] += ", and may be retracted without having arrived"
    why = "; ".join(parts) or f"{rows} passed with rounded values"
    old, new = edit.texts
    yield Judgement(PropertyEdit(name, old, new, Verdict.PARTIAL, why))


def _all(items: Sequence[Item]) -> str:
    return " AND ".join(item.text for item in items)


def _predicates(branch: Branch, partner: Branch) -> list[Item]:
    """The predicates of rows; those by which an operator selected them if its partner has them behind the operator."""
    predicates = in_order((*branch.filter, *(item for item in branch.selected if item in partner.filter)))
    # Dropping -U rows is not a filter: no consumer needs them.
    return [Item.of(predicate) for predicate in predicates if predicate.head != "no -U"]

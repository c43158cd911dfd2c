"""What keeps nothing and came, went or changed: filters, projections, unions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.sides import Both, PlanSide
from compiled_plan.plans.inspection.judging.lists import list_edit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit
from compiled_plan.plans.inspection.lineage import Item
from compiled_plan.plans.inspection.lineage.meaning import Meaning


def stateless_edits(both: Both) -> tuple[PropertyEdit, ...]:
    """Lines about filters and unions; what they do to state is said of the operators and sinks below."""
    return tuple(_edits(both))


def _edits(both: Both) -> Iterator[PropertyEdit]:
    before, after = _filters(both.old), _filters(both.new)
    known = list_edit([_item(each) for each in before.values()], [_item(each) for each in after.values()])
    for filter_ in known.added:
        yield PropertyEdit(f"filter `{filter_.text}`", "", "added")
    for filter_ in known.dropped:
        yield PropertyEdit(f"filter `{filter_.text}`", "removed", "")
    kinds = [_kinds(side) for side in (both.old, both.new)]
    for kind in dict.fromkeys([*kinds[0], *kinds[1]]):
        if kinds[0][kind] != kinds[1][kind]:
            yield PropertyEdit(kind, str(kinds[0][kind]), str(kinds[1][kind]))


def _filters(side: PlanSide) -> dict[str, Meaning]:
    flows = side.lineage.flows.values()
    return {each.digest: each for rows in flows for branch in rows for each in branch.filter if each.head != "no -U"}


def _item(meaning: Meaning) -> Item:
    return Item(meaning.text, meaning.digest, meaning=meaning)


def _kinds(side: PlanSide) -> Counter[str]:
    """How often there are other nodes that make rows of rows."""
    kinds = ("union", "expand", "correlate", "lookup-join")
    return Counter(node.kind for node in side.plan.nodes if node.kind in kinds)

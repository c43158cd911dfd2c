"""MATCH_RECOGNIZE."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, Texts, declare
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.expressions import meaning_of
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose
from compiled_plan.plans.inspection.lineage.operators import listed
from compiled_plan.plans.inspection.operators.calls import order_of, type_at
from compiled_plan.plans.nodes.match import Match
from compiled_plan.plans.nodes.patterns import NAVIGATION
from compiled_plan.plans.rex.signatures import AGGREGATES
from compiled_plan.plans.types.temporal import is_rowtime

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement


@rule(Match)
def match_recognize(node: Match, context: Context) -> RuleResult:
    """State: the rows of partial matches, and their progress."""
    (port,) = context.ports(node)
    spec = node.match_spec
    draft = OperatorDraft(node, "match", context, (port,), "match-recognize")
    scope = context.scope(node, port.column)
    draft.key(port, spec.partition.fields)
    draft.add("order", order_of(spec.order_by.fields, port.column))
    draft.add("pattern", [meaning_of(spec.pattern, scope)])
    draft.add_named("definitions", {name: meaning_of(rex, scope) for name, rex in spec.pattern_definitions.items()})
    measures = {name: meaning_of(rex, scope) for name, rex in spec.measures.items()}
    keys = [port.column(at) for at in spec.partition.fields]
    # Names of measures are aliases; their order is that of the columns.
    measured = [measures[name] for name in node.output_type.names if name in measures]
    draft.add("measures", measured or measures.values())
    draft.add("after match", [meaning_of(spec.after, scope)])
    draft.add("within", [meaning_of(spec.interval, scope)] if spec.interval is not None else [])
    subsets = {name: list(items) for name, items in spec.subsets.items()}
    draft.add_value("subsets", subsets, str(spec.subsets or "none"))
    draft.add_value("all rows", spec.all_rows)
    draft.stored(port)
    draft.watermarks(is_rowtime(type_at(context.types(node), spec.order_by.fields[0].index)))
    results: list[Meaning] = [
        compose(
            "measure", (measure, *keys, port.origin), text=measure.text, full=f"{measure.full} OF {port.origin.full}"
        )
        for measure in measured
    ]
    return draft.finish([*keys, *results])


def _pattern(edited: Edited) -> Judgement:
    """Judge any part of the pattern: progress of a match is meaningful for its own pattern alone."""
    if edited.list.is_permuted or not edited.list.stays:
        return edited.incompatible("partial matches belong to the old pattern", listed=True)
    return edited.full(listed=True)


def _measures(edited: Edited) -> Judgement:
    """Judge measures: they are computed from the rows of a match when it is complete, and are not stored."""
    added = edited.list.added
    computed = [item for item in added if item.meaning is not None and any(_computed(item.meaning))]
    if computed:
        why = f"rows from before of partial matches have no value for {listed(computed)}"
        return edited.partial(why, listed=True, values=added)
    return edited.full(listed=True)


def _computed(meaning: Meaning) -> Iterator[bool]:
    """For each call over rows of a match, True if its arguments are computed as rows arrive, and stored with them."""
    for part in meaning.parts:
        yield from _computed(part)
    name = meaning.plain[0] if meaning.head == "call" else None
    if name in NAVIGATION:
        yield meaning.parts[0].head != "pattern"
    elif name == "" or name in AGGREGATES:
        # A function of users, which has no name here, may be an aggregate.
        yield any(part.head != "pattern" for part in meaning.parts)


def _words(texts: Texts) -> str:
    pattern = re.sub(r"[()']", "", texts["pattern"]).replace(" PATTERN_CONCAT ", " ")
    return f"matches of ({pattern}){texts.by}"


_PARTS = ("order", "pattern", "definitions", "after match", "within", "subsets", "all rows")
_RULES = {**dict.fromkeys(_PARTS, _pattern), "measures": _measures}
declare(OperatorKind("match", _words, _RULES, waiting=" of partial matches"))

"""Group aggregates; one and two phases are the same operator over the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, Texts, VerdictRule, declare, kind_of
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.meaning import Meaning, counts_rows, function_of, type_text, value
from compiled_plan.plans.inspection.lineage.operators import Role, listed
from compiled_plan.plans.inspection.lineage.rows import sides
from compiled_plan.plans.inspection.operators.calls import calls_of, results_of, type_at
from compiled_plan.plans.inspection.operators.stateless import same
from compiled_plan.plans.nodes.aggregate import (
    GlobalGroupAggregate,
    GroupAggregate,
    IncrementalGroupAggregate,
    LocalGroupAggregate,
)
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.nodes.stateless import Exchange
from compiled_plan.plans.types import LogicalType

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement

# The last phase refers to the rows in front of the first.
rule(LocalGroupAggregate, IncrementalGroupAggregate)(same)


@rule(GroupAggregate)
def group_aggregate(node: GroupAggregate, context: Context) -> RuleResult:
    """Key: the grouping. State: an accumulator for each call, and the number of rows."""
    return _aggregate(node, node, _Calls.of(node), context)


@rule(GlobalGroupAggregate)
def global_group_aggregate(node: GlobalGroupAggregate, context: Context) -> RuleResult:
    """The calls of the first phase, over the rows in front of it."""
    below = first_phase(node, context)
    if isinstance(below, IncrementalGroupAggregate):
        local = first_phase(below, context)
        if isinstance(local, LocalGroupAggregate):
            calls = _Calls(
                [local.grouping[at] for at in below.final_agg_grouping if at < len(local.grouping)],
                below.partial_original_agg_calls,
                below.partial_agg_call_need_retractions,
                below.partial_agg_need_retraction,
            )
            return _aggregate(node, local, calls, context)
    reader = below if isinstance(below, LocalGroupAggregate) else node
    return _aggregate(node, reader, _Calls.of(reader), context)


def first_phase(node: PlanNode, context: Context) -> PlanNode:
    """The nearest upstream node, skipping exchanges."""
    below = context.plan.inputs(node)[0]
    while isinstance(below, Exchange):
        below = context.plan.inputs(below)[0]
    return below


def add_calls(draft: OperatorDraft, calls: Sequence[AggregateCall], types: Sequence[LogicalType]) -> list[Meaning]:
    """Add the calls over the only input, and the types of their arguments; return the meanings of the calls."""
    meanings = calls_of(calls, draft.ports[0].column)
    draft.add("aggregates", meanings, [call.type for call in calls])
    arguments = [type_at(types, at) for call in calls for at in call.arg_list]
    texts = tuple(type_text(type_) for type_ in arguments if type_ is not None)
    draft.add_value("argument types", texts, ", ".join(texts) or "none", Role.AROUND)
    return meanings


class _Calls(NamedTuple):
    """The calls of a group aggregate."""

    grouping: Sequence[int]
    calls: Sequence[AggregateCall]
    retractions: Sequence[bool]  # by call, True if it retracts rows
    needs_retraction: bool  # True if any rows are retracted

    @classmethod
    def of(cls, node: GroupAggregate | GlobalGroupAggregate | LocalGroupAggregate) -> _Calls:
        return cls(node.grouping, node.agg_calls, node.agg_call_need_retractions, node.need_retraction)


def _aggregate(node: PlanNode, reader: PlanNode, aggregate: _Calls, context: Context) -> RuleResult:
    """Build the operator; `reader` is the node whose input the indices refer to."""
    (port,) = sides(context.inputs(reader))
    draft = OperatorDraft(node, "group-aggregate", context, (port,))
    types = context.types(reader)
    draft.key_of(port, aggregate.grouping, types)
    keys = [port.column(at) for at in aggregate.grouping]
    meanings = add_calls(draft, aggregate.calls, types)
    # MIN keeps all its values if rows are retracted, otherwise one.
    taken_back = [call for call, needs in zip(meanings, aggregate.retractions, strict=False) if needs]
    ends = [value("groups end")] if aggregate.needs_retraction else []
    draft.add("takes rows back", [*taken_back, *ends], role=Role.AROUND, value=aggregate.needs_retraction)
    return draft.finish([*keys, *results_of(meanings, keys, port.origin)], "aggregate")


#: Functions that keep all their values if rows are retracted, otherwise one.
TWO_FORMS = frozenset(f"${name}$1" for name in ("MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "LISTAGG"))


def _aggregates(edited: Edited) -> Judgement:
    """Judge edits of calls: a moved call keeps its sums, a new one starts empty; rows are counted anyway."""
    items = edited.list
    if added := [item for item in items.added if not counts_rows(item.meaning)]:
        many = len(added) > 1
        windows = bool(kind_of(edited.pair.new.kind).waiting)
        where = "until the open windows have closed" if windows else "in every existing group"
        lacks = "they lack" if many else "it lacks"
        why = f"{listed(added)} {'start' if many else 'starts'} empty: {where} {lacks} the rows from before"
        if not edited.pair.appends():
            why += f", and {'retract' if many else 'retracts'} rows that {'they' if many else 'it'} never counted"
        return edited.partial(why, listed=True, values=(*added, *items.rounded))
    return edited.unless_rounded(f"values that {listed(items.rounded)} accumulated before were rounded to the old type")


def _argument_types(edited: Edited) -> Judgement | None:
    """Judge argument types, which are part of the meaning of the calls and reported there."""
    old, new = edited.pair.property("aggregates")
    if old is not None and new is not None and old.digest == new.digest:
        return edited.unknown("the calls are the same, but their arguments have other types")
    return None


def _retraction(edited: Edited) -> Judgement | None:
    """Judge retraction: rows of a group are counted anyway; values that MIN or MAX discarded are lost."""
    calls = edited.pair.list("aggregates")
    new_digests = {calls.new[match_.new].digest for match_ in calls.matches}
    old_digests = {calls.old[match_.old].digest for match_ in calls.matches}
    needed = [
        item for item in edited.list.added if item.digest in new_digests and function_of(item.meaning) in TWO_FORMS
    ]
    freed = [
        item for item in edited.list.dropped if item.digest in old_digests and function_of(item.meaning) in TWO_FORMS
    ]
    if needed:
        why = f"{listed(needed)} stored one value, and now needs all of them, because rows are retracted"
        return edited.incompatible(why)
    if freed:
        why = f"{listed(freed)} stored all values, and has another form without retractions"
        return edited.incompatible(why)
    old_ends, new_ends = edited.values
    follows = edited.list.matches and not edited.list.dropped and not edited.list.added
    # A change that only follows from other calls is no edit of its own.
    return None if follows or old_ends == new_ends else edited.full()


def _words(texts: Texts) -> str:
    if not texts["aggregates"]:
        return f"distinct {texts['key']}" if texts["key"] else "whether there are rows"
    return texts["aggregates"] + texts.by


#: Rules shared by groups and windows.
RULES: Mapping[str, VerdictRule] = {"aggregates": _aggregates, "argument types": _argument_types}
declare(OperatorKind("group-aggregate", _words, {**RULES, "takes rows back": _retraction}, stay="stay counted"))

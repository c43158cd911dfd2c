"""Top-n, limit, sort with limit."""

from __future__ import annotations

from collections.abc import Sequence

from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.meaning import Meaning, made_of
from compiled_plan.plans.inspection.lineage.operators import Role
from compiled_plan.plans.inspection.lineage.rows import Port
from compiled_plan.plans.inspection.lineage.rules.calls import order_of, type_at
from compiled_plan.plans.inspection.lineage.rules.join import key_sets
from compiled_plan.plans.nodes.rank import Limit, Rank, SortLimit
from compiled_plan.plans.nodes.ranks import ConstantRange, RankRange, UpdateFast, VariableRange


@rule(Rank, SortLimit, Limit)
def rank(node: Rank, context: Context) -> RuleResult:
    """Kept: the rows that may be among the first."""
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "rank", context, (port,))
    draft.key(port, node.partition.fields)
    order = order_of(node.order_by.fields, port.column)
    draft.add("order", order, [type_at(context.types(node), each.index) for each in node.order_by.fields])
    strategy = node.rank_strategy
    add_ranks(draft, port, node.rank_range)
    draft.say("strategy", strategy.type, role=Role.AROUND)
    keys = [strategy.primary_keys] if isinstance(strategy, UpdateFast) else []
    draft.add("primary key", key_sets(keys, port), role=Role.AROUND)
    draft.stored(port)
    partition = [port.column(at) for at in node.partition.fields]
    number = ranked(node.rank_type, partition, order, port.origin)
    return draft.made((*port.all_columns(), *([number] if node.output_row_number else [])), "top-n")


def add_ranks(draft: OperatorDraft, port: Port, range_: RankRange) -> None:
    """Add the ranks that come out: a column that says the last one, or the first and the last as numbers."""
    if isinstance(range_, VariableRange):
        draft.add("ranks", [port.column(range_.end_index)])
        return
    end = range_.end if isinstance(range_, ConstantRange) else None
    draft.say("ranks", (range_.start, end), f"{range_.start} to {'the last' if end is None else end}")


def ranked(kind: str, partition: Sequence[Meaning], order: Sequence[Meaning], origin: Meaning) -> Meaning:
    """The column of a row's number."""
    by = ", ".join(each.text for each in order)
    return made_of("number", (*partition, *order, origin), [kind, len(partition)], text=f"{kind}() BY {by}")

"""Top-n, limit, sort with limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, Texts, declare, kind_of
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose
from compiled_plan.plans.inspection.lineage.operators import Role
from compiled_plan.plans.inspection.lineage.rows import Port
from compiled_plan.plans.inspection.operators.calls import order_of, type_at
from compiled_plan.plans.inspection.operators.join import key_sets
from compiled_plan.plans.nodes.rank import Limit, Rank, SortLimit
from compiled_plan.plans.nodes.ranks import ConstantRange, RankRange, Retract, UpdateFast, VariableRange

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement


@rule(Rank, SortLimit, Limit)
def rank(node: Rank, context: Context) -> RuleResult:
    """State: the rows that may be among the first."""
    (port,) = context.ports(node)
    draft = OperatorDraft(node, "rank", context, (port,))
    draft.key(port, node.partition.fields)
    order = order_of(node.order_by.fields, port.column)
    draft.add("order", order, [type_at(context.types(node), field.index) for field in node.order_by.fields])
    strategy = node.rank_strategy
    add_ranks(draft, port, node.rank_range)
    draft.add_value("strategy", strategy.type, role=Role.AROUND)
    keys = [strategy.primary_keys] if isinstance(strategy, UpdateFast) else []
    draft.add("primary key", key_sets(keys, port), role=Role.AROUND)
    draft.stored(port)
    partition = [port.column(at) for at in node.partition.fields]
    number = ranked(node.rank_type, partition, order, port.origin)
    return draft.finish((*port.all_columns(), *([number] if node.output_row_number else [])), "top-n")


def add_ranks(draft: OperatorDraft, port: Port, range_: RankRange) -> None:
    """Add the emitted ranks: the column that holds the last one, or the first and the last as numbers."""
    if isinstance(range_, VariableRange):
        draft.add("ranks", [port.column(range_.end_index)])
        return
    end = range_.end if isinstance(range_, ConstantRange) else None
    draft.add_value("ranks", (range_.start, end), f"{range_.start} to {'the last' if end is None else end}")


def ranked(kind: str, partition: Sequence[Meaning], order: Sequence[Meaning], origin: Meaning) -> Meaning:
    by = ", ".join(column.text for column in order)
    return compose("number", (*partition, *order, origin), [kind, len(partition)], text=f"{kind}() BY {by}")


def ranks(edited: Edited) -> Judgement:
    """Judge ranks: rows behind the last rank are forgotten if no rows are retracted."""
    # If the end is a column, ranks start at 1, and their end is unknown here.
    (old_first, old_last), (new_first, new_last) = (ranks or (1, None) for ranks in edited.values)
    until = kind_of(edited.pair.new.kind).waiting
    parts = []
    if new_last is None or old_last is None or new_last > old_last:
        parts.append(f"rows from before{until} that ranked behind the old last rank are not emitted")
    if until:
        parts = parts or ["rows of closed windows were emitted by the old ranks"]
    elif new_last is None or old_last is None or new_last < old_last:
        parts.append("rows from before that rank behind the new last rank were emitted, and stay")
    if new_first != old_first:
        parts.append("rows before the first rank change only with the next row of their key")
    return edited.partial("; ".join(parts))


def _strategy(edited: Edited) -> Judgement:
    """Judge the strategy: all rows are stored if rows may be retracted."""
    old, _ = edited.values
    if old == Retract().type:
        return edited.full()
    why = "rows from before that ranked behind the last rank are unknown: none of them moves up for a retracted one"
    return edited.partial(why)


def _primary_key(edited: Edited) -> Judgement | None:
    """Judge the primary key, by which rows are replaced under some strategies."""
    old, new = (bool(property_ and property_.items) for property_ in (edited.old, edited.new))
    if old and new and (edited.list.added or edited.list.dropped):
        return edited.incompatible("the stored rows replaced each other by another key")
    return None


def first_rows(texts: Texts) -> str:
    """Label of the emitted ranks."""
    numbers = texts.operator.value("ranks")
    is_first = numbers and numbers[0] == 1 and numbers[1] is not None
    rows = f"first {numbers[1]}" if is_first else f"ranks {texts['ranks']}"
    order = f" ordered by {texts['order']}" if texts["order"] else ""
    return f"{rows}{order}{texts.for_each}"


declare(
    OperatorKind(
        "rank",
        first_rows,
        {"ranks": ranks, "strategy": _strategy, "primary key": _primary_key},
        retract_key="primary key",
    )
)

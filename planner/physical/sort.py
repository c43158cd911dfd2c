"""ORDER BY with LIMIT, and sorting by time.

Source: Flink's pages "ORDER BY clause" and "LIMIT clause"; Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.nodes import Sort, SortKey
from compiled_plan.planner.physical.base import (
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    Single,
    lowers,
    make,
    unsupported,
)
from compiled_plan.planner.physical.describe import order_text
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.rank import rank_range, rank_strategy, rising_keys, sort_spec, strategy_text
from compiled_plan.planner.physical.traits import Key, Keys, ModifyKinds, Monotonicity, Traits, UpdateKind, keys_within
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.rank import Limit as LimitNode
from compiled_plan.plans.nodes.rank import SortLimit as SortLimitNode
from compiled_plan.plans.nodes.sort import TemporalSort as TemporalSortNode
from compiled_plan.plans.nodes.specs import PartitionSpec
from compiled_plan.plans.types import TimeKind
from compiled_plan.plans.types.temporal import time_kind


@dataclass(frozen=True, slots=True)
class PhysicalSortLimit(Single):
    """`ORDER BY ... OFFSET ... LIMIT` over all rows; without `order`, the first rows by arrival."""

    order: tuple[SortKey, ...]
    offset: int
    fetch: int | None
    append: bool
    update_keys: tuple[int, ...] | None
    update_before: bool = False

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        return ModifyKinds.INSERT if not self.order and inputs[0].modify_kinds.insert_only else ModifyKinds.ALL

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return keys_within(inputs[0].upsert_keys, Key(key.index for key in self.order))

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        return (Monotonicity.UNKNOWN,) * len(self.row_type.fields)

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        return (UpdateKind.BOTH if self.update_keys is None else UpdateKind.AFTER,)

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        return replace(
            self, update_before=wanted is UpdateKind.BOTH or (bool(self.order) and wanted is UpdateKind.NONE)
        )

    def plan_node(self, at: NodeContext) -> PlanNode:
        kind = SortLimitNode if self.order else LimitNode
        end = None if self.fetch is None else self.offset + self.fetch
        return make(kind)(
            **self.header(at),
            configuration=at.settings.subset("table.exec.rank.topn-cache-size"),
            rank_type="ROW_NUMBER",
            partition=make(PartitionSpec)(fields=()),
            order_by=sort_spec(self.order),
            rank_range=rank_range(self.offset + 1, end),
            rank_strategy=rank_strategy(self.append, self.update_keys),
            output_row_number=False,
            generate_update_before=self.update_before,
            state=(at.entry("rankState"),),
        )

    def title(self) -> str:
        fetch = "unlimited" if self.fetch is None else self.fetch
        if not self.order:
            return f"Limit(offset=[{self.offset}], fetch=[{fetch}])"
        order = order_text(self.order, self.row_type.names)
        strategy = strategy_text(self.append, self.update_keys)
        return f"SortLimit(orderBy=[{order}], offset=[{self.offset}], fetch=[{fetch}], strategy=[{strategy}])"


@dataclass(frozen=True, slots=True)
class PhysicalTemporalSort(Single):
    """Sorts an insert-only stream by its time attribute, as the watermark advances."""

    order: tuple[SortKey, ...]

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(TemporalSortNode)(
            **self.header(at),
            order_by=sort_spec(self.order),
        )

    def title(self) -> str:
        return f"TemporalSort(orderBy=[{order_text(self.order, self.row_type.names)}])"


@lowers(Sort)
def _lower_sort(rel: Sort, at: OperatorPlanner) -> PhysicalOperator:
    source = PhysicalExchange(at.lower(rel.input), ())
    traits = at.traits(source)
    if rel.fetch is None and rel.offset:
        raise unsupported("OFFSET without LIMIT", remedy="add LIMIT n")
    if rel.fetch is not None:
        append = traits.modify_kinds.insert_only
        update_keys = None if append else rising_keys((), rel.keys, traits)
        return PhysicalSortLimit(source, rel.keys, rel.offset, rel.fetch, append, update_keys)
    first = rel.keys[0] if rel.keys else None
    if first is None:
        return at.lower(rel.input)
    if first.ascending and time_kind(source.row_type.types[first.index]) is not TimeKind.REGULAR:
        if not traits.modify_kinds.insert_only:
            raise unsupported("ORDER BY a time attribute over a query whose rows change")
        return PhysicalTemporalSort(source, rel.keys)
    raise unsupported(
        f"ORDER BY {source.row_type.names[first.index]} without LIMIT",
        remedy="add LIMIT n, or order by a time attribute, ascending",
    )

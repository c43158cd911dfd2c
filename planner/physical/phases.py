"""Phases of mini-batch aggregation: local, incremental, global.

Source: Flink's "Performance Tuning" page; Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.nodes import AggregateCall
from compiled_plan.planner.physical.accumulators import Accumulators, tuple_text
from compiled_plan.planner.physical.aggregate import call_text, group_text, plan_call
from compiled_plan.planner.physical.base import NewColumns, NewRows, NodeContext, PhysicalOperator, make
from compiled_plan.planner.physical.describe import names_text, plain_name
from compiled_plan.planner.physical.traits import Key, Keys, ModifyKinds, Monotonicity, Traits, UpdateKind
from compiled_plan.plans.nodes.aggregate import GlobalGroupAggregate, LocalGroupAggregate
from compiled_plan.plans.nodes.aggregate import IncrementalGroupAggregate as IncrementalNode
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.types import Field, RowType


@dataclass(frozen=True, slots=True)
class PhysicalLocalGroupAggregate(NewRows):
    """The first phase: one row of accumulators per group of a mini-batch."""

    GIVES = ModifyKinds.INSERT
    NEEDS = UpdateKind.BOTH
    BY_WHOLE_ROW = True

    grouping: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    retractions: tuple[bool, ...]
    retracts: bool
    parts: Accumulators

    @property
    def row_type(self) -> RowType:
        fields = self.input.row_type.fields
        return RowType(fields=(*(fields[index] for index in self.grouping), *self.parts.fields))

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(LocalGroupAggregate)(
            **self.header(at),
            configuration=at.settings.mini_batch,
            grouping=self.grouping,
            agg_calls=tuple(map(plan_call, self.calls)),
            agg_call_need_retractions=self.retractions,
            need_retraction=self.retracts,
        )

    def title(self) -> str:
        names = self.input.row_type.names
        parts = [names[index] for index in self.grouping]
        for call, retract, columns in zip(self.calls, self.retractions, self.parts.calls, strict=False):
            parts.append(f"{call_text(call, names, retract)} AS {tuple_text(columns)}")
        group = group_text(self.grouping, names)
        return f"LocalGroupAggregate({group}select=[{', '.join(parts)}])"


@dataclass(frozen=True, slots=True)
class PhysicalGlobalGroupAggregate(NewColumns):
    """The second phase: merges accumulators and sends the changes of the results."""

    count: int
    calls: tuple[AggregateCall, ...]
    retractions: tuple[bool, ...]
    input_type: RowType
    traits: Traits
    parts: Accumulators
    ttl: int | None
    retracts: bool
    split: bool
    update_before: bool = False

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        return self.traits.modify_kinds

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return frozenset({Key(range(self.count))})

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        return self.traits.monotonicity

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        return replace(self, update_before=wanted is UpdateKind.BOTH)

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(GlobalGroupAggregate)(
            **self.header(at),
            configuration=at.settings.mini_batch,
            grouping=tuple(range(self.count)),
            agg_calls=tuple(map(plan_call, self.calls)),
            agg_call_need_retractions=self.retractions,
            local_agg_input_row_type=self.input_type,
            generate_update_before=self.update_before,
            need_retraction=self.retracts,
            state=(at.entry("globalGroupAggregateState", self.ttl),),
        )

    def title(self) -> str:
        own = self.columns.names
        parts = list(own[: self.count])
        for call, retract, columns, name in zip(
            self.calls, self.retractions, self.parts.calls, own[self.count :], strict=False
        ):
            parts.append(f"{plain_name(call.name)}{'_RETRACT' if retract else ''}({tuple_text(columns)}) AS {name}")
        group = group_text(range(self.count), own)
        return f"GlobalGroupAggregate({group}select=[{', '.join(parts)}])"


@dataclass(frozen=True, slots=True)
class PhysicalIncrementalGroupAggregate(NewRows):
    """The middle phase of a split DISTINCT aggregate: merges `local`, and sends each group's increment."""

    GIVES = ModifyKinds.INSERT

    grouping: tuple[int, ...]
    local: PhysicalLocalGroupAggregate
    input_type: RowType
    ttl: int | None

    @property
    def parts(self) -> tuple[Field, ...]:
        """The accumulators to send on, without those of distinct values."""
        names = {name for columns in self.local.parts.calls for name in columns}
        return tuple(item for item in self.local.parts.fields if item.name in names)

    @property
    def row_type(self) -> RowType:
        fields = self.input.row_type.fields
        return RowType(fields=(*(fields[index] for index in self.grouping), *self.parts))

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(IncrementalNode)(
            **self.header(at),
            configuration=at.settings.mini_batch,
            partial_agg_grouping=tuple(range(len(self.local.grouping))),
            final_agg_grouping=self.grouping,
            partial_original_agg_calls=tuple(map(plan_call, self.local.calls)),
            partial_agg_call_need_retractions=self.local.retractions,
            partial_local_agg_input_row_type=self.input_type,
            partial_agg_need_retraction=self.local.retracts,
            state=(at.entry("incrementalGroupAggregateState", self.ttl),),
        )

    def title(self) -> str:
        names = self.input.row_type.names
        partial = ", ".join(names[: len(self.local.grouping)])
        return (
            f"IncrementalGroupAggregate(partialAggGrouping=[{partial}], "
            f"finalAggGrouping=[{names_text(self.grouping, names)}], select=[{', '.join(self.row_type.names)}])"
        )

"""Window top-n, emitted at the end of each window.

Source: Flink's page "Window Top-N"; Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from compiled_plan.planner.algebra.traverse import bare
from compiled_plan.planner.algebra.windows import WindowRank
from compiled_plan.planner.physical.base import (
    NewRows,
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    lowers,
    make,
    unsupported,
)
from compiled_plan.planner.physical.describe import names_text, order_text
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.rank import range_text, rank_range, sort_spec
from compiled_plan.planner.physical.requirements import refuse_changes
from compiled_plan.planner.physical.traits import Key, Keys, MiniBatchMode, ModifyKinds, Traits
from compiled_plan.planner.physical.windowing import batches_of, plan_windowing, time_zone, windowing_text
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.ranks import RankType
from compiled_plan.plans.nodes.specs import PartitionSpec
from compiled_plan.plans.nodes.window import WindowRank as WindowRankNode
from compiled_plan.plans.types import RowType


@dataclass(frozen=True, slots=True)
class PhysicalWindowRank(NewRows):
    """Per window and partition, the rows ranked `start` to `end`."""

    GIVES = ModifyKinds.INSERT

    spec: WindowRank

    @property
    def row_type(self) -> RowType:
        return self.spec.columns

    @property
    def numbered(self) -> bool:
        """Return True if the rank is the last column."""
        return len(self.spec.columns.fields) > len(self.input.row_type.fields)

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        keys = set(inputs[0].upsert_keys)
        if self.numbered:
            rank = len(self.spec.columns.fields) - 1
            sides = (self.spec.windowing.start, self.spec.windowing.end)
            keys |= {Key((*self.spec.partition, side, rank)) for side in sides}
        return frozenset(keys)

    @property
    def batches(self) -> MiniBatchMode | None:
        return batches_of(self.spec.windowing)

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(WindowRankNode)(
            **self.header(at),
            configuration=time_zone(at.settings),
            rank_type=cast("RankType", self.spec.function),
            partition_spec=make(PartitionSpec)(fields=self.spec.partition),
            sort_spec=sort_spec(self.spec.order),
            rank_range=rank_range(self.spec.start, self.spec.end),
            output_row_number=self.numbered,
            windowing=plan_windowing(self.spec.windowing),
        )

    def title(self) -> str:
        names, spec = self.input.row_type.names, self.spec
        return (
            f"WindowRank(window=[{windowing_text(spec.windowing, names)}], rankType=[{spec.function}], "
            f"rankRange=[{range_text(spec.start, spec.end)}], partitionBy=[{names_text(spec.partition, names)}], "
            f"orderBy=[{order_text(spec.order, names)}], select=[{', '.join(spec.columns.names)}])"
        )


@lowers(WindowRank)
def _lower_window_rank(rel: WindowRank, at: OperatorPlanner) -> PhysicalOperator:
    if rel.function != "ROW_NUMBER":
        raise unsupported(f"{rel.function}() as a window top-n", remedy="use ROW_NUMBER()")
    source = at.lower(rel.input)
    refuse_changes("a window top-n", source, at)
    rel = replace(rel, partition=tuple(sorted(rel.partition)))
    return PhysicalWindowRank(PhysicalExchange(source, rel.partition), bare(rel))

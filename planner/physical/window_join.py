"""Joins and top-n window by window: over rows that carry their window, as it ends.

Source: Flink's pages "Window JOIN", "Window Top-N" and "Window Deduplication"; Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import SortKey
from compiled_plan.planner.algebra.rows import join_row_type
from compiled_plan.planner.algebra.windows import Attached, WindowDeduplicate, WindowJoin, WindowRank
from compiled_plan.planner.physical.base import (
    NewColumns,
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    Single,
    lowers,
    make,
    unsupported,
)
from compiled_plan.planner.physical.describe import names_text, order_text, rex_text
from compiled_plan.planner.physical.joining import JOIN_TITLES, TwoSided, equi_keys
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.rank import sort_spec
from compiled_plan.planner.physical.traits import NO_KEYS, Key, Keys, MiniBatchMode, ModifyKinds, Traits
from compiled_plan.planner.physical.windowing import (
    batches_of,
    plan_windowing,
    refuse_changes,
    time_zone,
    windowing_text,
)
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.ranks import ConstantRange, ConstantRangeWithoutEnd, RankType
from compiled_plan.plans.nodes.specs import PartitionSpec
from compiled_plan.plans.nodes.window import WindowDeduplicate as WindowDeduplicateNode
from compiled_plan.plans.nodes.window import WindowJoin as WindowJoinNode
from compiled_plan.plans.nodes.window import WindowRank as WindowRankNode
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import TimeKind, TimestampBase


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalWindowJoin(TwoSided):
    """Joins the rows of one window; `condition` is what must hold besides."""

    GIVES = ModifyKinds.INSERT

    condition: RexNode
    left_windowing: Attached
    right_windowing: Attached

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return inputs[0].upsert_keys if self.kind in (JoinKind.SEMI, JoinKind.ANTI) else NO_KEYS

    @property
    def batches(self) -> MiniBatchMode | None:
        return batches_of(self.left_windowing)

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(WindowJoinNode)(
            **self.header(at),
            configuration=time_zone(at.settings),
            join_spec=self.spec,
            left_windowing=plan_windowing(self.left_windowing),
            right_windowing=plan_windowing(self.right_windowing),
        )

    def title(self) -> str:
        left, right = self.left.row_type, self.right.row_type
        names = join_row_type(left, right, JoinKind.INNER).names
        return (
            f"WindowJoin(leftWindow=[{windowing_text(self.left_windowing, left.names)}], "
            f"rightWindow=[{windowing_text(self.right_windowing, right.names)}], "
            f"joinType=[{JOIN_TITLES[self.kind]}], where=[{rex_text(self.condition, names)}], "
            f"select=[{', '.join(self.columns.names)}])"
        )


@lowers(WindowJoin)
def _lower_window_join(rel: WindowJoin, at: OperatorPlanner) -> PhysicalOperator:
    left, right = at.lower(rel.left), at.lower(rel.right)
    for source in (left, right):
        refuse_changes("a window join", source, at.traits(source))
    keys = equi_keys(rel.condition, len(rel.left.row_type.fields))
    return PhysicalWindowJoin(
        left=PhysicalExchange(left, keys.left),
        right=PhysicalExchange(right, keys.right),
        kind=rel.kind,
        condition=rel.condition,
        keys=keys,
        columns=rel.row_type,
        left_windowing=rel.left_windowing,
        right_windowing=rel.right_windowing,
    )


@dataclass(frozen=True, slots=True)
class PhysicalWindowRank(NewColumns):
    """Per window and partition, the rows ranked `start` to `end`."""

    GIVES = ModifyKinds.INSERT

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    start: int
    end: int | None
    windowing: Attached
    function: str

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        found = set(inputs[0].upsert_keys)
        if len(self.columns.fields) > len(self.input.row_type.fields):
            rank = len(self.columns.fields) - 1
            found |= {Key((*self.partition, side, rank)) for side in (self.windowing.start, self.windowing.end)}
        return frozenset(found)

    @property
    def batches(self) -> MiniBatchMode | None:
        return batches_of(self.windowing)

    def plan_node(self, at: NodeContext) -> PlanNode:
        span: ConstantRange | ConstantRangeWithoutEnd = (
            make(ConstantRangeWithoutEnd)(start=self.start)
            if self.end is None
            else make(ConstantRange)(start=self.start, end=self.end)
        )
        return make(WindowRankNode)(
            **self.header(at),
            configuration=time_zone(at.settings),
            rank_type=cast("RankType", self.function),
            partition_spec=make(PartitionSpec)(fields=self.partition),
            sort_spec=sort_spec(self.order),
            rank_range=span,
            output_row_number=len(self.columns.fields) > len(self.input.row_type.fields),
            windowing=plan_windowing(self.windowing),
        )

    def title(self) -> str:
        names = self.input.row_type.names
        span = f"rankStart={self.start}" + (f", rankEnd={self.end}" if self.end is not None else "")
        return (
            f"WindowRank(window=[{windowing_text(self.windowing, names)}], rankType=[{self.function}], "
            f"rankRange=[{span}], partitionBy=[{names_text(self.partition, names)}], "
            f"orderBy=[{order_text(self.order, names)}], select=[{', '.join(self.columns.names)}])"
        )


@lowers(WindowRank)
def _lower_window_rank(rel: WindowRank, at: OperatorPlanner) -> PhysicalOperator:
    if rel.function != "ROW_NUMBER":
        raise unsupported(f"{rel.function}() as a window top-n", remedy="use ROW_NUMBER()")
    source = at.lower(rel.input)
    refuse_changes("a window top-n", source, at.traits(source))
    partition = tuple(sorted(rel.partition))
    spread = PhysicalExchange(source, partition)
    return PhysicalWindowRank(
        spread, partition, rel.order, rel.start, rel.end, rel.windowing, rel.function, columns=rel.columns
    )


@dataclass(frozen=True, slots=True)
class PhysicalWindowDeduplicate(Single):
    """Per window and key, the first or last row by a time attribute."""

    GIVES = ModifyKinds.INSERT

    keys: tuple[int, ...]
    order: int
    keep_last: bool
    windowing: Attached

    @property
    def batches(self) -> MiniBatchMode | None:
        return batches_of(self.windowing)

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(WindowDeduplicateNode)(
            **self.header(at),
            configuration=time_zone(at.settings),
            partition_keys=self.keys,
            order_key=self.order,
            keep_last_row=self.keep_last,
            windowing=plan_windowing(self.windowing),
        )

    def title(self) -> str:
        row = self.row_type
        type_ = row.types[self.order]
        time = type_.kind if isinstance(type_, TimestampBase) else TimeKind.PROCTIME
        keys = names_text(self.keys, row.names)
        return (
            f"WindowDeduplicate(window=[{windowing_text(self.windowing, row.names)}], "
            f"keep=[{'LastRow' if self.keep_last else 'FirstRow'}], partitionKeys=[{keys}], "
            f"orderKey=[{row.names[self.order]}], order=[{time.value}])"
        )


@lowers(WindowDeduplicate)
def _lower_window_deduplicate(rel: WindowDeduplicate, at: OperatorPlanner) -> PhysicalOperator:
    source = at.lower(rel.input)
    refuse_changes("a window deduplication", source, at.traits(source))
    keys = tuple(sorted(rel.keys))
    spread = PhysicalExchange(source, keys)
    return PhysicalWindowDeduplicate(spread, keys, rel.order, rel.keep_last, rel.windowing)

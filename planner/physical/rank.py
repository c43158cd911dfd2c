"""Deduplication and top-n."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from compiled_plan.planner.algebra.nodes import Rank, SortKey
from compiled_plan.planner.algebra.traverse import bare
from compiled_plan.planner.physical.base import (
    NewRows,
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    Single,
    lowers,
    make,
    unsupported,
)
from compiled_plan.planner.physical.describe import names_text, order_text
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.traits import (
    Key,
    Keys,
    ModifyKinds,
    Monotonicity,
    Traits,
    UpdateKind,
    keys_within,
    smallest,
)
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.deduplicate import Deduplicate as DeduplicateNode
from compiled_plan.plans.nodes.rank import Rank as RankNode
from compiled_plan.plans.nodes.ranks import (
    AppendFast,
    ConstantRange,
    ConstantRangeWithoutEnd,
    RankType,
    Retract,
    UpdateFast,
    VariableRange,
)
from compiled_plan.plans.nodes.specs import PartitionSpec, SortField, SortSpec
from compiled_plan.plans.types import RowType, TimeKind
from compiled_plan.plans.types.temporal import time_kind

_DEDUPLICATE_OPTIONS = (
    "table.exec.deduplicate.insert-update-after-sensitive-enabled",
    "table.exec.deduplicate.mini-batch.compact-changes-enabled",
    "table.exec.mini-batch.enabled",
    "table.exec.mini-batch.size",
)


@dataclass(frozen=True, slots=True)
class PhysicalDeduplicate(Single):
    """The first or last row of each key, by arrival or by rowtime."""

    keys: tuple[int, ...]
    rowtime: bool
    keep_last: bool
    mini_batch: bool
    update_before: bool = False

    @property
    def insert_only(self) -> bool:
        """Return True if the row is sent once and never updated; by rowtime, after the watermark has passed it.

        Flink has no such operator by rowtime for mini-batches, and plans updates by processing time, too.
        """
        return not self.keep_last and not self.mini_batch

    @property
    def needs_watermark(self) -> bool:
        return self.rowtime

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        return ModifyKinds.INSERT if self.insert_only else ModifyKinds.ALL

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return frozenset({Key(self.keys)})

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        return (Monotonicity.UNKNOWN,) * len(self.row_type.fields)

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        return replace(self, update_before=wanted is UpdateKind.BOTH)

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(DeduplicateNode)(
            **self.header(at),
            configuration=at.settings.subset(*_DEDUPLICATE_OPTIONS),
            unique_keys=self.keys,
            is_rowtime=self.rowtime,
            keep_last_row=self.keep_last,
            output_insert_only=self.insert_only,
            generate_update_before=self.update_before,
            state=(at.entry("deduplicateState"),),
        )

    def title(self) -> str:
        keep = "LastRow" if self.keep_last else "FirstRow"
        order = "ROWTIME" if self.rowtime else "PROCTIME"
        only = str(self.insert_only).lower()
        keys = names_text(self.keys, self.row_type.names)
        return f"Deduplicate(keep=[{keep}], key=[{keys}], order=[{order}], outputInsertOnly=[{only}])"


@dataclass(frozen=True, slots=True)
class PhysicalRank(NewRows):
    """Per partition, the rows ranked `start` to `end` (from 1; None: no limit, or that of a column).

    `update_keys` identify updated rows if a rank can only rise; None: changes are matched by the whole row.
    """

    GIVES = ModifyKinds.ALL

    spec: Rank
    append: bool
    update_keys: tuple[int, ...] | None
    update_before: bool = False

    @property
    def row_type(self) -> RowType:
        return self.spec.columns

    @property
    def numbered(self) -> bool:
        """Return True if the rank is the last column."""
        return self.spec.rank_column is not None

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        keys = set(keys_within(inputs[0].upsert_keys, Key(self.spec.partition)))
        if self.numbered:
            keys.add(Key((*self.spec.partition, len(self.spec.columns.fields) - 1)))
        if self.spec.start == 1 and self.spec.end == 1:
            keys.add(Key(self.spec.partition))
        return frozenset(keys)

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        return (UpdateKind.BOTH if self.update_keys is None else UpdateKind.AFTER,)

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        return replace(self, update_before=wanted is UpdateKind.BOTH)

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        width = len(self.input.row_type.fields)
        if self.update_keys is None:
            return [range(width)]
        ranked = {*self.spec.partition, *(key.index for key in self.spec.order)}
        return [{column for column in columns if column < width} - ranked]

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(RankNode)(
            **self.header(at),
            configuration=at.settings.subset("table.exec.rank.topn-cache-size"),
            rank_type=cast("RankType", self.spec.function),
            partition=make(PartitionSpec)(fields=self.spec.partition),
            order_by=sort_spec(self.spec.order),
            rank_range=rank_range(self.spec.start, self.spec.end, self.spec.end_column),
            rank_strategy=rank_strategy(self.append, self.update_keys),
            output_row_number=self.numbered,
            generate_update_before=self.update_before,
            state=(at.entry("rankState"),),
        )

    def title(self) -> str:
        names = self.input.row_type.names
        column = self.spec.end_column
        span = range_text(self.spec.start, self.spec.end) if column is None else f"rankEnd={names[column]}"
        partition = f", partitionBy=[{names_text(self.spec.partition, names)}]" if self.spec.partition else ""
        return (
            f"Rank(strategy=[{strategy_text(self.append, self.update_keys)}], rankType=[{self.spec.function}], "
            f"rankRange=[{span}]{partition}, orderBy=[{order_text(self.spec.order, names)}], "
            f"select=[{', '.join(self.spec.columns.names)}])"
        )


def sort_spec(order: Sequence[SortKey]) -> SortSpec:
    """An order in the form of plans."""
    return make(SortSpec)(
        fields=tuple(
            make(SortField)(index=key.index, is_ascending=key.ascending, null_is_last=key.nulls_last) for key in order
        )
    )


def range_text(start: int, end: int | None) -> str:
    """The range of ranks as text."""
    return f"rankStart={start}" if end is None else f"rankStart={start}, rankEnd={end}"


def rank_range(
    start: int, end: int | None, column: int | None = None
) -> ConstantRange | ConstantRangeWithoutEnd | VariableRange:
    """The range of ranks in the form of plans; `column` holds a limit that is not constant."""
    if column is not None:
        return make(VariableRange)(end_index=column)
    return make(ConstantRangeWithoutEnd)(start=start) if end is None else make(ConstantRange)(start=start, end=end)


def rank_strategy(append: bool, update_keys: tuple[int, ...] | None) -> AppendFast | UpdateFast | Retract:
    """The strategy: append-only, update by key, or retract by row."""
    if append:
        return make(AppendFast)()
    return make(Retract)() if update_keys is None else make(UpdateFast)(primary_keys=update_keys)


def strategy_text(append: bool, update_keys: tuple[int, ...] | None) -> str:
    """The strategy in the form of descriptions."""
    if append:
        return "AppendFastStrategy"
    if update_keys is None:
        return "RetractStrategy"
    return f"UpdateFastStrategy[{','.join(map(str, update_keys))}]"


@lowers(Rank)
def _lower_rank(rel: Rank, at: OperatorPlanner) -> PhysicalOperator:
    if rel.function != "ROW_NUMBER":
        raise unsupported(f"{rel.function}() as a top-n", remedy="use ROW_NUMBER()")
    # Flink sorts the partition columns, whatever their order in PARTITION BY.
    rel = replace(rel, partition=tuple(sorted(rel.partition)))
    source = PhysicalExchange(at.lower(rel.input), rel.partition)
    traits = at.traits(source)
    append = traits.modify_kinds.insert_only
    time = _time_order(rel, source.row_type)
    if append and time is not TimeKind.REGULAR and rel.rank_column is None and (rel.start, rel.end) == (1, 1):
        rowtime, keep_last = time is TimeKind.ROWTIME, not rel.order[0].ascending
        return PhysicalDeduplicate(source, rel.partition, rowtime, keep_last, at.mini_batches)
    update_keys = None if append else rising_keys(rel.partition, rel.order, traits)
    return PhysicalRank(source, bare(rel), append, update_keys)


def _time_order(rel: Rank, row: RowType) -> TimeKind:
    """The time attribute that the rows are ranked by; REGULAR for another order."""
    if len(rel.order) != 1 or rel.end_column is not None:
        return TimeKind.REGULAR
    return time_kind(row.types[rel.order[0].index])


def rising_keys(partition: Sequence[int], order: Sequence[SortKey], traits: Traits) -> tuple[int, ...] | None:
    """The keys of updates by which a row can only rise in the order; None if it may fall or be deleted."""
    wanted = {True: Monotonicity.DECREASING, False: Monotonicity.INCREASING}
    if ModifyKinds.DELETE in traits.modify_kinds or not traits.local_keys or not order:
        return None
    for key in order:
        if traits.monotonicity[key.index] not in (wanted[key.ascending], Monotonicity.CONSTANT):
            return None
    smallest_key = smallest(keys_within(traits.local_keys, Key(partition)))
    return None if smallest_key is None else tuple(sorted(smallest_key))

"""Operators that keep the first rows by an order: deduplicate, top-n, sort with limit, limit, temporal sort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from planner.algebra.nodes import Deduplicate, Rank, Sort, SortKey
from planner.physical.base import (
    Emission,
    Facts,
    Key,
    Keys,
    Kinds,
    Lowering,
    Operator,
    Single,
    Trend,
    Updates,
    any_distribution,
    keys_within,
    lowers,
    make,
    smallest,
    unsupported,
)
from planner.physical.describe import names_text, order_text
from planner.physical.plumbing import Exchange
from plans.nodes.base import PlanNode, StateEntry
from plans.nodes.deduplicate import Deduplicate as DeduplicateNode
from plans.nodes.rank import Limit as LimitNode
from plans.nodes.rank import Rank as RankNode
from plans.nodes.rank import SortLimit as SortLimitNode
from plans.nodes.ranks import (
    AppendFast,
    ConstantRange,
    ConstantRangeWithoutEnd,
    RankType,
    Retract,
    UpdateFast,
    VariableRange,
)
from plans.nodes.sort import TemporalSort as TemporalSortNode
from plans.nodes.specs import PartitionSpec, SortField, SortSpec
from plans.types import LogicalType, RowType, TimeKind, TimestampBase

_DEDUPLICATE_OPTIONS = (
    "table.exec.deduplicate.insert-update-after-sensitive-enabled",
    "table.exec.deduplicate.mini-batch.compact-changes-enabled",
    "table.exec.mini-batch.enabled",
    "table.exec.mini-batch.size",
)
_NO_END = 2**63 - 1


@dataclass(frozen=True, slots=True)
class KeepOne(Single):
    """The first or last row of each key, by arrival or by rowtime."""

    keys: tuple[int, ...]
    rowtime: bool
    keep_last: bool
    update_before: bool = False

    @property
    def insert_only(self) -> bool:
        """Whether the row is sent once and never changed; by rowtime, once the watermark has passed it."""
        return not self.keep_last

    @property
    def needs_watermark(self) -> bool:
        return self.rowtime

    def kinds(self, inputs: tuple[Facts, ...]) -> Kinds:
        return Kinds.INSERT if self.insert_only else Kinds.ALL

    def upsert_keys(self, inputs: tuple[Facts, ...]) -> Keys:
        return frozenset({Key(self.keys)})

    def trends(self, inputs: tuple[Facts, ...]) -> tuple[Trend, ...]:
        return (Trend.UNKNOWN,) * len(self.row_type.fields)

    def sending(self, wanted: Updates) -> Operator:
        return replace(self, update_before=wanted is Updates.BOTH)

    def plan_node(self, at: Emission) -> PlanNode:
        return make(DeduplicateNode)(
            id=at.id,
            configuration=at.settings.subset(*_DEDUPLICATE_OPTIONS),
            unique_keys=self.keys,
            is_rowtime=self.rowtime,
            keep_last_row=self.keep_last,
            output_insert_only=self.insert_only,
            generate_update_before=self.update_before,
            state=(make(StateEntry)(index=0, ttl=at.settings.ttl, name="deduplicateState"),),
            input_properties=any_distribution(),
            output_type=self.row_type,
            description=self.title(),
        )

    def title(self) -> str:
        keep = "LastRow" if self.keep_last else "FirstRow"
        order = "ROWTIME" if self.rowtime else "PROCTIME"
        only = str(self.insert_only).lower()
        keys = names_text(self.keys, self.row_type.names)
        return f"Deduplicate(keep=[{keep}], key=[{keys}], order=[{order}], outputInsertOnly=[{only}])"


@dataclass(frozen=True, slots=True)
class TopN(Single):
    """Per partition, the rows ranked `start` to `end` (from 1, None: no end, or what a column says).

    `update_keys` are the keys of the updates where a rank can only rise; None: each change is found by its row.
    """

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    start: int
    end: int | None
    end_column: int | None
    number: bool
    columns: RowType
    append: bool
    update_keys: tuple[int, ...] | None
    function: str = "ROW_NUMBER"
    update_before: bool = False

    @property
    def row_type(self) -> RowType:
        return self.columns

    def kinds(self, inputs: tuple[Facts, ...]) -> Kinds:
        return Kinds.ALL

    def upsert_keys(self, inputs: tuple[Facts, ...]) -> Keys:
        found = set(keys_within(inputs[0].upsert_keys, Key(self.partition)))
        if self.number:
            found.add(Key((*self.partition, len(self.columns.fields) - 1)))
        if self.start == 1 and self.end == 1:
            found.add(Key(self.partition))
        return frozenset(found)

    def trends(self, inputs: tuple[Facts, ...]) -> tuple[Trend, ...]:
        return (Trend.UNKNOWN,) * len(self.columns.fields)

    def update_needs(self, wanted: Updates, inputs: tuple[Facts, ...]) -> tuple[Updates, ...] | None:
        return (Updates.BOTH if self.update_keys is None else Updates.AFTER,)

    def sending(self, wanted: Updates) -> Operator:
        return replace(self, update_before=wanted is Updates.BOTH)

    def plan_node(self, at: Emission) -> PlanNode:
        return make(RankNode)(
            id=at.id,
            configuration=at.settings.subset("table.exec.rank.topn-cache-size"),
            rank_type=cast("RankType", self.function),
            partition=make(PartitionSpec)(fields=self.partition),
            order_by=sort_spec(self.order),
            rank_range=_range(self.start, self.end, self.end_column),
            rank_strategy=_strategy(self.append, self.update_keys),
            output_row_number=self.number,
            generate_update_before=self.update_before,
            state=_state(at),
            input_properties=any_distribution(),
            output_type=self.row_type,
            description=self.title(),
        )

    def title(self) -> str:
        names = self.input.row_type.names
        if self.end_column is not None:
            span = f"rankEnd={names[self.end_column]}"
        else:
            span = f"rankStart={self.start}" + (f", rankEnd={self.end}" if self.end is not None else "")
        partition = f", partitionBy=[{names_text(self.partition, names)}]" if self.partition else ""
        return (
            f"Rank(strategy=[{_strategy_text(self.append, self.update_keys)}], rankType=[{self.function}], "
            f"rankRange=[{span}]{partition}, orderBy=[{order_text(self.order, names)}], "
            f"select=[{', '.join(self.columns.names)}])"
        )


@dataclass(frozen=True, slots=True)
class FirstRows(Single):
    """`ORDER BY ... OFFSET ... LIMIT` over all rows; without `order`, any rows, by arrival."""

    order: tuple[SortKey, ...]
    offset: int
    fetch: int | None
    append: bool
    update_keys: tuple[int, ...] | None
    update_before: bool = False

    def kinds(self, inputs: tuple[Facts, ...]) -> Kinds:
        return Kinds.INSERT if not self.order and inputs[0].kinds.insert_only else Kinds.ALL

    def upsert_keys(self, inputs: tuple[Facts, ...]) -> Keys:
        return keys_within(inputs[0].upsert_keys, Key(key.index for key in self.order))

    def trends(self, inputs: tuple[Facts, ...]) -> tuple[Trend, ...]:
        return (Trend.UNKNOWN,) * len(self.row_type.fields)

    def update_needs(self, wanted: Updates, inputs: tuple[Facts, ...]) -> tuple[Updates, ...] | None:
        return (Updates.BOTH if self.update_keys is None else Updates.AFTER,)

    def sending(self, wanted: Updates) -> Operator:
        return replace(self, update_before=wanted is Updates.BOTH or (bool(self.order) and wanted is Updates.NONE))

    def plan_node(self, at: Emission) -> PlanNode:
        kind = SortLimitNode if self.order else LimitNode
        end = None if self.fetch is None else self.offset + self.fetch
        return make(kind)(
            id=at.id,
            configuration=at.settings.subset("table.exec.rank.topn-cache-size"),
            rank_type="ROW_NUMBER",
            partition=make(PartitionSpec)(fields=()),
            order_by=sort_spec(self.order),
            rank_range=_range(self.offset + 1, end, None),
            rank_strategy=_strategy(self.append, self.update_keys),
            output_row_number=False,
            generate_update_before=self.update_before,
            state=_state(at),
            input_properties=any_distribution(),
            output_type=self.row_type,
            description=self.title(),
        )

    def title(self) -> str:
        fetch = "unlimited" if self.fetch is None else self.fetch
        if not self.order:
            return f"Limit(offset=[{self.offset}], fetch=[{fetch}])"
        order = order_text(self.order, self.row_type.names)
        strategy = _strategy_text(self.append, self.update_keys)
        return f"SortLimit(orderBy=[{order}], offset=[{self.offset}], fetch=[{fetch}], strategy=[{strategy}])"


@dataclass(frozen=True, slots=True)
class TimeSort(Single):
    """Sorts an insert-only stream by its time attribute, as time moves on."""

    order: tuple[SortKey, ...]

    def plan_node(self, at: Emission) -> PlanNode:
        return make(TemporalSortNode)(
            id=at.id,
            order_by=sort_spec(self.order),
            input_properties=any_distribution(),
            output_type=self.row_type,
            description=self.title(),
        )

    def title(self) -> str:
        return f"TemporalSort(orderBy=[{order_text(self.order, self.row_type.names)}])"


def sort_spec(order: Sequence[SortKey]) -> SortSpec:
    """An order as plans have it."""
    return make(SortSpec)(
        fields=tuple(
            make(SortField)(index=key.index, is_ascending=key.ascending, null_is_last=key.nulls_last) for key in order
        )
    )


def _range(start: int, end: int | None, column: int | None) -> ConstantRange | ConstantRangeWithoutEnd | VariableRange:
    if column is not None:
        return make(VariableRange)(end_index=column)
    return make(ConstantRangeWithoutEnd)(start=start) if end is None else make(ConstantRange)(start=start, end=end)


def _strategy(append: bool, update_keys: tuple[int, ...] | None) -> AppendFast | UpdateFast | Retract:
    if append:
        return make(AppendFast)()
    return make(Retract)() if update_keys is None else make(UpdateFast)(primary_keys=update_keys)


def _strategy_text(append: bool, update_keys: tuple[int, ...] | None) -> str:
    if append:
        return "AppendFastStrategy"
    if update_keys is None:
        return "RetractStrategy"
    return f"UpdateFastStrategy[{','.join(map(str, update_keys))}]"


def _state(at: Emission) -> tuple[StateEntry, ...]:
    return (make(StateEntry)(index=0, ttl=at.settings.ttl, name="rankState"),)


@lowers(Deduplicate)
def _lower_deduplicate(rel: Deduplicate, at: Lowering) -> Operator:
    rel = replace(rel, keys=tuple(sorted(rel.keys)))
    source = Exchange(at.lower(rel.input), rel.keys if rel.keys else None)
    if at.facts(source).kinds.insert_only:
        return KeepOne(source, rel.keys, rel.rowtime, rel.keep_last)
    order = (SortKey(rel.order, not rel.keep_last, rel.keep_last),)
    return TopN(source, rel.keys, order, 1, 1, None, False, rel.row_type, False, None)


@lowers(Rank)
def _lower_rank(rel: Rank, at: Lowering) -> Operator:
    if rel.function != "ROW_NUMBER":
        raise unsupported(f"{rel.function}() as a top-n", remedy="use ROW_NUMBER()")
    # In the order of the columns, whatever the order in which PARTITION BY names them.
    rel = replace(rel, partition=tuple(sorted(rel.partition)))
    source = Exchange(at.lower(rel.input), rel.partition if rel.partition else None)
    facts = at.facts(source)
    append = facts.kinds.insert_only
    time = _time_order(rel, source.row_type)
    if append and time is not TimeKind.REGULAR and rel.rank_column is None and (rel.start, rel.end) == (1, 1):
        return KeepOne(source, rel.partition, time is TimeKind.ROWTIME, not rel.order[0].ascending)
    update_keys = None if append else _rising_keys(rel.partition, rel.order, facts)
    return TopN(
        source,
        rel.partition,
        rel.order,
        rel.start,
        rel.end,
        rel.end_column,
        rel.rank_column is not None,
        rel.columns,
        append,
        update_keys,
        rel.function,
    )


def _time_order(rel: Rank, row: RowType) -> TimeKind:
    """The kind of time that the rows are ranked by; REGULAR where the order is another one."""
    if len(rel.order) != 1 or rel.end_column is not None:
        return TimeKind.REGULAR
    return _time_kind(row.types[rel.order[0].index])


def _time_kind(type_: LogicalType) -> TimeKind:
    return type_.kind if isinstance(type_, TimestampBase) else TimeKind.REGULAR


def _rising_keys(partition: Sequence[int], order: Sequence[SortKey], facts: Facts) -> tuple[int, ...] | None:
    """The keys of updates by which a row can only move up the order; None where it may move down or vanish."""
    wanted = {True: Trend.DECREASING, False: Trend.INCREASING}
    if Kinds.DELETE in facts.kinds or not facts.local_keys or not order:
        return None
    for key in order:
        if facts.trends[key.index] not in (wanted[key.ascending], Trend.CONSTANT):
            return None
    found = smallest(keys_within(facts.local_keys, Key(partition)))
    return None if found is None else tuple(sorted(found))


@lowers(Sort)
def _lower_sort(rel: Sort, at: Lowering) -> Operator:
    source = Exchange(at.lower(rel.input), None)
    facts = at.facts(source)
    if rel.fetch is None and rel.offset:
        raise unsupported("OFFSET without LIMIT", remedy="add LIMIT n")
    if rel.fetch is not None:
        append = facts.kinds.insert_only
        update_keys = None if append else _rising_keys((), rel.keys, facts)
        return FirstRows(source, rel.keys, rel.offset, rel.fetch, append, update_keys)
    first = rel.keys[0] if rel.keys else None
    if first is None:
        return at.lower(rel.input)
    if first.ascending and _time_kind(source.row_type.types[first.index]) is not TimeKind.REGULAR:
        if not facts.kinds.insert_only:
            raise unsupported("ORDER BY a time attribute over a query whose rows change")
        return TimeSort(source, rel.keys)
    raise unsupported(
        f"ORDER BY {source.row_type.names[first.index]} without LIMIT",
        remedy="add LIMIT n, or order by a time attribute, ascending",
    )

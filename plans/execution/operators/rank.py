"""Top-n, limit and deduplication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from compiled_plan.plans.execution.operators.base import KeyedOperator, KeyedPort, Lowering, keyed
from compiled_plan.plans.execution.operators.parameters import Parameters, SortColumn, sort_columns
from compiled_plan.plans.nodes.deduplicate import Deduplicate
from compiled_plan.plans.nodes.rank import Limit, Rank, SortLimit
from compiled_plan.plans.nodes.ranks import ConstantRange, ConstantRangeWithoutEnd, RankRange, UpdateFast, VariableRange
from compiled_plan.plans.types.temporal import is_rowtime

_STRATEGIES = {"AppendFast": "append", "Retract": "retract", "UpdateFast": "update"}


@dataclass(frozen=True, slots=True)
class RankParameters(Parameters):
    """Top-n.

    Args:
        strategy: "append", "update" or "retract": how earlier rows may change.
        primary_keys: the columns that identify an updated row; empty for the other strategies.
        order_by: the order; empty for LIMIT.
        start: the first rank to emit, from 1.
        end: the last rank; None for all, or for the one in `end_column`.
        end_column: the column with the last rank.
        output_row_number: True if the rank is a column.
        generate_update_before: True if updates are emitted as -U and +U.
    """

    TYPE: ClassVar[str] = "rank"
    strategy: str
    primary_keys: tuple[int, ...]
    order_by: tuple[SortColumn, ...]
    start: int
    end: int | None
    end_column: int | None
    output_row_number: bool
    generate_update_before: bool


@keyed(Rank, SortLimit, Limit)
def rank(node: Rank | SortLimit | Limit, lowering: Lowering) -> KeyedOperator:
    """Flink's AppendOnlyTopNFunction, UpdatableTopNFunction and RetractableTopNFunction."""
    strategy = node.rank_strategy
    start, end, end_column = _range(node.rank_range)
    return KeyedOperator(
        ports=(KeyedPort.by(node.partition.fields, lowering.input_types(node)),),
        output=node.output_type.types,
        parameters=RankParameters(
            strategy=_STRATEGIES[strategy.type],
            primary_keys=tuple(strategy.primary_keys) if isinstance(strategy, UpdateFast) else (),
            order_by=sort_columns(node.order_by.fields),
            start=start,
            end=end,
            end_column=end_column,
            output_row_number=node.output_row_number,
            generate_update_before=node.generate_update_before,
        ),
    )


def _range(rank_range: RankRange) -> tuple[int, int | None, int | None]:
    """The first rank, the last one, and the column with the last one."""
    match rank_range:
        case ConstantRange():
            return rank_range.start, rank_range.end, None
        case ConstantRangeWithoutEnd():
            return rank_range.start, None, None
        case VariableRange():
            return 1, None, rank_range.end_index


@dataclass(frozen=True, slots=True)
class DeduplicateParameters(Parameters):
    """Deduplication whose result may be corrected.

    Args:
        keep_last: keep the last row of a key; otherwise the first.
        rowtime: the time column that orders the rows; None for arrival order.
        generate_update_before: True if updates are emitted as -U and +U.
        generate_insert: True if the first row of a key is +I; otherwise, if the last is kept, it is +U.
    """

    TYPE: ClassVar[str] = "deduplicate"
    keep_last: bool
    rowtime: int | None
    generate_update_before: bool
    generate_insert: bool


@dataclass(frozen=True, slots=True)
class KeepFirstInOrderParameters(Parameters):
    """The first row of a key by the time column `rowtime`, emitted once the watermark reaches it."""

    TYPE: ClassVar[str] = "keep-first-in-order"
    rowtime: int


@keyed(Deduplicate, event_time=lambda node: node.waits_for_watermarks)
def deduplicate(node: Deduplicate, lowering: Lowering) -> KeyedOperator:
    """Flink's Proctime and RowTime deduplicate functions, keep first and keep last."""
    types = lowering.input_types(node)
    rowtime = None
    if node.is_rowtime:
        rowtime = next(at for at, type_ in enumerate(types) if is_rowtime(type_))
    sensitive = node.configuration.get("table.exec.deduplicate.insert-update-after-sensitive-enabled", "true")
    parameters: Parameters
    if rowtime is not None and node.waits_for_watermarks:
        parameters = KeepFirstInOrderParameters(rowtime)
    else:
        parameters = DeduplicateParameters(
            keep_last=node.keep_last_row,
            rowtime=rowtime,
            generate_update_before=node.generate_update_before,
            generate_insert=sensitive == "true",
        )
    return KeyedOperator((KeyedPort.by(node.unique_keys, types),), node.output_type.types, parameters)

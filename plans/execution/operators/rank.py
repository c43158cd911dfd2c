"""Top-n, limit and deduplication."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import functions as F

from plans.execution.expressions import canonical_key
from plans.execution.operators.base import KeyedOperator, KeyedPort, Lowering, keyed, refuse
from plans.nodes import Deduplicate, Limit, Rank, SortLimit
from plans.nodes.ranks import ConstantRange, ConstantRangeWithoutEnd, RankRange, UpdateFast, VariableRange
from plans.types import LogicalType, RowType, TimeKind, TimestampBase

_STRATEGIES = {"AppendFast": "append", "Retract": "retract", "UpdateFast": "update"}


@keyed(Rank, SortLimit, Limit)
def rank(node: Rank | SortLimit | Limit, lowering: Lowering) -> KeyedOperator:
    """Flink's AppendOnlyTopNFunction, UpdatableTopNFunction and RetractableTopNFunction."""
    if node.rank_type != "ROW_NUMBER":
        raise refuse(node, f"{node.rank_type} in a streaming top-n", "rank with ROW_NUMBER")
    strategy = node.rank_strategy
    if strategy.type not in _STRATEGIES:
        raise refuse(node, f"rank strategy {strategy.type}", f"known: {', '.join(_STRATEGIES)}")
    types = lowering.input_types(node)
    row = node.output_type
    assert isinstance(row, RowType)
    order = [
        {"index": field.index, "ascending": field.is_ascending, "nullsLast": field.null_is_last}
        for field in node.order_by.fields
    ]
    return KeyedOperator(
        type="rank",
        ports=(_partitioned(types, node.partition.fields),),
        output=row.types,
        parameters={
            "strategy": _STRATEGIES[strategy.type],
            "primaryKeys": list(strategy.primary_keys) if isinstance(strategy, UpdateFast) else [],
            "partition": list(node.partition.fields),
            "orderBy": order,
            "outputRowNumber": node.output_row_number,
            "generateUpdateBefore": node.generate_update_before,
            **_range(node.rank_range),
        },
    )


def _range(rank_range: RankRange) -> dict[str, Any]:
    match rank_range:
        case ConstantRange():
            return {"start": rank_range.start, "end": rank_range.end, "endColumn": None}
        case ConstantRangeWithoutEnd():
            return {"start": rank_range.start, "end": None, "endColumn": None}
        case VariableRange():
            return {"start": 1, "end": None, "endColumn": rank_range.end_index}


def _waits_for_watermark(node: Deduplicate) -> bool:
    """Keep-first by time gives the row out only when it is known to be the first, unless it may correct itself."""
    return node.is_rowtime and node.output_insert_only and not node.keep_last_row


@keyed(Deduplicate, event_time=_waits_for_watermark)
def deduplicate(node: Deduplicate, lowering: Lowering) -> KeyedOperator:
    """Flink's Proctime and RowTime deduplicate functions, keep first and keep last."""
    types = lowering.input_types(node)
    row = node.output_type
    assert isinstance(row, RowType)
    rowtime = None
    if node.is_rowtime:
        rowtime = next(
            at for at, type_ in enumerate(types) if isinstance(type_, TimestampBase) and type_.kind is TimeKind.ROWTIME
        )
    sensitive = node.configuration.get("table.exec.deduplicate.insert-update-after-sensitive-enabled", "true")
    return KeyedOperator(
        type="deduplicate",
        ports=(_partitioned(types, node.unique_keys),),
        output=row.types,
        parameters={
            "keepLast": node.keep_last_row,
            "rowtime": rowtime,
            "generateUpdateBefore": node.generate_update_before,
            "generateInsert": sensitive == "true",
            "outputInsertOnly": node.output_insert_only,
        },
    )


def _partitioned(types: Sequence[LogicalType], keys: Sequence[int]) -> KeyedPort:
    key_types = [types[at] for at in keys]
    return KeyedPort(
        tuple(types),
        key=lambda flow: canonical_key([flow.columns[at] for at in keys], key_types) if keys else F.lit(""),
    )

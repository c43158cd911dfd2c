"""Top-n: rank, limit, sort with limit."""

from __future__ import annotations

from typing import ClassVar

from plans.nodes.base import Bool, Enforcing, StatefulNode, StateSlot
from plans.nodes.ranks import RankRange, RankStrategy, RankType
from plans.nodes.specs import PartitionSpec, SortSpec

RANK_STATE = (StateSlot("rankState", 0),)


class Rank(StatefulNode):
    """The first rows of each partition by an order."""

    NAME = "stream-exec-rank"
    STATE = RANK_STATE

    rank_type: Enforcing[RankType]
    partition: Enforcing[PartitionSpec]
    order_by: Enforcing[SortSpec]
    rank_range: Enforcing[RankRange]
    rank_strategy: Enforcing[RankStrategy]
    output_row_number: Bool
    generate_update_before: Bool


class SortLimit(Rank):
    """`ORDER BY ... LIMIT`: a rank over all rows."""

    NAME = "stream-exec-sort-limit"
    ORDER: ClassVar[tuple[str, ...]] = ("order_by", "rank_range", "rank_strategy", "generate_update_before")
    TAIL: ClassVar[tuple[str, ...]] = ("rank_type", "partition", "output_row_number")


class Limit(Rank):
    """`LIMIT` without an order: any rows."""

    NAME = "stream-exec-limit"
    ORDER: ClassVar[tuple[str, ...]] = ("rank_range", "rank_strategy", "generate_update_before")
    TAIL: ClassVar[tuple[str, ...]] = ("rank_type", "partition", "order_by", "output_row_number")

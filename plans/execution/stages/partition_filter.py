"""Partitions that a source was told to read, as a predicate over the columns of its table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from compiled_plan.plans.nodes.tables import PartitionPushDown
from compiled_plan.plans.rex import Call, InputRef, Literal, RexNode
from compiled_plan.plans.types import BOOLEAN, STRING, RowType


def in_partitions(ability: PartitionPushDown, columns: RowType) -> RexNode:
    """The predicate that holds for the rows of the listed partitions.

    Args:
        ability: the partitions, each by the text of its values; null for the partition of null.
        columns: the physical columns of the table.
    """
    choices = [_in_partition(partition, columns) for partition in ability.partitions]
    return _joined("$OR$1", choices, of_none=False)


def _in_partition(partition: Mapping[str, str | None], columns: RowType) -> RexNode:
    return _joined("$AND$1", [_holds(columns, name, value) for name, value in partition.items()], of_none=True)


def _holds(columns: RowType, name: str, value: str | None) -> RexNode:
    at = columns.names.index(name)
    column = InputRef(at, columns.types[at])
    if value is None:
        return Call("$IS NULL$1", (column,), BOOLEAN, "POSTFIX")
    cast = Call("$CAST$1", (Literal(value, STRING),), column.type, "SPECIAL")
    return Call("$=$1", (column, cast), BOOLEAN, "BINARY")


def _joined(name: str, parts: list[RexNode], *, of_none: bool) -> RexNode:
    if not parts:
        return Literal(of_none, BOOLEAN)
    return reduce(lambda one, other: Call(name, (one, other), BOOLEAN, "BINARY"), parts)

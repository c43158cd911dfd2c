"""Operators as the kernel gets them: where each column of their inputs is from."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class Computed:
    """A column that an operator gets, made of columns of the node's input.

    Args:
        how: what is made, such as "millis" of a time.
        columns: the places of the columns that it is made of.
    """

    how: str
    columns: tuple[int, ...]


#: Where a column that an operator gets is from: a column of the node's input, made of some, or an expression over them.
ColumnSource = int | Computed | RexNode


@dataclass(frozen=True, slots=True)
class KernelInput:
    """An input of an operator as the kernel gets it.

    Args:
        sources: where each column is from.
        types: the types of the columns.
        key: places of the columns that its key begins with.
    """

    sources: tuple[ColumnSource, ...]
    types: tuple[LogicalType, ...]
    key: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelOperator:
    """An operator as the kernel gets it.

    Args:
        reader: the node whose inputs the columns are from.
        inputs: its inputs.
        calls: its aggregate calls, over the columns of the first input.
    """

    reader: int
    inputs: tuple[KernelInput, ...]
    calls: tuple[AggregateCall, ...] = ()

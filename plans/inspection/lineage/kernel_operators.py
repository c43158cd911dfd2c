"""Operators as the kernel gets them: where each column of their inputs is from."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class Computed:
    """A column that an operator gets, made of columns of the node's input."""

    how: str  # what is made, such as "millis" of a time
    columns: tuple[int, ...]  # the places of the columns that it is made of


#: Where a column that an operator gets is from: a column of the node's input, made of some, or an expression over them.
ColumnSource = int | Computed | RexNode


@dataclass(frozen=True, slots=True)
class KernelInput:
    """An input of an operator as the kernel gets it."""

    sources: tuple[ColumnSource, ...]  # where each column is from
    types: tuple[LogicalType, ...]
    key: tuple[int, ...] = ()  # places of the columns that its key begins with


@dataclass(frozen=True, slots=True)
class KernelOperator:
    """An operator as the kernel gets it."""

    reader: int  # the node whose inputs the columns are from
    inputs: tuple[KernelInput, ...]
    calls: tuple[AggregateCall, ...] = ()  # its aggregate calls, over the columns of the first input

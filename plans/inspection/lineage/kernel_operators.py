"""Operators in the kernel's form: the origin of each column of their inputs."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class Computed:
    """An input column of an operator that is computed from columns of the node's input."""

    how: str  # kind of computation, such as "millis" of a time
    columns: tuple[int, ...]  # positions of the columns that it is computed from


#: Origin of an operator's input column: a column of the node's input, a computation, or an expression over them.
ColumnSource = int | Computed | RexNode


@dataclass(frozen=True, slots=True)
class KernelInput:
    """An input of an operator in the kernel's form."""

    sources: tuple[ColumnSource, ...]  # origin of each column
    types: tuple[LogicalType, ...]
    key: tuple[int, ...] = ()  # positions of the leading key columns


@dataclass(frozen=True, slots=True)
class KernelOperator:
    """An operator in the kernel's form."""

    reader: int  # the node that provides the input columns
    inputs: tuple[KernelInput, ...]
    calls: tuple[AggregateCall, ...] = ()  # aggregate calls over the columns of the first input

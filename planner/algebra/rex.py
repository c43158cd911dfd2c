"""Expressions that exist only in relational trees; rules rewrite them before operators are chosen.

`Subquery`, `OuterRef` (a column of an enclosing query) and `Over` (a window function).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from compiled_plan.planner.algebra.nodes import RelNode
from compiled_plan.plans.rex import RexNode
from compiled_plan.plans.types import LogicalType


class SubqueryKind(Enum):
    """Contexts of a subquery in an expression."""

    SCALAR = "SCALAR"
    EXISTS = "EXISTS"
    IN = "IN"
    SOME = "SOME"
    ALL = "ALL"


@dataclass(frozen=True, slots=True)
class Subquery(RexNode):
    """A subquery in an expression. `operands`: the left side of IN, SOME, ALL; `operator`: the comparison's name.

    Columns of the enclosing query appear inside `rel` as OuterRef(`name`, ...).
    """

    kind: SubqueryKind
    rel: RelNode
    type: LogicalType
    name: str
    operands: tuple[RexNode, ...] = ()
    operator: str = "$=$1"

    def children(self) -> tuple[RexNode, ...]:
        return self.operands

    def with_children(self, children: tuple[RexNode, ...]) -> RexNode:
        return replace(self, operands=children)


@dataclass(frozen=True, slots=True)
class OuterRef(RexNode):
    """Column `index` of the enclosing query's row (the correlation variable `name`)."""

    name: str
    index: int
    type: LogicalType


class FrameUnit(Enum):
    ROWS = "ROWS"
    RANGE = "RANGE"


@dataclass(frozen=True, slots=True)
class FrameEnd:
    """One end of a frame: UNBOUNDED_PRECEDING, PRECEDING, CURRENT_ROW, FOLLOWING, UNBOUNDED_FOLLOWING."""

    kind: str
    offset: RexNode | None = None


#: Ranking functions, which may become a top-n.
RANKING = ("$ROW_NUMBER$1", "$RANK$1", "$DENSE_RANK$1")


@dataclass(frozen=True, slots=True)
class Over(RexNode):
    """A window function or aggregate `name` over a window; `order` pairs expressions with direction and nulls.

    `where` is its position in the program, for errors.
    """

    name: str
    operands: tuple[RexNode, ...]
    partition: tuple[RexNode, ...]
    order: tuple[tuple[RexNode, bool, bool], ...]
    type: LogicalType
    unit: FrameUnit = FrameUnit.RANGE
    lower: FrameEnd = field(default_factory=lambda: FrameEnd("UNBOUNDED_PRECEDING"))
    upper: FrameEnd = field(default_factory=lambda: FrameEnd("CURRENT_ROW"))
    distinct: bool = False
    ignore_nulls: bool = False
    where: str = field(default="", compare=False, repr=False)

    def children(self) -> tuple[RexNode, ...]:
        return (*self.operands, *self.partition, *(expr for expr, _, _ in self.order))

    def with_children(self, children: tuple[RexNode, ...]) -> RexNode:
        args, parts = len(self.operands), len(self.partition)
        order = tuple(
            (child, ascending, nulls_last)
            for child, (_, ascending, nulls_last) in zip(children[args + parts :], self.order, strict=True)
        )
        return replace(self, operands=children[:args], partition=children[args : args + parts], order=order)

"""Stacks of adjacent projections: rewriting of a condition above them to the columns below them.

A condition that is inlined level by level is copied at each of them, larger each time. Instead, the columns of the
topmost projection are computed once, bottom-up, and then inlined into the condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.expressions import MOST_NODES, contains, size, substitute
from compiled_plan.planner.algebra.nodes import Project, RelNode
from compiled_plan.planner.algebra.rex import Over
from compiled_plan.planner.functions.registry import is_deterministic
from compiled_plan.plans.rex import InputRef, RexNode, input_refs, walk


@dataclass(frozen=True, slots=True)
class Stack:
    """Adjacent deterministic projections, the topmost first."""

    levels: tuple[Project, ...]

    @property
    def bottom(self) -> RelNode:
        """The node below the projections."""
        return self.levels[-1].input

    def on(self, below: RelNode) -> RelNode:
        """The same projections over another node with the same columns."""
        for level in reversed(self.levels):
            below = replace(level, input=below)
        return below

    def below(self, parts: Sequence[RexNode]) -> list[RexNode | None]:
        """Each condition over the columns of the bottom; None for one that would grow too large."""
        columns, sizes = self._columns(parts)
        most = sum(size(rex) for level in self.levels for rex in level.exprs)
        return [
            substitute(part, columns) if _size(part, sizes) <= max(MOST_NODES, most + size(part)) else None
            for part in parts
        ]

    def _columns(self, parts: Sequence[RexNode]) -> tuple[list[RexNode], list[int]]:
        """The columns that the conditions read, over those of the bottom, with their sizes; other columns unchanged."""
        wanted = [frozenset[int]().union(*map(input_refs, parts))]
        for level in self.levels[:-1]:
            wanted.append(frozenset[int]().union(*(input_refs(level.exprs[at]) for at in wanted[-1])))
        columns: list[RexNode] = [InputRef(at, type_) for at, type_ in enumerate(self.bottom.row_type.types)]
        sizes = [1] * len(columns)
        for level, needed in zip(reversed(self.levels), reversed(wanted), strict=True):
            read = [at in needed for at in range(len(level.exprs))]
            pairs = list(zip(level.exprs, read, strict=True))
            # The sizes are summed up, not counted: shared parts of an expression may be inlined very often.
            columns, sizes = (
                [substitute(rex, columns) if used else rex for rex, used in pairs],
                [_size(rex, sizes) if used else 0 for rex, used in pairs],
            )
        return columns, sizes


def _size(rex: RexNode, sizes: Sequence[int]) -> int:
    """The number of nodes of an expression after inlining its columns, of these sizes."""
    return sum(sizes[node.index] if isinstance(node, InputRef) else 1 for node in walk(rex))


def stack_of(rel: Project) -> Stack | None:
    """The projection with those right below it; None without any, or if one of them must not be inlined."""
    levels = []
    below: RelNode = rel
    while isinstance(below, Project) and all(map(_moves, below.exprs)):
        levels.append(below)
        below = below.input
    return Stack(tuple(levels)) if len(levels) > 1 else None


def _moves(rex: RexNode) -> bool:
    return isinstance(rex, InputRef) or (is_deterministic(rex) and not contains(rex, Over))

"""Computed columns behind the columns of an input."""

from __future__ import annotations

from compiled_plan.planner.algebra.nodes import Project, RelNode
from compiled_plan.planner.algebra.rows import identity, unique_name
from compiled_plan.plans.rex import RexNode, type_of
from compiled_plan.plans.types import row_of


class ComputedColumns:
    """Positions of expressions among the columns of an input and the columns computed from these."""

    def __init__(self, rel: RelNode) -> None:
        self._rel = rel
        self._exprs: list[RexNode] = list(identity(rel.row_type))

    def place(self, rex: RexNode) -> int:
        """The column with the value of an expression, added if there is none yet."""
        if rex not in self._exprs:
            self._exprs.append(rex)
        return self._exprs.index(rex)

    def source(self, prefix: str) -> RelNode:
        """The input with the computed columns appended, named after their position."""
        names = list(self._rel.row_type.names)
        if len(self._exprs) == len(names):
            return self._rel
        for at in range(len(names), len(self._exprs)):
            names.append(unique_name(f"{prefix}{at}", names))
        return Project(self._rel, tuple(self._exprs), row_of(names, [type_of(rex) for rex in self._exprs]))

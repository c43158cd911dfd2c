"""Draft of a program in the pipeline: first relational trees, then operators, then a plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.nodes import RelNode
from compiled_plan.planner.options.settings import Settings
from compiled_plan.planner.physical.base import OperatorPlanner, PhysicalOperator
from compiled_plan.plans.plan import CompiledPlan


@dataclass(frozen=True, slots=True)
class Draft:
    """The intermediate result of the passes.

    Args:
        settings: the program's options.
        trees: a tree for each statement.
        mini_batches: True if operators receive rows in mini-batches.
        planner: knows the operators of the trees, and their traits; None before they are chosen.
        operators: the sinks, with the operators below them; empty before they are chosen.
        plan: None until the last pass.
    """

    settings: Settings
    trees: tuple[RelNode, ...]
    mini_batches: bool = False
    planner: OperatorPlanner | None = None
    operators: tuple[PhysicalOperator, ...] = ()
    plan: CompiledPlan | None = None

    @property
    def known(self) -> OperatorPlanner:
        """The planner of the operators; requires that they are chosen."""
        assert self.planner is not None
        return self.planner

    def with_trees(self, trees: Iterable[RelNode]) -> Draft:
        return replace(self, trees=tuple(trees))

    def with_operators(self, operators: Iterable[PhysicalOperator]) -> Draft:
        return replace(self, operators=tuple(operators))

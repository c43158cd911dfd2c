"""Choice of an operator for each relational node."""

from __future__ import annotations

from dataclasses import replace

from compiled_plan.planner.physical import calc, plumbing, scan, sink  # noqa: F401  # they register themselves
from compiled_plan.planner.physical.base import OperatorPlanner
from compiled_plan.planner.physical.draft import Draft


def choose_operators(draft: Draft) -> Draft:
    """Lower the trees to operators, one per shared node.

    Raises:
        ProgramError: an operator does not support the changes of its inputs.
        UnsupportedError: no operator is known for a node; names it.
    """
    planner = OperatorPlanner(draft.settings, draft.trees, draft.mini_batches)
    return replace(draft, planner=planner, operators=tuple(map(planner.lower, draft.trees)))

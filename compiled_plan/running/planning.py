"""Plans of bound sinks, with warnings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from compiled_plan.planner.algebra.nodes import Sink
from compiled_plan.planner.pipeline import plan
from compiled_plan.plans.errors import ProgramWarning
from compiled_plan.plans.inspection.lint import secret_warnings
from compiled_plan.plans.plan import CompiledPlan


def planned(sinks: Sequence[Sink], config: Mapping[str, str]) -> CompiledPlan:
    """Plan sinks, and warn of secrets in clear.

    Raises:
        ProgramError, UnsupportedError, InternalError: as for the planner.
    """
    compiled = plan(sinks, config)
    for warning in secret_warnings(compiled):
        warnings.warn(warning, ProgramWarning, stacklevel=3)
    return compiled

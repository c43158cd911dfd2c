"""A plan as a drawing: `edit-plan --graph`."""

from __future__ import annotations

import sys

from compiled_plan.cli.common.graphs import GraphForm
from compiled_plan.cli.common.terminal import ExitCode
from compiled_plan.plans.inspection.checked_plans import plan_from_file
from compiled_plan.plans.inspection.graph.drawing import Drawing


def draw(path: str, form: GraphForm) -> int:
    """Print a plan file as a drawing."""
    sys.stdout.write(form.text(Drawing.of(plan_from_file(path))))
    return ExitCode.OK

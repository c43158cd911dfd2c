"""The plans of a run, read from their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer

from compiled_plan.cli.common.terminal import ExitCode, console, fail, session_of
from compiled_plan.compiling.scripts import with_declared_functions
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.inspection.checked_plans import plan_from_file
from compiled_plan.plans.inspection.lint import bare_numbers
from compiled_plan.plans.nodes.configuration import OPTIONS
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import SESSION_OPTIONS, ZONE, with_session


class Reader:
    """Read plan files, and count the unreadable ones."""

    def __init__(self, debug: bool, quiet: bool, session: Mapping[str, str], init: Sequence[str]) -> None:
        self.debug, self.quiet, self.session, self.init = debug, quiet, session, init
        self.failed = 0

    def read(self, path: str, keep_going: bool) -> CompiledPlan | None:
        """Read a plan file; with `keep_going`, count an unreadable one and return None."""
        try:
            plan = with_session(plan_from_file(path), self.session)
            if self.init:
                plan = with_declared_functions(plan, session_of({}, self.init))
            if not self.quiet:
                _warn(path, plan)
            return plan
        except CompiledPlanError as fault:
            fail(fault, path, debug=self.debug)
            self.failed += 1
            if not keep_going:
                raise typer.Exit(ExitCode.FAILED) from None
            return None


def _warn(path: str, plan: CompiledPlan) -> None:
    """Print warnings about TTLs without a unit, which a user may have edited."""
    for finding in bare_numbers(plan):
        console().print(f"warning: {path}: {finding.message}\n  at: {finding.where}\n  try: {finding.remedy}")


def run_session(options: Mapping[str, str]) -> Mapping[str, str]:
    """Check session options that the nodes of a plan do not fix.

    Raises:
        typer.BadParameter: an unknown option or an invalid value.
    """
    known = [key for key in SESSION_OPTIONS if key != ZONE]
    for key, value in options.items():
        if key == ZONE:
            raise typer.BadParameter(f"--set {key}: write --time-zone {value}")
        if key not in known:
            raise typer.BadParameter(f"--set {key}: not a session option of a run; known: {', '.join(known)}")
        remedy = OPTIONS[key].unfit(key, value)
        if remedy is not None:
            raise typer.BadParameter(f"--set {key}={value}: {remedy}")
    return options

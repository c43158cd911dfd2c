"""A test of the run on a checkpoint: `test-plan --from-run`."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from compiled_plan.cli.common.options import RecordingOptions
from compiled_plan.cli.common.terminal import ExitCode, fail
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.testing.sessions import own_session
from compiled_plan.testing.recording import Recording


def record(options: RecordingOptions, program: str, settings: Mapping[str, str], quiet: bool, debug: bool) -> None:
    """Write a test of the run on a checkpoint."""
    try:
        recording = Recording.of(options.from_run, options.output, program, options.rows, force=options.force)
        with own_session(settings) as spark:
            for remark in recording.write(spark):
                if not quiet:
                    print(remark)
    except CompiledPlanError as fault:
        fail(fault, debug=debug)
        raise typer.Exit(ExitCode.FAILED) from None

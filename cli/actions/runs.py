"""Sequential runs of plans in one Spark session, for `execute-plan`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any

from compiled_plan.cli.actions.tapping import FileTap
from compiled_plan.cli.common.output import Output
from compiled_plan.cli.common.run_options import checkpoint_of
from compiled_plan.cli.common.running import Progress, Stop, print_line
from compiled_plan.cli.common.terminal import fail
from compiled_plan.commands.interrupts import Interrupted
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.execution.session.kept import session_of_command
from compiled_plan.plans.execution.session.lakes import with_lakes
from compiled_plan.plans.execution.session.settings import uses_local_files
from compiled_plan.plans.execution.session.stopping import StuckError
from compiled_plan.plans.execution.spark.failures import LostSparkError, translate
from compiled_plan.plans.execution.spark.logs import silence_py4j
from compiled_plan.plans.inspection.places import check_places
from compiled_plan.plans.inspection.rules import check_runs
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC, zones_of
from compiled_plan.plans.secrets.values import Secrets

if TYPE_CHECKING:
    from compiled_plan.plans.execution import run as executor
    from compiled_plan.plans.execution.batches import following
    from compiled_plan.plans.execution.session.options import RunOptions
    from compiled_plan.plans.execution.state.upgrade import start as starting
    from compiled_plan.plans.execution.tables.taps import Tap
    from compiled_plan.plans.inspection.checkpoints import Head
else:
    following = deferred("compiled_plan.plans.execution.batches.following")
    executor = deferred("compiled_plan.plans.execution.run")
    starting = deferred("compiled_plan.plans.execution.state.upgrade.start")


def session_of_runs(
    options: RunOptions, plans: Sequence[CompiledPlan], master: str, settings: Mapping[str, str]
) -> tuple[str, Mapping[str, str]]:
    """The master and the settings of the session in which plans run.

    Args:
        options: the options of the runs.
        plans: the plans.
        master: the master of the command.
        settings: the settings of the command.
    """
    settings = with_lakes(settings, plans)
    if options.real_time_ms is None:
        return master, settings
    from compiled_plan.plans.execution.realtime.slots import local_session
    from compiled_plan.plans.execution.session.java_options import with_short_collections

    master, settings = local_session(plans, master, settings)
    return master, with_short_collections(master, settings)


@dataclass(frozen=True, slots=True)
class Runs:
    """Sequential runs of plans in one Spark session; the arguments are options of the command.

    `expected` is the head of the checkpoint that the plan was compared with; by default any.
    """

    options: RunOptions
    master: str
    settings: Mapping[str, str]
    output: Output
    keep_going: bool = False
    dry_run: bool = False
    debug: bool = False
    expected: Head | EllipsisType | None = ...

    def run(self, plans: Sequence[tuple[str, CompiledPlan]]) -> int:
        """Run plans, and return the number of plans that failed or were refused.

        Raises:
            Interrupted: a signal has stopped a run, or the start of Spark.
        """
        if not self.debug:
            silence_py4j()
        programs = [plan for _, plan in plans]
        master, settings = session_of_runs(self.options, programs, self.master, self.settings)
        failed = 0
        with ExitStack() as closing:
            runs = self._reported(plans, closing)
            if (refusal := self.refusal(*plans[0])) is not None:
                path, _, show = runs[0]
                self._failed(path, show, refusal)
                failed, runs = 1, runs[1:] if self.keep_going else []
            secrets = Secrets(self.options.secrets)
            failed += self._without_secrets(runs, secrets)
            if not runs:
                return failed
            try:
                spark = closing.enter_context(
                    session_of_command(master, settings, verbose=self.debug, meanwhile=_import_all)
                )
            except Interrupted as end:
                raise self._interrupted(runs[0][2], end.signal) from None
            return failed + self._run_all(spark, runs, secrets)

    def _reported(
        self, plans: Sequence[tuple[str, CompiledPlan]], closing: ExitStack
    ) -> list[tuple[str, CompiledPlan, Progress]]:
        """Plans with the output of their progress."""
        output = self.output
        shared = () if self.dry_run else closing.enter_context(output.shared())
        runs = []
        for path, plan in plans:
            own = () if self.dry_run else closing.enter_context(output.of(path, plan))
            silent = output.quiet or output.log
            progress = Progress(path, output.as_json, silent, (*shared, *own), verbose=output.verbose)
            runs.append((path, plan, progress))
        return runs

    def _options_of(self, path: str) -> RunOptions:
        """The options of a plan's run, with the checkpoint that its name gives."""
        return replace(self.options, checkpoint=checkpoint_of(path, self.options.checkpoint))

    def refusal(self, path: str, plan: CompiledPlan) -> CompiledPlanError | None:
        """The refusal of the first plan that needs no JVM; later plans may read files that it writes."""
        if not uses_local_files(*session_of_runs(self.options, [plan], self.master, self.settings)):
            return None
        try:
            check_runs(plan)
            check_places(plan, self._options_of(path).checkpoint)
        except CompiledPlanError as fault:
            return fault
        return None

    def _without_secrets(self, runs: list[tuple[str, CompiledPlan, Progress]], secrets: Secrets) -> int:
        """Remove the runs whose secrets are missing, and without `keep_going` all; return the number of the former."""
        missing = []
        for run in runs:
            try:
                secrets.collect(run[1], self.options.warm_up_from)
            except CompiledPlanError as fault:
                self._failed(run[0], run[2], fault)
                missing.append(run)
        runs[:] = [run for run in runs if run not in missing] if self.keep_going or not missing else []
        return len(missing)

    def _run_all(self, spark: object, runs: Sequence[tuple[str, CompiledPlan, Progress]], secrets: Secrets) -> int:
        failed = 0
        for at, (path, plan, show) in enumerate(runs):
            fault = self._run(spark, path, plan, show, secrets)
            if fault is None:
                continue
            failed += 1
            self._failed(path, show, fault)
            if not self.keep_going:
                break
            if isinstance(fault, LostSparkError):
                for path, _, _ in runs[at + 1 :]:
                    fail(ExecutionError("not run: the JVM ended", remedy="start it again"), path)
                return failed + len(runs) - at - 1
        return failed

    def _run(
        self, spark: Any, path: str, plan: CompiledPlan, show: Progress, secrets: Secrets
    ) -> CompiledPlanError | None:
        """Run a plan, or print the steps of its start; return the error of a failure."""
        stop = Stop(path, self.options.stop_seconds)
        try:
            begin = partial(starting.Start, expected=self.expected)
            how: dict[str, Any] = {"tap": self._tap(plan), "secrets": secrets, "begin": begin}
            run = executor.Run(spark, plan, self._options_of(path), print_line, show.batch, **how)
            if self.dry_run:
                show.steps(run, plan)
                return None
            with stop.heeded_by(run):
                show.follow(run)
                show.end(run.execute())
        except Interrupted as end:
            raise self._interrupted(show, end.signal) from None
        except Exception as fault:
            if stop.signal is None:
                return fault if isinstance(fault, CompiledPlanError) else translate(fault)
            if isinstance(fault, StuckError):
                stop.end_now()
            # The signal may have ended Spark's processes, too.
            raise self._interrupted(show, stop.signal) from fault
        if stop.signal is not None:
            raise Interrupted(stop.signal, reported=True)
        return None

    def _interrupted(self, show: Progress, number: int) -> Interrupted:
        """Report the end of a run by a signal, before or during its work."""
        show.end(following.RunResult(0, 0, 0, stopped=True))
        return Interrupted(number, reported=True)

    def _tap(self, plan: CompiledPlan) -> Tap | None:
        zone = self.options.time_zone or (*zones_of(plan), UTC)[0]
        return FileTap(Path(file), zone) if (file := self.output.progress_file) else None

    def _failed(self, path: str, show: Progress, fault: CompiledPlanError) -> None:
        show.failed(fault)
        fail(fault, path, debug=self.debug)


def _import_all() -> None:
    """Import the executor while the JVM starts, which takes about as long."""
    executor.Run  # noqa: B018  # The access imports the module.

"""The supervisor of runs: reconciles the desired state of pipelines in the database with folders and processes.

A tick compares both and takes one step per pipeline. The service may end between any two steps; the next tick, also of
a restarted service, continues from the state on disk.
"""

from __future__ import annotations

import logging
import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.service.common.places import Allowed, data_of
from compiled_plan.service.common.settings import Keep
from compiled_plan.service.runs import glance
from compiled_plan.service.runs.endings import Ending, Outcome, last_of
from compiled_plan.service.runs.folders import COMMAND, PROGRESS, RunFolder, latest_run
from compiled_plan.service.runs.generations import checkpoint_folder, generation_of
from compiled_plan.service.runs.jobs import Jobs
from compiled_plan.service.runs.launching import (
    ADOPT,
    BEFORE_RUN,
    PROMOTE,
    PRUNE,
    REWIND,
    ROLLBACK,
    RUN,
    Places,
    launch_of,
)
from compiled_plan.service.runs.outcomes import Backoff, Ended, fall_back, has_moved, upgraded, went_back
from compiled_plan.service.runs.processes import Phase, ProcessState, TakenError, current, launch, request_stop
from compiled_plan.service.runs.pruning import is_way_back_over, prune_runs, prune_versions
from compiled_plan.service.runs.recent import RecentBatches
from compiled_plan.service.runs.settings import settings_of
from compiled_plan.service.runs.shadows import LONGEST, MARGIN, ShadowJob, not_promoted
from compiled_plan.service.runs.upgrading import step_under_way
from compiled_plan.service.store.database import Database
from compiled_plan.service.store.errors import ConflictError
from compiled_plan.service.store.secrets import Vault
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import UNDER_WAY, Pipeline, Status, Wanted

_LOG = logging.getLogger(__name__)
#: The commands that inspect state, preview rows and run plans, without the defaults of a folder.
INSPECT_STATE = (sys.executable, "-P", "-m", "compiled_plan.cli.inspect_state", "--no-config", "--warm", "5min")
PREVIEW_ROWS = (sys.executable, "-P", "-m", "compiled_plan.cli.preview_rows", "--warm", "5min")
EXECUTE_PLAN = (sys.executable, "-P", "-m", "compiled_plan.cli.execute_plan", "--no-config")
#: The description of runs that change the checkpoint and end.
_CHANGES = {
    ROLLBACK: "the previous state is restored",
    ADOPT: "a generation of the checkpoint becomes active",
    REWIND: "state and output return to an earlier micro-batch",
}
#: The maximum duration of a preview in seconds: it may wait for a start of Spark on a busy machine.
_PREVIEW = 300.0
#: The interval at which old versions are removed, in seconds.
_PRUNE_EVERY = 3600.0


class Supervisor:
    """The supervisor of a service's runs.

    Args:
        home: the home folder of the service.
        database: its database.
        command: the command that runs plans.
        backoff: the delays of restarts.
        every: the interval of ticks, in seconds.
        allowed: the resources that plans may use; by default only tables in `home/data`.
        keep: the retention of old data.
        inspect: the command that inspects state.
        preview: the command that previews rows.
        umask: the umask of runs, whose sinks other users may read; negative for that of the service.
        vault: the encryption of secrets; by default with the keys in `home`.
    """

    def __init__(
        self,
        home: Path,
        database: Database,
        command: Sequence[str] = EXECUTE_PLAN,
        backoff: Backoff | None = None,
        every: float = 1.0,
        allowed: Allowed | None = None,
        keep: Keep | None = None,
        inspect: Sequence[str] = INSPECT_STATE,
        preview: Sequence[str] = PREVIEW_ROWS,
        umask: int = -1,
        vault: Vault | None = None,
    ) -> None:
        self.home, self.database, self.every = home.resolve(), database, every
        self.command, self.inspect = tuple(command), tuple(inspect)
        self.state_jobs = Jobs("a job that reads the state of the pipeline", self.inspect)
        self.previews = Jobs("a preview", preview, _PREVIEW)
        self.shadows = Jobs("a shadow run of the pipeline", self.command, LONGEST + MARGIN)
        self.backoff = backoff or Backoff()
        self.allowed = allowed or Allowed(data=(data_of(str(self.home)),), home=str(self.home))
        self.keep, self._umask = keep or Keep(), umask
        self._vault = vault or Vault(self.home / "secrets.key")
        self.recent = RecentBatches(self.progress)
        self._pruned_at = -_PRUNE_EVERY
        self._chance = random.Random()
        self._wake, self._ending = threading.Event(), threading.Event()
        self._one_at_a_time = threading.Lock()
        self._thread: threading.Thread | None = None
        #: Called after each tick, such as the evaluation of alerts.
        self.after_tick: Callable[[], None] = lambda: None

    # ---- folders

    def folder(self, pipeline_id: int) -> Path:
        """The folder of a pipeline's runs."""
        return self.home / "runs" / str(pipeline_id)

    def checkpoint(self, pipeline_id: int) -> Path:
        """The folder of a pipeline's checkpoint."""
        return checkpoint_folder(self.home, pipeline_id)

    def progress(self, pipeline_id: int) -> Path:
        """The progress file of a pipeline."""
        return self.folder(pipeline_id) / PROGRESS

    # ---- its thread

    def begin(self) -> None:
        """Start the supervisor's thread, which runs until `close`."""
        self._thread = threading.Thread(target=self._go_on, name="runs", daemon=True)
        self._thread.start()

    def _go_on(self) -> None:
        while not self._ending.is_set():
            self.tick()
            try:
                self.after_tick()
            except Exception:
                _LOG.exception("the work after a tick failed")
            self._wake.wait(self.every)
            self._wake.clear()

    def close(self) -> None:
        """End the thread, and cancel jobs; runs continue."""
        self.state_jobs.close()
        self.previews.close()
        self.shadows.close()
        self._ending.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(30)

    def hurry(self) -> None:
        """Trigger the next tick now."""
        self._wake.set()

    # ---- one tick

    def tick(self) -> None:
        """Take one step per pipeline. An error of one pipeline does not affect the others."""
        with self._one_at_a_time:
            self._prune()
            with self.database.read() as session:
                ids = [wanted.pipeline_id for wanted in session.scalars(select(Wanted)) if not self._is_at_rest(wanted)]
            for pipeline_id in ids:
                try:
                    self._look_after(pipeline_id)
                except Exception:
                    _LOG.exception("pipeline %s: the supervision of its run failed", pipeline_id)

    def _is_at_rest(self, wanted: Wanted) -> bool:
        """Return True if a pipeline needs no step; most pipelines do not run."""
        if wanted.run or is_way_back_over(wanted, self.keep.generation_days, datetime.now(UTC)):
            return False
        last = latest_run(self.folder(wanted.pipeline_id))
        return last is None or last.number <= wanted.seen

    def _prune(self) -> None:
        if time.monotonic() - self._pruned_at < _PRUNE_EVERY:
            return
        self._pruned_at = time.monotonic()
        for name, numbers in prune_versions(self.database, self.keep.versions).items():
            _LOG.info("pipeline %s: removed %d old versions, up to %d", name, len(numbers), max(numbers))

    def _look_after(self, pipeline_id: int) -> None:
        # Commit the transition after a run's end before the next run starts.
        with self.database.write() as session:
            wanted, pipeline = session.get(Wanted, pipeline_id), session.get(Pipeline, pipeline_id)
            if wanted is None or pipeline is None:
                return
            run = current(self.folder(pipeline_id))
            if run is not None and not run[1].is_over:
                self._running(session, pipeline, wanted, *run)
                return
            if run is not None and wanted.seen < run[0].number:
                prune_runs(self.folder(pipeline.id), self.keep.runs)
                checkpoint = self.checkpoint(pipeline_id)
                Ended(session, pipeline, wanted, *run, checkpoint, self.backoff, self._chance).take_note()
            if self._is_taken_over(session, pipeline, wanted) or not self._next(wanted):
                return
        with self.database.write() as session:
            wanted, pipeline = session.get(Wanted, pipeline_id), session.get(Pipeline, pipeline_id)
            if wanted is not None and pipeline is not None and (what := self._next(wanted)):
                self._start(session, pipeline, wanted, what)

    def _next(self, wanted: Wanted) -> str:
        """The action to start now, while nothing runs; empty for none."""
        now = datetime.now(UTC)
        if is_way_back_over(wanted, self.keep.generation_days, now):
            return PRUNE
        if not wanted.run or (wanted.next_at is not None and wanted.next_at > now):
            return ""
        return wanted.upgrade if wanted.upgrade in (ROLLBACK, PROMOTE, *BEFORE_RUN) else RUN

    def _is_taken_over(self, session: Session, pipeline: Pipeline, wanted: Wanted) -> bool:
        """Return True while a shadow run may put its program in force; it ends if that is no longer wanted."""
        job = self.shadows.last(pipeline.id)
        if not isinstance(job, ShadowJob) or not job.takes_over or job.has_ended:
            return False
        if not wanted.run or wanted.upgrade != PROMOTE:
            job.withdraw()
        else:
            glance.set_migrating(session, pipeline, wanted.version, "the shadow takes over")
        return True

    # ---- an active run

    def _running(
        self, session: Session, pipeline: Pipeline, wanted: Wanted, run: RunFolder, state: ProcessState
    ) -> None:
        command = run.read(COMMAND) or {}
        if command.get("what") != RUN:
            return  # It ends by itself.
        version = command.get("version", 0)
        if state.phase is Phase.STARTING and state.pid:
            glance.set_stopping(session, pipeline, version, "its process has ended, and its child processes end")
            return
        settings = settings_of(pipeline.run_settings)
        moves = wanted.upgrade != "check" and command.get("upgrade") != wanted.upgrade
        if not wanted.run or moves or command.get("version") != wanted.version:
            request_stop(run, RunOptions(stop_within=settings.stop_within).stop_seconds)
            reason = f"version {wanted.version} follows" if wanted.run else "a stop was requested"
            glance.set_stopping(session, pipeline, version, reason)
            return
        # Without new rows there is no micro-batch, so a moved state is sufficient, too.
        if has_moved(self.checkpoint(pipeline.id), wanted) or (
            command and last_of(run.progress, command["seq"], "batch")
        ):
            upgraded(wanted, run)
        # Read before the step: the message of an upgrade precedes that of the start.
        recent = self.recent.of(pipeline.id)
        if wanted.upgrade != "check" and (step := step_under_way(run)):
            glance.set_migrating(session, pipeline, version, step)
        else:
            glance.set_running(session, pipeline, wanted, command, recent)

    # ---- a start

    def _start(self, session: Session, pipeline: Pipeline, wanted: Wanted, what: str) -> None:
        if what == ROLLBACK and not has_moved(self.checkpoint(pipeline.id), wanted):
            went_back(session, pipeline, wanted)
            return
        if what == PROMOTE:
            if not has_moved(self.checkpoint(pipeline.id), wanted):
                run, ending = latest_run(self.folder(pipeline.id)), not_promoted(self.shadows.last(pipeline.id))
                fall_back(session, pipeline, wanted, run, ending)
                return
            what = RUN
        places = Places(self.home, self.checkpoint(pipeline.id), self.progress(pipeline.id))
        try:
            launched = launch_of(session, pipeline, wanted, self.command, places, self.allowed, self._vault, what)
            launch(self.folder(pipeline.id), launched, self._umask)
        except TakenError:
            return  # The next tick tries again.
        except CompiledPlanError as fault:
            wanted.run = False
            ending = Ending(Outcome.REFUSED, fault.message, fault.where, fault.remedy)
            glance.set_failed(session, pipeline, wanted.version, ending)
            return
        if what == PRUNE:
            return
        wanted.next_at = None
        if what in _CHANGES:
            glance.set_migrating(session, pipeline, wanted.version, _CHANGES[what])
            return
        if what == RUN and wanted.outcome not in UNDER_WAY:
            wanted.options = []  # They are options of this start only.
        glance.set_starting(session, pipeline, wanted.version)

    # ---- requests

    def want_run(
        self,
        session: Session,
        pipeline: Pipeline,
        version: int,
        by: str,
        once: Sequence[str] = (),
        before: tuple[str, str] | None = None,
    ) -> Wanted:
        """Request a run of a version; a running version continues.

        Args:
            session: the database session.
            pipeline: the pipeline.
            version: the number of the version.
            by: the author of the request.
            once: options of `execute-plan` for the next start only.
            before: an action of `BEFORE_RUN`, and its value.

        Raises:
            ConflictError: with `once` or `before`, while a run or an upgrade is active.
        """
        wanted = self.wanted(session, pipeline)
        if once or before:
            self._check_at_rest(pipeline, wanted)
        if before is not None:
            wanted.upgrade, wanted.options = before[0], [before[1], *once]
        elif wanted.outcome not in UNDER_WAY:
            wanted.upgrade, wanted.options = "check", [*once]
        if before is not None and before[0] == REWIND:
            wanted.fallback, wanted.generation = wanted.version, generation_of(self.checkpoint(pipeline.id))
        wanted.run, wanted.version, wanted.by = True, version, by
        wanted.crashes, wanted.next_at = 0, None
        return wanted

    def _check_at_rest(self, pipeline: Pipeline, wanted: Wanted) -> None:
        if wanted.outcome in UNDER_WAY:
            raise ConflictError(
                "an upgrade is in progress", where=pipeline.name, remedy="wait for its end, or roll back"
            )
        run = current(self.folder(pipeline.id))
        if run is not None and not run[1].is_over:
            raise ConflictError(
                f"the pipeline {pipeline.name!r} runs already, and these options apply to a start",
                where=pipeline.name,
                remedy="stop it first",
            )

    def want_stop(self, session: Session, pipeline: Pipeline) -> None:
        """Request the end of a run, also of one that waits for its restart."""
        wanted = self.wanted(session, pipeline)
        wanted.run, wanted.next_at, wanted.crashes = False, None, 0
        run, status = current(self.folder(pipeline.id)), session.get(Status, pipeline.id)
        if status is not None and RunState(status.state).has_failed and (run is None or run[1].is_over):
            glance.set_ended(session, pipeline, status.version, RunState.STOPPED)
        elif status is not None:
            status.until = None

    def wanted(self, session: Session, pipeline: Pipeline) -> Wanted:
        """The desired state of a pipeline; created without a run if there is none."""
        wanted = session.get(Wanted, pipeline.id)
        if wanted is None:
            wanted = Wanted(pipeline_id=pipeline.id, run=False, version=0, by="", upgrade="check", options=[])
            wanted.fallback = wanted.previous = wanted.crashes = wanted.seen = 0
            wanted.outcome = ""
            session.add(wanted)
        return wanted

    def settle(self, pipeline_id: int, seconds: float) -> None:
        """Tick at once, and wait at most some seconds until the actual state matches the desired one."""
        deadline = time.monotonic() + seconds
        while True:
            self.tick()
            with self.database.read() as session:
                wanted = session.get(Wanted, pipeline_id)
                run = current(self.folder(pipeline_id))
                runs = run is not None and not run[1].is_over
                waits = wanted is not None and wanted.next_at is not None
                if wanted is None or waits or runs == wanted.run or time.monotonic() > deadline:
                    return
            time.sleep(0.1)

"""Looks after runs: what is wanted of each pipeline is in the database, what there is in folders and processes.

A tick compares the two and does one step for each pipeline. It may end between any two steps: the next one, of this
process or of one that comes after it, finds out where things are.
"""

from __future__ import annotations

import logging
import random
import signal
import sys
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.telemetry.progress_file import last_number
from compiled_plan.service.runs import glance, output
from compiled_plan.service.runs.backoff import Backoff
from compiled_plan.service.runs.endings import Ending, Outcome, ending_of, last_of
from compiled_plan.service.runs.folders import COMMAND, PROGRESS, RunFolder
from compiled_plan.service.runs.locks import checkpoint_lock
from compiled_plan.service.runs.processes import Launch, ProcessState, TakenError, current, launch, signal_run
from compiled_plan.service.runs.pruning import prune_runs
from compiled_plan.service.runs.schedules import Schedule
from compiled_plan.service.runs.settings import RunSettings, settings_of
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.database import Database
from compiled_plan.service.store.tables import Pipeline, Wanted

_LOG = logging.getLogger(__name__)
#: The command that runs plans.
EXECUTE_PLAN = (sys.executable, "-m", "compiled_plan.cli.execute_plan")
_TAIL = 20_000
ROLLBACK = "rollback"


class Supervisor:
    """Looks after the runs of a service.

    Args:
        home: the service's folder.
        database: the registry.
        command: that runs plans.
        backoff: how long to wait after a crash.
        every: seconds between two ticks.
    """

    def __init__(
        self,
        home: Path,
        database: Database,
        command: Sequence[str] = EXECUTE_PLAN,
        backoff: Backoff | None = None,
        every: float = 1.0,
    ) -> None:
        self.home, self.database, self.command, self.every = home.resolve(), database, tuple(command), every
        self.backoff = backoff or Backoff()
        self._chance = random.Random()
        self._wake, self._ending = threading.Event(), threading.Event()
        self._one_at_a_time = threading.Lock()
        self._thread: threading.Thread | None = None

    # ---- folders

    def folder(self, pipeline_id: int) -> Path:
        """The folder of a pipeline's runs."""
        return self.home / "runs" / str(pipeline_id)

    def checkpoint(self, pipeline_id: int) -> Path:
        """The folder of a pipeline's checkpoint."""
        return self.home / "checkpoints" / str(pipeline_id)

    def progress(self, pipeline_id: int) -> Path:
        """The file of a pipeline's progress."""
        return self.folder(pipeline_id) / PROGRESS

    # ---- its thread

    def begin(self) -> None:
        """Look after runs, in a thread, until `close`."""
        self._thread = threading.Thread(target=self._go_on, name="runs", daemon=True)
        self._thread.start()

    def _go_on(self) -> None:
        while not self._ending.is_set():
            self.tick()
            self._wake.wait(self.every)
            self._wake.clear()

    def close(self) -> None:
        """Look after them no more; they go on."""
        self._ending.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(30)

    def hurry(self) -> None:
        """Do the next tick now."""
        self._wake.set()

    # ---- one tick

    def tick(self) -> None:
        """One step for each pipeline. What goes wrong with one is no matter of the others."""
        with self._one_at_a_time:
            with self.database.read() as session:
                ids = list(session.scalars(select(Wanted.pipeline_id)))
            for each in ids:
                try:
                    self._look_after(each)
                except Exception:
                    _LOG.exception("pipeline %s: its run cannot be looked after", each)

    def _look_after(self, pipeline_id: int) -> None:
        with self.database.write() as session:
            wanted, pipeline = session.get(Wanted, pipeline_id), session.get(Pipeline, pipeline_id)
            if wanted is None or pipeline is None:
                return
            found = current(self.folder(pipeline_id))
            if found is not None and not found[1].is_over:
                self._running(session, pipeline, wanted, *found)
                return
            if found is not None and wanted.seen < found[0].number:
                self._ended(session, pipeline, wanted, *found)
            if wanted.run and (wanted.next_at is None or wanted.next_at <= datetime.now(UTC)):
                self._start(session, pipeline, wanted)

    # ---- a run that goes on

    def _running(
        self, session: Session, pipeline: Pipeline, wanted: Wanted, run: RunFolder, state: ProcessState
    ) -> None:
        command = run.read(COMMAND) or {}
        if command.get("what") == ROLLBACK:
            return
        moves = wanted.upgrade != "check" and command.get("upgrade") != wanted.upgrade
        other = wanted.run and (moves or command.get("version") != wanted.version)
        if not wanted.run or other:
            self._stop_once(run)
            glance.set_stopping(session, pipeline, command.get("version", 0), run)
            return
        begun = last_of(run.progress, command.get("seq", 0), "start")
        if begun is not None and last_of(run.progress, command["seq"], "batch"):
            _upgraded(wanted)
        glance.set_running(session, pipeline, wanted, run, state, settings_of(pipeline.run_settings))

    def _stop_once(self, run: RunFolder) -> None:
        """A second signal would end the process at once."""
        if run.read("stop.json") is None and signal_run(run, signal.SIGTERM):
            run.write("stop.json", {"at": time.time()})

    # ---- a run that has ended

    def _ended(self, session: Session, pipeline: Pipeline, wanted: Wanted, run: RunFolder, state: ProcessState) -> None:
        command, now = run.read(COMMAND) or {}, datetime.now(UTC)
        said = output.read(run.output, most=_TAIL).text
        ending = ending_of(state, run.progress, command.get("seq", 0), said)
        wanted.seen = run.number
        prune_runs(self.folder(pipeline.id))
        if command.get("what") == ROLLBACK:
            self._rolled_back(session, pipeline, wanted, ending)
            return
        asked = run.read("stop.json") is not None
        if ending.outcome is Outcome.FINISHED:
            _upgraded(wanted)
        settings = settings_of(pipeline.run_settings)
        if ending.outcome is Outcome.REFUSED and wanted.fallback:
            self._fall_back(session, pipeline, wanted, ending)
        elif ending.outcome is Outcome.REFUSED:
            wanted.run = False
            glance.set_failed(session, pipeline, command.get("version", 0), ending)
        elif ending.outcome is Outcome.FINISHED:
            interval = settings.interval
            wanted.crashes, wanted.next_at = 0, Schedule(interval).next_after(now) if interval else None
            wanted.run = wanted.run and interval is not None
            glance.set_ended(session, pipeline, command.get("version", 0), "finished")
        elif asked or not wanted.run:
            wanted.crashes, wanted.next_at = 0, None
            glance.set_ended(session, pipeline, command.get("version", 0), "stopped")
        else:
            self._crashed(session, pipeline, wanted, ending, state, command.get("version", 0))

    def _crashed(
        self, session: Session, pipeline: Pipeline, wanted: Wanted, ending: Ending, state: ProcessState, version: int
    ) -> None:
        lasted = (state.ended or time.time()) - state.since
        wanted.crashes = self.backoff.crashes(wanted.crashes, lasted)
        if self.backoff.gives_up(wanted.crashes):
            wanted.run = False
            glance.set_failed(session, pipeline, version, ending, f"after {wanted.crashes} crashes in a row")
            return
        seconds = self.backoff.delay(wanted.crashes, self._chance)
        wanted.next_at = datetime.now(UTC) + timedelta(seconds=seconds)
        shown = wanted.next_at.isoformat(timespec="seconds").replace("+00:00", "Z")
        glance.set_failed(session, pipeline, version, ending, f"starts again at {shown}, restart {wanted.crashes}")

    def _fall_back(self, session: Session, pipeline: Pipeline, wanted: Wanted, ending: Ending) -> None:
        """An upgrade was refused, and changed nothing: the version of before goes on."""
        pipelines.change(session, pipeline, in_force=wanted.fallback)
        wanted.version, wanted.fallback, wanted.outcome = wanted.fallback, 0, "refused"
        wanted.upgrade, wanted.options, wanted.next_at = "check", [], None
        glance.set_failed(session, pipeline, wanted.version, ending, "the version of before goes on")

    def _rolled_back(self, session: Session, pipeline: Pipeline, wanted: Wanted, ending: Ending) -> None:
        wanted.upgrade, wanted.next_at = "check", None
        if ending.outcome is not Outcome.FINISHED:
            wanted.outcome, wanted.run = "refused", False
            glance.set_failed(session, pipeline, wanted.version, ending)
            return
        before = wanted.version
        wanted.version, wanted.previous, wanted.outcome = wanted.previous, 0, "rolled-back"
        wanted.fallback = 0
        pipelines.change(session, pipeline, in_force=wanted.version)
        _LOG.info("pipeline %s: from version %s back to %s", pipeline.name, before, wanted.version)

    # ---- a start

    def _start(self, session: Session, pipeline: Pipeline, wanted: Wanted) -> None:
        try:
            launch(self.folder(pipeline.id), self._launch(session, pipeline, wanted))
        except TakenError:
            return  # the next tick looks again
        except CompiledPlanError as fault:
            wanted.run = False
            ending = Ending(Outcome.REFUSED, fault.message, fault.where, fault.remedy)
            glance.set_failed(session, pipeline, wanted.version, ending)
            return
        wanted.next_at = None
        glance.set_starting(session, pipeline, wanted.version)

    def _launch(self, session: Session, pipeline: Pipeline, wanted: Wanted) -> Launch:
        checkpoint, progress = self.checkpoint(pipeline.id), self.progress(pipeline.id)
        settings: RunSettings = settings_of(pipeline.run_settings)
        facts: dict[str, Any] = {"version": wanted.version, "seq": last_number(progress), "what": "run"}
        facts["upgrade"] = wanted.upgrade
        files: dict[str, str] = {}
        if wanted.upgrade == ROLLBACK:
            facts["what"] = ROLLBACK
            argv = [*self.command, "--checkpoint", str(checkpoint), "--rollback", "--json"]
        else:
            version = versions.find(session, pipeline, wanted.version)
            files["plan.json"] = versions.plan_text(session, version)
            more = ["--upgrade", wanted.upgrade, *wanted.options] if wanted.upgrade != "check" else []
            argv = settings.argv(self.command, "{run}/plan.json", pipeline.name, checkpoint, progress, more)
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
        lock = checkpoint_lock(self.home / "locks", str(checkpoint))
        return Launch(argv, self.home.parent, lock, {}, facts, files)

    # ---- what is asked for

    def want_run(self, session: Session, pipeline: Pipeline, version: int, by: str) -> Wanted:
        """Have a version run; one that runs already goes on."""
        wanted = self.wanted(session, pipeline)
        wanted.run, wanted.version, wanted.by = True, version, by
        wanted.crashes, wanted.next_at = 0, None
        return wanted

    def wanted(self, session: Session, pipeline: Pipeline) -> Wanted:
        """What is wanted of a pipeline; nothing, where nobody ever asked."""
        found = session.get(Wanted, pipeline.id)
        if found is None:
            found = Wanted(pipeline_id=pipeline.id, run=False, version=0, by="", upgrade="check", options=[])
            found.fallback = found.previous = found.crashes = found.seen = 0
            found.outcome = ""
            session.add(found)
        return found

    def settle(self, pipeline_id: int, seconds: float) -> None:
        """Tick at once, and wait a while until what is wanted is so, or is about to be."""
        deadline = time.monotonic() + seconds
        while True:
            self.tick()
            with self.database.read() as session:
                wanted = session.get(Wanted, pipeline_id)
                found = current(self.folder(pipeline_id))
                runs = found is not None and not found[1].is_over
                if wanted is None or runs == wanted.run or time.monotonic() > deadline:
                    return
            time.sleep(0.1)


def _upgraded(wanted: Wanted) -> None:
    """The state has moved: later starts go on with it."""
    if wanted.upgrade != "check":
        wanted.upgrade, wanted.options, wanted.outcome = "check", [], "done"
        wanted.previous, wanted.fallback = wanted.fallback or wanted.previous, 0

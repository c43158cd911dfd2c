"""Transitions of a pipeline's desired state after the end of a run."""

from __future__ import annotations

import logging
import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy.orm import Session

from compiled_plan.plans.text.masking import masked_text
from compiled_plan.service.runs import glance, output, upgrading
from compiled_plan.service.runs.endings import Ending, Outcome, ending_of, ending_without_secrets
from compiled_plan.service.runs.folders import COMMAND, RunFolder, is_begun
from compiled_plan.service.runs.generations import generation_of
from compiled_plan.service.runs.launching import BEFORE_RUN, PRUNE, REWIND, ROLLBACK
from compiled_plan.service.runs.processes import Phase, ProcessState, is_stop_requested
from compiled_plan.service.runs.settings import settings_of
from compiled_plan.service.store import versions
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Pipeline, Wanted

_LOG = logging.getLogger(__name__)
#: The number of output bytes to search for an error.
_TAIL = 20_000


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential backoff of restarts.

    Args:
        first: the delay of the first restart, in seconds.
        factor: the growth of the delay per restart.
        most: the maximum delay, in seconds.
        jitter: the random part of the delay, from 0 to 1.
        healthy: the run time, in seconds, after which a crash counts as the first one again.
        attempts: the maximum number of restarts in a row; 0 for unlimited.
    """

    first: float = 5.0
    factor: float = 2.0
    most: float = 600.0
    jitter: float = 0.5
    healthy: float = 300.0
    attempts: int = 20

    def delay(self, crashes: int, chance: random.Random) -> float:
        """The delay in seconds after that number of consecutive crashes."""
        exponent = min(max(0, crashes - 1), 64)
        whole = min(self.most, self.first * self.factor**exponent)
        return whole * (1 - self.jitter * chance.random())

    def crashes(self, before: int, lasted: float) -> int:
        """The number of consecutive crashes, including one after a run of that many seconds."""
        return 1 if lasted >= self.healthy else before + 1

    def gives_up(self, crashes: int) -> bool:
        """Return True if there are no more restarts after that number of consecutive crashes."""
        return 0 < self.attempts < crashes


@dataclass(frozen=True, slots=True)
class Ended:
    """An ended run.

    Args:
        session: the database session.
        pipeline: the pipeline.
        wanted: its desired state, which is updated.
        run: the run.
        state: the state of its process.
        checkpoint: its checkpoint.
        backoff: the delays of restarts.
        chance: randomness for the jitter.
    """

    session: Session
    pipeline: Pipeline
    wanted: Wanted
    run: RunFolder
    state: ProcessState
    checkpoint: Path
    backoff: Backoff
    chance: random.Random = field(default_factory=random.Random)

    def take_note(self) -> None:
        """Record the outcome, and update status and desired state."""
        command = self.run.read(COMMAND) or {}
        if self.state.phase is Phase.LOST and not is_begun(self.run):
            # The service ended before it started the run; the next start repeats it.
            if not self.wanted.run:
                glance.set_ended(self.session, self.pipeline, command["version"], RunState.STOPPED)
            return
        self.wanted.seen = self.run.number
        said = output.read(self.run.output, most=_TAIL).text
        ending = ending_without_secrets(ending_of(self.state, self.run.progress, command["seq"], said), self.run)
        acts = {ROLLBACK: self._rolled_back, PRUNE: self._pruned} | dict.fromkeys(BEFORE_RUN, self._prepared)
        if (act := acts.get(command["what"])) is not None:
            act(ending)
            return
        its = command["upgrade"] == self.wanted.upgrade
        if its and (ending.outcome is Outcome.FINISHED or has_moved(self.checkpoint, self.wanted)):
            upgraded(self.wanted, self.run)
        if ending.outcome is Outcome.REFUSED and self.wanted.fallback:
            fall_back(self.session, self.pipeline, self.wanted, self.run, ending)
        elif ending.outcome is Outcome.REFUSED:
            self.wanted.run = False
            glance.set_failed(self.session, self.pipeline, command["version"], ending)
        elif ending.outcome is Outcome.FINISHED:
            self._finished(command["version"])
        elif is_stop_requested(self.run) or not self.wanted.run:
            self.wanted.crashes, self.wanted.next_at = 0, None
            if self.wanted.run:
                return  # Another version follows at once.
            glance.set_ended(self.session, self.pipeline, command["version"], RunState.STOPPED)
        else:
            self._crashed(ending, command["version"])

    def _finished(self, version: int) -> None:
        wanted = self.wanted
        wanted.crashes = 0
        wanted.next_at = settings_of(self.pipeline.run_settings).next_start(datetime.now(UTC))
        wanted.run = wanted.run and wanted.next_at is not None
        glance.set_ended(
            self.session, self.pipeline, version, RunState.FINISHED, wanted.next_at if wanted.run else None
        )

    def _crashed(self, ending: Ending, version: int) -> None:
        wanted = self.wanted
        lasted = (self.state.ended or time.time()) - self.state.since
        wanted.crashes = self.backoff.crashes(wanted.crashes, lasted)
        if self.backoff.gives_up(wanted.crashes):
            wanted.run, wanted.next_at = False, None
            next_ = f"after {wanted.crashes} crashes in a row"
        else:
            seconds = self.backoff.delay(wanted.crashes, self.chance)
            wanted.next_at = datetime.now(UTC) + timedelta(seconds=seconds)
            next_ = f"restart {wanted.crashes} follows"
        glance.set_failed(self.session, self.pipeline, version, ending, next_, wanted.next_at)

    def _rolled_back(self, ending: Ending) -> None:
        wanted, went = self.wanted, ending.outcome is Outcome.FINISHED
        upgrading.note(self.run, wanted, None if went else ending)
        wanted.upgrade, wanted.next_at = "check", None
        if not went:
            wanted.outcome, wanted.run = "refused", False
            glance.set_failed(self.session, self.pipeline, wanted.version, ending)
            return
        went_back(self.session, self.pipeline, wanted)

    def _prepared(self, ending: Ending) -> None:
        """After an action before a run: the run follows, unless the action was refused."""
        wanted = self.wanted
        went, rewinds = ending.outcome is Outcome.FINISHED, wanted.upgrade == REWIND
        if wanted.upgrade in BEFORE_RUN:
            wanted.upgrade, wanted.options = "check", wanted.options[1:]
        if rewinds and went:
            wanted.outcome, wanted.previous, wanted.upgraded_at = "rewound", wanted.fallback, datetime.now(UTC)
        if rewinds:
            wanted.fallback = 0
        if not went:
            wanted.run, wanted.options = False, []
            glance.set_failed(self.session, self.pipeline, wanted.version, ending)
        elif not wanted.run:
            glance.set_ended(self.session, self.pipeline, wanted.version, RunState.STOPPED)

    def _pruned(self, ending: Ending) -> None:
        if ending.outcome is Outcome.FINISHED:
            self.wanted.previous, self.wanted.upgraded_at = 0, None
            return
        # Retry after the same retention.
        self.wanted.upgraded_at = datetime.now(UTC)
        _LOG.warning("pipeline %s: the previous state stays: %s", self.pipeline.name, masked_text(ending.message))


def has_moved(checkpoint: Path, wanted: Wanted) -> bool:
    """Return True if the current upgrade has moved the state: the active generation has changed."""
    return wanted.upgrade != "check" and generation_of(checkpoint) != wanted.generation


def fall_back(session: Session, pipeline: Pipeline, wanted: Wanted, run: RunFolder | None, ending: Ending) -> None:
    """After a refused upgrade, which changed nothing, the previous version continues; `run` has its record."""
    if run is not None:
        upgrading.note(run, wanted, ending)
    wanted.version, wanted.fallback, wanted.outcome = wanted.fallback, 0, "refused"
    wanted.upgrade, wanted.options, wanted.next_at = "check", [], None
    put_in_force(session, pipeline, wanted)
    glance.set_failed(session, pipeline, wanted.version, ending, "the previous version continues")


def went_back(session: Session, pipeline: Pipeline, wanted: Wanted) -> None:
    """Restore the previous version after a rollback."""
    before = wanted.version
    wanted.version, wanted.previous, wanted.outcome = wanted.previous, 0, "rolled-back"
    wanted.upgrade, wanted.fallback, wanted.options = "check", 0, []
    put_in_force(session, pipeline, wanted)
    _LOG.info("pipeline %s: from version %s back to %s", pipeline.name, before, wanted.version)


def put_in_force(session: Session, pipeline: Pipeline, wanted: Wanted) -> None:
    """Put the desired version in force."""
    versions.put_in_force(session, pipeline, versions.find(session, pipeline, wanted.version), wanted.by)


def upgraded(wanted: Wanted, run: RunFolder) -> None:
    """Record a completed upgrade: later starts use the moved state."""
    if wanted.upgrade != "check":
        upgrading.note(run, wanted)
        wanted.upgrade, wanted.options, wanted.outcome = "check", [], "done"
        # Without previous state there is no rollback.
        wanted.previous, wanted.fallback = wanted.fallback if wanted.generation else 0, 0
        wanted.upgraded_at = datetime.now(UTC)

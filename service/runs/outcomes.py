"""What the end of a run means for what is wanted of its pipeline."""

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
from compiled_plan.service.runs.launching import ADOPT, PRUNE, ROLLBACK
from compiled_plan.service.runs.processes import Phase, ProcessState, was_asked
from compiled_plan.service.runs.settings import settings_of
from compiled_plan.service.store import versions
from compiled_plan.service.store.tables import Pipeline, Wanted

_LOG = logging.getLogger(__name__)
#: Of what it printed, bytes that are looked at for an error.
_TAIL = 20_000


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before the next start.

    Args:
        first: seconds before the first restart.
        factor: growth of the wait from one restart to the next.
        most: seconds at most.
        jitter: which part of the wait is left to chance, from 0 to 1.
        healthy: seconds that a run has to last to count as one that went well: the next crash is a first one.
        attempts: restarts in a row before a person is needed; 0 for no bound.
    """

    first: float = 5.0
    factor: float = 2.0
    most: float = 600.0
    jitter: float = 0.5
    healthy: float = 300.0
    attempts: int = 20

    def delay(self, crashes: int, chance: random.Random) -> float:
        """Seconds to wait after so many crashes in a row, the last one counted."""
        exponent = min(max(0, crashes - 1), 64)
        whole = min(self.most, self.first * self.factor**exponent)
        return whole * (1 - self.jitter * chance.random())

    def crashes(self, before: int, lasted: float) -> int:
        """How many crashes there were in a row, with one more of a run that lasted so many seconds."""
        return 1 if lasted >= self.healthy else before + 1

    def gives_up(self, crashes: int) -> bool:
        """Whether so many crashes in a row are enough."""
        return 0 < self.attempts < crashes


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has ended.

    Args:
        wanted: what is wanted of the pipeline; changed.
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
        """Say how it ended, and what comes next."""
        command = self.run.read(COMMAND) or {}
        if self.state.phase is Phase.LOST and not is_begun(self.run):
            # Who was about to start it ended before that: the next start does it.
            if not self.wanted.run:
                glance.set_ended(self.session, self.pipeline, command["version"], "stopped")
            return
        self.wanted.seen = self.run.number
        said = output.read(self.run.output, most=_TAIL).text
        ending = ending_without_secrets(ending_of(self.state, self.run.progress, command["seq"], said), self.run)
        acts = {ROLLBACK: self._rolled_back, PRUNE: self._pruned, ADOPT: self._adopted}
        if (act := acts.get(command["what"])) is not None:
            act(ending)
            return
        its = command["upgrade"] == self.wanted.upgrade
        if its and (ending.outcome is Outcome.FINISHED or has_moved(self.checkpoint, self.wanted)):
            upgraded(self.wanted, self.run)
        if ending.outcome is Outcome.REFUSED and self.wanted.fallback:
            self._fall_back(ending)
        elif ending.outcome is Outcome.REFUSED:
            self.wanted.run = False
            glance.set_failed(self.session, self.pipeline, command["version"], ending)
        elif ending.outcome is Outcome.FINISHED:
            self._finished(command["version"])
        elif was_asked(self.run) or not self.wanted.run:
            self.wanted.crashes, self.wanted.next_at = 0, None
            glance.set_ended(self.session, self.pipeline, command["version"], "stopped")
        else:
            self._crashed(ending, command["version"])

    def _finished(self, version: int) -> None:
        wanted = self.wanted
        wanted.crashes = 0
        wanted.next_at = settings_of(self.pipeline.run_settings).next_start(datetime.now(UTC))
        wanted.run = wanted.run and wanted.next_at is not None
        glance.set_ended(self.session, self.pipeline, version, "finished")

    def _crashed(self, ending: Ending, version: int) -> None:
        wanted = self.wanted
        lasted = (self.state.ended or time.time()) - self.state.since
        wanted.crashes = self.backoff.crashes(wanted.crashes, lasted)
        if self.backoff.gives_up(wanted.crashes):
            wanted.run = False
            next_ = f"after {wanted.crashes} crashes in a row"
        else:
            seconds = self.backoff.delay(wanted.crashes, self.chance)
            wanted.next_at = datetime.now(UTC) + timedelta(seconds=seconds)
            shown = wanted.next_at.isoformat(timespec="seconds").replace("+00:00", "Z")
            next_ = f"starts again at {shown}, restart {wanted.crashes}"
        glance.set_failed(self.session, self.pipeline, version, ending, next_)

    def _fall_back(self, ending: Ending) -> None:
        """An upgrade was refused, and changed nothing: the version of before goes on."""
        wanted = self.wanted
        upgrading.note(self.run, wanted, ending)
        wanted.version, wanted.fallback, wanted.outcome = wanted.fallback, 0, "refused"
        wanted.upgrade, wanted.options, wanted.next_at = "check", [], None
        put_in_force(self.session, self.pipeline, wanted)
        glance.set_failed(self.session, self.pipeline, wanted.version, ending, "the version of before goes on")

    def _rolled_back(self, ending: Ending) -> None:
        wanted, went = self.wanted, ending.outcome is Outcome.FINISHED
        upgrading.note(self.run, wanted, None if went else ending)
        wanted.upgrade, wanted.next_at = "check", None
        if not went:
            wanted.outcome, wanted.run = "refused", False
            glance.set_failed(self.session, self.pipeline, wanted.version, ending)
            return
        went_back(self.session, self.pipeline, wanted)

    def _adopted(self, ending: Ending) -> None:
        wanted = self.wanted
        if wanted.upgrade == ADOPT:
            wanted.upgrade, wanted.options = "check", wanted.options[1:]
        if ending.outcome is not Outcome.FINISHED:
            wanted.run, wanted.options = False, []
            glance.set_failed(self.session, self.pipeline, wanted.version, ending)
        elif not wanted.run:
            glance.set_ended(self.session, self.pipeline, wanted.version, "stopped")

    def _pruned(self, ending: Ending) -> None:
        if ending.outcome is Outcome.FINISHED:
            self.wanted.previous, self.wanted.upgraded_at = 0, None
            return
        # Tried again after the same time.
        self.wanted.upgraded_at = datetime.now(UTC)
        _LOG.warning("pipeline %s: the state of before stays: %s", self.pipeline.name, masked_text(ending.message))


def has_moved(checkpoint: Path, wanted: Wanted) -> bool:
    """Whether the upgrade that goes on has moved the state: another generation counts than before."""
    return wanted.upgrade != "check" and generation_of(checkpoint) != wanted.generation


def went_back(session: Session, pipeline: Pipeline, wanted: Wanted) -> None:
    """The version and the state of before count again."""
    before = wanted.version
    wanted.version, wanted.previous, wanted.outcome = wanted.previous, 0, "rolled-back"
    wanted.upgrade, wanted.fallback, wanted.options = "check", 0, []
    put_in_force(session, pipeline, wanted)
    _LOG.info("pipeline %s: from version %s back to %s", pipeline.name, before, wanted.version)


def put_in_force(session: Session, pipeline: Pipeline, wanted: Wanted) -> None:
    """What is wanted to run is in force."""
    versions.put_in_force(session, pipeline, versions.find(session, pipeline, wanted.version), wanted.by)


def upgraded(wanted: Wanted, run: RunFolder) -> None:
    """The state has moved, by this run: later starts go on with it."""
    if wanted.upgrade != "check":
        upgrading.note(run, wanted)
        wanted.upgrade, wanted.options, wanted.outcome = "check", [], "done"
        # Where nothing was kept before there is nothing to go back to.
        wanted.previous, wanted.fallback = wanted.fallback if wanted.generation else 0, 0
        wanted.upgraded_at = datetime.now(UTC)

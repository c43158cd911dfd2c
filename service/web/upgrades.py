"""Upgrades of a pipeline to another version with its checkpoint, and rollback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from compiled_plan.plans.execution.session.options import CORRECT, MIGRATE, MIGRATE_PARTIAL, arguments
from compiled_plan.plans.text.properties import properties_text
from compiled_plan.service.common.texts import Argument
from compiled_plan.service.runs.asking import ask
from compiled_plan.service.runs.folders import CONF, PLAN
from compiled_plan.service.runs.generations import generation_of
from compiled_plan.service.runs.launching import Runnable, runnable
from compiled_plan.service.runs.settings import option, settings_of
from compiled_plan.service.runs.upgrading import State, course_of
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.errors import ConflictError, NotFoundError
from compiled_plan.service.store.tables import MOVED, UNDER_WAY, Wanted
from compiled_plan.service.web.depends import Editor, IdempotencyKey, Name, Operator, PartsOf, Reading, Viewer
from compiled_plan.service.web.documents import RequestBody
from compiled_plan.service.web.idempotency import Keep, once
from compiled_plan.service.web.runs import RunsOf

router = APIRouter(prefix="/pipelines/{name}/upgrade", tags=["upgrades"])
_Uids = Annotated[list[Annotated[Argument, Field(min_length=1, max_length=300)]], Field(max_length=1000)]


class Target(RequestBody):
    """An upgrade to a version."""

    version: int = Field(ge=1, le=2**31 - 1)
    partial: bool = Field(default=False, description="accept partial compatibility")
    correct: bool = Field(
        default=False, description="make the tables of sinks right for the past, too; `partial` has no effect then"
    )
    reset: _Uids = option("reset")
    warm_up: _Uids = option("warm_up")

    @property
    def how(self) -> str:
        """The value of `execute-plan --upgrade`."""
        if self.correct:
            return CORRECT
        return MIGRATE_PARTIAL if self.partial else MIGRATE

    @property
    def options(self) -> list[str]:
        """Further options of `execute-plan`."""
        return list(arguments({"reset": self.reset, "warm_up": self.warm_up}))


class StepDocument(BaseModel):
    """A step of an upgrade."""

    name: str = Field(description="stop, move, back, promote, run; or the name of a migration step in `execute-plan`")
    text: str
    state: State


class UpgradeDocument(BaseModel):
    """The progress of an upgrade."""

    state: str = Field(description="none, migrating, done, refused, rolling-back, rolled-back, rewound")
    from_: int = Field(serialization_alias="from", description="previous version; 0 for none")
    to: int = Field(description="new version")
    done: int = Field(description="number of completed steps")
    of: int = Field(description="number of steps")
    steps: list[StepDocument] = Field(description="steps in order; empty if their record was removed")
    can_roll_back: bool
    message: str = Field(default="", description="reason of a refusal")
    remedy: str = Field(default="", description="what to do")


def _can_roll_back(wanted: Wanted) -> bool:
    """Return True for a completed upgrade, and for one whose run has not reached its first micro-batch."""
    if wanted.outcome == "migrating":
        return wanted.fallback > 0
    return wanted.outcome in MOVED and wanted.previous > 0


def _document(runs: RunsOf, session: Session, name: str) -> UpgradeDocument:
    pipeline = pipelines.find(session, name)
    wanted = session.get(Wanted, pipeline.id)
    if wanted is None or not wanted.outcome:
        return UpgradeDocument(state="none", from_=0, to=pipeline.in_force, done=0, of=0, steps=[], can_roll_back=False)
    course = course_of(runs.folder(pipeline.id), wanted)
    return UpgradeDocument(
        state=wanted.outcome,
        from_=wanted.fallback or wanted.previous,
        to=wanted.version,
        done=sum(step.state == "done" for step in course.steps),
        of=len(course.steps),
        steps=[StepDocument(**asdict(step)) for step in course.steps],
        can_roll_back=_can_roll_back(wanted),
        message=course.message,
        remedy=course.remedy,
    )


@router.get("", summary="Progress of the upgrade")
def upgrade(who: Viewer, session: Reading, runs: RunsOf, name: Name) -> UpgradeDocument:
    """The last requested upgrade or rollback."""
    return _document(runs, session, name)


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a version on the checkpoint.

    Args:
        plan: its plan.
        options: options of `execute-plan`, with the plan.
        files: the files that they name.
    """

    plan: Runnable
    options: Sequence[str]
    files: Mapping[str, str]


def start_of(parts: PartsOf, runs: RunsOf, name: str, body: Target) -> Start:
    """The start that an upgrade would make.

    Raises:
        NotFoundError: no such pipeline or version.
        UnsupportedError: the plan uses a resource that is not allowed.
    """
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        plan = versions.plan_text(session, versions.find(session, pipeline, body.version))
        checkpoint, settings = runs.checkpoint(pipeline.id), settings_of(pipeline.run_settings)
    run = runnable(plan, runs.allowed)
    options = ["--checkpoint", str(checkpoint), "--upgrade", body.how, *body.options]
    options += [*settings.spark(f"{{{CONF}}}"), *run.options, f"{{{PLAN}}}"]
    return Start(run, options, {PLAN: run.text, CONF: properties_text(settings.conf)})


@router.post("/check", summary="Check the effect of an upgrade on the checkpoint, without changes")
def check(who: Editor, parts: PartsOf, runs: RunsOf, name: Name, body: Target) -> dict[str, object]:
    """The output of `execute-plan --dry-run --json --checkpoint`; 422 with the reason if it would be refused."""
    start = start_of(parts, runs, name, body)
    return ask(runs.command, ["--dry-run", "--json", *start.options], start.files)


class RewindTarget(RequestBody):
    """The target of a rewind."""

    to: Annotated[Argument, Field(min_length=1, max_length=300, description="as for `execute-plan --rewind-to`")]


@router.post("/rewind/check", summary="Check the effect of a rewind, without changes")
def check_rewind(who: Editor, parts: PartsOf, runs: RunsOf, name: Name, body: RewindTarget) -> dict[str, object]:
    """The output of `execute-plan --rewind-to --dry-run --json`; 422 with the reason if it would be refused.

    `POST .../run/start` with `rewind_to` rewinds, and starts a version.
    """
    with parts.database.read() as session:
        checkpoint = runs.checkpoint(pipelines.find(session, name).id)
    if not checkpoint.is_dir():
        raise NotFoundError("the pipeline has never run", where=name, remedy="start it")
    return ask(runs.command, ["--checkpoint", str(checkpoint), "--rewind-to", body.to, "--dry-run", "--json"])


@router.post("/migrate", summary="Upgrade to another version with the current state", response_model=UpgradeDocument)
def migrate(
    who: Operator, parts: PartsOf, runs: RunsOf, name: Name, body: Target, idempotency_key: IdempotencyKey = None
) -> Response:
    """Stops the run, moves its state to a new generation, and starts the version. A refusal changes nothing."""

    def begin(keep: Keep) -> UpgradeDocument:
        return begun(parts, runs, who, name, body.version, (body.how, *body.options), keep)

    return once(parts, who, f"POST migrate of {name}", idempotency_key, body, begin)


def begun(
    parts: PartsOf, runs: RunsOf, who: Operator, name: str, number: int, how: Sequence[str], keep: Keep
) -> UpgradeDocument:
    """Begin an upgrade.

    Args:
        number: the version.
        how: the mode, see `Wanted`, and the options of the start.

    Raises:
        ConflictError: an upgrade is in progress.
    """
    with parts.database.write() as session:
        pipeline = pipelines.find(session, name, lock=True)
        version = versions.find(session, pipeline, number)
        wanted = runs.wanted(session, pipeline)
        if wanted.outcome in UNDER_WAY and wanted.run:
            raise ConflictError("an upgrade is in progress", where=name, remedy="wait for its end, or roll back")
        if wanted.outcome not in UNDER_WAY:
            wanted.fallback = wanted.version or pipeline.in_force
            wanted.generation = generation_of(runs.checkpoint(pipeline.id))
        runs.want_run(session, pipeline, number, who.name)
        wanted.upgrade, wanted.options, wanted.outcome = how[0], [*how[1:]], "migrating"
        versions.put_in_force(session, pipeline, version, who.name)
        document = _document(runs, session, name)
        keep(session, document)
    runs.hurry()
    return document


@router.post("/rollback", summary="Roll back to the previous version and state", response_model=UpgradeDocument)
def rollback(
    who: Operator, parts: PartsOf, runs: RunsOf, name: Name, idempotency_key: IdempotencyKey = None
) -> Response:
    """Stops the run; the previous version continues from its state and reads later data again."""

    def begin(keep: Keep) -> UpgradeDocument:
        with parts.database.write() as session:
            pipeline = pipelines.find(session, name, lock=True)
            wanted = runs.wanted(session, pipeline)
            if not _can_roll_back(wanted):
                raise ConflictError("there is no upgrade to roll back", where=name, remedy="look at its versions")
            wanted.previous, wanted.fallback = wanted.fallback or wanted.previous, 0
            wanted.run, wanted.next_at, wanted.crashes = True, None, 0
            wanted.upgrade, wanted.outcome, wanted.options = "rollback", "rolling-back", []
            document = _document(runs, session, name)
            keep(session, document)
        runs.hurry()
        return document

    return once(parts, who, f"POST rollback of {name}", idempotency_key, None, begin)

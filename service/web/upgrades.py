"""Upgrades: another program on the checkpoint of the one that runs, and the way back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from compiled_plan.plans.execution.session.options import MIGRATE, MIGRATE_PARTIAL, arguments
from compiled_plan.plans.text.properties import properties_text
from compiled_plan.service.common.texts import Argument
from compiled_plan.service.runs.asking import ask
from compiled_plan.service.runs.folders import CONF, PLAN
from compiled_plan.service.runs.generations import generation_of
from compiled_plan.service.runs.launching import functions_of
from compiled_plan.service.runs.settings import option, settings_of
from compiled_plan.service.runs.upgrading import State, course_of
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.errors import ConflictError
from compiled_plan.service.store.tables import UNDER_WAY, Wanted
from compiled_plan.service.web.depends import Editor, IdempotencyKey, Name, Operator, PartsOf, Reading, Viewer
from compiled_plan.service.web.documents import Asked
from compiled_plan.service.web.idempotency import Keep, once
from compiled_plan.service.web.runs import RunsOf

router = APIRouter(prefix="/pipelines/{name}/upgrade", tags=["upgrades"])
_Uids = Annotated[list[Annotated[Argument, Field(min_length=1, max_length=300)]], Field(max_length=1000)]


class Target(Asked):
    """An upgrade that is asked for."""

    version: int = Field(ge=1, le=2**31 - 1)
    partial: bool = Field(default=False, description="accept what is compatible in part")
    reset: _Uids = option("reset")
    warm_up: _Uids = option("warm_up")

    @property
    def how(self) -> str:
        """As `execute-plan --upgrade` takes it."""
        return MIGRATE_PARTIAL if self.partial else MIGRATE

    @property
    def options(self) -> list[str]:
        """More options of the command."""
        return list(arguments({"reset": self.reset, "warm_up": self.warm_up}))


class StepDocument(BaseModel):
    """A step of an upgrade."""

    name: str = Field(description="stop, move, back, run; or a step of the migration, as `execute-plan` calls it")
    text: str
    state: State


class UpgradeDocument(BaseModel):
    """How far an upgrade is."""

    state: str = Field(description="none, migrating, done, refused, rolling-back, rolled-back")
    from_: int = Field(serialization_alias="from", description="version that it comes from; 0 for none")
    to: int = Field(description="version that runs, or is to")
    done: int = Field(description="steps that are done")
    of: int = Field(description="steps there are")
    steps: list[StepDocument] = Field(description="in order; empty where nothing is kept of them any more")
    can_roll_back: bool
    message: str = Field(default="", description="why it was refused")
    remedy: str = Field(default="", description="what to do about that")


def _can_roll_back(wanted: Wanted) -> bool:
    """From an upgrade that is done, and from one whose run does not come to its first micro-batch."""
    if wanted.outcome == "migrating":
        return wanted.fallback > 0
    return wanted.outcome == "done" and wanted.previous > 0


def _document(runs: RunsOf, session: Any, name: str) -> UpgradeDocument:
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


@router.get("", summary="How far the upgrade is")
def upgrade(who: Viewer, session: Reading, runs: RunsOf, name: Name) -> UpgradeDocument:
    """Of the last one that was asked for."""
    return _document(runs, session, name)


@router.post("/check", summary="What a start of a version would do with the checkpoint; nothing is changed")
def check(who: Editor, parts: PartsOf, runs: RunsOf, name: Name, body: Target) -> dict[str, Any]:
    """As `execute-plan --dry-run --json --checkpoint` says it; 422 with the reason where it would be refused."""
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        plan = versions.plan_text(session, versions.find(session, pipeline, body.version))
        checkpoint, settings = runs.checkpoint(pipeline.id), settings_of(pipeline.run_settings)
    functions, environment = functions_of(json.loads(plan), runs.allowed)
    options = ["--checkpoint", str(checkpoint), "--dry-run", "--json", "--upgrade", body.how, *body.options]
    options += [*settings.spark(f"{{{CONF}}}"), *functions, f"{{{PLAN}}}"]
    return ask(runs.command, options, {PLAN: plan, CONF: properties_text(settings.conf)}, environment)


@router.post(
    "/migrate", summary="Run another version, with the state of the one before", response_model=UpgradeDocument
)
def migrate(
    who: Operator, parts: PartsOf, runs: RunsOf, name: Name, body: Target, idempotency_key: IdempotencyKey = None
) -> Response:
    """The run is stopped, its state moves into a new generation, and the version runs. Refused, it changes nothing."""

    def begin(keep: Keep) -> UpgradeDocument:
        with parts.database.write() as session:
            pipeline = pipelines.find(session, name, lock=True)
            version = versions.find(session, pipeline, body.version)
            wanted = runs.wanted(session, pipeline)
            if wanted.outcome in UNDER_WAY and wanted.run:
                raise ConflictError("an upgrade goes on", where=name, remedy="wait for its end, or go back")
            if wanted.outcome not in UNDER_WAY:
                wanted.fallback = wanted.version or pipeline.in_force
                wanted.generation = generation_of(runs.checkpoint(pipeline.id))
            runs.want_run(session, pipeline, body.version, who.name)
            wanted.upgrade, wanted.options, wanted.outcome = body.how, body.options, "migrating"
            versions.put_in_force(session, pipeline, version, who.name)
            document = _document(runs, session, name)
            keep(session, document)
        runs.hurry()
        return document

    return once(parts, who, f"POST migrate of {name}", idempotency_key, body, begin)


@router.post("/rollback", summary="Go back to the version and the state of before", response_model=UpgradeDocument)
def rollback(
    who: Operator, parts: PartsOf, runs: RunsOf, name: Name, idempotency_key: IdempotencyKey = None
) -> Response:
    """The run is stopped, and the version of before goes on where it was; what was read since is read once more."""

    def begin(keep: Keep) -> UpgradeDocument:
        with parts.database.write() as session:
            pipeline = pipelines.find(session, name, lock=True)
            wanted = runs.wanted(session, pipeline)
            if not _can_roll_back(wanted):
                raise ConflictError("there is no upgrade to go back from", where=name, remedy="look at its versions")
            wanted.previous, wanted.fallback = wanted.fallback or wanted.previous, 0
            wanted.run, wanted.next_at, wanted.crashes = True, None, 0
            wanted.upgrade, wanted.outcome, wanted.options = "rollback", "rolling-back", []
            document = _document(runs, session, name)
            keep(session, document)
        runs.hurry()
        return document

    return once(parts, who, f"POST rollback of {name}", idempotency_key, None, begin)

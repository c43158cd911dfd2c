"""Shadow runs: a version beside the run of its pipeline, over the rows that come next, compared and not written.

A shadow run that promotes goes on to follow the run, and can take over from it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from fastapi import APIRouter, Response
from pydantic import Field

from compiled_plan.plans.execution.shadow.report import Outcome
from compiled_plan.plans.secrets.sources import written
from compiled_plan.plans.text.concealing import forms
from compiled_plan.service.runs.generations import next_generation, program_of
from compiled_plan.service.runs.launching import PROMOTE, runnable
from compiled_plan.service.runs.shadows import LONGEST, TAKE_OVER, ShadowJob
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import ConflictError, NotFoundError
from compiled_plan.service.web.depends import IdempotencyKey, Name, Operator, PartsOf, Viewer
from compiled_plan.service.web.idempotency import Keep, once
from compiled_plan.service.web.jobs import JobDocument
from compiled_plan.service.web.runs import RunsOf
from compiled_plan.service.web.upgrades import Target, UpgradeDocument, begun, start_of

router = APIRouter(prefix="/pipelines/{name}/upgrade/shadow", tags=["upgrades"])
_SECRETS = "secrets"


class ToShadow(Target):
    """A shadow run of a version; without `rows` and `seconds` it reads the rows available at its start."""

    rows: int | None = Field(default=None, ge=1, le=2**53, description="number of rows after which it ends")
    seconds: int | None = Field(default=None, ge=1, le=int(LONGEST), description="its duration")
    promote: bool = Field(
        default=False, description="after the comparison, follow the run, until `POST .../shadow/promote` or its end"
    )
    share: int = Field(default=100, ge=1, le=100, description="per cent of the time in which it runs micro-batches")

    @property
    def extent(self) -> list[str]:
        """Options of `execute-plan --shadow`."""
        options = [] if self.rows is None else ["--rows", str(self.rows)]
        options += [] if self.seconds is None else ["--for", f"{self.seconds}s"]
        options += ["--promote", "--promote-when", f"{{{TAKE_OVER}}}"] if self.promote else []
        return [*options, "--shadow-share", str(self.share)]


class ShadowDocument(JobDocument[dict[str, object]]):
    """A shadow run. Its result is the document of `execute-plan --shadow --json`."""

    so_far: dict[str, object] | None = Field(description="the report after the last round; null before the first")
    version: int = Field(description="the version that runs in the shadow")
    promotes: bool = Field(description="it follows the run after the comparison")
    corrects: bool = Field(description="it makes the tables of sinks right for the past when it takes over")
    follows: bool = Field(description="the comparison is over, and it can take over, unless its outcome forbids that")
    generation: int = Field(description="the generation that it becomes when it takes over")

    @classmethod
    def of_shadow(cls, job: ShadowJob, checkpoint: Path) -> Self:
        """The document of a job."""
        return cls(
            **JobDocument[dict[str, object]].of_job(job).model_dump(),
            so_far=job.so_far,
            version=job.version,
            promotes=job.promotes,
            corrects=job.corrects,
            follows=job.follows,
            generation=next_generation(checkpoint),
        )


def _last(parts: PartsOf, runs: RunsOf, name: str) -> tuple[ShadowJob, Path]:
    """The last shadow run of a pipeline, and its checkpoint."""
    with parts.database.read() as session:
        pipeline_id = pipelines.find(session, name).id
    job = runs.shadows.last(pipeline_id)
    if job is None:
        raise NotFoundError("the pipeline has had no shadow run", where=name, remedy="start one")
    assert isinstance(job, ShadowJob)
    return job, runs.checkpoint(pipeline_id)


@router.post("", status_code=202, summary="Run a version beside the run, and compare what both write")
def begin_shadow(who: Operator, parts: PartsOf, runs: RunsOf, name: Name, body: ToShadow) -> ShadowDocument:
    """As `execute-plan --shadow`: on a copy of the checkpoint; the run and all sinks stay as they are.

    With `promote` it goes on after the comparison, at most for 25 hours in all; `correct` needs it. 409 while a shadow
    run of the pipeline has not ended.
    """
    start = start_of(parts, runs, name, body)
    with parts.database.read() as session:
        pipeline_id = pipelines.find(session, name).id
        old = program_of(runs.checkpoint(pipeline_id))
        plans = [start.plan, *([] if old is None else [runnable(old.plan, runs.allowed)])]
        needed = [plan.secrets(session, parts.vault, runs.allowed, name) for plan in plans]
    values = {key: value for secrets in needed for key, value in secrets.items()}
    arguments = ["--shadow", "--json", *body.extent, *start.options]
    files: dict[str, str | None] = {**start.files, TAKE_OVER: None}
    if values:
        arguments += ["--secrets", f"file:{{{_SECRETS}}}"]
        files[_SECRETS] = written(values).decode()
    hidden = frozenset(form for value in values.values() for form in forms(value))
    job = ShadowJob(
        arguments,
        files,
        hidden,
        limit=body.rows or body.seconds or 0,
        by_rows=body.rows is not None,
        version=body.version,
        promotes=body.promote,
        corrects=body.correct,
    )
    runs.shadows.begin(pipeline_id, job)
    return ShadowDocument.of_shadow(job, runs.checkpoint(pipeline_id))


@router.get("", summary="Progress and result of the last shadow run")
def get_shadow(who: Viewer, parts: PartsOf, runs: RunsOf, name: Name) -> ShadowDocument:
    """A shadow run ends with the service; a later one replaces it."""
    return ShadowDocument.of_shadow(*_last(parts, runs, name))


@router.delete("", summary="End the shadow run")
def end_shadow(who: Operator, parts: PartsOf, runs: RunsOf, name: Name) -> ShadowDocument:
    """The run stays as it is, and the report so far remains. Without effect on a shadow run that has ended."""
    job, checkpoint = _last(parts, runs, name)
    job.cancel()
    return ShadowDocument.of_shadow(job, checkpoint)


@router.post("/promote", summary="Stop the run, and let the shadow take over", response_model=UpgradeDocument)
def promote_shadow(
    who: Operator, parts: PartsOf, runs: RunsOf, name: Name, idempotency_key: IdempotencyKey = None
) -> Response:
    """An upgrade: the run stops, the state of the shadow becomes the next generation, and its version starts.

    All sinks get the rows behind the last micro-batch of the run from the new version, each row once. If the shadow
    differs otherwise than the comparison of the plans names, or ends, the previous version continues. 409 if it does
    not follow the run yet, or differs otherwise.
    """

    def begin(keep: Keep) -> UpgradeDocument:
        job, _ = _last(parts, runs, name)
        _check_follows(job, name)
        # The supervisor starts nothing from here on until the job has ended.
        before, job.takes_over = job.takes_over, True
        try:
            document = begun(parts, runs, who, name, job.version, [PROMOTE], keep)
        except BaseException:
            job.takes_over = before
            raise
        job.take_over()
        return document

    return once(parts, who, f"POST promote of {name}", idempotency_key, None, begin)


def _check_follows(job: ShadowJob, name: str) -> None:
    if job.outcome is Outcome.OTHERWISE:
        raise ConflictError(
            "the shadow differs otherwise than the comparison of the plans names, and cannot take over",
            where=name,
            remedy="look at the examples; `POST .../upgrade/migrate` starts the version all the same",
        )
    if not job.promotes or job.is_over:
        raise ConflictError("no shadow follows the run", where=name, remedy="start one with `promote`")
    if not job.follows:
        raise ConflictError("the shadow still compares", where=name, remedy="wait for the end of the comparison")

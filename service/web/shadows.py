"""Shadow runs: a version beside the run of its pipeline, over the rows that come next, compared and not written."""

from __future__ import annotations

from typing import Self

from fastapi import APIRouter
from pydantic import Field

from compiled_plan.plans.secrets.sources import written
from compiled_plan.plans.text.concealing import forms
from compiled_plan.service.runs.generations import program_of
from compiled_plan.service.runs.jobs import Job
from compiled_plan.service.runs.launching import runnable
from compiled_plan.service.runs.shadows import LONGEST, ShadowJob
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.web.depends import Name, Operator, PartsOf, Viewer
from compiled_plan.service.web.jobs import JobDocument
from compiled_plan.service.web.runs import RunsOf
from compiled_plan.service.web.upgrades import Target, start_of

router = APIRouter(prefix="/pipelines/{name}/upgrade/shadow", tags=["upgrades"])
_SECRETS = "secrets"


class ToShadow(Target):
    """A shadow run of a version; without `rows` and `seconds` it reads the rows available at its start."""

    rows: int | None = Field(default=None, ge=1, le=2**53, description="number of rows after which it ends")
    seconds: int | None = Field(default=None, ge=1, le=int(LONGEST), description="its duration")
    share: int = Field(default=100, ge=1, le=100, description="per cent of the time in which it runs micro-batches")

    @property
    def extent(self) -> list[str]:
        """Options of `execute-plan --shadow`."""
        options = [] if self.rows is None else ["--rows", str(self.rows)]
        options += [] if self.seconds is None else ["--for", f"{self.seconds}s"]
        return [*options, "--shadow-share", str(self.share)]


class ShadowDocument(JobDocument[dict[str, object]]):
    """A shadow run. Its result is the document of `execute-plan --shadow --json`."""

    so_far: dict[str, object] | None = Field(description="the report after the last round; null before the first")

    @classmethod
    def of_job(cls, job: Job) -> Self:
        """The document of a job."""
        assert isinstance(job, ShadowJob)
        document = JobDocument[dict[str, object]].of_job(job)
        return cls(**document.model_dump(), so_far=job.so_far)


def _job(parts: PartsOf, runs: RunsOf, name: str) -> Job:
    with parts.database.read() as session:
        job = runs.shadows.last(pipelines.find(session, name).id)
    if job is None:
        raise NotFoundError("the pipeline has had no shadow run", where=name, remedy="start one")
    return job


@router.post("", status_code=202, summary="Run a version beside the run, and compare what both write")
def begin_shadow(who: Operator, parts: PartsOf, runs: RunsOf, name: Name, body: ToShadow) -> ShadowDocument:
    """As `execute-plan --shadow`: on a copy of the checkpoint; the run and all sinks stay as they are.

    409 while a shadow run of the pipeline has not ended.
    """
    start = start_of(parts, runs, name, body)
    with parts.database.read() as session:
        pipeline_id = pipelines.find(session, name).id
        old = program_of(runs.checkpoint(pipeline_id))
        plans = [start.plan, *([] if old is None else [runnable(old.plan, runs.allowed)])]
        needed = [plan.secrets(session, parts.vault, runs.allowed, name) for plan in plans]
    values = {key: value for secrets in needed for key, value in secrets.items()}
    arguments, files = ["--shadow", "--json", *body.extent, *start.options], dict(start.files)
    if values:
        arguments += ["--secrets", f"file:{{{_SECRETS}}}"]
        files[_SECRETS] = written(values).decode()
    hidden = frozenset(form for value in values.values() for form in forms(value))
    limit = body.rows or body.seconds or 0
    job = ShadowJob(arguments, files, hidden, limit=limit, by_rows=body.rows is not None)
    return ShadowDocument.of_job(runs.shadows.begin(pipeline_id, job))


@router.get("", summary="Progress and result of the last shadow run")
def get_shadow(who: Viewer, parts: PartsOf, runs: RunsOf, name: Name) -> ShadowDocument:
    """A shadow run ends with the service; a later one replaces it."""
    return ShadowDocument.of_job(_job(parts, runs, name))


@router.delete("", summary="End the shadow run")
def end_shadow(who: Operator, parts: PartsOf, runs: RunsOf, name: Name) -> ShadowDocument:
    """Its report so far remains. Without effect on one that has ended."""
    job = _job(parts, runs, name)
    job.cancel()
    return ShadowDocument.of_job(job)

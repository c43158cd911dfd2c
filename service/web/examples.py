"""Examples of a change: searched on request, since a search takes seconds and a comparison does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field, model_validator

from compiled_plan.plans.inspection.diff.document import Examples
from compiled_plan.service.registry import programs
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.web.depends import Editor, PartsOf
from compiled_plan.service.web.documents import RequestBody, Short
from compiled_plan.service.web.jobs import progress_of
from compiled_plan.service.web.testing import Id, JobsOf, job_of
from compiled_plan.service.web.versions import ProgramOrPlan, before, last_program
from compiled_plan.service.workers import tasks
from compiled_plan.service.workers.test_jobs import TestJob

router = APIRouter(prefix="/examples", tags=["examples"])


class ToCompare(RequestBody):
    """A change of a pipeline's last program: to a version, or to a program that is not stored."""

    pipeline: Short
    version: int | None = Field(default=None, ge=1, le=2**31 - 1, description="number of the new version")
    new: ProgramOrPlan | None = Field(default=None, description="the new program or plan, instead of a version")

    @model_validator(mode="after")
    def _is_one(self) -> ToCompare:
        if (self.version is None) == (self.new is None):
            raise ValueError("give either version or new")
        return self


class ExamplesDocument(BaseModel):
    """A search of examples."""

    id: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    seconds: float = Field(description="duration until now or its end")
    result: Examples | None = Field(description="the examples, once the search is done")
    message: str = Field(default="", description="error of a failed search")
    where: str = Field(default="", description="place of the error")
    remedy: str = Field(default="", description="what to do")


def _document(job: TestJob) -> ExamplesDocument:
    result = job.results[0] if job.results else None
    return ExamplesDocument.model_validate(progress_of(job) | {"id": job.id, "result": result})


@router.post("", status_code=202, summary="Search the smallest inputs for which a change makes a difference")
def begin_examples(who: Editor, parts: PartsOf, jobs: JobsOf, body: ToCompare) -> ExamplesDocument:
    """As `diff-plan --example`: an example for each operator and table that is not fully compatible.

    409 while a search, or a run of tests, of the client has not ended.
    """
    in_force = before(parts, body.pipeline, body.version)
    last = last_program(parts, body.pipeline)
    if last is None or in_force is None:
        raise NotFoundError("the pipeline has no program", where=body.pipeline, remedy="add a version")
    source = programs.Source("", in_force.plan) if body.new is None else body.new.source()
    how = programs.arguments(parts, source, in_force)
    names = f"{last['old_name']}.json", f"{body.pipeline}/{body.version or 'new'}.json"

    def request() -> tuple[int, Mapping[str, object]]:
        plans = parts.workers.run(tasks.submitted.plans_of_change, before=last["old"], **how)
        return 1, {"change": plans, "names": names}

    return _document(jobs.begin(who.name, request))


@router.get("/{id}", summary="Progress and result of a search of examples")
def get_examples(who: Editor, jobs: JobsOf, id: Id) -> ExamplesDocument:
    """A search is visible to the token that started it, and ends with the service."""
    return _document(job_of(jobs, id, who))


@router.delete("/{id}", summary="Cancel a search of examples")
def cancel_examples(who: Editor, jobs: JobsOf, id: Id) -> ExamplesDocument:
    """Without effect on a search that has ended."""
    job = job_of(jobs, id, who)
    jobs.cancel(job)
    return _document(job)

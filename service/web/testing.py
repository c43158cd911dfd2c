"""Tests of programs, run without storing anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel, Field

from compiled_plan.service.access.roles import Principal
from compiled_plan.service.common.texts import Text
from compiled_plan.service.registry import programs
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.web.depends import Editor, PartsOf
from compiled_plan.service.web.documents import RequestBody, Short
from compiled_plan.service.web.jobs import progress_of
from compiled_plan.service.web.versions import ProgramOrPlan, before
from compiled_plan.service.workers import tasks
from compiled_plan.service.workers.test_jobs import TestJob, TestJobs

router = APIRouter(prefix="/tests", tags=["tests"])


def _jobs_of(request: Request) -> TestJobs:
    jobs = request.app.state.tests
    assert isinstance(jobs, TestJobs)
    return jobs


JobsOf = Annotated[TestJobs, Depends(_jobs_of)]
Id = Annotated[str, Path(max_length=100, description="id of the run of tests")]


class ToTest(ProgramOrPlan):
    """A program or plan, and its tests."""

    tests: Text = Field(description="tests, as in a file of `test-plan`; the program takes the place of its `program`")
    over: Short | None = Field(default=None, description="pipeline whose version in force is compiled over")


class TestsText(RequestBody):
    """A file of tests."""

    tests: Text = Field(description="tests, as in a file of `test-plan`")


class NamesDocument(BaseModel):
    """The tests of a file."""

    names: list[str] = Field(description="their names, in the order of the file")


class StepDocument(BaseModel):
    """A step of a test."""

    kind: str
    line: int
    state: Literal["passed", "failed", "skipped"]


class LineDocument(BaseModel):
    """A line of a failure, as `test-plan` prints it."""

    text: str
    style: str = Field(description="colour: `red` for an expected row, `green` for an actual one")


class ResultDocument(BaseModel):
    """The result of a test."""

    name: str
    line: int = Field(description="line of the test in its text")
    passed: bool
    seconds: float
    notes: list[str]
    steps: list[StepDocument]
    failure: list[LineDocument] = Field(description="reason of a failure, with the rows that differ")


class TestsDocument(BaseModel):
    """A run of tests."""

    __test__ = False

    id: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    seconds: float = Field(description="duration until now or its end")
    tests: int = Field(description="number of tests; 0 while the program is compiled")
    results: list[ResultDocument] = Field(description="results of the finished tests")
    message: str = Field(default="", description="error of a failed run")
    where: str = Field(default="", description="place of the error")
    remedy: str = Field(default="", description="what to do")


def _document(job: TestJob) -> TestsDocument:
    facts = {"id": job.id, "tests": job.tests, "results": job.results}
    return TestsDocument.model_validate(progress_of(job) | facts)


def job_of(jobs: TestJobs, id_: str, who: Principal) -> TestJob:
    job = jobs.find(id_, who.name)
    if job is None:
        raise NotFoundError("no such run of tests", where=id_, remedy="start it again; old results are removed")
    return job


@router.post("", status_code=202, summary="Run tests of a program or plan, without storing it")
def begin_tests(who: Editor, parts: PartsOf, jobs: JobsOf, body: ToTest) -> TestsDocument:
    """Tests run without a query, one program at a time. A test that needs Spark, another program or a file fails.

    409 while a run of the client has not ended.
    """
    programs.check_size(parts.settings, body.tests)
    old = before(parts, body.over) if body.over is not None else None
    source = body.source()
    how = programs.arguments(parts, source, old)

    def request() -> tuple[int, Mapping[str, object]]:
        plans = parts.workers.run(tasks.submitted.plans_of_tests, tests=body.tests, **how)
        return len(plans), {"tests": body.tests, "plans": plans}

    return _document(jobs.begin(who.name, request))


@router.post("/names", summary="List the tests of a file")
def names_of_tests(who: Editor, parts: PartsOf, body: TestsText) -> NamesDocument:
    """Names by which `POST /preview` takes the rows of a test."""
    programs.check_size(parts.settings, body.tests)
    return NamesDocument(names=parts.workers.run(tasks.submitted.names_of_tests, tests=body.tests))


@router.get("/{id}", summary="Progress and results of a run of tests")
def get_tests(who: Editor, jobs: JobsOf, id: Id) -> TestsDocument:
    """A run is visible to the token that started it, and ends with the service."""
    return _document(job_of(jobs, id, who))


@router.delete("/{id}", summary="Cancel a run of tests")
def cancel_tests(who: Editor, jobs: JobsOf, id: Id) -> TestsDocument:
    """Without effect on a run that has ended."""
    job = job_of(jobs, id, who)
    jobs.cancel(job)
    return _document(job)

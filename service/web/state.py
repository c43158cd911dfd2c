"""The operators' state in a pipeline's checkpoint."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from compiled_plan.service.common.texts import Argument
from compiled_plan.service.runs.asking import ask
from compiled_plan.service.runs.jobs import Job
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.web.depends import Name, PartsOf, Viewer
from compiled_plan.service.web.documents import RequestBody
from compiled_plan.service.web.jobs import JobDocument
from compiled_plan.service.web.runs import RunsOf

router = APIRouter(prefix="/pipelines/{name}/state", tags=["state"])
_Text = Annotated[Argument, Query(max_length=1000)]
_Texts = Annotated[list[_Text] | None, Query(max_length=100)]
_Answers = Annotated[list[Annotated[Argument, Field(max_length=1000)]], Field(max_length=100)]


@router.get("", summary="State statistics by operator, or the state of a key")
def state(
    who: Viewer,
    parts: PartsOf,
    runs: RunsOf,
    name: Name,
    operator: _Text = "",
    key: _Texts = None,
    what_if: _Texts = None,
) -> dict[str, object]:
    """The document of `inspect-state --json`, with `operator`, `key=COLUMN=VALUE` or `what_if=ENTRY=DURATION`.

    It starts Spark, which takes some seconds; a run continues meanwhile.
    """
    return ask(runs.inspect, _options(parts, runs, name, operator, key, what_if))


def _options(
    parts: PartsOf, runs: RunsOf, name: str, operator: str, key: list[str] | None, what_if: list[str] | None
) -> list[str]:
    """Options of `inspect-state`.

    Raises:
        NotFoundError: the pipeline does not exist, or has never run.
    """
    with parts.database.read() as session:
        checkpoint = runs.checkpoint(pipelines.find(session, name).id)
    if not checkpoint.is_dir():
        raise NotFoundError("the pipeline has no state, since it has never run", where=name, remedy="start it")
    options = [str(checkpoint), *([operator] if operator else []), "--json"]
    options += [part for item in key or () for part in ("--key", item)]
    options += [part for item in what_if or () for part in ("--what-if", item)]
    return options


class Question(RequestBody):
    """A question about state, as the parameters of `GET .../state`."""

    operator: Annotated[Argument, Field(max_length=1000)] = ""
    key: _Answers = Field(default_factory=list)
    what_if: _Answers = Field(default_factory=list)


class StateJob(JobDocument[dict[str, object]]):
    """A job that reads state. Its result is the document of `inspect-state --json`."""


def _job(parts: PartsOf, runs: RunsOf, name: str) -> Job:
    with parts.database.read() as session:
        job = runs.state_jobs.last(pipelines.find(session, name).id)
    if job is None:
        raise NotFoundError("the state of the pipeline has not been read", where=name, remedy="start a job")
    return job


@router.post("/job", status_code=202, summary="Read state in a job with progress")
def begin_job(who: Viewer, parts: PartsOf, runs: RunsOf, name: Name, body: Question) -> StateJob:
    """As `GET .../state`, for state that takes long to read. 409 while a job of the pipeline runs."""
    options = _options(parts, runs, name, body.operator, body.key, body.what_if)
    with parts.database.read() as session:
        pipeline_id = pipelines.find(session, name).id
    return StateJob.of_job(runs.state_jobs.begin(pipeline_id, Job(options)))


@router.get("/job", summary="Progress and result of the last job that reads state")
def get_job(who: Viewer, parts: PartsOf, runs: RunsOf, name: Name) -> StateJob:
    """The job ends with the service; a later one replaces it."""
    return StateJob.of_job(_job(parts, runs, name))


@router.delete("/job", summary="Cancel the job that reads state")
def cancel_job(who: Viewer, parts: PartsOf, runs: RunsOf, name: Name) -> StateJob:
    """Without effect on a job that has ended."""
    job = _job(parts, runs, name)
    job.cancel()
    return StateJob.of_job(job)

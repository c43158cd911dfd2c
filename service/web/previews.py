"""Previews: the first rows of a statement or table of a program, without a run."""

from __future__ import annotations

import json

from fastapi import APIRouter
from pydantic import Field, model_validator

from compiled_plan.api.results.bounded import BoundedRows
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.text.secrets import secrets_in
from compiled_plan.service.access.roles import Principal
from compiled_plan.service.common.texts import Text
from compiled_plan.service.registry import programs
from compiled_plan.service.runs.folders import PLAN
from compiled_plan.service.runs.jobs import Job
from compiled_plan.service.runs.launching import functions_of
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.web.depends import Editor, PartsOf
from compiled_plan.service.web.documents import RequestBody, Short
from compiled_plan.service.web.jobs import JobDocument
from compiled_plan.service.web.runs import RunsOf
from compiled_plan.service.web.versions import before

router = APIRouter(prefix="/preview", tags=["rows"])


class ToPreview(RequestBody):
    """A statement or table of an SQL program."""

    program: Text | None = Field(
        default=None,
        description="SQL script; by default that of the version in force of `over`. A secret `******` is taken from it",
    )
    over: Short | None = Field(default=None, description="pipeline of the program")
    options: dict[Short, Short] = Field(default={}, description="as for `compile`")
    cursor: int | None = Field(default=None, ge=0, description="number of characters before the cursor in a statement")
    table: Short | None = Field(default=None, description="table or view of the program, instead of a statement")
    rows: int = Field(default=100, ge=1, le=1000, description="maximum number of rows")
    seconds: float = Field(default=30.0, ge=1, le=120, description="maximum time once Spark runs")

    @model_validator(mode="after")
    def _is_one(self) -> ToPreview:
        if (self.cursor is None) == (self.table is None):
            raise ValueError("give either cursor or table")
        if self.program is None and self.over is None:
            raise ValueError("give program, over, or both")
        return self


class PreviewJob(JobDocument[BoundedRows]):
    """A preview; the progress counts rows."""


@router.post("", status_code=202, summary="Preview the first rows of a statement or table")
def begin_preview(who: Editor, parts: PartsOf, runs: RunsOf, body: ToPreview) -> PreviewJob:
    """It reads the sources in a process of its own and writes nothing. 409 while a preview of the client runs."""
    old = before(parts, body.over) if body.over is not None else None
    text, options = body.program, body.options
    if text is None:
        if old is None or not old.program or old.language != "sql":
            raise UnsupportedError(
                "only SQL programs have previews", where=body.over or "", remedy="write the statement in SQL"
            )
        text, options = old.program, dict(old.options)
    at = body.table if body.cursor is None else body.cursor
    assert at is not None
    plan = programs.preview(parts, programs.Source("sql", text, options=options), old, at, body.rows)
    document = json.loads(plan)
    functions, environment = functions_of(document, programs.allowed(parts.settings))
    arguments = [f"{{{PLAN}}}", "--rows", str(body.rows), "--seconds", str(body.seconds), *functions]
    job = Job(arguments, {PLAN: plan}, environment, secrets_in(document))
    return PreviewJob.of_job(runs.previews.begin(who.name, job))


def _job(runs: RunsOf, who: Principal) -> Job:
    job = runs.previews.last(who.name)
    if job is None:
        raise NotFoundError("there is no preview", where=who.name, remedy="start one")
    return job


@router.get("", summary="Progress and rows of the client's last preview")
def get_preview(who: Editor, runs: RunsOf) -> PreviewJob:
    """The preview ends with the service; a later one replaces it."""
    return PreviewJob.of_job(_job(runs, who))


@router.delete("", summary="Cancel the client's preview")
def cancel_preview(who: Editor, runs: RunsOf) -> PreviewJob:
    """Without effect on a preview that has ended."""
    job = _job(runs, who)
    job.cancel()
    return PreviewJob.of_job(job)

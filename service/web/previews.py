"""Rows: previews of a statement or table without a run, and taps of a run."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field, model_validator

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.secrets.sources import written
from compiled_plan.plans.text.concealing import forms
from compiled_plan.plans.text.secrets import secrets_in
from compiled_plan.results.bounded import BoundedRows
from compiled_plan.service.access.problems import shown
from compiled_plan.service.access.roles import Principal
from compiled_plan.service.common.texts import Text
from compiled_plan.service.registry import programs
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.runs.endings import without_secrets
from compiled_plan.service.runs.folders import PLAN, RunFolder
from compiled_plan.service.runs.jobs import Job
from compiled_plan.service.runs.launching import runnable
from compiled_plan.service.runs.processes import current
from compiled_plan.service.runs.taps import close_tap, open_tap, read_tap
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import ConflictError, NotFoundError
from compiled_plan.service.web.depends import Editor, Name, PartsOf
from compiled_plan.service.web.documents import RequestBody, Short
from compiled_plan.service.web.jobs import JobDocument
from compiled_plan.service.web.runs import RunsOf
from compiled_plan.service.web.versions import before

router = APIRouter(prefix="/preview", tags=["rows"])
_TESTS, _SECRETS = "tests.yaml", "secrets"


class ToPreview(RequestBody):
    """A statement or table of an SQL program, or the table of a source or sink of a version."""

    program: Text | None = Field(
        default=None,
        description="SQL script; by default that of a version of `over`. A secret `******` is taken from it",
    )
    over: Short | None = Field(default=None, description="pipeline of the program")
    version: int | None = Field(
        default=None, ge=1, le=2**31 - 1, description="version of `over`; by default that in force"
    )
    options: dict[Short, Short] = Field(default={}, description="as for `compile`")
    cursor: int | None = Field(default=None, ge=0, description="number of characters before the cursor in a statement")
    table: Short | None = Field(default=None, description="table or view of the program, instead of a statement")
    node: int | None = Field(
        default=None,
        ge=0,
        le=2**31 - 1,
        description="id of a source or sink in the plan of the version, instead of a statement: its table, also "
        "without an SQL program",
    )
    test: Short | None = Field(
        default=None,
        description="test whose rows take the place of the live sources; its clock and session options hold",
    )
    tests: Text | None = Field(
        default=None, description="file of tests with `test`; by default that of the version of `over`"
    )
    rows: int = Field(default=100, ge=1, le=1000, description="maximum number of rows")
    seconds: float = Field(default=30.0, ge=1, le=120, description="maximum time once Spark runs")

    @model_validator(mode="after")
    def _is_one(self) -> ToPreview:
        if sum(place is not None for place in (self.cursor, self.table, self.node)) != 1:
            raise ValueError("give exactly one of cursor, table and node")
        if self.program is None and self.over is None:
            raise ValueError("give program, over, or both")
        if self.node is not None and self.program is not None:
            raise ValueError("a node is one of a version: leave the program out")
        if self.tests is not None and self.test is None:
            raise ValueError("name the test in `test`")
        if self.node is not None and self.test is not None:
            raise ValueError("a node has no rows in a test: give its table in `table`, with an SQL program")
        return self


class PreviewJob(JobDocument[BoundedRows]):
    """A preview; the progress counts rows."""


@router.post("", status_code=202, summary="Preview the first rows of a statement or table")
def begin_preview(who: Editor, parts: PartsOf, runs: RunsOf, body: ToPreview) -> PreviewJob:
    """Read the sources, or the rows of a test, in a process of its own, and write nothing.

    409 while a preview of the client runs.
    """
    old = before(parts, body.over, body.version) if body.over is not None else None
    sample = _sample(parts, body, old)
    allowed = programs.allowed(parts.settings)
    plan = runnable(_plan(parts, body, old, sample), allowed)
    arguments = [f"{{{PLAN}}}", "--rows", str(body.rows), "--seconds", str(body.seconds), *plan.options]
    files = {PLAN: plan.text}
    if sample:
        arguments += ["--sample", f"{{{_TESTS}}}", f"--test={sample['test']}"]
        files[_TESTS] = sample["tests"]
    hidden = set(secrets_in(plan.document))
    with parts.database.read() as session:
        needed = {} if sample else plan.secrets(session, parts.vault, allowed, body.over or "", preview=True)
    if needed:
        arguments += ["--secrets", f"file:{{{_SECRETS}}}"]
        files[_SECRETS] = written(needed).decode()
        hidden.update(form for value in needed.values() for form in forms(value))
    job = Job(arguments, files, frozenset(hidden))
    return PreviewJob.of_job(runs.previews.begin(who.name, job))


def _sample(parts: Parts, body: ToPreview, old: programs.Before | None) -> dict[str, str]:
    """The file of tests, and the test in it; empty for a preview of the live sources."""
    if body.test is None:
        return {}
    tests = body.tests if body.tests is not None else "" if old is None else old.tests
    programs.check_size(parts.settings, tests)
    if not tests.strip():
        raise NotFoundError("there are no tests", where=body.over or "tests", remedy="write tests of the program")
    return {"tests": tests, "test": body.test}


def _plan(parts: Parts, body: ToPreview, old: programs.Before | None, sample: dict[str, str]) -> str:
    """The plan of a preview."""
    if body.node is not None:
        if old is None:
            raise NotFoundError("the pipeline has no version", where=body.over or "", remedy="add one")
        return programs.table_preview(parts, old, body.node, body.rows)
    text, options = body.program, body.options
    if text is None:
        if old is None or not old.program or old.language != "sql":
            raise UnsupportedError(
                "only SQL programs have previews of statements",
                where=body.over or "",
                remedy="write the statement in SQL, or preview the table of a source or sink with `node`",
            )
        text, options = old.program, dict(old.options)
    at = body.table if body.cursor is None else body.cursor
    assert at is not None
    return programs.preview(parts, programs.Source("sql", text, options=options), old, at, body.rows, sample)


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


# ---- rows of a run

tap_router = APIRouter(prefix="/pipelines/{name}/run/tap", tags=["rows"])


class ToTap(RequestBody):
    """A tap of a running pipeline."""

    node: int = Field(ge=0, le=2**31 - 1, description="id of an operator in the running plan")
    input: int | None = Field(
        default=None,
        ge=0,
        description="number of the operator's input whose rows are shown; by default the rows that it emits, or that a "
        "sink writes",
    )
    rows: int = Field(default=100, ge=1, le=1000, description="maximum number of rows")
    seconds: float = Field(default=60.0, ge=1, le=600, description="maximum time")


def _live_run(parts: PartsOf, runs: RunsOf, name: str) -> tuple[RunFolder, bool]:
    """The last run of a pipeline, and whether its process lives."""
    with parts.database.read() as session:
        run = current(runs.folder(pipelines.find(session, name).id))
    if run is None:
        raise NotFoundError("the pipeline has never run", where=name, remedy="start it")
    return run[0], not run[1].is_over


def _tap(run: RunFolder, *, is_alive: bool) -> PreviewJob:
    facts = read_tap(run, is_alive=is_alive)
    return PreviewJob.model_validate(facts | {"message": shown(without_secrets(facts["message"], run))})


@tap_router.post("", status_code=202, summary="Tap the rows that an operator of the run emits or receives")
def begin_tap(who: Editor, parts: PartsOf, runs: RunsOf, name: Name, body: ToTap) -> PreviewJob:
    """From the next micro-batch on. 409 while a tap is open."""
    run, is_alive = _live_run(parts, runs, name)
    if not is_alive:
        raise ConflictError("the pipeline does not run", where=name, remedy="start it, or preview its statement")
    open_tap(run, body.node, body.input, body.rows, body.seconds)
    return _tap(run, is_alive=True)


@tap_router.get("", summary="Progress and rows of the last tap of the run")
def get_tap(who: Editor, parts: PartsOf, runs: RunsOf, name: Name) -> PreviewJob:
    """While the tap is open, the rows so far."""
    run, is_alive = _live_run(parts, runs, name)
    return _tap(run, is_alive=is_alive)


@tap_router.delete("", summary="Close the tap of the run")
def close_tap_of(who: Editor, parts: PartsOf, runs: RunsOf, name: Name) -> PreviewJob:
    """Its rows so far remain."""
    run, is_alive = _live_run(parts, runs, name)
    last = _tap(run, is_alive=is_alive)
    close_tap(run)
    return last.model_copy(update={"state": "done"}) if last.state == "running" else last

"""Versions of a pipeline: add, list, show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, Field, model_validator

from compiled_plan.plans.text import jsontext
from compiled_plan.service.common.texts import Text
from compiled_plan.service.registry import programs
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.runs.generations import checkpoint_folder, program_of
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.errors import ConflictError
from compiled_plan.service.store.tables import Pipeline, Status
from compiled_plan.service.web.depends import (
    Cursor,
    Editor,
    IdempotencyKey,
    IfMatch,
    Limit,
    Name,
    PartsOf,
    Reading,
    Viewer,
    cut_page,
    number_of,
)
from compiled_plan.service.web.documents import (
    NEVER_RAN,
    Plan,
    RequestBody,
    Short,
    VersionDocument,
    VersionPage,
    VersionSummary,
    version_document,
    version_summary,
)
from compiled_plan.service.web.idempotency import Keep, once
from compiled_plan.service.workers import tasks

router = APIRouter(prefix="/pipelines/{name}/versions", tags=["versions"])
#: The maximum number of compilations, if other versions are put in force meanwhile.
_TRIES = 3
Number = Annotated[int, Path(ge=1, le=2**31 - 1, description="number of the version")]


class ProgramOrPlan(RequestBody):
    """A program or a plan: exactly one of `program`, `file` and `plan`."""

    program: Text | None = Field(
        default=None,
        description="SQL script; a secret `******` is taken from the version in force",
        examples=["CREATE TABLE ...; INSERT INTO ..."],
    )
    file: Short | None = Field(default=None, description="Python program, in an allowed folder")
    plan: Plan | Text | None = Field(default=None, description="plan file, as JSON or text")
    options: dict[Short, Short] = Field(
        default={}, description="configuration options, as set with SET at the start of the program"
    )
    program_ttls: bool = Field(default=False, description="take all TTLs from the program, and drop edited ones")

    @model_validator(mode="after")
    def _is_one(self) -> ProgramOrPlan:
        if sum(source is not None for source in (self.program, self.file, self.plan)) != 1:
            raise ValueError("give exactly one of program, file and plan")
        return self

    def source(self) -> programs.Source:
        """The program or plan as a `Source`."""
        if self.plan is not None:
            return programs.Source("", self.plan if isinstance(self.plan, str) else jsontext.dumps(self.plan))
        if self.file is not None:
            return programs.Source("python", file=self.file, options=self.options, program_ttls=self.program_ttls)
        return programs.Source("sql", self.program or "", options=self.options, program_ttls=self.program_ttls)


class NewVersion(ProgramOrPlan):
    """A version to add."""

    comment: Short = ""
    tests: Text | None = Field(
        default=None,
        description="tests of the program, as a file of `test-plan`; by default those of the version in force, "
        "empty for none",
    )
    put_in_force: bool = Field(default=False, description="put it in force; always true for the first version")


class Added(BaseModel):
    """An added version."""

    version: VersionSummary
    warnings: list[str] = Field(description="warnings about the program, and notes on edited TTLs")
    verdict: Literal["full", "partial", "unknown", "incompatible"] | None = Field(
        description="compatibility with the pipeline's state; null for the first version"
    )
    etag: str = Field(description="new ETag of the pipeline")


def before(parts: Parts, name: str, number: int | None = None) -> programs.Before | None:
    """A version of a pipeline, by default that in force; None before the first.

    Raises:
        NotFoundError: the pipeline or the version does not exist.
    """
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        if number is None and not pipeline.in_force:
            return None
        version = versions.find(session, pipeline, number or pipeline.in_force)
        return programs.Before(
            version.number,
            versions.plan_text(session, version),
            versions.program_text(session, version),
            version.options,
            version.language,
            versions.tests_text(session, version),
        )


@router.get("", summary="Versions of a pipeline, newest first")
def list_versions(
    who: Viewer,
    session: Reading,
    name: Name,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> VersionPage:
    """The history of the pipeline."""
    pipeline = pipelines.find(session, name)
    listed = versions.page(session, pipeline, limit=limit + 1, before=number_of(cursor))
    rows, cursor = cut_page(listed, limit, "number")
    return VersionPage(items=[version_summary(pipeline, version) for version in rows], cursor=cursor)


@router.post("", status_code=201, response_model=Added, summary="Add a version: compile a program, or import a plan")
def add_version(
    who: Editor,
    parts: PartsOf,
    name: Name,
    body: NewVersion,
    if_match: IfMatch = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """A program is compiled over the version in force: operators keep their uids and edited TTLs.

    If-Match is optional, since nothing is overwritten; with it, 412 if the pipeline or its version in force changed.
    """

    def add(keep: Keep) -> Added:
        programs.check_size(parts.settings, body.tests or "")
        for _ in range(_TRIES):
            old = before(parts, name)
            compiled = programs.prepare(parts, body.source(), old, body.comment, tests=body.tests)
            verdict = verdict_of(parts, name, compiled.version.plan)
            with parts.database.write() as session:
                pipeline = pipelines.find_unmoved(session, name, if_match or "*")
                if pipeline.in_force != (0 if old is None else old.number):
                    continue  # The version that it was compiled over is no longer in force.
                version = versions.add(session, pipeline, compiled.version, who.name, in_force=body.put_in_force)
                document = added(pipeline, version_summary(pipeline, version), compiled.warnings, verdict)
                keep(session, document)
                return document
        raise ConflictError("other versions were put in force meanwhile", where=name, remedy="send the request again")

    return once(parts, who, f"POST versions of {name}", idempotency_key, body, add, 201)


def last_program(parts: Parts, name: str) -> dict[str, str] | None:
    """The program in a pipeline's checkpoint; without one, the version of its last run, or else that in force.

    Returns:
        Its arguments of the task `diff`; None for a pipeline without a checkpoint and without a version in force.

    Raises:
        NotFoundError: the pipeline does not exist.
    """
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        held = program_of(checkpoint_folder(parts.settings.home, pipeline.id))
        if held is not None:
            return {"old": held.plan, "old_name": f"{name}/checkpoint", "description": held.description}
        if not pipeline.in_force:
            return None
        status = session.get(Status, pipeline.id) or NEVER_RAN
        version = versions.find(session, pipeline, status.version or pipeline.in_force)
        return {"old": versions.plan_text(session, version), "old_name": f"{name}/{version.number}"}


def compared(parts: Parts, name: str, plan: str, new_name: str) -> dict[str, object] | None:
    """Compare a plan with the last program of a pipeline.

    Returns:
        The document of `diff-plan --json`; None for a pipeline without a last program.

    Raises:
        NotFoundError: the pipeline does not exist.
    """
    old = last_program(parts, name)
    if old is None:
        return None
    result: dict[str, object] = parts.workers.run_once(tasks.stored.diff, new=plan, new_name=new_name, **old)
    return result


def verdict_of(parts: Parts, name: str, plan: str) -> object:
    """The compatibility of a plan with a pipeline's state; None without state and without a version in force."""
    result = compared(parts, name, plan, "new")
    return None if result is None else result["verdict"]


def added(pipeline: Pipeline, version: VersionSummary, warnings: Iterable[str], verdict: Any) -> Added:
    """The response to an added version."""
    return Added(version=version, warnings=list(warnings), verdict=verdict, etag=pipelines.etag(pipeline))


@router.get("/{number}", summary="A version, with its program")
def get_version(who: Viewer, parts: PartsOf, name: Name, number: Number, response: Response) -> VersionDocument:
    """Secrets in the program are masked."""
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        version = versions.find(session, pipeline, number)
        program = versions.program_text(session, version)
        document = version_document(pipeline, version)
        document.tests = versions.tests_text(session, version)
        response.headers["ETag"] = pipelines.etag(pipeline)
    if program is not None:
        document.program = parts.workers.run_once(tasks.stored.shown_program, program=program)
    return document

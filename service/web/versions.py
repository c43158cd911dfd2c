"""Versions of a pipeline: added, listed, shown."""

from __future__ import annotations

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
from compiled_plan.service.store.tables import Pipeline
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
    Asked,
    Short,
    VersionDocument,
    VersionPage,
    VersionSummary,
    version_document,
    version_summary,
)
from compiled_plan.service.web.idempotency import Keep, once

router = APIRouter(prefix="/pipelines/{name}/versions", tags=["versions"])
#: How often a program is compiled again because another version was put in force meanwhile.
_TRIES = 3
Number = Annotated[int, Path(ge=1, le=2**31 - 1, description="number of the version")]


class Given(Asked):
    """A program or a plan: one of `program`, `file` and `plan`."""

    program: Text | None = Field(
        default=None,
        description="a script of SQL; `******` for a secret takes the one of the version in force",
        examples=["CREATE TABLE ...; INSERT INTO ..."],
    )
    file: Short | None = Field(default=None, description="a program in Python, in a folder that the operator allowed")
    plan: dict[str, Any] | Text | None = Field(default=None, description="a plan file, as JSON or its text")
    options: dict[Short, Short] = Field(default={}, description="options, as by SET at the program's start")
    program_ttls: bool = Field(default=False, description="take TTLs from the program, also those that were edited")

    @model_validator(mode="after")
    def _is_one(self) -> Given:
        if sum(source is not None for source in (self.program, self.file, self.plan)) != 1:
            raise ValueError("give one of program, file and plan")
        return self

    def source(self) -> programs.Source:
        """As the service takes it."""
        if self.plan is not None:
            return programs.Source("", self.plan if isinstance(self.plan, str) else jsontext.dumps(self.plan))
        how: dict[str, Any] = {"options": self.options, "program_ttls": self.program_ttls}
        if self.file is not None:
            return programs.Source("python", file=self.file, **how)
        return programs.Source("sql", self.program or "", **how)


class NewVersion(Given):
    """A version to be added."""

    comment: Short = ""
    put_in_force: bool = Field(default=False, description="the first version of a pipeline always is")


class Added(BaseModel):
    """A version that was added."""

    version: VersionSummary
    warnings: list[str] = Field(description="what is doubtful about the program, and what became of edited TTLs")
    verdict: Literal["full", "partial", "unknown", "incompatible"] | None = Field(
        description="whether it can go on with the state that the pipeline holds; null for the first"
    )
    etag: str = Field(description="the ETag of the pipeline now")


def before(parts: Parts, name: str) -> programs.Before | None:
    """The version in force of a pipeline; None before the first.

    Raises:
        NotFoundError: there is no such pipeline.
    """
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        if not pipeline.in_force:
            return None
        version = versions.find(session, pipeline, pipeline.in_force)
        return programs.Before(
            version.number,
            versions.plan_text(session, version),
            versions.program_text(session, version),
            version.options,
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


@router.post(
    "", status_code=201, response_model=Added, summary="Add a version: a program, which is compiled, or a plan"
)
def add_version(
    who: Editor,
    parts: PartsOf,
    name: Name,
    body: NewVersion,
    if_match: IfMatch = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Compiled over the version in force: operators keep their uids, and TTLs that were edited are kept.

    If-Match may be left out here, since nothing is overwritten; with it, 412 where the version in force is another one.
    """

    def add(keep: Keep) -> Added:
        for _ in range(_TRIES):
            old = before(parts, name)
            compiled = programs.make(parts, body.source(), old, body.comment)
            verdict = verdict_of(parts, name, compiled.version.plan)
            with parts.database.write() as session:
                pipeline = pipelines.find_unmoved(session, name, if_match or "*")
                if pipeline.in_force != (0 if old is None else old.number):
                    continue  # what it was compiled over, with its TTLs, is no longer in force
                version = versions.add(session, pipeline, compiled.version, who.name, in_force=body.put_in_force)
                document = added(pipeline, version_summary(pipeline, version), compiled.warnings, verdict)
                keep(session, document)
                return document
        raise ConflictError("other versions were put in force meanwhile", where=name, remedy="send it again")

    return once(parts, who, f"POST versions of {name}", idempotency_key, body, add, 201)


def compared(parts: Parts, name: str, plan: str, new_name: str) -> dict[str, Any] | None:
    """Compare a plan with the program in a pipeline's checkpoint; before its first run with the version in force.

    Returns:
        The document of `diff-plan --json`; None for a pipeline without a checkpoint and without a version in force.

    Raises:
        NotFoundError: there is no such pipeline.
    """
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        held = program_of(checkpoint_folder(parts.settings.home, pipeline.id))
        if held is None and not pipeline.in_force:
            return None
        if held is not None:
            old = {"old": held.plan, "old_name": f"{name}/checkpoint", "description": held.description}
        else:
            version = versions.find(session, pipeline, pipeline.in_force)
            old = {"old": versions.plan_text(session, version), "old_name": f"{name}/{version.number}"}
    result: dict[str, Any] = parts.workers.run_once("diff", new=plan, new_name=new_name, **old)
    return result


def verdict_of(parts: Parts, name: str, plan: str) -> Any:
    """The verdict of a plan on the state that a pipeline holds; None where it holds none and no version is in force."""
    result = compared(parts, name, plan, "new")
    return None if result is None else result["verdict"]


def added(pipeline: Pipeline, version: VersionSummary, warnings: Any, verdict: Any) -> Added:
    """The answer to a version that was added."""
    return Added(version=version, warnings=list(warnings), verdict=verdict, etag=pipelines.etag(pipeline))


@router.get("/{number}", summary="A version, with its program")
def get_version(who: Viewer, parts: PartsOf, name: Name, number: Number, response: Response) -> VersionDocument:
    """What is secret in the program is hidden."""
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        version = versions.find(session, pipeline, number)
        program = versions.program_text(session, version)
        document = version_document(pipeline, version)
        response.headers["ETag"] = pipelines.etag(pipeline)
    if program is not None:
        document.program = parts.workers.run_once("shown_program", program=program)
    return document

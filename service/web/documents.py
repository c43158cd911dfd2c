"""The documents of the registry's API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from compiled_plan.plans.text.masking import masked, masked_json
from compiled_plan.service.common.texts import Text
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.tables import Pipeline, Status, Version

State = Literal["running", "behind", "failed", "stopped", "finished", "upgrade-waiting", "none"]
Short = Annotated[Text, StringConstraints(max_length=2000)]


class Asked(BaseModel):
    """A body of a request: what is not described is refused."""

    model_config = ConfigDict(extra="forbid")


class PipelineDocument(BaseModel):
    """A pipeline, with its state at a glance."""

    name: str
    description: str
    created_at: datetime
    created_by: str
    in_force: int = Field(description="number of the version in force; 0 before the first")
    newest: int = Field(description="number of the newest version; 0 before the first")
    run_settings: dict[str, Any]
    state: State
    version: int = Field(description="number of the version that runs, or ran last; 0 for none")
    since: datetime | None = Field(description="when it came into this state")
    rows_per_second: float | None
    lag: int | None = Field(description="rows that sources hold and the run has not read; null where nobody knows")
    message: str = Field(description="of a run that failed or waits: what is wrong")
    remedy: str = Field(description="what to do about it")
    etag: str = Field(description="for If-Match: another one once the pipeline, or which version is in force, changes")


class PipelinePage(BaseModel):
    """A page of pipelines."""

    items: list[PipelineDocument]
    cursor: str = Field(description="asks for the next page; empty behind the last")
    total: int = Field(description="how many there are in all, on all pages")
    counts: dict[str, int] = Field(description="how many pipelines of the registry are in each state")


class VersionSummary(BaseModel):
    """A version in a list."""

    number: int
    in_force: bool
    created_at: datetime
    created_by: str
    comment: str
    kind: Literal["program", "ttl-edit", "import", "plan"]
    parent: int = Field(description="number of the version that it was made from; 0 for none")
    language: Literal["sql", "python", ""] = Field(description="of the program; empty for a plan without one")
    origin: str = Field(description="the file that the program was in; empty where it came by itself")
    operators: int
    stateful: int = Field(description="operators with TTLs")
    plan_hash: str = Field(description="SHA-256 of the plan's text: equal plans have equal ones")


class VersionDocument(VersionSummary):
    """A version; what is secret in it is hidden."""

    program: str | None = Field(description="the program's text")
    options: dict[str, str] = Field(description="options that it was compiled with")


class VersionPage(BaseModel):
    """A page of versions, newest first."""

    items: list[VersionSummary]
    cursor: str = Field(description="asks for the next page; empty behind the last")


def pipeline_document(pipeline: Pipeline, status: Status | None) -> PipelineDocument:
    """A pipeline as a document."""
    return PipelineDocument(
        name=pipeline.name,
        description=pipeline.description,
        created_at=pipeline.created_at,
        created_by=pipeline.created_by,
        in_force=pipeline.in_force,
        newest=pipeline.newest,
        run_settings=masked_json(pipeline.run_settings),
        state="none" if status is None else status.state,  # type: ignore[arg-type]
        version=0 if status is None else status.version,
        since=None if status is None else status.since,
        rows_per_second=None if status is None else status.rows_per_second,
        lag=None if status is None else status.lag,
        message="" if status is None else status.message,
        remedy="" if status is None else status.remedy,
        etag=pipelines.etag(pipeline),
    )


def version_summary(pipeline: Pipeline, version: Version) -> VersionSummary:
    """A version as a line of a list."""
    return VersionSummary(**_summary(pipeline, version))


def version_document(pipeline: Pipeline, version: Version) -> VersionDocument:
    """A version as a document, without its program."""
    return VersionDocument(
        **_summary(pipeline, version),
        program=None,
        options=masked(version.options),
    )


def _summary(pipeline: Pipeline, version: Version) -> dict[str, Any]:
    names = ("number", "created_at", "created_by", "comment", "kind", "parent", "language", "origin")
    found = {name: getattr(version, name) for name in (*names, "operators", "stateful", "plan_hash")}
    return {**found, "in_force": version.number == pipeline.in_force}

"""The documents of the registry's API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from compiled_plan.plans.text.masking import masked, masked_json
from compiled_plan.service.common.texts import Text
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.tables import Base, Pipeline, Status, Version

State = Literal["running", "behind", "failed", "stopped", "finished", "upgrade-waiting", "none"]
Short = Annotated[Text, StringConstraints(max_length=2000)]


class Asked(BaseModel):
    """A body of a request: what is not described is refused."""

    model_config = ConfigDict(extra="forbid")


_Item = TypeVar("_Item")


class Page(BaseModel, Generic[_Item]):
    """A page of a list."""

    items: list[_Item]
    cursor: str = Field(description="asks for the next page; empty behind the last")


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


class PipelinePage(Page[PipelineDocument]):
    """A page of pipelines."""

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


class VersionPage(Page[VersionSummary]):
    """A page of versions, newest first."""


#: The status of a pipeline that never ran.
NEVER_RAN = Status(state="none", version=0, message="", remedy="")


def values_of(row: Base, document: type[BaseModel]) -> dict[str, Any]:
    """The columns of a row that are fields of a document, too."""
    return {name: getattr(row, name) for name in document.model_fields if name in row.__table__.columns}


def pipeline_document(pipeline: Pipeline, status: Status | None) -> PipelineDocument:
    """A pipeline as a document."""
    values = values_of(pipeline, PipelineDocument) | values_of(status or NEVER_RAN, PipelineDocument)
    values["run_settings"] = masked_json(pipeline.run_settings)
    return PipelineDocument(**values, etag=pipelines.etag(pipeline))


def version_summary(pipeline: Pipeline, version: Version) -> VersionSummary:
    """A version as a line of a list."""
    in_force = version.number == pipeline.in_force
    return VersionSummary(**values_of(version, VersionSummary), in_force=in_force)


def version_document(pipeline: Pipeline, version: Version) -> VersionDocument:
    """A version as a document, without its program."""
    summary = version_summary(pipeline, version).model_dump()
    return VersionDocument(**summary, program=None, options=masked(version.options))

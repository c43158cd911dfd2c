"""JSON documents of the registry's API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.masking import masked, masked_json
from compiled_plan.service.common.texts import Text
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Base, Pipeline, Status, Version


def _encodable(plan: dict[str, object]) -> dict[str, object]:
    try:
        jsontext.dumps(plan).encode()
    except UnicodeEncodeError:
        raise ValueError("a text has half of a surrogate pair") from None
    return plan


#: The JSON of a plan file.
Plan = Annotated[dict[str, object], AfterValidator(_encodable)]
Short = Annotated[Text, StringConstraints(max_length=2000)]


#: The description of a state.
STATE_WORDS = "; ".join(f"`{state}`: {state.meaning}" for state in RunState)
Tag = Annotated[str, StringConstraints(pattern=rf"^{pipelines.TAG.pattern}$")]
Tags = Annotated[list[Tag], Field(max_length=pipelines.MOST_TAGS)]
Owner = Annotated[Text, StringConstraints(max_length=128)]


class RequestBody(BaseModel):
    """A request body, which refuses unknown fields."""

    model_config = ConfigDict(extra="forbid")


_Item = TypeVar("_Item")


class Page(BaseModel, Generic[_Item]):
    """A page of a list."""

    items: list[_Item]
    cursor: str = Field(description="cursor of the next page; empty on the last")


class PipelineDocument(BaseModel):
    """A pipeline with its status."""

    name: str
    description: str
    created_at: datetime
    created_by: str
    owner: str = Field(description="person or team in charge; empty for none")
    tags: list[str]
    in_force: int = Field(description="number of the version in force; 0 before the first")
    newest: int = Field(description="number of the newest version; 0 before the first")
    run_settings: dict[str, object]
    state: RunState = Field(description=STATE_WORDS)
    version: int = Field(description="number of the version that runs or ran last; 0 for none")
    since: datetime | None = Field(description="time of the last change of the state")
    until: datetime | None = Field(description="time of the next start: of a waiting pipeline, or by its schedule")
    rows_per_second: float | None
    lag: int | None = Field(description="number of unread rows of all sources; null if unknown")
    message: str = Field(description="reason of the state, such as the error of a failed run")
    remedy: str = Field(description="what to do")
    last_error: str = Field(description="last failure, also after a new start; empty for none")
    last_error_at: datetime | None
    state_bytes: int | None = Field(description="size of the state at the last micro-batch; null if unknown")
    state_growth: float | None = Field(description="growth of the state in bytes per hour; null if unknown")
    etag: str = Field(description="ETag for If-Match; it changes with the pipeline and its version in force")


class PipelinePage(Page[PipelineDocument]):
    """A page of pipelines."""

    total: int = Field(description="number of pipelines on all pages")
    counts: dict[str, int] = Field(description="number of all pipelines in the registry by state")
    tags: dict[str, int] = Field(description="number of all pipelines in the registry by tag")
    owners: dict[str, int] = Field(description="number of all pipelines in the registry by owner")


class VersionSummary(BaseModel):
    """A version in a list."""

    number: int
    in_force: bool
    created_at: datetime
    created_by: str
    comment: str
    kind: Literal["program", "ttl-edit", "import", "plan"]
    parent: int = Field(description="number of the parent version; 0 for none")
    language: Literal["sql", "python", ""] = Field(description="language of the program; empty without a program")
    origin: str = Field(description="file of the program; empty for a submitted text")
    operators: int
    stateful: int = Field(description="operators with TTLs")
    plan_hash: str = Field(description="SHA-256 of the plan's text")


class VersionDocument(VersionSummary):
    """A version with its program, with secrets masked."""

    program: str | None = Field(description="text of the program")
    options: dict[str, str] = Field(description="configuration options of the compilation")
    tests: str = Field(description="tests of the program, as a file of `test-plan`; empty for none")


class VersionPage(Page[VersionSummary]):
    """A page of versions, newest first."""


#: The status of a pipeline before its first run.
NEVER_RAN = Status(state=RunState.NONE, version=0, message="", remedy="", last_error="")


def values_of(row: Base, document: type[BaseModel]) -> dict[str, Any]:
    """The columns of a row that are also fields of a document."""
    return {name: getattr(row, name) for name in document.model_fields if name in row.__table__.columns}


def pipeline_document(pipeline: Pipeline, status: Status | None) -> PipelineDocument:
    """A pipeline as a document."""
    values = values_of(pipeline, PipelineDocument) | values_of(status or NEVER_RAN, PipelineDocument)
    values["run_settings"] = masked_json(pipeline.run_settings)
    return PipelineDocument(**values, etag=pipelines.etag(pipeline))


def version_summary(pipeline: Pipeline, version: Version) -> VersionSummary:
    """A version as an item of a list."""
    in_force = version.number == pipeline.in_force
    return VersionSummary(**values_of(version, VersionSummary), in_force=in_force)


def version_document(pipeline: Pipeline, version: Version) -> VersionDocument:
    """A version as a document, without its program."""
    summary = version_summary(pipeline, version).model_dump()
    return VersionDocument(**summary, program=None, options=masked(version.options), tests="")

"""Pipelines: list, create, change, remove, and their versions in force."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from compiled_plan.service.store import listing, pipelines, versions
from compiled_plan.service.store.states import RunState
from compiled_plan.service.store.tables import Pipeline, Status
from compiled_plan.service.web.depends import (
    Cursor,
    Editor,
    IfMatch,
    Limit,
    Name,
    Operator,
    PartsOf,
    Reading,
    Viewer,
    cut_page,
    expected,
    number_of,
)
from compiled_plan.service.web.documents import (
    Owner,
    Page,
    PipelineDocument,
    PipelinePage,
    RequestBody,
    Short,
    Tags,
    pipeline_document,
    values_of,
)

router = APIRouter(prefix="/pipelines", tags=["pipelines"])


class NewPipeline(RequestBody):
    """A pipeline to create."""

    name: str = Field(pattern=pipelines.NAME.pattern, max_length=100, examples=["orders-per-customer"])
    description: Short = ""
    owner: Owner = Field(default="", description="person or team in charge")
    tags: Tags = Field(default_factory=list)


class PipelineChange(RequestBody):
    """Changes of a pipeline."""

    description: Short | None = None
    owner: Owner | None = None
    tags: Tags | None = None


class InForce(RequestBody):
    """The version to put in force."""

    version: int = Field(ge=1, le=2**31 - 1)


class InForceDocument(BaseModel):
    """The event that a version was put in force."""

    version: int
    at: datetime
    by: str


class InForcePage(Page[InForceDocument]):
    """A page of these events."""


def _document(session: Session, pipeline: Pipeline) -> PipelineDocument:
    return pipeline_document(pipeline, session.get(Status, pipeline.id))


_SORT = rf"^-?({'|'.join(listing.SORTS)})$"


@router.get("", summary="Pipelines with their status")
def list_pipelines(
    who: Viewer,
    session: Reading,
    q: Annotated[str, Query(max_length=200, description="a part of the name or the description")] = "",
    state: Annotated[RunState | None, Query(description="only pipelines in this state")] = None,
    owner: Annotated[str, Query(max_length=128, description="only pipelines of this owner")] = "",
    tag: Annotated[str, Query(max_length=50, description="only pipelines with this tag")] = "",
    sort: Annotated[
        str, Query(pattern=_SORT, description="sort key; `-` before it sorts in descending order")
    ] = "name",
    limit: Limit = 50,
    cursor: Annotated[str, Query(max_length=1000, description="cursor of the previous page")] = "",
) -> PipelinePage:
    """Search and page through the registry."""
    condition = listing.Filter(q, state or "", owner, tag)
    page = listing.page(session, condition, sort=sort, limit=limit, cursor=cursor)
    return PipelinePage(
        items=[pipeline_document(item.pipeline, item.status) for item in page.items],
        cursor=page.cursor,
        total=page.total,
        counts=pipelines.counts(session),
        tags=listing.tags(session),
        owners=listing.owners(session),
    )


@router.post("", status_code=201, summary="Create a pipeline without versions")
def create_pipeline(who: Editor, parts: PartsOf, body: NewPipeline, response: Response) -> PipelineDocument:
    """409 if the name is taken."""
    with parts.database.write() as session:
        pipeline = pipelines.create(session, body.name, body.description, who.name)
        pipeline.owner, pipeline.tags = body.owner, tuple(dict.fromkeys(body.tags))
        session.flush()
        document = pipeline_document(pipeline, None)
    response.headers["ETag"] = document.etag
    response.headers["Location"] = f"/api/v1/pipelines/{document.name}"
    return document


@router.get("/{name}", summary="A pipeline")
def get_pipeline(who: Viewer, session: Reading, name: Name, response: Response) -> PipelineDocument:
    """Changes require its ETag."""
    pipeline = pipelines.find(session, name)
    response.headers["ETag"] = pipelines.etag(pipeline)
    return _document(session, pipeline)


@router.patch("/{name}", summary="Change a pipeline's description, owner and tags")
def change_pipeline(
    who: Editor, parts: PartsOf, name: Name, body: PipelineChange, response: Response, if_match: IfMatch = None
) -> PipelineDocument:
    """412 if another client has changed it since it was read."""
    with parts.database.write() as session:
        pipeline = pipelines.find_unmoved(session, name, expected(if_match))
        changes: dict[str, object] = body.model_dump(exclude_none=True)
        if body.tags is not None:
            changes["tags"] = tuple(dict.fromkeys(body.tags))
        if changes:
            pipelines.change(session, pipeline, **changes)
        document = _document(session, pipeline)
    response.headers["ETag"] = document.etag
    return document


@router.delete("/{name}", status_code=204, summary="Remove a pipeline with all its versions")
def delete_pipeline(who: Operator, parts: PartsOf, name: Name, if_match: IfMatch = None) -> None:
    """409 while it runs. The output of its runs and its checkpoint remain."""
    with parts.database.write() as session:
        pipelines.remove(session, pipelines.find_unmoved(session, name, expected(if_match)))


@router.get("/{name}/in-force", summary="History of the versions in force, newest first")
def list_in_force(
    who: Viewer,
    session: Reading,
    name: Name,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> InForcePage:
    """The first entry is the current version in force. Entries are immutable."""
    pipeline = pipelines.find(session, name)
    changes = versions.in_force_changes(session, pipeline, limit=limit + 1, before=number_of(cursor))
    rows, cursor = cut_page(changes, limit, "id")
    return InForcePage(items=[InForceDocument(**values_of(row, InForceDocument)) for row in rows], cursor=cursor)


@router.put("/{name}/in-force", summary="Put a version in force")
def put_in_force(
    who: Editor, parts: PartsOf, name: Name, body: InForce, response: Response, if_match: IfMatch = None
) -> PipelineDocument:
    """The next start runs it, and new programs are compiled over it; the current run continues."""
    with parts.database.write() as session:
        pipeline = pipelines.find_unmoved(session, name, expected(if_match))
        version = versions.find(session, pipeline, body.version)
        versions.put_in_force(session, pipeline, version, who.name)
        document = _document(session, pipeline)
    response.headers["ETag"] = document.etag
    return document

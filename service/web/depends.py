"""Shared dependencies of routes: parts of the service, client, database sessions, headers, pagination."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Path, Query, Request
from fastapi.routing import APIRoute
from sqlalchemy.orm import Session

from compiled_plan.service.access.problems import Problem
from compiled_plan.service.access.roles import Principal, Role
from compiled_plan.service.registry.parts import Parts


def parts_of(request: Request) -> Parts:
    """The parts of the service."""
    parts = request.app.state.parts
    assert isinstance(parts, Parts)
    return parts


def principal_of(request: Request) -> Principal:
    """The client, as authenticated by `Door`."""
    principal = getattr(request.state, "principal", None)
    if not isinstance(principal, Principal):  # A route that `Door` does not guard.
        raise Problem(401, "a token is required", headers={"WWW-Authenticate": "Bearer"})
    return principal


@dataclass(frozen=True, slots=True)
class Needs:
    """A dependency that requires a role, and returns the client."""

    role: Role

    def __call__(self, request: Request) -> Principal:
        who = principal_of(request)
        if not who.role.may(self.role):
            raise Problem(
                403,
                f"the role {self.role.value} is required, but the token {who.name!r} has the role {who.role.value}",
                remedy="ask an operator for a token of that role",
            )
        return who


def role_of(route: APIRoute) -> Role | None:
    """The role that a route requires; None for a public route."""
    calls = (dependency.call for dependency in route.dependant.dependencies)
    return next((call.role for call in calls if isinstance(call, Needs)), None)


def _reading(request: Request) -> Iterator[Session]:
    with parts_of(request).database.read() as session:
        yield session


#: Bounded, since names are masked, logged and returned in errors before they are looked up.
Name = Annotated[str, Path(max_length=100, description="name of a pipeline")]
#: Parameters of routes. Routes open `parts.database.write()` themselves, so that it commits before the response.
PartsOf = Annotated[Parts, Depends(parts_of)]
Reading = Annotated[Session, Depends(_reading)]
Viewer = Annotated[Principal, Depends(Needs(Role.VIEWER))]
Editor = Annotated[Principal, Depends(Needs(Role.EDITOR))]
Operator = Annotated[Principal, Depends(Needs(Role.OPERATOR))]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="ETag of the pipeline as it was read, against lost updates; `*` for any",
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        description="unique text of the client: repeated requests with it are executed once and get the same response",
    ),
]
#: The maximum number of items on a page.
Limit = Annotated[int, Query(ge=1, le=1000)]
#: The number of the last item on the previous page; empty for the first page.
Cursor = Annotated[str, Query(pattern=r"^[0-9]{0,9}$", description="cursor of the previous page")]


def expected(if_match: str | None) -> str:
    """The value of the required If-Match header.

    Raises:
        Problem: 428, the header is missing.
    """
    if if_match is None:
        raise Problem(
            428,
            "the request may overwrite a change of another client",
            where="If-Match",
            remedy="send the ETag of the pipeline as it was read",
        )
    return if_match


def number_of(cursor: str) -> int | None:
    """The number in a cursor; None for the first page."""
    return int(cursor) if cursor else None


_Row = TypeVar("_Row")


def cut_page(rows: Sequence[_Row], limit: int, key: str) -> tuple[Sequence[_Row], str]:
    """Cut rows to a page, and return the cursor of the next page.

    Args:
        rows: the rows of the page, and one more if there is a next page.
        limit: the page size.
        key: the column in cursors.
    """
    return rows[:limit], str(getattr(rows[limit - 1], key)) if len(rows) > limit else ""

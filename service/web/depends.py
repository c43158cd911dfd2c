"""Parameters that routes share: the parts of the service, who asks, sessions of the database, headers, pages."""

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
    """The parts of the service that answers."""
    parts = request.app.state.parts
    assert isinstance(parts, Parts)
    return parts


def principal_of(request: Request) -> Principal:
    """Who asks, as the door of the service found out."""
    principal = getattr(request.state, "principal", None)
    if not isinstance(principal, Principal):  # a route that the door does not guard
        raise Problem(401, "this needs a token", headers={"WWW-Authenticate": "Bearer"})
    return principal


@dataclass(frozen=True, slots=True)
class Needs:
    """Who asks, if they have a role: what every route but those that are open asks for."""

    role: Role

    def __call__(self, request: Request) -> Principal:
        who = principal_of(request)
        if not who.role.may(self.role):
            raise Problem(
                403,
                f"this needs the role {self.role.value}, and the token {who.name!r} is a {who.role.value}'s",
                remedy="ask an operator for a token of that role",
            )
        return who


def role_of(route: APIRoute) -> Role | None:
    """The role that a route needs; None for one that is open."""
    calls = (dependency.call for dependency in route.dependant.dependencies)
    return next((call.role for call in calls if isinstance(call, Needs)), None)


def _reading(request: Request) -> Iterator[Session]:
    with parts_of(request).database.read() as session:
        yield session


#: Longer names would be masked, logged and answered before they are looked up.
Name = Annotated[str, Path(max_length=100, description="name of a pipeline")]
#: Parameters of routes. A write opens `parts.database.write()` itself, so that it has ended before the answer.
PartsOf = Annotated[Parts, Depends(parts_of)]
Reading = Annotated[Session, Depends(_reading)]
Viewer = Annotated[Principal, Depends(Needs(Role.VIEWER))]
Editor = Annotated[Principal, Depends(Needs(Role.EDITOR))]
Operator = Annotated[Principal, Depends(Needs(Role.OPERATOR))]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="the ETag of the pipeline as it was read: nobody's change is lost; `*` for whatever there is",
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        description="a text of the client's own: the same request with it is carried out once, and answered alike",
    ),
]
#: How many items a page has at most.
Limit = Annotated[int, Query(ge=1, le=1000)]
#: The number of the last item of the page before; empty for the first page.
Cursor = Annotated[str, Query(pattern=r"^[0-9]{0,9}$", description="of the page before")]


def expected(if_match: str | None) -> str:
    """The ETag that a change is made on.

    Raises:
        Problem: none is given.
    """
    if if_match is None:
        raise Problem(
            428,
            "this changes what others may have changed meanwhile",
            where="If-Match",
            remedy="send the ETag of the pipeline as it was read",
        )
    return if_match


def number_of(cursor: str) -> int | None:
    """The number that a cursor is; None for the first page."""
    return int(cursor) if cursor else None


_Row = TypeVar("_Row")


def cut_page(rows: Sequence[_Row], limit: int, key: str) -> tuple[Sequence[_Row], str]:
    """The rows of a page and the cursor of the next one, of one row more than the page has.

    Args:
        key: the number that cursors have.
    """
    return rows[:limit], str(getattr(rows[limit - 1], key)) if len(rows) > limit else ""

"""What routes ask for: the parts of the service, who asks, and sessions of the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from compiled_plan.service.access.roles import Principal, Role
from compiled_plan.service.parts import Parts
from compiled_plan.service.web.problems import Problem


def parts_of(request: Request) -> Parts:
    """The parts of the service that answers."""
    found = request.app.state.parts
    assert isinstance(found, Parts)
    return found


def principal_of(request: Request) -> Principal:
    """Who asks, as the door of the service found out."""
    found = getattr(request.state, "principal", None)
    if not isinstance(found, Principal):  # a route that the door does not guard
        raise Problem(401, "this needs a token", headers={"WWW-Authenticate": "Bearer"})
    return found


def needs(role: Role) -> Callable[[Request], Principal]:
    """Who asks, if they have a role."""

    def check(request: Request) -> Principal:
        who = principal_of(request)
        if not who.role.may(role):
            raise Problem(
                403,
                f"this needs the role {role.value}, and the token {who.name!r} is a {who.role.value}'s",
                remedy="ask an operator for a token of that role",
            )
        return who

    return check


def _reading(request: Request) -> Iterator[Session]:
    with parts_of(request).database.read() as session:
        yield session


#: Parameters of routes. A write opens `parts.database.write()` itself, so that it has ended before the answer.
PartsOf = Annotated[Parts, Depends(parts_of)]
Reading = Annotated[Session, Depends(_reading)]
Viewer = Annotated[Principal, Depends(needs(Role.VIEWER))]
Editor = Annotated[Principal, Depends(needs(Role.EDITOR))]
Operator = Annotated[Principal, Depends(needs(Role.OPERATOR))]

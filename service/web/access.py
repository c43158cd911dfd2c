"""The current client, tokens, and page sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Cookie, Path, Query, Request, Response
from pydantic import BaseModel, Field, StringConstraints

from compiled_plan.service.access import headers, sessions, tokens
from compiled_plan.service.access.door import check_rate
from compiled_plan.service.access.problems import Problem
from compiled_plan.service.access.roles import LOCAL, Role
from compiled_plan.service.web.depends import Cursor, Limit, Operator, PartsOf, Reading, Viewer, cut_page
from compiled_plan.service.web.documents import Page, RequestBody, Short, values_of

router = APIRouter(tags=["access"])
RoleName = Literal["viewer", "editor", "operator"]
_Cookie = Annotated[str | None, Cookie(alias=sessions.COOKIE, include_in_schema=False)]


class Me(BaseModel):
    """The client of a request."""

    name: str
    role: RoleName
    token: int | None = Field(description="id of the token; null if the service requires no tokens")
    session: bool = Field(description="true for a page session")
    csrf_token: str = Field(
        description="value of the header x-csrf-token for changes in a page session; otherwise empty"
    )


class SignIn(RequestBody):
    """A token to open a session with."""

    token: Annotated[Short, StringConstraints(min_length=1, max_length=200)]


class NewToken(RequestBody):
    """A token to create."""

    name: Annotated[Short, StringConstraints(min_length=1, max_length=100)] = Field(examples=["jane"])
    role: RoleName
    days: float | None = Field(default=None, gt=0, le=36500, description="lifetime in days; no expiry by default")


class TokenDocument(BaseModel):
    """A token, without its secret."""

    id: int
    name: str
    role: RoleName
    created_at: datetime
    created_by: str
    expires_at: datetime | None


class MadeToken(TokenDocument):
    """A new token."""

    secret: str = Field(description="the token itself, shown only once")


class TokenPage(Page[TokenDocument]):
    """A page of tokens."""


@router.get("/me", summary="The current client and its role")
def me(who: Viewer, request: Request, cookie: _Cookie = None) -> Me:
    """In a page session with the CSRF token."""
    by_cookie = cookie is not None and who is not LOCAL and "authorization" not in request.headers
    guard = sessions.csrf_of(cookie) if by_cookie and cookie is not None else ""
    return Me(name=who.name, role=who.role.value, token=who.token, session=by_cookie, csrf_token=guard)


@router.post("/session", summary="Sign in: exchange a token for a session cookie")
def sign_in(request: Request, parts: PartsOf, body: SignIn, response: Response) -> Me:
    """For the page. Scripts cannot read the cookie."""
    if not parts.settings.tokens:
        raise Problem(409, "this service requires no tokens", remedy="continue without signing in")
    with parts.database.read() as session:
        who = tokens.find(session, body.token)
    if who is None:
        check_rate(request.state.failures, request.client.host if request.client else "")
        raise Problem(
            401,
            "this token is unknown, has expired, or was revoked",
            remedy="copy the whole token, or ask an operator for a new one; on the service's machine, "
            "`plan-service token create` makes one",
            headers={"WWW-Authenticate": "Bearer"},
        )
    with parts.database.write() as session:
        cookie = sessions.begin(session, who, parts.settings.limits.session_hours)
    response.set_cookie(
        sessions.COOKIE,
        cookie,
        max_age=int(parts.settings.limits.session_hours * 3600),
        httponly=True,
        samesite="strict",
        secure=headers.is_secure(parts.settings),
        path="/",
    )
    guard = sessions.csrf_of(cookie)
    return Me(name=who.name, role=who.role.value, token=who.token, session=True, csrf_token=guard)


@router.delete("/session", status_code=204, summary="Sign out")
def sign_out(who: Viewer, parts: PartsOf, response: Response, cookie: _Cookie = None) -> None:
    """End the session, also for other holders of its cookie."""
    if cookie:
        with parts.database.write() as session:
            sessions.end(session, cookie)
    response.delete_cookie(sessions.COOKIE, path="/")


@router.get("/tokens", summary="Tokens, without their secrets")
def list_tokens(
    who: Operator,
    session: Reading,
    q: Annotated[str, Query(max_length=200, description="a part of the name, or a role")] = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> TokenPage:
    """In the order of their creation."""
    listed = tokens.page(session, q=q, limit=limit + 1, after=int(cursor or 0))
    rows, cursor = cut_page(listed, limit, "id")
    return TokenPage(items=[TokenDocument(**values_of(token, TokenDocument)) for token in rows], cursor=cursor)


@router.post("/tokens", status_code=201, summary="Create a token")
def make_token(who: Operator, parts: PartsOf, body: NewToken) -> MadeToken:
    """Only this response contains the secret."""
    with parts.database.write() as session:
        token = tokens.create(session, body.name, Role(body.role), who.name, body.days)
        return MadeToken(**values_of(token.token, TokenDocument), secret=token.secret)


@router.delete("/tokens/{id}", status_code=204, summary="Revoke a token")
def remove_token(who: Operator, parts: PartsOf, id_: Annotated[int, Path(alias="id", ge=1, le=2**31 - 1)]) -> None:
    """The sessions of the token end, too."""
    with parts.database.write() as session:
        tokens.remove(session, id_)

"""What every request passes: its host, size and rate, who asks, and that no other site asks in their name."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from compiled_plan.service.access import headers, sessions, tokens
from compiled_plan.service.access.rates import Rate
from compiled_plan.service.access.roles import LOCAL, Principal
from compiled_plan.service.parts import Parts
from compiled_plan.service.settings import is_loopback
from compiled_plan.service.web.problems import Problem, answer

_SAFE = ("GET", "HEAD", "OPTIONS")
#: What is answered without a token: nothing of the registry.
_OPEN = {("GET", "/api/v1/health"), ("POST", "/api/v1/session")}
_GUARDED = ("/api/", "/metrics")


class Door:
    """ASGI middleware.

    Args:
        app: what answers.
        parts: of the service.
    """

    def __init__(self, app: ASGIApp, parts: Parts) -> None:
        self._app, self._parts, self._settings = app, parts, parts.settings
        self._headers = headers.headers_of(parts.settings)
        self._rate = Rate(parts.settings.limits.requests_per_minute)
        self._failures = Rate(parts.settings.limits.failed_logins_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded = scope["path"].startswith(_GUARDED)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message["headers"]}
                more = [*self._headers, *([_bytes(headers.NOT_KEPT)] if guarded else [])]
                message["headers"] = [*message["headers"], *(each for each in more if each[0] not in known)]
            await send(message)

        try:
            await self._checked(scope, guarded)
            received = _Bounded(receive, self._settings.limits.request_bytes)
            await self._app(scope, received, sent)
        except Problem as problem:
            await answer(problem)(scope, receive, sent)

    async def _checked(self, scope: Scope, guarded: bool) -> None:
        given = Headers(scope=scope)
        client = scope["client"][0] if scope.get("client") else ""
        if not headers.is_own_host(given.get("host", ""), self._settings):
            raise Problem(
                421,
                "the service is not known under this name",
                where="Host",
                value=given.get("host"),
                remedy="set public_address to the address that people open",
            )
        _check_size(given, self._settings.limits.request_bytes)
        if not guarded:
            return
        self._check_rate(self._rate, client)
        is_change = scope["method"] not in _SAFE
        if is_change:
            self._check_site(given)
        if (scope["method"], scope["path"]) in _OPEN:
            scope.setdefault("state", {})["failures"] = self._failures
            return
        scope.setdefault("state", {})["principal"] = await self._who(given, client, is_change)

    def _check_rate(self, rate: Rate, client: str, take: int = 1) -> None:
        seconds = rate.wait(client, take=take)
        if seconds:
            raise Problem(
                429,
                "too many requests",
                where=client,
                remedy=f"wait {seconds} s",
                headers={"Retry-After": str(seconds)},
            )

    def _check_site(self, given: Headers) -> None:
        """Browsers say where a request comes from; a change comes from the service's own page, or from no browser."""
        origin, site = given.get("origin"), given.get("sec-fetch-site")
        foreign = origin is not None and not headers.is_own_origin(origin, given.get("host", ""), self._settings)
        if foreign or site in ("cross-site", "same-site"):
            raise Problem(403, "a page of another site asks for this", where="Origin", value=origin)

    async def _who(self, given: Headers, client: str, is_change: bool) -> Principal:
        if not self._settings.tokens:
            if not is_loopback(client):
                raise Problem(403, "without tokens only this machine is served", remedy="start it with tokens")
            return LOCAL
        self._check_rate(self._failures, client, take=0)
        scheme, _, secret = given.get("authorization", "").partition(" ")
        cookie = _cookie(given.get("cookie", ""))
        if scheme.lower() == "bearer" and secret:
            found = await run_in_threadpool(self._find, secret.strip(), None)
        elif cookie:
            found = await run_in_threadpool(self._find, None, cookie)
            if found is not None and is_change and not sessions.is_csrf(cookie, given.get(sessions.CSRF_HEADER, "")):
                raise Problem(
                    403,
                    "the request does not carry the session's guard against other sites",
                    where=sessions.CSRF_HEADER,
                    remedy="send csrf_token of GET /api/v1/me in this header",
                )
        else:
            raise unknown("this needs a token")
        if found is None:
            self._failures.wait(client)
            raise unknown("the token or session is unknown, or holds no longer")
        return found

    def _find(self, secret: str | None, cookie: str | None) -> Principal | None:
        with self._parts.database.read() as session:
            return tokens.find(session, secret) if secret is not None else sessions.find(session, cookie or "")


def unknown(what: str) -> Problem:
    """Nobody knows who asks."""
    return Problem(
        401,
        what,
        where="Authorization",
        remedy="send `Authorization: Bearer TOKEN`; an operator makes tokens, or `plan-service token create`",
        headers={"WWW-Authenticate": "Bearer"},
    )


class _Bounded:
    """The body of a request, up to a size; its length may not have been said."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most, self._seen = receive, most, 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self._seen > self._most:
            raise _too_large(self._most)
        return message


def _check_size(given: Headers, most: int) -> None:
    length = given.get("content-length", "0")
    if not length.isdecimal():
        raise Problem(400, "Content-Length is no number", where="Content-Length", value=length)
    if int(length) > most:
        raise _too_large(most)


def _too_large(most: int) -> Problem:
    return Problem(
        413,
        f"the request is larger than the {most} bytes that the operator allows",
        where="the body",
        remedy="send less, or ask the operator for more (limits.request_bytes)",
    )


def _cookie(text: str) -> str:
    try:
        found = SimpleCookie(text).get(sessions.COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _bytes(header: tuple[str, str]) -> tuple[bytes, bytes]:
    return header[0].lower().encode(), header[1].encode()

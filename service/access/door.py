"""Checks of every request: host, size, rate, authentication, and cross-site request forgery (CSRF)."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from compiled_plan.service.access import headers, sessions, tokens
from compiled_plan.service.access.problems import Problem, answer
from compiled_plan.service.access.rates import Rate
from compiled_plan.service.access.roles import LOCAL, Principal
from compiled_plan.service.common.settings import is_loopback
from compiled_plan.service.registry.parts import Parts

_SAFE = ("GET", "HEAD", "OPTIONS")
_HEALTH, _SIGN_IN = ("GET", "/api/v1/health"), ("POST", "/api/v1/session")
_GUARDED = ("/api/", "/metrics")
#: The maximum body of a sign-in and of usual requests, in bytes; settings limit requests with programs and plans.
_TOKEN_BYTES, _USUAL_BYTES = 4_096, 1_000_000
_LARGE = ("/versions", "/compile", "/validate")


class Door:
    """ASGI middleware that checks requests and adds response headers."""

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
                more = [*self._headers, *([_bytes(headers.NO_STORE)] if guarded else [])]
                message["headers"] = [*message["headers"], *(header for header in more if header[0] not in known)]
            await send(message)

        most = self._most_bytes(scope)
        try:
            await self._checked(scope, guarded, most)
            await self._app(scope, _Bounded(receive, most), sent)
        except Problem as problem:
            await answer(problem)(scope, receive, sent)

    def _most_bytes(self, scope: Scope) -> int:
        if (scope["method"], scope["path"]) == _SIGN_IN:
            return _TOKEN_BYTES
        most = self._settings.limits.request_bytes
        return most if scope["path"].endswith(_LARGE) else min(most, _USUAL_BYTES)

    async def _checked(self, scope: Scope, guarded: bool, most: int) -> None:
        request_headers = Headers(scope=scope)
        client = scope["client"][0] if scope.get("client") else ""
        if not headers.is_own_host(request_headers.get("host", ""), self._settings):
            raise Problem(
                421,
                "the service is not reachable under this host name",
                where="Host",
                value=request_headers.get("host"),
                remedy="set public_address to the address that users open",
            )
        _check_size(request_headers, most)
        if not guarded:
            return
        route = scope["method"], scope["path"]
        is_change = scope["method"] not in _SAFE
        if is_change:
            self._check_site(request_headers)
        state = scope.setdefault("state", {})
        if route == _HEALTH:
            check_rate(self._rate, f"health of {client}")
        elif route == _SIGN_IN:
            state["failures"] = self._failures
        else:
            # Requests with a valid token are counted by token: other clients at the address cannot lock its owner out.
            who = await self._principal(request_headers, client, is_change)
            check_rate(self._rate, f"token {who.token}" if who.token is not None else client)
            state["principal"] = who

    def _check_site(self, request_headers: Headers) -> None:
        """Refuse a change that a browser sends from another site's page."""
        origin, site = request_headers.get("origin"), request_headers.get("sec-fetch-site")
        host = request_headers.get("host", "")
        foreign = origin is not None and not headers.is_own_origin(origin, host, self._settings)
        if foreign or site in ("cross-site", "same-site"):
            raise Problem(403, "the request comes from a page of another site", where="Origin", value=origin)

    async def _principal(self, request_headers: Headers, client: str, is_change: bool) -> Principal:
        if not self._settings.tokens:
            if not is_loopback(client):
                raise Problem(403, "without tokens, only local requests are served", remedy="start it with tokens")
            return LOCAL
        scheme, _, secret = request_headers.get("authorization", "").partition(" ")
        cookie = _cookie(request_headers.get("cookie", ""))
        if scheme.lower() == "bearer" and secret:
            principal = await run_in_threadpool(self._find, secret.strip(), None)
        elif cookie:
            principal = await run_in_threadpool(self._find, None, cookie)
            csrf = request_headers.get(sessions.CSRF_HEADER, "")
            if principal is not None and is_change and not sessions.is_csrf(cookie, csrf):
                raise Problem(
                    403,
                    "the request does not carry the session's CSRF token",
                    where=sessions.CSRF_HEADER,
                    remedy="send csrf_token of GET /api/v1/me in this header",
                )
        else:
            check_rate(self._rate, f"unauthenticated {client}")
            raise unknown("a token is required")
        if principal is None:
            check_rate(self._failures, client)
            raise unknown("the token or session is unknown or has expired")
        return principal

    def _find(self, secret: str | None, cookie: str | None) -> Principal | None:
        with self._parts.database.read() as session:
            return tokens.find(session, secret) if secret is not None else sessions.find(session, cookie or "")


def check_rate(rate: Rate, client: str) -> None:
    """Count a request of a client.

    Args:
        rate: the rate limit.
        client: an address or a token.

    Raises:
        Problem: 429, the client exceeds the limit.
    """
    seconds = rate.wait(client)
    if seconds:
        headers = {"Retry-After": str(seconds)}
        raise Problem(429, "too many requests", where=client, remedy=f"wait {seconds} s", headers=headers)


def unknown(what: str) -> Problem:
    """Problem 401: the request is not authenticated."""
    return Problem(
        401,
        what,
        where="Authorization",
        remedy="send `Authorization: Bearer TOKEN`; an operator creates tokens, or `plan-service token create`",
        headers={"WWW-Authenticate": "Bearer"},
    )


class _Bounded:
    """The body of a request up to a size, also without a Content-Length."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most, self._seen = receive, most, 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self._seen > self._most:
            raise _too_large(self._most)
        return message


def _check_size(request_headers: Headers, most: int) -> None:
    length = request_headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal() and len(length) < 20):
        raise Problem(400, "Content-Length is not a number", where="Content-Length", value=length)
    if int(length) > most:
        raise _too_large(most)


def _too_large(most: int) -> Problem:
    return Problem(
        413,
        f"the request is larger than {most} bytes",
        where="the body",
        remedy="send less; the operator can raise the limit for programs and plans (limits.request_bytes)",
    )


def _cookie(text: str) -> str:
    try:
        cookie = SimpleCookie(text).get(sessions.COOKIE)
    except CookieError:
        return ""
    return cookie.value if cookie is not None else ""


def _bytes(header: tuple[str, str]) -> tuple[bytes, bytes]:
    return header[0].lower().encode(), header[1].encode()

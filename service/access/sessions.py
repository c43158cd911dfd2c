"""Page sessions: a cookie instead of the token, with CSRF protection."""

from __future__ import annotations

import hashlib
import hmac
from datetime import timedelta

from sqlalchemy import delete
from sqlalchemy.orm import Session

from compiled_plan.service.access import tokens
from compiled_plan.service.access.roles import Principal
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.tables import BrowserSession, Token

COOKIE = "plan_service_session"
#: The header that the page sends with every change, and a page of another site cannot send.
CSRF_HEADER = "x-csrf-token"


def csrf_of(cookie: str) -> str:
    """The CSRF token of a session, derived from its cookie, which scripts cannot read."""
    return hmac.new(cookie.encode(errors="replace"), b"csrf", hashlib.sha256).hexdigest()


def is_csrf(cookie: str, token: str) -> bool:
    """Return True if the token is the session's CSRF token."""
    return hmac.compare_digest(csrf_of(cookie).encode(), token.encode(errors="replace"))


def begin(session: Session, who: Principal, hours: float) -> str:
    """Create a session, delete expired ones, and return the cookie.

    Args:
        session: the database session.
        who: the client.
        hours: the lifetime of the session.
    """
    at = pipelines.now()
    session.execute(delete(BrowserSession).where(BrowserSession.expires_at <= at))
    cookie = tokens.new_secret("")
    session.add(BrowserSession(hash=tokens.hash_of(cookie), token_id=who.token, expires_at=at + timedelta(hours=hours)))
    session.flush()
    return cookie


def find(session: Session, cookie: str) -> Principal | None:
    """The client of a session; None if the session or its token does not exist or has expired."""
    browser_session = session.get(BrowserSession, tokens.hash_of(cookie))
    if browser_session is None or browser_session.expires_at <= pipelines.now():
        return None
    return tokens.principal(session.get(Token, browser_session.token_id))


def end(session: Session, cookie: str) -> None:
    session.execute(delete(BrowserSession).where(BrowserSession.hash == tokens.hash_of(cookie)))

"""Sessions of the page: a cookie in place of the token, and what guards it against requests of other sites."""

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
#: The header that a page of the service sends with every change, and no page of another site can.
CSRF_HEADER = "x-csrf-token"


def csrf_of(cookie: str) -> str:
    """What changes of a session carry: follows from the cookie, which scripts cannot read."""
    return hmac.new(cookie.encode(errors="replace"), b"csrf", hashlib.sha256).hexdigest()


def is_csrf(cookie: str, token: str) -> bool:
    """Whether it is that of the session."""
    return hmac.compare_digest(csrf_of(cookie).encode(), token.encode(errors="replace"))


def begin(session: Session, who: Principal, hours: float) -> str:
    """A new session; the value of its cookie. Those that have ended are forgotten."""
    at = pipelines.now()
    session.execute(delete(BrowserSession).where(BrowserSession.expires_at <= at))
    cookie = tokens.new_secret("")
    session.add(BrowserSession(hash=tokens.hash_of(cookie), token_id=who.token, expires_at=at + timedelta(hours=hours)))
    session.flush()
    return cookie


def find(session: Session, cookie: str) -> Principal | None:
    """Whose session it is; None where there is none, it has ended, or its token holds no longer."""
    browser_session = session.get(BrowserSession, tokens.hash_of(cookie))
    if browser_session is None or browser_session.expires_at <= pipelines.now():
        return None
    return tokens.principal(session.get(Token, browser_session.token_id))


def end(session: Session, cookie: str) -> None:
    """End a session."""
    session.execute(delete(BrowserSession).where(BrowserSession.hash == tokens.hash_of(cookie)))

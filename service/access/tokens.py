"""Tokens: create, look up, list, revoke. The database stores only their hashes."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from compiled_plan.service.access.roles import Principal, Role
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.store.tables import Token

#: Makes leaked tokens recognizable.
PREFIX = "plansvc_"
_BYTES = 32


@dataclass(frozen=True, slots=True)
class CreatedToken:
    """A new token with its secret, which is shown only once."""

    secret: str
    token: Token


def hash_of(secret: str) -> str:
    """The stored hash of a secret. Secrets are 256 random bits, so that a single unsalted hash is sufficient."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def new_secret(prefix: str = PREFIX) -> str:
    return prefix + secrets.token_urlsafe(_BYTES)


def create(session: Session, name: str, role: Role, by: str, days: float | None = None) -> CreatedToken:
    """Create a token.

    Args:
        session: the database session.
        name: the name of its user in versions and logs.
        role: its role.
        by: the name of the creator.
        days: its lifetime; None for no expiry.
    """
    secret, at = new_secret(), pipelines.now()
    token = Token(
        name=name,
        role=role.value,
        hash=hash_of(secret),
        created_at=at,
        created_by=by,
        expires_at=None if days is None else at + timedelta(days=days),
    )
    session.add(token)
    session.flush()
    return CreatedToken(secret, token)


def first(session: Session) -> CreatedToken | None:
    """Create the first token, with the role operator; None if tokens exist."""
    if session.scalar(select(Token.id).limit(1)) is not None:
        return None
    return create(session, "first", Role.OPERATOR, "plan-service")


def find(session: Session, secret: str) -> Principal | None:
    """The client with that secret; None if the token does not exist or has expired."""
    return principal(session.scalar(select(Token).where(Token.hash == hash_of(secret))))


def principal(token: Token | None) -> Principal | None:
    """The client with that token; None if it has expired."""
    if token is None or (token.expires_at is not None and token.expires_at <= pipelines.now()):
        return None
    return Principal(token.name, Role(token.role), token.id)


def page(session: Session, *, q: str = "", limit: int = 50, after: int = 0) -> Sequence[Token]:
    """Tokens in the order of their creation, with ids above `after`; `q` filters by name or role."""
    wanted = select(Token).where(Token.id > after)
    if q:
        wanted = wanted.where(or_(Token.name.icontains(q, autoescape=True), Token.role == q))
    return session.scalars(wanted.order_by(Token.id).limit(limit)).all()


def remove(session: Session, id_: int) -> Token:
    """Revoke a token, and end its sessions.

    Raises:
        NotFoundError: the token does not exist.
    """
    token = session.get(Token, id_)
    if token is None:
        raise NotFoundError(f"there is no token {id_}", where=str(id_), remedy="GET /api/v1/tokens lists them")
    session.delete(token)
    session.flush()
    return token

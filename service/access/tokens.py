"""Tokens: made, found, listed, taken back. Only a token's hash is kept."""

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

#: Tells what it is where somebody finds one.
PREFIX = "plansvc_"
_BYTES = 32


@dataclass(frozen=True, slots=True)
class Made:
    """A token that was just made: the only time that it is seen."""

    secret: str
    token: Token


def hash_of(secret: str) -> str:
    """What is kept of a secret. It is 256 random bits, so that one plain hash is enough."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def new_secret(prefix: str = PREFIX) -> str:
    """A secret that nobody guesses."""
    return prefix + secrets.token_urlsafe(_BYTES)


def make(session: Session, name: str, role: Role, by: str, days: float | None = None) -> Made:
    """A new token.

    Args:
        name: what versions and logs call who uses it.
        days: how long it holds; None for ever.
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
    return Made(secret, token)


def first(session: Session) -> Made | None:
    """The first token, of an operator; None where there are some already."""
    if session.scalar(select(Token.id).limit(1)) is not None:
        return None
    return make(session, "first", Role.OPERATOR, "plan-service")


def find(session: Session, secret: str) -> Principal | None:
    """Who a token is of; None where it is none, or holds no longer."""
    return principal(session.scalar(select(Token).where(Token.hash == hash_of(secret))))


def principal(token: Token | None) -> Principal | None:
    """Who a token stands for; None where it holds no longer."""
    if token is None or (token.expires_at is not None and token.expires_at <= pipelines.now()):
        return None
    return Principal(token.name, Role(token.role), token.id)


def page(session: Session, *, q: str = "", limit: int = 50, after: int = 0) -> Sequence[Token]:
    """Tokens, in the order in which they were made."""
    wanted = select(Token).where(Token.id > after)
    if q:
        wanted = wanted.where(or_(Token.name.icontains(q, autoescape=True), Token.role == q))
    return session.scalars(wanted.order_by(Token.id).limit(limit)).all()


def remove(session: Session, id_: int) -> Token:
    """Take a token back; its sessions end.

    Raises:
        NotFoundError: there is none.
    """
    token = session.get(Token, id_)
    if token is None:
        raise NotFoundError(f"there is no token {id_}", where=str(id_), remedy="GET /api/v1/tokens lists them")
    session.delete(token)
    session.flush()
    return token

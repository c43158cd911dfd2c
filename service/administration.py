"""What an operator does at the machine of the service: tokens, by the database itself."""

from __future__ import annotations

import typer

from compiled_plan.service.access import tokens
from compiled_plan.service.access.roles import Role
from compiled_plan.service.settings import Settings
from compiled_plan.service.store.database import open_database

#: Who did it.
_BY = "plan-service token"


def create_token(settings: Settings, name: str, role: Role, days: float | None) -> None:
    """Make a token, and print it."""
    database = open_database(settings)
    with database.write() as session:
        secret = tokens.make(session, name, role, _BY, days).secret
    database.close()
    typer.echo(secret)


def list_tokens(settings: Settings) -> None:
    """Print the tokens, without their secrets."""
    database = open_database(settings)
    with database.read() as session:
        for token in tokens.page(session, limit=100_000):
            until = f", until {token.expires_at:%Y-%m-%d %H:%M}" if token.expires_at else ""
            typer.echo(f"{token.id}\t{token.name}\t{token.role}\t{token.created_at:%Y-%m-%d %H:%M}{until}")
    database.close()


def revoke_token(settings: Settings, id_: int) -> None:
    """Take a token back.

    Raises:
        NotFoundError: there is none.
    """
    database = open_database(settings)
    with database.write() as session:
        found = tokens.remove(session, id_)
    database.close()
    typer.echo(f"token {id_} ({found.name}, {found.role}) is taken back", err=True)

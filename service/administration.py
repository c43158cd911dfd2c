"""Administration on the service's machine by its database: tokens, and pipelines as plain files."""

from __future__ import annotations

import getpass
import json
from pathlib import Path

import typer

from compiled_plan.service.access import tokens
from compiled_plan.service.access.roles import Role
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store.database import open_database
from compiled_plan.service.sync import Synced, export_folder, import_folder
from compiled_plan.service.workers.pool import Workers

_WORDS = {
    "new": "is new and in force",
    "same": "is unchanged",
    "waits": "is not yet in force",
    "failed": "failed",
    "written": "is written",
}
#: The author of the changes.
_BY = "plan-service token"


def sync(
    settings: Settings, folder: Path, comment: str, *, export: bool, force: bool, secrets: bool, as_json: bool
) -> bool:
    """Import a folder into the registry, or export the registry to a folder, and print the result per pipeline.

    Returns:
        False if a pipeline failed or is not yet in force.
    """
    parts = Parts(settings, open_database(settings), Workers(settings.limits))
    good = True
    try:
        by = getpass.getuser()
        results = (
            export_folder(parts, folder, secrets=secrets)
            if export
            else (import_folder(parts, folder, by, comment, force=force))
        )
        for synced in results:
            good = good and synced.did not in ("failed", "waits")
            typer.echo(json.dumps(synced.to_dict()) if as_json else _line(synced))
    finally:
        parts.workers.close()
        parts.database.close()
    return good


def _line(synced: Synced) -> str:
    version = f" version {synced.version}" if synced.version else ""
    lines = [f"{synced.name}:{version} {_WORDS[synced.did]}".replace("  ", " ")]
    lines += [f"  {synced.message}"] if synced.message else []
    return "\n".join([*lines, f"  try: {synced.remedy}"] if synced.remedy else lines)


def create_token(settings: Settings, name: str, role: Role, days: float | None) -> None:
    """Create a token, and print it."""
    database = open_database(settings)
    with database.write() as session:
        secret = tokens.create(session, name, role, _BY, days).secret
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
    """Revoke a token.

    Raises:
        NotFoundError: the token does not exist.
    """
    database = open_database(settings)
    with database.write() as session:
        token = tokens.remove(session, id_)
    database.close()
    typer.echo(f"token {id_} ({token.name}, {token.role}) is revoked", err=True)

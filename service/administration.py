"""Administration on the service's machine by its home folder: tokens, pipelines as plain files, runs."""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from sqlalchemy import select

from compiled_plan.plans.errors import ExecutionError, ProgramError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.text.references import FORM, NAME
from compiled_plan.service.access import tokens
from compiled_plan.service.access.roles import Role
from compiled_plan.service.alerts.prometheus_rules import rule_file
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.runs.auxiliary import COMPILER, auxiliary_processes, end_auxiliary
from compiled_plan.service.runs.living import LiveRun, live_runs, live_service, stop_live
from compiled_plan.service.runs.supervisor import Supervisor
from compiled_plan.service.store import secrets
from compiled_plan.service.store.database import open_database
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.store.tables import Pipeline, Wanted
from compiled_plan.service.sync import Synced, export_folder, import_folder
from compiled_plan.service.workers.pool import Workers

_WORDS = {
    "new": "is new and in force",
    "same": "is unchanged",
    "waits": "is not yet in force",
    "failed": "failed",
    "written": "is written",
}
_STOPS = {
    "stopped": "stopped",
    "cancelled": "does not run; its next start is cancelled",
    "at rest": "does not run",
    "alive": "still runs: end its process with `kill -9`, see `plan-service ps`",
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


def print_rules(settings: Settings) -> None:
    """Print the rules of alerts as a rule file of Prometheus."""
    database = open_database(settings)
    with database.read() as session:
        typer.echo(rule_file(session, settings.alerts.rules), nl=False)
    database.close()


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


def set_secret(settings: Settings, name: str, scope: Sequence[str], *, previews: bool) -> None:
    """Set a secret to the text of stdin.

    Raises:
        ProgramError: the name is malformed, or there is no value.
    """
    if NAME.fullmatch(name) is None:
        raise ProgramError(f"{name!r} is no name of a secret", remedy=f"write {FORM}")
    value = getpass.getpass("value: ") if sys.stdin.isatty() else sys.stdin.read().removesuffix("\n")
    if not value:
        raise ProgramError("the value of the secret is empty", remedy="write it to stdin")
    database = open_database(settings)
    with database.write() as session:
        vault = secrets.Vault(settings.secrets_file)
        secrets.put(session, vault, name, value, list(dict.fromkeys(scope)), previews=previews, by=getpass.getuser())
    database.close()


def list_secrets(settings: Settings) -> None:
    """Print the secrets, without their values."""
    database = open_database(settings)
    with database.read() as session:
        for secret in secrets.listed(session):
            previews = "\tpreviews" if secret.previews else ""
            typer.echo(
                f"{secret.name}\t{','.join(secret.pipelines)}\t{secret.changed_at:%Y-%m-%d %H:%M}\t{secret.changed_by}"
                f"{previews}"
            )
    database.close()


def delete_secret(settings: Settings, name: str) -> None:
    """Delete a secret.

    Raises:
        NotFoundError: the secret does not exist.
    """
    database = open_database(settings)
    with database.write() as session:
        secrets.remove(session, name)
    database.close()


def list_runs(settings: Settings, *, as_json: bool) -> None:
    """Print the live runs of a home folder, its service, and the processes that the service started besides."""
    _check_home(settings)
    runs, service = live_runs(settings.home), live_service(settings.home)
    processes = [
        {"what": item.kind, "pid": item.process.pid, "since": _time(item.since)}
        for item in auxiliary_processes(settings.home)
    ]
    if as_json:
        shown = None if service is None else {"pid": service.pid, "address": service.address}
        document = {"version": 1, "service": shown, "runs": list(map(_run_document, runs)), "processes": processes}
        typer.echo(json.dumps(document))
        return
    typer.echo("no service" if service is None else f"service\tpid {service.pid}\t{service.address}")
    for process in processes:
        typer.echo(f"{process['what']}\tpid {process['pid']}\tsince {process['since']}")
    if not runs:
        typer.echo("no runs")
    for run in runs:
        document = _run_document(run)
        stopping = "\tstopping" if document["stopping"] else ""
        typer.echo(
            f"{run.pipeline}\trun {run.folder.number}\tversion {document['pipelineVersion']}\tpid {run.state.pid}"
            f"\tsince {document['since']}{stopping}"
        )


def _run_document(run: LiveRun) -> dict[str, Any]:
    document = {"pipeline": run.pipeline, "run": run.folder.number, "pipelineVersion": run.command.get("version", 0)}
    return {**document, "pid": run.state.pid, "since": _time(run.state.since), "stopping": run.is_stopping}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def stop_runs(settings: Settings, names: Sequence[str] | None, *, as_json: bool) -> bool:
    """Stop runs, with or without the service, and cancel their restarts and schedules.

    Args:
        settings: the settings of the service.
        names: the pipelines; None for all, and for the auxiliary processes, such as previews.
        as_json: print one JSON document per pipeline or process, and line.

    Returns:
        False if a run or process still lives.

    Raises:
        ExecutionError: the folder is not that of a service.
        NotFoundError: a pipeline neither runs nor exists.
    """
    _check_home(settings)
    if not settings.database and not (settings.home / "service.db").exists():
        raise ExecutionError(
            "its database is elsewhere", where=quoted(settings.home.absolute()), remedy="give the service's --database"
        )
    cancelled = _cancel(settings, names)
    runs = [run for run in live_runs(settings.home) if names is None or run.pipeline in names]
    for name in names or ():
        if name not in cancelled and all(run.pipeline != name for run in runs):
            raise NotFoundError(f"there is no pipeline {name!r}", where=name, remedy="`plan-service ps` lists the runs")
    alive = {run.pipeline for run in stop_live(runs)}
    results = {name: "cancelled" if wanted else "at rest" for name, wanted in cancelled.items() if wanted or names}
    results |= {run.pipeline: "alive" if run.pipeline in alive else "stopped" for run in runs}
    for name, result in results.items():
        typer.echo(json.dumps({"pipeline": name, "result": result}) if as_json else f"{name}: {_STOPS[result]}")
    return (_end_auxiliary(settings, as_json=as_json) if names is None else True) and not alive


def _end_auxiliary(settings: Settings, *, as_json: bool) -> bool:
    """End auxiliary processes but the compilers of a live service, which end with it; False if one still lives."""
    spared = COMPILER if live_service(settings.home) else ""
    processes = [item for item in auxiliary_processes(settings.home) if item.kind != spared]
    alive = end_auxiliary(processes)
    # Compilers of an ended service end by themselves, too.
    for item in (item for item in processes if item.kind != COMPILER or item in alive):
        result = "alive" if item in alive else "ended"
        document = {"process": item.kind, "pid": item.process.pid, "result": result}
        words = f"{item.kind}, pid {item.process.pid}: {_STOPS.get(result, result)}"
        typer.echo(json.dumps(document) if as_json else words)
    return not alive


def _cancel(settings: Settings, names: Sequence[str] | None) -> dict[str, bool]:
    """Clear the desired runs in the database; return the known pipelines, and True for those that were to run."""
    database = open_database(settings)
    supervisor = Supervisor(settings.home, database)
    cancelled: dict[str, bool] = {}
    with database.write() as session:
        rows = select(Pipeline, Wanted.run).outerjoin(Wanted, Wanted.pipeline_id == Pipeline.id)
        for pipeline, runs in session.execute(rows if names is None else rows.where(Pipeline.name.in_(names))):
            cancelled[pipeline.name] = bool(runs)
            if cancelled[pipeline.name]:
                supervisor.want_stop(session, pipeline)
    database.close()
    return cancelled


def _check_home(settings: Settings) -> None:
    """Raise if the folder is not that of a service."""
    if not settings.home.is_dir():
        raise ExecutionError(
            "no service has run here", where=quoted(settings.home.absolute()), remedy="name its folder with --home"
        )

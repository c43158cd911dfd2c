"""`plan-service`: the service that stores, runs and shows plans."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.commands.apps import app_for
from compiled_plan.commands.console import Debug, ExitCode, run_app
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.service.access.roles import Role

if TYPE_CHECKING:
    from compiled_plan.service import administration, serving
    from compiled_plan.service.common import settings as reading
    from compiled_plan.service.common.settings import Settings
else:
    administration = deferred("compiled_plan.service.administration")
    reading = deferred("compiled_plan.service.common.settings")
    serving = deferred("compiled_plan.service.serving")

_NEEDED = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "prometheus_client")
_Config = Annotated[str | None, typer.Option(metavar="FILE.toml", help="Settings file; options override it.")]
_Home = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Folder of the service: database, logs, checkpoints; default `plan-service`."),
]
_Database = Annotated[
    str | None, typer.Option(metavar="URL", help="postgresql://user@host/database; default SQLite in the folder.")
]
_Data = Annotated[
    list[str] | None, typer.Option(metavar="DIR", help="Folder or URI in which file tables may be; repeatable.")
]

app = app_for("plan-service")


@app.callback()
def service() -> None:
    """Store pipelines with the history of their plans, run and show them."""


@app.command()
def serve(
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    host: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address to listen on; default 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="N", help="Port to listen on; default 8787, 0 for a free one.")
    ] = None,
    programs: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR", help="Folder of Python programs that may be compiled; repeatable."),
    ] = None,
    data: _Data = None,
    no_tokens: Annotated[
        bool, typer.Option("--no-tokens", help="Require no tokens, and serve only local requests.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Serve the page and the API until SIGINT, SIGTERM or SIGHUP.

    Runs continue without the service; `plan-service ps` lists them, and `plan-service stop-all` ends them.

    The first start prints a token with the role operator, once.
    """
    options = {"home": home, "database": database, "host": host, "port": port, "programs": programs, "data": data}
    settings = _settings(config, **options, tokens=False if no_tokens else None)
    serving.serve(settings)


@app.command()
def sync(
    folder: Annotated[
        str,
        typer.Argument(metavar="FOLDER", help="Folder with one subfolder per pipeline: program.sql or .py, plan.json."),
    ],
    export: Annotated[bool, typer.Option("--export", help="Write the versions in force to the folder.")] = False,
    comment: Annotated[str, typer.Option(metavar="TEXT", help="Comment of the new versions, such as a commit.")] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Put versions in force even if they cannot restore all state.")
    ] = False,
    with_secrets: Annotated[bool, typer.Option("--with-secrets", help="Export passwords, too.")] = False,
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    data: _Data = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document per pipeline and line.")] = False,
    debug: Debug = False,
) -> None:
    """Import the pipelines of a folder, such as a Git repository, into the registry.

    The folder takes precedence. A plan.json in a pipeline's folder is imported unchanged; otherwise the program is
    compiled over the version in force. A changed pipeline gets a new version, which is put in force if it restores all
    state. Nothing is removed.

    Exit codes: 0 done, 1 a pipeline failed or is not yet in force, 2 wrong usage.
    """
    if export and (force or comment):
        raise typer.BadParameter("--force and --comment are options of an import, not of --export")
    settings = _settings(config, home=home, database=database, data=data)
    how = {"export": export, "force": force, "secrets": with_secrets, "as_json": as_json}
    if not administration.sync(settings, Path(folder), comment, **how):
        raise typer.Exit(ExitCode.FAILED)


_AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def ps(config: _Config = None, home: _Home = None, as_json: _AsJson = False, debug: Debug = False) -> None:
    """List the live processes of a service's folder, also without the service: the service, runs, previews, tests."""
    settings = _settings(config, home=home)
    administration.list_runs(settings, as_json=as_json)


@app.command()
def stop(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Pipelines.")],
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    as_json: _AsJson = False,
    debug: Debug = False,
) -> None:
    """Stop the runs of pipelines, also without the service, and cancel their restarts and schedules.

    Each run completes its current micro-batch within its `stop_within`.

    Exit codes: 0 stopped, 1 a run still lives, 2 wrong usage.
    """
    _stop(_settings(config, home=home, database=database), names, as_json=as_json)


@app.command("stop-all")
def stop_all(
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    as_json: _AsJson = False,
    debug: Debug = False,
) -> None:
    """Stop all runs of a service's folder, like `stop`, and end its previews, state queries and tests."""
    _stop(_settings(config, home=home, database=database), None, as_json=as_json)


def _stop(settings: Settings, names: list[str] | None, *, as_json: bool) -> None:
    if not administration.stop_runs(settings, names, as_json=as_json):
        raise typer.Exit(ExitCode.FAILED)


@app.command()
def rules(config: _Config = None, home: _Home = None, database: _Database = None, debug: Debug = False) -> None:
    """Print the rules of alerts as a rule file of Prometheus."""
    settings = _settings(config, home=home, database=database)
    administration.print_rules(settings)


token_app = app_for("token", "Create, list and revoke tokens.")
app.add_typer(token_app, name="token")


@token_app.command("create")
def create_token(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of its user, the author of new versions.")],
    role: Annotated[Role, typer.Option(help="viewer reads, editor edits programs and TTLs, operator does everything.")],
    days: Annotated[float | None, typer.Option(metavar="N", help="Lifetime in days; no expiry by default.")] = None,
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    debug: Debug = False,
) -> None:
    """Create a token and print it; it is shown only once."""
    settings = _settings(config, home=home, database=database)
    administration.create_token(settings, name, role, days)


@token_app.command("list")
def list_tokens(config: _Config = None, home: _Home = None, database: _Database = None, debug: Debug = False) -> None:
    """Print the tokens: id, name, role, time of creation, expiry."""
    settings = _settings(config, home=home, database=database)
    administration.list_tokens(settings)


@token_app.command("revoke")
def revoke_token(
    id_: Annotated[int, typer.Argument(metavar="ID", help="Id of the token, from `token list`.")],
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    debug: Debug = False,
) -> None:
    """Revoke a token, and end its sessions."""
    settings = _settings(config, home=home, database=database)
    administration.revoke_token(settings, id_)


secret_app = app_for("secret", "Set, list and delete the secrets to which programs refer as ${secret:NAME}.")
app.add_typer(secret_app, name="secret")


@secret_app.command("set")
def set_secret(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the secret.")],
    pipelines: Annotated[
        list[str], typer.Option("--pipeline", metavar="NAME", help="Pipeline that may use it, * for all; repeatable.")
    ],
    previews: Annotated[bool, typer.Option("--previews", help="Let previews use it, which editors start.")] = False,
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    debug: Debug = False,
) -> None:
    """Set a secret, or replace it. Its value is read from stdin, without its last line end; a terminal hides it.

    A run takes the value at its next start. No command shows it again.
    """
    settings = _settings(config, home=home, database=database)
    administration.set_secret(settings, name, pipelines, previews=previews)


@secret_app.command("list")
def list_secrets(config: _Config = None, home: _Home = None, database: _Database = None, debug: Debug = False) -> None:
    """Print the secrets without their values: name, pipelines, time and author of the last change."""
    settings = _settings(config, home=home, database=database)
    administration.list_secrets(settings)


@secret_app.command("delete")
def delete_secret(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the secret.")],
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    debug: Debug = False,
) -> None:
    """Delete a secret. The next start of a pipeline that refers to it is refused."""
    settings = _settings(config, home=home, database=database)
    administration.delete_secret(settings, name)


def _settings(config: str | None, **options: object) -> Settings:
    """The settings of the file, overridden by the options."""
    _check_installed()
    return reading.read_settings(config, {name: value for name, value in options.items() if value is not None})


def _check_installed() -> None:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ExecutionError(f"plan-service needs {', '.join(missing)}", remedy="pip install 'compiled-plan[service]'")


def main() -> None:
    run_app(app)


if __name__ == "__main__":
    main()

"""`plan-service`: the service that holds plans, runs them and shows them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from compiled_plan.api.commands import Debug, ExitCode, app_for, run_app
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.service.access.roles import Role

if TYPE_CHECKING:
    from compiled_plan.service.common.settings import Settings

_NEEDED = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "prometheus_client")
_Config = Annotated[str | None, typer.Option(metavar="FILE.toml", help="Settings; options hold over them.")]
_Home = Annotated[
    str | None, typer.Option(metavar="DIR", help="Folder of the service: database, logs, checkpoints; plan-service.")
]
_Database = Annotated[
    str | None, typer.Option(metavar="URL", help="postgresql://user@host/database; SQLite in the folder if left out.")
]
_Data = Annotated[
    list[str] | None, typer.Option(metavar="DIR", help="A folder or URI that tables in files may be in; repeatable.")
]

app = app_for()


@app.callback()
def service() -> None:
    """Hold pipelines with the history of their plans, run them, and show them."""


@app.command()
def serve(
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    host: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Address to listen on; 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(metavar="N", help="Port to listen on; 8787. 0 takes a free one.")] = None,
    programs: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR", help="A folder that programs in Python may be compiled from; repeatable."),
    ] = None,
    data: _Data = None,
    no_tokens: Annotated[
        bool, typer.Option("--no-tokens", help="Ask nobody for a token, and serve this machine alone.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Serve the page and the API until SIGINT or SIGTERM; runs go on without it.

    The first start prints a token of the role operator, once.
    """
    options = {"home": home, "database": database, "host": host, "port": port, "programs": programs, "data": data}
    settings = _settings(config, **options, tokens=False if no_tokens else None)
    from compiled_plan.service.serving import serve as run

    run(settings)


@app.command()
def sync(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A folder for each pipeline: program.sql or .py, plan.json.")
    ],
    export: Annotated[bool, typer.Option("--export", help="Write the versions in force into the folder.")] = False,
    comment: Annotated[
        str, typer.Option(metavar="TEXT", help="Why: what the new versions say, such as a commit.")
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Put versions in force that do not go on with all state, too.")
    ] = False,
    with_secrets: Annotated[bool, typer.Option("--with-secrets", help="Export passwords, too.")] = False,
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    data: _Data = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON document for each pipeline, one a line.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Bring a folder's pipelines into the registry: the folder counts, such as a Git repository.

    A plan.json in a pipeline's folder counts as it is; else the program is compiled, over the version in force. What
    differs becomes a new version, put in force where it goes on with all state. Nothing is removed.

    Exit codes: 0 done, 1 a pipeline failed, or waits to be put in force, 2 wrong usage.
    """
    if export and (force or comment):
        raise typer.BadParameter("--force and --comment are for what is brought into the registry")
    settings = _settings(config, home=home, database=database, data=data)
    from pathlib import Path

    from compiled_plan.service.administration import sync as run

    how = {"export": export, "force": force, "secrets": with_secrets, "as_json": as_json}
    if not run(settings, Path(folder), comment, **how):
        raise typer.Exit(ExitCode.FAILED)


token_app = typer.Typer(help="Make tokens, list them, take them back.")
app.add_typer(token_app, name="token")


@token_app.command("create")
def create_token(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who uses it: versions are signed with it.")],
    role: Annotated[Role, typer.Option(help="viewer looks, editor edits programs and TTLs, operator does all.")],
    days: Annotated[float | None, typer.Option(metavar="N", help="How long it holds; for ever if left out.")] = None,
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    debug: Debug = False,
) -> None:
    """Make a token and print it: the only time that it is seen."""
    settings = _settings(config, home=home, database=database)
    from compiled_plan.service.administration import create_token as create

    create(settings, name, role, days)


@token_app.command("list")
def list_tokens(config: _Config = None, home: _Home = None, database: _Database = None, debug: Debug = False) -> None:
    """Print the tokens: id, name, role, when they were made."""
    settings = _settings(config, home=home, database=database)
    from compiled_plan.service.administration import list_tokens as run

    run(settings)


@token_app.command("revoke")
def revoke_token(
    id_: Annotated[int, typer.Argument(metavar="ID", help="The token's id, as `token list` has it.")],
    config: _Config = None,
    home: _Home = None,
    database: _Database = None,
    debug: Debug = False,
) -> None:
    """Take a token back, and end its sessions."""
    settings = _settings(config, home=home, database=database)
    from compiled_plan.service.administration import revoke_token as run

    run(settings, id_)


def _settings(config: str | None, **options: Any) -> Settings:
    """The settings of the file and the options that were given."""
    _check_installed()
    from compiled_plan.service.common.settings import read_settings

    return read_settings(config, {name: value for name, value in options.items() if value is not None})


def _check_installed() -> None:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ExecutionError(f"plan-service needs {', '.join(missing)}", remedy="pip install 'compiled-plan[service]'")


def main() -> None:
    """The command."""
    run_app(app)


if __name__ == "__main__":
    main()

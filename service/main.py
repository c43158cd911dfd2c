"""`plan-service`: the service that holds plans, runs them and shows them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated, Any

import typer

from compiled_plan.api.commands import app_for, run_app
from compiled_plan.plans.errors import ExecutionError

_NEEDED = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "prometheus_client")
_Config = Annotated[str | None, typer.Option(metavar="FILE.toml", help="Settings; options hold over them.")]
_Home = Annotated[
    str | None, typer.Option(metavar="DIR", help="Folder of the service: database, logs, checkpoints; plan-service.")
]
_Database = Annotated[
    str | None, typer.Option(metavar="URL", help="postgresql://user@host/database; SQLite in the folder if left out.")
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
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR", help="A folder or URI that tables in files may be in; repeatable."),
    ] = None,
    no_tokens: Annotated[
        bool, typer.Option("--no-tokens", help="Ask nobody for a token, and serve this machine alone.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Serve the page and the API until SIGINT or SIGTERM; runs go on without it.

    The first start prints a token of the role operator, once.
    """
    _check_installed()
    given: dict[str, Any] = {
        "home": home,
        "database": database,
        "host": host,
        "port": port,
        "programs": programs,
        "data": data,
        "tokens": False if no_tokens else None,
    }
    from compiled_plan.service.serving import serve as run
    from compiled_plan.service.settings import read_settings

    run(read_settings(config, {name: value for name, value in given.items() if value is not None}))


def _check_installed() -> None:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ExecutionError(f"plan-service needs {', '.join(missing)}", remedy="pip install 'compiled-plan[service]'")


def main() -> None:
    """The command."""
    run_app(app)


if __name__ == "__main__":
    main()

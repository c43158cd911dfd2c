"""The server process of the service."""

from __future__ import annotations

import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote

import typer
import uvicorn

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.text.visible import counted
from compiled_plan.service.access import tokens
from compiled_plan.service.app import application
from compiled_plan.service.common.home import close_new_files
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.connections import protocol
from compiled_plan.service.runs.auxiliary import mark_processes
from compiled_plan.service.runs.living import forget_service, live_runs, record_service
from compiled_plan.service.runs.supervisor import EXECUTE_PLAN, INSPECT_STATE, PREVIEW_ROWS
from compiled_plan.service.store.database import open_database

#: Connections accepted at once (asyncio accepts up to the backlog), and the backlog of the socket.
_AT_ONCE, _QUEUE = 16, 1_024
#: The number of runs whose names are printed at the end.
_NAMED = 10


def serve(
    settings: Settings,
    command: Sequence[str] = EXECUTE_PLAN,
    inspect: Sequence[str] = INSPECT_STATE,
    preview: Sequence[str] = PREVIEW_ROWS,
) -> None:
    """Serve until a signal.

    Raises:
        ExecutionError: the address is in use or not of this machine; or as for `open_database`.
    """
    listening = _listening(settings)
    home = settings.home.resolve()
    mark_processes(home)
    app = application(settings, command=command, inspect=inspect, preview=preview, umask=close_new_files())
    print_first_token(settings)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    address = settings.public_address or f"http://{shown}:{port}"
    record_service(home, address)
    typer.echo(f"plan-service: {address}", err=True)
    server = _Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            # Trust the client address of a proxy only if there is a proxy.
            proxy_headers=bool(settings.public_address),
            timeout_graceful_shutdown=5,
            http=protocol(settings),
            ws="none",
            backlog=_AT_ONCE,
        ),
        home,
    )
    # A closed terminal; `nohup` ignores the signal.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, server.handle_exit)
    server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that reads from accepted clients before it accepts more, however many wait.

    Args:
        config: the settings of the server.
        home: the home folder of the service.
    """

    def __init__(self, config: uvicorn.Config, home: Path) -> None:
        super().__init__(config)
        self._home = home

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_QUEUE)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        forget_service(self._home)
        if text := continuing(self._home):
            with suppress(OSError):  # The terminal may be closed.
                typer.echo(text, err=True)


def continuing(home: Path) -> str:
    """The runs that continue without the service, and the command that ends them; empty for none."""
    names = [run.pipeline for run in live_runs(home)]
    if not names:
        return ""
    runs = counted(len(names), "run") + (" continues" if len(names) == 1 else " continue")
    shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    return (
        f"plan-service: {runs} without the service ({shown}); to end: plan-service stop-all --home {quote(str(home))}"
    )


def print_first_token(settings: Settings) -> None:
    """Create and print an operator's token if there are no tokens; it is shown only once."""
    if not settings.tokens:
        return
    database = open_database(settings)
    with database.write() as session:
        token = tokens.first(session)
    database.close()
    if token is not None:
        typer.echo(f"plan-service: the first operator's token, shown only once: {token.secret}", err=True)


def _listening(settings: Settings) -> socket.socket:
    if not settings.tokens and not settings.is_local:
        raise ExecutionError(
            "without tokens, only local requests are served",
            where=f"host {settings.host}",
            remedy="leave --no-tokens out, or listen on 127.0.0.1",
        )
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host.strip("[]"), settings.port))
    except OSError as fault:
        listening.close()
        raise ExecutionError(
            f"cannot listen there: {fault.strerror or fault}",
            where=f"{settings.host}:{settings.port}",
            remedy="give another --port, or 0 for a free one",
        ) from None
    listening.listen(128)
    return listening

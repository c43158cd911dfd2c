"""The server process of the service."""

from __future__ import annotations

import socket
from collections.abc import Sequence

import typer
import uvicorn

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.service.access import tokens
from compiled_plan.service.app import application
from compiled_plan.service.common.home import close_new_files
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.connections import protocol
from compiled_plan.service.runs.supervisor import EXECUTE_PLAN, INSPECT_STATE
from compiled_plan.service.store.database import open_database

#: Connections accepted at once (asyncio accepts up to the backlog), and the backlog of the socket.
_AT_ONCE, _QUEUE = 16, 1_024


def serve(settings: Settings, command: Sequence[str] = EXECUTE_PLAN, inspect: Sequence[str] = INSPECT_STATE) -> None:
    """Serve until a signal.

    Raises:
        ExecutionError: the address is in use or not of this machine; or as for `open_database`.
    """
    listening = _listening(settings)
    app = application(settings, command=command, inspect=inspect, umask=close_new_files())
    print_first_token(settings)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"plan-service: {settings.public_address or f'http://{shown}:{port}'}", err=True)
    server = _Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            # Trust the client address of a proxy only if there is a proxy.
            proxy_headers=bool(settings.public_address),
            timeout_graceful_shutdown=5,
            http=protocol(settings),  # type: ignore[arg-type]
            ws="none",
            backlog=_AT_ONCE,
        )
    )
    server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that reads from accepted clients before it accepts more, however many wait."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_QUEUE)


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

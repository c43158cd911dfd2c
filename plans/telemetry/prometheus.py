"""The figures of a run, served over HTTP for Prometheus."""

from __future__ import annotations

from pathlib import Path

from compiled_plan.plans.errors import ExecutionError, ProgramError
from compiled_plan.plans.telemetry.figures import Window
from compiled_plan.plans.telemetry.listeners import Message


class MetricsServer:
    """Serves the figures of one run at `/metrics`.

    The address `9464` listens only on this machine, `0.0.0.0:9464` on all its addresses. The label `plan` defaults to
    the name of the plan's file. Raises a ProgramError for an invalid address, an ExecutionError if the port is in use
    or the library is not installed.
    """

    def __init__(self, address: str, plan: str) -> None:
        host, port = address_of(address)
        try:
            from compiled_plan.plans.telemetry.metrics import serve
        except ModuleNotFoundError:
            raise ExecutionError(
                "--metrics-port needs prometheus-client", remedy="pip install 'compiled-plan[metrics]'"
            ) from None
        self._named, self.plan, self._window = bool(plan), plan, Window()
        try:
            self.metrics, self._server, self._thread = serve(host, port)
        except OSError as fault:
            raise ExecutionError(
                f"metrics cannot be served at {host}:{port}: {fault.strerror or fault}",
                remedy="name a free port with --metrics-port",
            ) from None

    @property
    def port(self) -> int:
        """The port of the server."""
        return int(self._server.server_port)

    def tell(self, message: Message) -> None:
        if not self._named and message.get("plan"):
            self.plan = Path(message["plan"]).stem
        self.metrics.take(self.plan, message)
        self._window.take(message)
        if (figures := self._window.figures()) is not None:
            self.metrics.show(self.plan, figures)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def address_of(text: str) -> tuple[str, int]:
    """Host and port of `9464`, `0.0.0.0:9464`, `[::]:9464`. Raises ProgramError for other texts."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise ProgramError(f"--metrics-port {text}: no port", remedy="write 9464, or 0.0.0.0:9464")
    return host.strip("[]") or "127.0.0.1", int(port)

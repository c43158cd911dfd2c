"""Output of runs beside their data: progress on stderr, and to listeners."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from compiled_plan.cli.common.terminal import console
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.telemetry.log_lines import LogLines

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan
    from compiled_plan.plans.telemetry.listeners import Listener


@dataclass(frozen=True)
class Output:
    """Options of the output of runs beside their data."""

    as_json: Annotated[bool, typer.Option("--json", help="Progress as JSON, one message per line, on stderr.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False
    log: Annotated[
        bool,
        typer.Option(
            "--log",
            help="Progress as log lines with time and level: the start with Spark's address and the positions of "
            "sources, micro-batches in summaries at growing intervals, the end.",
        ),
    ] = False
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Progress of each operator on a terminal, too, and a heartbeat while no rows come."
        ),
    ] = False
    progress_file: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Append progress to a file: the messages of --json, numbered, one per line. A request in "
            "FILE.tap shows rows that an operator emits, in FILE.tapped.",
        ),
    ] = ""
    metrics_port: Annotated[
        str,
        typer.Option(
            metavar="[HOST:]PORT", help="Serve Prometheus metrics at /metrics; on localhost unless HOST is set."
        ),
    ] = ""
    lineage: Annotated[
        str,
        typer.Option(metavar="URL|FILE", help="Send OpenLineage events there, or append them to a file, one per line."),
    ] = ""
    name: Annotated[
        str,
        typer.Option(metavar="NAME", help="Name of the run in metrics and lineage; by default the plan file's name."),
    ] = ""

    @property
    def is_text(self) -> bool:
        """Return True unless progress is JSON or none."""
        return not (self.quiet or self.as_json)

    def check_address(self) -> None:
        """Check the address of the metrics.

        Raises:
            typer.BadParameter: it is malformed.
        """
        if self.metrics_port:
            from compiled_plan.plans.telemetry.prometheus import address_of

            try:
                address_of(self.metrics_port)
            except CompiledPlanError as fault:
                raise typer.BadParameter(str(fault)) from None

    @contextmanager
    def shared(self) -> Iterator[Sequence[Listener]]:
        """The listeners to all plans."""
        with ExitStack() as stack:
            listeners: list[Listener] = []
            if self.progress_file:
                from compiled_plan.plans.telemetry.progress_file import ProgressFile

                listeners.append(ProgressFile(Path(self.progress_file)))
                stack.callback(listeners[-1].close)
            if self.metrics_port:
                from compiled_plan.plans.telemetry.prometheus import MetricsServer

                listeners.append(MetricsServer(self.metrics_port, self.name))
                stack.callback(listeners[-1].close)
            yield listeners

    @contextmanager
    def of(self, path: str, plan: CompiledPlan) -> Iterator[Sequence[Listener]]:
        """The listeners to one plan."""
        lines = [LogLines(_print)] if self.log and self.is_text else []
        if not self.lineage:
            yield lines
            return
        from compiled_plan.plans.telemetry.openlineage import Lineage

        lineage = Lineage(self.lineage, plan, self.name or Path(path).stem, _warn)
        try:
            yield (*lines, lineage)
        finally:
            lineage.close()


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _warn(text: str) -> None:
    console().print(f"warning: {text}")

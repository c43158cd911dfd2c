"""Listeners to the progress of runs, by the options of `execute-plan`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.cli.common.terminal import console
from compiled_plan.plans.telemetry.log_lines import LogLines

if TYPE_CHECKING:
    from compiled_plan.plans.plan import CompiledPlan
    from compiled_plan.plans.telemetry.listeners import Listener


@dataclass(frozen=True)
class Listening:
    """The requested listeners.

    Args:
        progress_file: a file; empty for none.
        metrics_port: `[HOST:]PORT`; empty for none.
        lineage: a URL or a file; empty for none.
        name: the name of the run in metrics and lineage; the plan file's name if empty.
        log: print log lines.
    """

    progress_file: str = ""
    metrics_port: str = ""
    lineage: str = ""
    name: str = ""
    log: bool = False

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
        lines = [LogLines(_print)] if self.log else []
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

"""Listeners to the progress of runs, by the options of `execute-plan`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compiled_plan.cli.common.terminal import console

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
    """

    progress_file: str = ""
    metrics_port: str = ""
    lineage: str = ""
    name: str = ""

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
        if not self.lineage:
            yield ()
            return
        from compiled_plan.plans.telemetry.openlineage import Lineage

        lineage = Lineage(self.lineage, plan, self.name or Path(path).stem, _warn)
        try:
            yield (lineage,)
        finally:
            lineage.close()


def _warn(text: str) -> None:
    console().print(f"warning: {text}")

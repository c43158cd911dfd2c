"""Who is told of a run, by the options of `execute-plan`."""

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
    """What is asked for.

    Args:
        metrics_port: `[HOST:]PORT`; empty for none.
        lineage: a URL or a file; empty for none.
        name: what the run is called; the plan file's name if empty.
    """

    progress_file: str = ""
    metrics_port: str = ""
    lineage: str = ""
    name: str = ""

    @contextmanager
    def shared(self) -> Iterator[Sequence[Listener]]:
        """Those that are told of all plans."""
        with ExitStack() as stack:
            found: list[Listener] = []
            if self.progress_file:
                from compiled_plan.plans.telemetry.progress_file import ProgressFile

                found.append(ProgressFile(Path(self.progress_file)))
                stack.callback(found[-1].close)
            if self.metrics_port:
                from compiled_plan.plans.telemetry.prometheus import MetricsServer

                found.append(MetricsServer(self.metrics_port, self.name))
                stack.callback(found[-1].close)
            yield found

    @contextmanager
    def of(self, path: str, plan: CompiledPlan) -> Iterator[Sequence[Listener]]:
        """Those that are told of one plan."""
        if not self.lineage:
            yield ()
            return
        from compiled_plan.plans.telemetry.openlineage import Lineage

        made = Lineage(self.lineage, plan, self.name or Path(path).stem, _warn)
        try:
            yield (made,)
        finally:
            made.close()


def _warn(text: str) -> None:
    console().print(f"warning: {text}")

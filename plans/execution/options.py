"""How a plan is run: what `execute-plan` was told."""

from __future__ import annotations

from dataclasses import dataclass

from plans.errors import ExecutionError
from plans.execution.stopping import PATIENCE

#: The operators of Spark that can host keyed state; see `plans.execution.hosts`.
TRANSFORM, GROUPS, NATIVE = HOSTS = ("transformWithState", "flatMapGroupsWithState", "native")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of one run.

    Args:
        checkpoint: folder of the checkpoint; empty for a temporary one.
        trigger_ms: milliseconds between micro-batches of a continuous run; None for as fast as they come.
        available_now: end when what is there at the start has been read, though sources are unbounded.
        host: the Spark operator that hosts the stages, one of HOSTS.
        max_files_per_batch: how many files of a folder one micro-batch reads at most; None for all that are there.
        functions_from: modules, each with all below it, from which a plan's Python functions may be imported; those
            that a program of this process registered need no permission.
        stop_seconds: how long a stop waits for what runs to end.
    """

    checkpoint: str = ""
    trigger_ms: int | None = None
    available_now: bool = False
    host: str = TRANSFORM
    max_files_per_batch: int | None = None
    functions_from: tuple[str, ...] = ()
    stop_seconds: float = PATIENCE

    def __post_init__(self) -> None:
        if self.host not in HOSTS:
            raise ExecutionError(f"no such operator host: {self.host}", remedy=f"choose one of {', '.join(HOSTS)}")
        if self.max_files_per_batch is not None and self.max_files_per_batch < 1:
            raise ExecutionError("--max-files-per-batch must be 1 or more", remedy="leave it out to read all files")
        if self.available_now and self.trigger_ms is not None:
            raise ExecutionError("--trigger and --available-now exclude each other", remedy="leave one of them out")

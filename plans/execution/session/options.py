"""Options of a run, as `execute-plan` takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.session.stopping import PATIENCE
from compiled_plan.plans.text.durations import parse_duration

#: The operators of Spark that can host keyed state; see `plans.execution.stages.hosts`.
TRANSFORM, GROUPS, NATIVE = HOSTS = ("transformWithState", "flatMapGroupsWithState", "native")


#: What a start may do to the state of a checkpoint whose program was another one; see `RunOptions.upgrade`.
CHECK, MIGRATE, MIGRATE_PARTIAL = UPGRADES = ("check", "migrate", "migrate-partial")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of one run.

    Args:
        checkpoint: folder of the checkpoint; empty for a temporary one.
        trigger_ms: milliseconds between micro-batches of a continuous run; None for as fast as they come.
        real_time_ms: run in Spark's Real-time Mode, with so many milliseconds between checkpoints; None for
            micro-batches.
        available_now: end when what is there at the start has been read, though sources are unbounded.
        host: the Spark operator that hosts the stages, one of HOSTS.
        max_files_per_batch: how many files of a folder one micro-batch reads at most; None for all that are there.
        functions_from: modules, each with all below it, from which a plan's Python functions may be imported; those
            that a program of this process registered need no permission.
        trust_pickled_state: read pickled values of state and tables as they are, so that whoever can write these runs
            code; else pickles make objects of plain classes and of those that a function's types name.
        stop_seconds: how long a stop waits for what runs to end.
        allow_clock_jump: take the machine's clock as it is, though it has jumped since the last micro-batch.
        upgrade: what may become of the state of a checkpoint whose program was another one. "check": it goes on where
            that is fully right, in place or in a new generation, and is refused else; "migrate": the same, always in a
            new generation; "migrate-partial": it goes on, too, where the result differs in what the verdict names.
        reset: uids of operators that start empty.
        warm_up: uids of operators without state, new or reset, that are filled from what their tables' sources have
            read before they start; "all" for each that there is.
        warm_up_from: by table the options of one that is read for that instead, as WITH has them.
    """

    checkpoint: str = ""
    trigger_ms: int | None = None
    real_time_ms: int | None = None
    available_now: bool = False
    host: str = TRANSFORM
    max_files_per_batch: int | None = None
    functions_from: tuple[str, ...] = ()
    trust_pickled_state: bool = False
    stop_seconds: float = PATIENCE
    allow_clock_jump: bool = False
    upgrade: str = CHECK
    reset: tuple[str, ...] = ()
    warm_up: tuple[str, ...] = ()
    warm_up_from: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.host not in HOSTS:
            raise ExecutionError(f"no such operator host: {self.host}", remedy=f"choose one of {', '.join(HOSTS)}")
        if self.upgrade not in UPGRADES:
            raise ExecutionError(
                f"no such way to upgrade: {self.upgrade}", remedy=f"choose one of {', '.join(UPGRADES)}"
            )
        if self.warm_up_from and not self.warm_up:
            raise ExecutionError(
                "--warm-up-from says where history is, and nothing asks for it", remedy="add --warm-up"
            )
        if (self.reset or self.warm_up or self.upgrade != CHECK) and not self.checkpoint:
            raise ExecutionError("there is no state to upgrade without a checkpoint", remedy="give --checkpoint")
        if self.max_files_per_batch is not None and self.max_files_per_batch < 1:
            raise ExecutionError("--max-files-per-batch must be 1 or more", remedy="leave it out to read all files")
        if self.real_time_ms is not None and (self.available_now or self.trigger_ms is not None):
            raise ExecutionError(
                "real-time mode goes on until it is stopped, by no other trigger",
                remedy="leave --available-now out, and give --trigger once",
            )
        if self.available_now and self.trigger_ms is not None:
            raise ExecutionError("--trigger and --available-now exclude each other", remedy="leave one of them out")


#: What a trigger begins with that asks for Spark's Real-time Mode, and its interval of checkpoints in ms.
REAL_TIME, _CHECKPOINTS_MS = "real-time", 60_000


def real_time_interval(trigger: str) -> int | None:
    """Milliseconds between checkpoints in real-time mode; None for a trigger of micro-batches.

    Args:
        trigger: `real-time`, `real-time=30s`, or anything else.

    Raises:
        PlanError: no duration behind the equals sign.
        ExecutionError: no time at all.
    """
    name, equals, interval = trigger.strip().partition("=")
    if name.strip() != REAL_TIME:
        return None
    found = parse_duration(interval) if equals else _CHECKPOINTS_MS
    if not found:
        raise ExecutionError("--trigger real-time=0 leaves no time between checkpoints", remedy="give 5s or more")
    return found

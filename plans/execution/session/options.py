"""Options of a run: the single declaration of names, defaults and help for commands, programs and the service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from compiled_plan.plans.errors import CompiledPlanError, ExecutionError, UnsupportedError
from compiled_plan.plans.execution.session.stopping import PATIENCE
from compiled_plan.plans.secrets.sources import PREFIX, sources_of
from compiled_plan.plans.text.durations import parse_duration

#: Spark operators that can host keyed state; see `plans.execution.stages.hosts`.
TRANSFORM, GROUPS, NATIVE = HOSTS = ("transformWithState", "flatMapGroupsWithState", "native")


#: Permitted changes to the state of a checkpoint of another program; see `RunOptions.upgrade`.
CHECK, MIGRATE, MIGRATE_PARTIAL, CORRECT = UPGRADES = ("check", "migrate", "migrate-partial", "correct")

#: The trigger of Spark's Real-time Mode, and its default interval of checkpoints in ms.
REAL_TIME, _CHECKPOINTS_MS = "real-time", 60_000


#: The shortest lease on a checkpoint, in seconds: it is renewed four times in its life.
_LEAST_LEASE = 10


@dataclass(frozen=True, slots=True)
class Option:
    """An option of all interfaces: `--max-files-per-batch` in commands, `max_files_per_batch` in programs and JSON.

    Args:
        default: its default value.
        help: its description, for all interfaces.
        metavar: the form of its value, for commands.
        least: the minimum of a number.
    """

    default: object
    help: str
    metavar: str = ""
    least: int | None = None


def _option(default: object, help_: str, metavar: str = "", least: int | None = None) -> Any:
    return field(default=default, metadata={"option": Option(default, help_, metavar, least)})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of one run, each with its description; durations are texts such as `2s`.

    Raises:
        ExecutionError: an invalid value, or one that contradicts another.
        PlanError: no duration after `real-time=`.
        UnsupportedError: no such time zone.
    """

    checkpoint: str = _option("", "Checkpoint folder (local or any Hadoop URI); temporary by default.", "DIR")
    trigger: str = _option(
        "",
        "Time between micro-batches of a continuous run; or real-time: process rows one by one, with a checkpoint "
        "every minute, or at the interval after `=`.",
        "2s|real-time[=1m]",
    )
    available_now: bool = _option(False, "Read the data available at the start, then end.")
    max_files_per_batch: int | None = _option(None, "Maximum number of files per folder and micro-batch.", "N", 1)
    host: str = _option(
        TRANSFORM, "Spark operator that hosts keyed state: transformWithState, flatMapGroupsWithState or native."
    )
    time_zone: str | None = _option(None, "Time zone (table.local-time-zone), overrides the plan's.", "ZONE")
    functions_from: Sequence[str] = _option(
        (),
        "Source of user functions: a Python module, with its submodules, and FOLDERS to restrict its location; a jar "
        "with Java functions; or the prefix of Java classes on the class path; repeatable.",
        "MODULE[=FOLDERS]|FILE.jar|PREFIX",
    )
    java_function: Sequence[str] = _option(
        (),
        "Class of a Java function that the plan names without it, as Flink's plans do for temporary functions; "
        "repeatable.",
        "NAME=CLASS",
    )
    trust_pickled_state: bool = _option(
        False,
        "Unpickle values of any class from the checkpoint and from tables: their writers can execute code.",
    )
    allow_pickled_functions: bool = _option(
        False,
        "Run functions whose code is in the plan, pickled: lambdas, local functions. Whoever can write the plan can "
        "execute code.",
    )
    job_parameter: Sequence[str] = _option(
        (), "Parameter for the functions of the plan, which read it from their context in `open`; repeatable.", "K=V"
    )
    secrets: Sequence[str] = _option(
        (),
        "Source of the secrets to which options of tables refer as ${secret:NAME}: environment variables with a "
        f"prefix (env:{PREFIX} by default), a folder with a file per secret, a file of lines NAME=value with the mode "
        "0600, an open file descriptor with such lines, or a command, which gets the name in place of {name}; "
        "repeatable, earlier ones win.",
        "env:PREFIX|dir:FOLDER|file:FILE|fd:N|command:COMMAND",
    )
    upgrade: str = _option(
        CHECK,
        "State of another program: `check` continues in place if fully compatible, `migrate` moves the state to a "
        "new generation, `migrate-partial` accepts partial compatibility, too, `correct` fills what the change touches "
        "from history, and sends the difference to the tables of sinks.",
        "HOW",
    )
    reset: Sequence[str] = _option((), "Start the operator of this uid with empty state; repeatable.", "OPERATOR")
    warm_up: Sequence[str] = _option(
        (),
        "Before the start, fill the new or reset operator of this uid with the data that the sources have read so "
        "far, without output; `all`: every operator that would start empty; repeatable.",
        "OPERATOR|all",
    )
    #: Connector options by table.
    warm_up_from: Mapping[str, Mapping[str, str]] | None = _option(
        None,
        "Data source for --warm-up instead of TABLE itself, with its options as in WITH: "
        "\"orders=('connector' = 'filesystem', 'path' = '/archive', 'format' = 'json')\"; repeatable.",
        "TABLE=WITH",
    )
    retain_batches: int | None = _option(
        None,
        "Number of micro-batches that the checkpoint retains for --rewind-to, with their state; 100 by default.",
        "N",
        2,
    )
    retain_for: str = _option(
        "",
        "Time for which the checkpoint retains micro-batches, instead of their number; needs a time between them.",
        "7d",
    )
    allow_clock_jump: bool = _option(
        False,
        "Accept a jump of this machine's clock since the last micro-batch; TTLs use that clock.",
    )
    stop_within: str = _option(
        f"{PATIENCE:g}s", "Time that a stop waits for running tasks before it ends the process.", "30s"
    )
    lease: str = _option(
        "60s",
        "Length of the lease on a checkpoint in an object store or HDFS: how long the store may be unavailable, and "
        "how long after a crash on another machine a start is refused.",
        "60s",
    )

    def __post_init__(self) -> None:
        real_time_ms, trigger_ms = self.real_time_ms, self.trigger_ms
        _ = self.stop_seconds, self.lease_seconds, self.retain_for_ms
        _ = self.java_classes, self.job_parameters, sources_of(self.secrets)
        object.__setattr__(self, "time_zone", _zone(self.time_zone))
        if self.host not in HOSTS:
            raise ExecutionError(f"unknown operator host: {self.host}", remedy=f"choose one of {', '.join(HOSTS)}")
        if self.upgrade not in UPGRADES:
            raise ExecutionError(f"unknown upgrade mode: {self.upgrade}", remedy=f"choose one of {', '.join(UPGRADES)}")
        if self.warm_up_from and not self.warm_up and self.upgrade != CORRECT:
            raise ExecutionError("--warm-up-from has no effect without --warm-up", remedy="add --warm-up")
        if (self.reset or self.warm_up or self.upgrade != CHECK) and not self.checkpoint:
            raise ExecutionError("there is no state to upgrade without a checkpoint", remedy="give --checkpoint")
        if self.upgrade == CORRECT and real_time_ms is not None:
            raise ExecutionError(
                "--upgrade correct starts in micro-batch mode", remedy="start once without --trigger real-time"
            )
        if self.max_files_per_batch is not None and self.max_files_per_batch < 1:
            raise ExecutionError("--max-files-per-batch must be 1 or more", remedy="leave it out to read all files")
        if self.retain_batches is not None and self.retain_batches < 2:
            raise ExecutionError("--retain-batches must be 2 or more", remedy="leave it out to retain 100")
        retention = "--retain-batches" if self.retain_batches is not None else "--retain-for"
        if self.retain_batches is not None and self.retain_for:
            raise ExecutionError("--retain-batches and --retain-for exclude each other", remedy="leave one of them out")
        if real_time_ms is not None and (self.retain_batches is not None or self.retain_for_ms is not None):
            raise ExecutionError(f"{retention} has no effect in real-time mode", remedy="leave it out")
        if real_time_ms is not None and self.available_now:
            raise ExecutionError(
                "real-time mode runs until it is stopped, and excludes other triggers",
                remedy="leave --available-now out, and give --trigger once",
            )
        if self.available_now and trigger_ms is not None:
            raise ExecutionError("--trigger and --available-now exclude each other", remedy="leave one of them out")

    @property
    def trigger_ms(self) -> int | None:
        """Trigger interval of a continuous run in ms; None to start batches back to back."""
        return _millis("--trigger", self.trigger) if self.trigger and self.real_time_ms is None else None

    @property
    def retain_for_ms(self) -> int | None:
        """Time in ms for which micro-batches are retained; None to retain a number of them."""
        return _millis("--retain-for", self.retain_for) if self.retain_for else None

    @property
    def real_time_ms(self) -> int | None:
        """Milliseconds between checkpoints in Spark's Real-time Mode; None for micro-batches."""
        name, equals, interval = self.trigger.strip().partition("=")
        if name.strip() != REAL_TIME:
            return None
        millis = parse_duration(interval) if equals else _CHECKPOINTS_MS
        if not millis:
            raise ExecutionError("--trigger real-time=0 leaves no time between checkpoints", remedy="give 5s or more")
        return millis

    @property
    def java_classes(self) -> Mapping[str, str]:
        """Classes of Java functions by name."""
        pairs = [entry.partition("=") for entry in self.java_function]
        for name, _, class_ in pairs:
            if not name or not class_:
                raise ExecutionError("--java-function needs a name and a class", remedy="write NAME=CLASS")
        return {name: class_ for name, _, class_ in pairs}

    @property
    def job_parameters(self) -> Mapping[str, str]:
        """Job parameters by name, for functions in Python and in Java."""
        for text in self.job_parameter:
            if "=" not in text:
                raise ExecutionError(f"the job parameter {text!r} has no value", remedy="write K=V")
        return {name: value for name, _, value in (text.partition("=") for text in self.job_parameter)}

    @property
    def stop_seconds(self) -> float:
        """Seconds that a stop waits for the query to end."""
        return _millis("--stop-within", self.stop_within) / 1000

    @property
    def lease_seconds(self) -> float:
        """Length of the lease on a checkpoint, in seconds."""
        seconds = _millis("--lease", self.lease) / 1000
        if seconds < _LEAST_LEASE:
            raise ExecutionError(
                f"--lease {self.lease} is too short to renew it", remedy=f"give {_LEAST_LEASE}s or more"
            )
        return seconds


#: The options by name, in declaration order.
RUN_OPTIONS: Mapping[str, Option] = {item.name: item.metadata["option"] for item in fields(RunOptions)}


def flag(name: str) -> str:
    """The option on the command line."""
    return f"--{name.replace('_', '-')}"


def arguments(values: Mapping[str, Any]) -> Iterator[str]:
    """Options by name as arguments of `execute-plan`; omits None, False and empty texts."""
    for name, value in values.items():
        match value:
            case None | False | "":
                pass
            case True:
                yield flag(name)
            case str() | int():
                yield from (flag(name), str(value))
            case _:
                yield from (part for item in value for part in (flag(name), item))


def _millis(option: str, text: str) -> int:
    try:
        return parse_duration(text)
    except CompiledPlanError as fault:
        raise ExecutionError(f"{option}: {fault.message}", where=fault.where, remedy=fault.remedy) from None


def _zone(name: str | None) -> str | None:
    """The zone in Flink's spelling; None for the plan's."""
    if not name:
        return None
    from compiled_plan.plans.plan.session_options import DEFAULT
    from compiled_plan.plans.text import zones

    if name == DEFAULT:
        return None
    zone = zones.spelled(name)
    if zone is None:
        raise UnsupportedError(f"--time-zone {name}: there is no such time zone; {zones.REMEDY}")
    return zone

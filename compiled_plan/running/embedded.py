"""Execution of plans in the current process: the only access of the API to the executor.

The executor is imported when a plan runs, so that a program that only compiles needs no Java.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.changes import append_only
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.session_options import UTC
from compiled_plan.plans.types import RowType
from compiled_plan.results.kinds import JobStatus
from compiled_plan.results.table_result import TableResult
from compiled_plan.results.tableau import Display
from compiled_plan.running.errors import is_debug, reported

if TYPE_CHECKING:
    from compiled_plan.plans.connectors.held import Held
    from compiled_plan.plans.execution import dataframes
    from compiled_plan.plans.execution import embedded as executor
    from compiled_plan.plans.execution.embedded import EmbeddedRun
    from compiled_plan.plans.execution.state.reading import held
    from compiled_plan.plans.secrets.values import Secrets
    from compiled_plan.plans.types.conversions.data_types import AnyType, DataType
else:
    dataframes = deferred("compiled_plan.plans.execution.dataframes")
    executor = deferred("compiled_plan.plans.execution.embedded")
    held = deferred("compiled_plan.plans.execution.state.reading.held")


_Keywords = ParamSpec("_Keywords")
_Self = TypeVar("_Self")
_Result = TypeVar("_Result")


def with_run_options(
    declared: Callable[_Keywords, RunOptions],
) -> Callable[[Callable[[_Self, RunOptions], _Result]], Callable[Concatenate[_Self, _Keywords], _Result]]:
    """Give a method the declared run options as keyword arguments, with their names and types."""

    def decorate(method: Callable[[_Self, RunOptions], _Result]) -> Callable[Concatenate[_Self, _Keywords], _Result]:
        @wraps(method)
        def run(self: _Self, /, *args: _Keywords.args, **options: _Keywords.kwargs) -> _Result:
            with reported():
                chosen = declared(*args, **options)
            return method(self, chosen)

        parameters = inspect.signature(declared).parameters.values()
        own = inspect.signature(method).parameters["self"]
        run.__signature__ = inspect.Signature([own, *parameters])  # type: ignore[attr-defined]
        return run

    return decorate


def execute(
    plan: CompiledPlan,
    options: RunOptions | None = None,
    *,
    display: Display | None = None,
    secrets: Secrets | None = None,
) -> TableResult:
    """Run a plan on an embedded local Spark, in the background.

    Args:
        plan: the plan; the rows of a `collect` sink go to the result.
        options: options of the run.
        display: the format of `print`; by default in the time zone of the run.
        secrets: the secrets of the plan, if already collected.

        Raises:
            UnsupportedError: the plan has an unsupported operator or option; with its name.
            ExecutionError: Java is missing, or an unsuitable Spark session is active.
    """
    options = options or RunOptions()
    with reported():
        job, collected = executor.start(plan, options, debug=is_debug(), secrets=secrets)
    insert_only = {node.id for node in plan.sinks} <= append_only(plan)
    return TableResult(
        collected or RowType(), _Reported(job), display or Display(options.time_zone or UTC), insert_only=insert_only
    )


def session_started(
    master: str, settings: Mapping[str, str], *, verbose: bool = False
) -> AbstractContextManager[Future[Any]]:
    """Start Spark for the runs of a context in the background; they wait for it, or raise its error.

    Args:
        master: Spark's master URL; empty for `local[*]`.
        settings: Spark settings.
        verbose: leave the JVM's own messages on stderr.
    """
    return executor.session_started(master, settings, verbose=verbose)


class _Reported:
    """A run whose errors are reworded for the program. See `api.results.job.Job`."""

    def __init__(self, job: EmbeddedRun) -> None:
        self._job = job
        self.status = JobStatus.RUNNING
        # The run refers to this object until its end: a session refers to its jobs weakly.
        job.on_end(self._at_end)

    def _at_end(self, fault: BaseException | None, stopped: bool) -> None:
        self.status = JobStatus.at_end(fault, stopped)

    @property
    def id(self) -> str:
        return self._job.id

    @property
    def bounded(self) -> bool:
        return self._job.bounded

    @property
    def runtime_ms(self) -> int:
        return self._job.runtime_ms

    def chunks(self) -> Iterator[Chunk]:
        with reported():
            yield from self._job.chunks()

    def is_ready(self, seconds: float) -> bool:
        return self._job.is_ready(seconds)

    @reported()
    def stop(self) -> None:
        self._job.stop()

    @reported()
    def wait(self, seconds: float | None) -> bool:
        return self._job.wait(seconds)

    def on_end(self, report: Callable[[JobStatus, BaseException | None], None]) -> None:
        self._job.on_end(lambda fault, stopped: report(JobStatus.at_end(fault, stopped), fault))

    @reported()
    def frame(self, kind: str, chunks: Sequence[Chunk], row_type: RowType) -> object:
        return self._job.frame(kind, chunks, row_type)


@dataclass(frozen=True, slots=True)
class Inline:
    """A DataFrame as a table: its columns, the connector options for it, and the object that keeps it in memory."""

    row_type: RowType
    options: Mapping[str, str]
    data: Held


def inline(frame: object, schema: AnyType = None) -> Inline:
    """Keep a DataFrame in memory for plans of this process, as long as its `data` is referenced.

    Args and errors are those of `TableEnvironment.from_dataframe`.
    """
    row_type, data = dataframes.hold(frame, schema)
    return Inline(row_type, data.options, data)


def inline_state(checkpoint: str) -> Mapping[str, Inline]:
    """The state of each operator in a checkpoint as a table, by uid, which each run reads anew.

    Raises:
        CheckpointError: there is no checkpoint, or it has no state yet.
        ExecutionError: Spark does not start.
    """
    tables = held.hold_state(executor.session(), checkpoint)
    return {uid: Inline(row_type, data.options, data) for uid, (row_type, data) in tables.items()}


def inline_rows(rows: Sequence[Sequence[object]], row_type: DataType) -> Inline:
    """Keep rows in memory for plans of this process, as `inline` keeps a DataFrame.

    Raises:
        DataError: a value does not have its column's type; with column, type and value.
    """
    columns, data = dataframes.hold_rows(rows, row_type)
    return Inline(columns, data.options, data)


def check_can_leave(plan: CompiledPlan) -> None:
    """Raise if the plan uses tables that exist only in this process.

    Raises:
        PlanError: with the table and its kind.
    """
    for node in plan.nodes:
        if isinstance(node, TableSourceScan):
            table = node.scan_table_source.table
        elif isinstance(node, Sink):
            table = node.dynamic_table_sink.table
        else:
            continue
        options = table.resolved_table.options if table.resolved_table else None
        connector = connector_spec((options or {}).get("connector"))
        if connector is not None and connector.in_process:
            raise PlanError(
                f"the plan cannot be written to a file: the table {'.'.join(table.path)} {connector.in_process}",
                where=f"node {node.id}",
                remedy="execute it in this program, or read from and write to tables of CREATE TABLE",
            )

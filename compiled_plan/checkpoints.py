"""Inspection of the state in a checkpoint; the command `inspect-state` shows the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.running.errors import is_debug, reported

if TYPE_CHECKING:
    from compiled_plan.plans.execution import embedded as executor
    from compiled_plan.plans.execution.state.flink import exports, viewing
    from compiled_plan.plans.execution.state.flink.report import ExportReport
    from compiled_plan.plans.execution.state.flink.savepoint import reading as savepoints
    from compiled_plan.plans.execution.state.reading import content, entries, figures
    from compiled_plan.plans.execution.state.reading import reader as reading
    from compiled_plan.plans.execution.state.reading.model import KeyReport, StateReport
    from compiled_plan.plans.execution.state.reading.reader import StateReader
    from compiled_plan.plans.plan import CompiledPlan
else:
    executor = deferred("compiled_plan.plans.execution.embedded")
    exports = deferred("compiled_plan.plans.execution.state.flink.exports")
    savepoints = deferred("compiled_plan.plans.execution.state.flink.savepoint.reading")
    viewing = deferred("compiled_plan.plans.execution.state.flink.viewing")
    content = deferred("compiled_plan.plans.execution.state.reading.content")
    entries = deferred("compiled_plan.plans.execution.state.reading.entries")
    figures = deferred("compiled_plan.plans.execution.state.reading.figures")
    reading = deferred("compiled_plan.plans.execution.state.reading.reader")


@reported()
def inspect_state(
    checkpoint: str, operator: str = "", *, what_if: str | Sequence[str] = (), plan: CompiledPlan | None = None
) -> StateReport:
    """Statistics of the state in a checkpoint: its size, age and expiry.

    Read the state after the last completed micro-batch. A run may use the checkpoint at the same time; nothing is
    changed.

    >>> report = inspect_state("checkpoints/orders", what_if="3 d")  # doctest: +SKIP
    >>> [(operator.uid, operator.entries) for operator in report.operators]  # doctest: +SKIP

    Args:
        checkpoint: the folder of the checkpoint.
        operator: the uid of an operator, or the id of its node; all operators by default.
        what_if: other TTLs to simulate: "3 d" for all state entries, "left=3 d" for one entry of the operator.
        plan: the plan that the job ran, to inspect the savepoint of a Flink job instead of a checkpoint.

    Returns:
        The report, with sizes in bytes and times in UTC.

    Raises:
        CheckpointError: the checkpoint, operator or state entry does not exist, or cannot be read.
        ExecutionError: Java is missing, or an unsuitable Spark session is active.
    """
    with _reader(checkpoint, plan) as reader:
        plan_operator = reader.operator(operator) if operator else None
        texts = [what_if] if isinstance(what_if, str) else what_if
        uids = None if plan_operator is None else [plan_operator.uid]
        return figures.state_report(reader, uids, tried=figures.tried_of(texts, plan_operator))


@reported()
def inspect_key(
    checkpoint: str, operator: str, key: Mapping[str, str], *, plan: CompiledPlan | None = None
) -> KeyReport:
    """The state of an operator for one key, with names and types.

    >>> report = inspect_key("checkpoints/orders", "groupAggregate", {"item": "nut"})  # doctest: +SKIP

    Args:
        checkpoint: the folder of the checkpoint.
        operator: the uid of the operator, or the id of its node.
        key: the values of the key columns as texts: `{"id": "5", "name": "NULL"}`.
        plan: as for `inspect_state`.

    Returns:
        The report.

    Raises:
        CheckpointError, ExecutionError: as for `inspect_state`; or the key does not fit the key columns.
    """
    with _reader(checkpoint, plan) as reader:
        return content.key_report(reader, reader.operator(operator), key)


@reported()
def export_state(checkpoint: str, operator: str, path: str, *, plan: CompiledPlan | None = None) -> int:
    """Write all state entries of an operator to a new folder as Parquet.

    >>> export_state("checkpoints/orders", "groupAggregate", "groups")  # doctest: +SKIP

    Args:
        checkpoint: the folder of the checkpoint.
        operator: the uid of the operator, or the id of its node.
        path: the new folder.
        plan: as for `inspect_state`.

    Returns:
        The number of entries.

    Raises:
        CheckpointError, ExecutionError: as for `inspect_state`; or the folder exists.
    """
    with _reader(checkpoint, plan) as reader:
        return entries.export(reader, reader.operator(operator), path)


@reported()
def export_savepoint(
    checkpoint: str,
    to: str = "",
    *,
    start: Mapping[str, str] | None = None,
    reset: Sequence[str] = (),
    max_parallelism: int = 128,
) -> ExportReport:
    """Write the state and the positions of a checkpoint as a savepoint of Flink; the command is `export-state`.

    >>> report = export_savepoint("checkpoints/orders", "savepoints/orders")  # doctest: +SKIP
    >>> [(operator.flink_uid, operator.outcome.value) for operator in report.operators]  # doctest: +SKIP

    Args:
        checkpoint: the folder of the checkpoint. No run may use it.
        to: a new local folder; empty to report what would be exported, and to write nothing.
        start: tables whose sources begin in Flink, each with "earliest".
        reset: uids of operators that start empty in Flink; "all" for all whose state is refused.
        max_parallelism: number of key groups, `pipeline.max-parallelism` of the job.

    Returns:
        The parts that are exported, by operator and source. Sizes are in bytes.

    Raises:
        CheckpointError: there is no checkpoint, a part of it is refused, or the folder is not empty. Nothing is
            written.
        ExecutionError: Java is missing, or an unsuitable Spark session is active.
    """
    starts = [f"{table}={at}" for table, at in (start or {}).items()]
    options = exports.ExportOptions.of(starts, reset, max_parallelism)
    export = exports.Export(executor.session(debug=is_debug()), checkpoint, options)
    if to:
        export.write(to)
    return export.report


@contextmanager
def _reader(checkpoint: str, plan: CompiledPlan | None) -> Iterator[StateReader]:
    start = partial(executor.session, debug=is_debug())
    if plan is None:
        if savepoints.is_savepoint(checkpoint):
            raise CheckpointError(
                "this is a savepoint of Flink, not a checkpoint",
                where=checkpoint,
                remedy="pass the plan that its job ran as `plan`",
            )
        yield reading.StateReader.open(start(), checkpoint)
        return
    with viewing.viewed(checkpoint, plan, RunOptions(), (), start) as reader:
        yield reader

"""Inspection of the state in a checkpoint; the command `inspect-state` shows the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from compiled_plan.api.reporting import is_debug, reported

if TYPE_CHECKING:
    from compiled_plan.plans.execution.state.model import KeyReport, StateReport
    from compiled_plan.plans.execution.state.reader import StateReader


@reported()
def inspect_state(checkpoint: str, operator: str = "", *, what_if: str | Sequence[str] = ()) -> StateReport:
    """Statistics of the state in a checkpoint: its size, age and expiry.

    Read the state after the last completed micro-batch. A run may use the checkpoint at the same time; nothing is
    changed.

    >>> report = inspect_state("checkpoints/orders", what_if="3 d")  # doctest: +SKIP
    >>> [(operator.uid, operator.entries) for operator in report.operators]  # doctest: +SKIP

    Args:
        checkpoint: the folder of the checkpoint.
        operator: the uid of an operator, or the id of its node; all operators by default.
        what_if: other TTLs to simulate: "3 d" for all state entries, "left=3 d" for one entry of the operator.

    Returns:
        The report, with sizes in bytes and times in UTC.

    Raises:
        CheckpointError: the checkpoint, operator or state entry does not exist, or cannot be read.
        ExecutionError: Java is missing, or an unsuitable Spark session is active.
    """
    from compiled_plan.plans.execution.state.figures import state_report, tried_of

    reader = _reader(checkpoint)
    plan_operator = reader.operator(operator) if operator else None
    texts = [what_if] if isinstance(what_if, str) else what_if
    uids = None if plan_operator is None else [plan_operator.uid]
    return state_report(reader, uids, tried=tried_of(texts, plan_operator))


@reported()
def inspect_key(checkpoint: str, operator: str, key: Mapping[str, str]) -> KeyReport:
    """The state of an operator for one key, with names and types.

    Args:
        checkpoint: the folder of the checkpoint.
        operator: the uid of the operator, or the id of its node.
        key: the values of the key columns as texts: `{"id": "5", "name": "NULL"}`.

    Returns:
        The report.

    Raises:
        CheckpointError, ExecutionError: as for `inspect_state`; or the key does not fit the key columns.
    """
    from compiled_plan.plans.execution.state.content import key_report

    reader = _reader(checkpoint)
    return key_report(reader, reader.operator(operator), key)


@reported()
def export_state(checkpoint: str, operator: str, path: str) -> int:
    """Write all state entries of an operator to a new folder as Parquet.

    Args:
        checkpoint: the folder of the checkpoint.
        operator: the uid of the operator, or the id of its node.
        path: the new folder.

    Returns:
        The number of entries.

    Raises:
        CheckpointError, ExecutionError: as for `inspect_state`; or the folder exists.
    """
    from compiled_plan.plans.execution.state.export import export

    reader = _reader(checkpoint)
    return export(reader, reader.operator(operator), path)


def _reader(checkpoint: str) -> StateReader:
    from compiled_plan.plans.execution.embedded import session
    from compiled_plan.plans.execution.state.reader import StateReader

    return StateReader.open(session(debug=is_debug()), checkpoint)

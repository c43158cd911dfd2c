"""The operators and states of a savepoint, without a plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from compiled_plan.plans.execution.state.flink.matching import source_of
from compiled_plan.plans.execution.state.flink.positions.errors import PositionError
from compiled_plan.plans.execution.state.flink.positions.reading import kafka_position
from compiled_plan.plans.execution.state.flink.savepoint.head import SavepointHead
from compiled_plan.plans.execution.state.flink.savepoint.head import SavepointOperator as Operator
from compiled_plan.plans.execution.state.flink.savepoint.reading import read_savepoint
from compiled_plan.plans.execution.state.reading.model import SavepointOperator, SavepointReport, StoredState


def listed(savepoint: str, jars: Sequence[Path] = ()) -> SavepointReport:
    """The operators of a savepoint that have state.

    Args:
        savepoint: its folder, or the file `_metadata` in it.
        jars: jars with the job's own classes, if its state has any. Their code runs.

    Raises:
        CheckpointError: it cannot be read.
        ExecutionError: no Java, or Flink's jars cannot be fetched.
    """
    with TemporaryDirectory(prefix="compiled-plan-savepoint-") as name:
        return _report(read_savepoint(savepoint, Path(name) / "form", jars=jars))


def _report(head: SavepointHead) -> SavepointReport:
    operators = tuple(_operator(operator) for operator in head.operators)
    with_state = tuple(part for part in operators if part.states or any(part.elements.values()))
    return SavepointReport(head.savepoint, head.time, head.format, with_state)


def _operator(operator: Operator) -> SavepointOperator:
    return SavepointOperator(
        operator.id,
        operator.uid,
        operator.name,
        operator.entries,
        operator.bytes,
        tuple(StoredState(state.name, state.kind, state.entries, state.ttl) for state in operator.states),
        {stored.name: sum(map(len, stored.elements)) for stored in operator.lists},
        _position(operator),
    )


def _position(operator: Operator) -> str:
    """The offsets of a source of Kafka; empty for others, whose splits have another form."""
    try:
        return kafka_position(source_of((operator,))).words
    except PositionError:
        return ""

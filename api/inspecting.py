"""Looking at the state in a checkpoint from a program; the command `inspect-state` shows the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compiled_plan.plans.execution.state.model import KeyReport, StateReport
    from compiled_plan.plans.execution.state.reader import StateReader


def inspect_state(checkpoint: str, operator: str = "", *, what_if: str | Sequence[str] = ()) -> StateReport:
    """Figures of the state in a checkpoint: how much there is, how old it is, when it goes.

    Reads it as it was after the last micro-batch that is done; a run may go on there, nothing is changed.

    Args:
        checkpoint: its folder.
        operator: the uid of one operator, or the id of its node; all of them if left out.
        what_if: other TTLs to try: "3d" for all entries, "left=3d" for one of the operator's.

    Raises:
        CheckpointError: there is no such checkpoint, operator or entry, or it cannot be read.
        ExecutionError: no Java, or a Spark session is active that does not fit.
    """
    from compiled_plan.plans.execution.state.figures import state_report, tried_of

    reader = _reader(checkpoint)
    found = reader.operator(operator) if operator else None
    texts = [what_if] if isinstance(what_if, str) else what_if
    return state_report(reader, None if found is None else [found.uid], tried=tried_of(texts, found))


def inspect_key(checkpoint: str, operator: str, key: Mapping[str, str]) -> KeyReport:
    """What an operator keeps for a key, with names and types; see `inspect_state`.

    Args:
        checkpoint: its folder.
        operator: the uid of the operator, or the id of its node.
        key: the values of the key's columns as texts: `{"id": "5", "name": "NULL"}`.
    """
    from compiled_plan.plans.execution.state.content import key_report

    reader = _reader(checkpoint)
    return key_report(reader, reader.operator(operator), key)


def export_state(checkpoint: str, operator: str, path: str) -> int:
    """Write all entries of an operator as Parquet to a new folder, and return how many there are.

    See `inspect_state`.
    """
    from compiled_plan.plans.execution.state.export import export

    reader = _reader(checkpoint)
    return export(reader, reader.operator(operator), path)


def _reader(checkpoint: str) -> StateReader:
    from compiled_plan.plans.execution.embedded import session
    from compiled_plan.plans.execution.state.reader import StateReader

    return StateReader.open(session(), checkpoint)

"""What a run reports after each micro-batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compiled_plan.plans.execution.stages.build import StageHandle


@dataclass(frozen=True, slots=True)
class OperatorProgress:
    """Figures of one stateful operator since the run started."""

    uid: str
    description: str
    rows_in: int
    rows_out: int
    state_rows: int


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """One micro-batch: rows read, rows written to sinks, its time in milliseconds, operators, records put aside."""

    batch: int
    rows_in: int
    rows_out: int
    millis: int
    operators: tuple[OperatorProgress, ...]
    dead_letters: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The message of `--json`."""
        return {
            "event": "batch",
            "batch": self.batch,
            "rowsIn": self.rows_in,
            "rowsOut": self.rows_out,
            "deadLetters": self.dead_letters,
            "batchMillis": self.millis,
            "operators": [
                {"uid": o.uid, "rowsIn": o.rows_in, "rowsOut": o.rows_out, "stateRows": o.state_rows}
                for o in self.operators
            ],
        }


def operator_progress(
    handles: Sequence[StageHandle], base: Mapping[str, int], descriptions: Mapping[str, str]
) -> tuple[OperatorProgress, ...]:
    """Figures of all operators; `base` are the state rows that the checkpoint had at the start."""
    found = []
    for handle in handles:
        for uid, figures in handle.figures().items():
            found.append(
                OperatorProgress(
                    uid=uid,
                    description=descriptions.get(uid, ""),
                    rows_in=figures["rowsIn"],
                    rows_out=figures["rowsOut"],
                    state_rows=figures["stateRows"] + base.get(uid, 0),
                )
            )
    return tuple(found)

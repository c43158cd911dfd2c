"""Listeners of a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from compiled_plan.plans.errors import BusyError, CheckpointError, CompiledPlanError, ExecutionError
from compiled_plan.plans.text.masking import masked_text

#: A message of a run; `event` is its type: `start`, `upgrade`, `step`, `batch`, `end`, `failed`.
Message = Mapping[str, Any]


def failed_message(fault: CompiledPlanError, plan: str = "") -> dict[str, object]:
    """The message of a run that was refused or failed; secrets are masked, because it is stored and forwarded."""
    failure = {"plan": plan, "error": type(fault).__name__, "message": masked_text(fault.message)}
    shown = {"where": masked_text(fault.where), "remedy": masked_text(fault.remedy)}
    return {"event": "failed", **failure, **shown, "refused": is_refusal(fault)}


def is_refusal(fault: CompiledPlanError) -> bool:
    """Return True if a repeated start would fail likewise: the plan, its options or its checkpoint are at fault.

    A failure at run time may not recur, nor that of a start on a checkpoint that another run holds.
    """
    if isinstance(fault, CheckpointError):
        return not isinstance(fault, BusyError)
    return not isinstance(fault, ExecutionError)


def now_text() -> str:
    """The current time, as ISO 8601 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Listener(Protocol):
    """Receives the messages of a run. A failing listener must not end the run: it reports the failure and continues."""

    def tell(self, message: Message) -> None:
        """Receive a message of the run; called in its thread."""

    def close(self) -> None:
        """Release resources; no message follows."""


def lag_of(batch: Message) -> int | None:
    """The number of unread records of all sources of a micro-batch; None if no source reports it."""
    known = [source["lag"] for source in batch["sources"] if source["lag"] is not None]
    return sum(known) if known else None

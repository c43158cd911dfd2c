"""Who is told of a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from compiled_plan.plans.errors import BusyError, CheckpointError, CompiledPlanError, ExecutionError
from compiled_plan.plans.text.masking import masked_text

#: A message of a run: `event` says which, `start`, `upgrade`, `step`, `batch`, `end`, `failed`.
Message = Mapping[str, Any]


def failed_message(fault: CompiledPlanError, plan: str = "") -> dict[str, Any]:
    """The message of a run that was refused or failed; secrets in it are hidden, since it is kept and sent on."""
    failure = {"plan": plan, "error": type(fault).__name__, "message": masked_text(fault.message)}
    shown = {"where": masked_text(fault.where), "remedy": masked_text(fault.remedy)}
    return {"event": "failed", **failure, **shown, "refused": is_refusal(fault)}


def is_refusal(fault: CompiledPlanError) -> bool:
    """Whether the same start would give the same error: it concerns the plan, its options or its checkpoint.

    What fails as it runs may go well the next time; so may a start on a checkpoint that another run holds.
    """
    if isinstance(fault, CheckpointError):
        return not isinstance(fault, BusyError)
    return not isinstance(fault, ExecutionError)


def now_text() -> str:
    """Now, as ISO 8601 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Listener(Protocol):
    """Is told of a run as it goes on. What a listener cannot do must not end the run: it says so, and goes on."""

    def tell(self, message: Message) -> None:
        """Something happened."""

    def close(self) -> None:
        """Nothing more will."""

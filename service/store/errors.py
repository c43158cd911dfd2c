"""What the registry refuses: errors that routes answer with a status of their own."""

from __future__ import annotations

from compiled_plan.plans.errors import CompiledPlanError


class NotFoundError(CompiledPlanError):
    """There is no such pipeline, version or token."""


class ConflictError(CompiledPlanError):
    """It does not go with what is there: a name that is taken, a pipeline that runs."""


class MovedError(CompiledPlanError):
    """Somebody else has changed it since it was read."""

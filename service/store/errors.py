"""Errors of the registry with their own HTTP status."""

from __future__ import annotations

from compiled_plan.plans.errors import CompiledPlanError


class NotFoundError(CompiledPlanError):
    """The pipeline, version or token does not exist."""


class ConflictError(CompiledPlanError):
    """The request conflicts with the current state: the name is taken, the pipeline runs."""


class MovedError(CompiledPlanError):
    """The pipeline has changed since it was read."""

"""The Spark operators that can host a plan's state, and their restrictions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.session.options import NATIVE, TRANSFORM
from compiled_plan.plans.execution.stages.native import check_native

if TYPE_CHECKING:
    from compiled_plan.plans.execution.stages.prepared import PreparedPlan


def hosted(prepared: PreparedPlan, host: str) -> PreparedPlan:
    """The plan adapted to the host.

    Raises:
        UnsupportedError: the host does not support the plan; gives the reason.
    """
    if host == NATIVE:
        check_native(prepared)
        # Spark's operator evicts by a watermark of its own, and never waits for one.
        return replace(prepared, layout=replace(prepared.layout, event_time=frozenset()))
    if prepared.event_time and host != TRANSFORM:
        raise UnsupportedError(f"a plan with watermarks cannot run on the host {host}", remedy="leave --host out")
    return prepared

"""The Spark operators that can host a plan's state: which plans each takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.session.options import NATIVE, TRANSFORM
from compiled_plan.plans.execution.stages.native import check_native

if TYPE_CHECKING:
    from compiled_plan.plans.execution.stages.prepared import PreparedPlan


def hosted(prepared: PreparedPlan, host: str) -> PreparedPlan:
    """The plan as the host runs it.

    Raises:
        UnsupportedError: the host does not take the plan; says why.
    """
    if host == NATIVE:
        check_native(prepared)
        # Spark's operator forgets by a watermark of its own, and waits for none.
        return replace(prepared, layout=replace(prepared.layout, event_time=frozenset()))
    if prepared.event_time and host != TRANSFORM:
        raise UnsupportedError(f"a plan with watermarks cannot run on the host {host}", remedy="leave --host out")
    return prepared

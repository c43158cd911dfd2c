"""A plan compared with the state that a pipeline holds: the one comparison of the page, as a start makes it."""

from __future__ import annotations

from typing import Any

from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.runs.generations import checkpoint_folder, program_of
from compiled_plan.service.store import pipelines, versions


def compared(parts: Parts, name: str, plan: str, new_name: str) -> dict[str, Any] | None:
    """Compare a plan with the program in a pipeline's checkpoint; before its first run with the version in force.

    Args:
        parts: of the service.
        name: the pipeline.
        plan: the text of the new plan.
        new_name: the name of the new plan.

    Returns:
        The document of `diff-plan --json`; None for a pipeline without a checkpoint and without a version in force.

    Raises:
        NotFoundError: there is no such pipeline.
    """
    with parts.database.read() as session:
        pipeline = pipelines.find(session, name)
        held = program_of(checkpoint_folder(parts.settings.home, pipeline.id))
        if held is None and not pipeline.in_force:
            return None
        if held is not None:
            old = {"old": held.plan, "old_name": f"{name}/checkpoint", "description": held.description}
        else:
            version = versions.find(session, pipeline, pipeline.in_force)
            old = {"old": versions.plan_text(session, version), "old_name": f"{name}/{version.number}"}
    found: dict[str, Any] = parts.workers.run_once("diff", new=plan, new_name=new_name, **old)
    return found

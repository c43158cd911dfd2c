"""Results of tasks, as JSON objects."""

from __future__ import annotations

from typing import TypedDict

from compiled_plan.plans.plan import CompiledPlan

#: A JSON object.
Document = dict[str, object]


class Figures(TypedDict):
    """The numbers of operators, and of those with state."""

    operators: int
    stateful: int


class TtlFields(TypedDict):
    """An edit of a TTL, as over HTTP: the state entry by its name or the number of its input."""

    node: str | int
    state: str | int
    ttl: str


class Compiled(Figures):
    """The text of a plan, its program (None if the plan itself was submitted), and warnings."""

    plan: str
    program: str | None
    warnings: list[str]


class Edited(Figures):
    """The text of an edited plan; the changes and warnings as in `edit-plan --json`."""

    plan: str
    changes: list[Document]
    warnings: list[Document]


def figures_of(plan: CompiledPlan) -> Figures:
    return {"operators": len(plan.nodes), "stateful": sum(1 for node in plan.nodes if node.ttl_entries)}

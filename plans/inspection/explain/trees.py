"""Trees of operators from the sinks down, one line each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from compiled_plan.plans.inspection.explain.details import Notes, notes_on
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.masking import masked_text


@dataclass(frozen=True, slots=True)
class Step:
    """One operator of a tree."""

    depth: int  # number of operators above it
    node: int
    description: str  # description of the operator
    ttls: tuple[tuple[str, str], ...] = ()  # name and TTL of each state entry
    again: bool = False  # True if it appeared before; it and its inputs are not repeated


def steps(plan: CompiledPlan) -> Iterator[Step]:
    """The operators from each sink down; a shared operator appears once with all its inputs."""
    seen: set[int] = set()

    waiting = [(sink, 0) for sink in reversed(plan.sinks)]
    while waiting:
        node, depth = waiting.pop()
        text, inputs = masked_text(node.description) or node.type, plan.inputs(node)
        if node.id in seen and inputs:
            yield Step(depth, node.id, text, again=True)
            continue
        seen.add(node.id)
        yield Step(depth, node.id, text, tuple((entry.name, entry.ttl) for entry in node.ttl_entries))
        waiting += ((child, depth + 1) for child in reversed(inputs))


def explain(plan: CompiledPlan, details: Collection[str] = ()) -> str:
    """Render one operator per line: its id and description; below it `state:` lines with name and TTL of each entry.

    Args:
        plan: the plan.
        details: names of `details.DETAILS`.
    """
    notes = Notes() if not details else notes_on(plan, details)
    lines = [line for step in steps(plan) for line in _lines(step, notes)]
    return "\n".join([*lines, *notes.below])


def _lines(step: Step, notes: Notes) -> Iterator[str]:
    lead = "   " * (step.depth - 1) + "+- " if step.depth else ""
    yield f"{lead}[{step.node}] {'again' if step.again else notes.on(step.node, step.description)}"
    for name, ttl in step.ttls:
        yield f"{'   ' * step.depth}   state: {name}, ttl {ttl}"

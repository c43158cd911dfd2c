"""Output of upgrade decisions, and operations on the generations of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.plans.execution.state.upgrade.decision import Decision

_MOVES = "a start moves the state into a new generation in these steps; the old one is in force until the last"


def decision_dict(decision: Decision | None) -> dict[str, object]:
    """The upgrade decision as JSON."""
    if decision is None:
        return {"start": "new", "verdict": None, "accepted": [], "steps": []}
    return {
        "start": "moves" if decision.migrates else "in place",
        "verdict": decision.verdict.value,
        "accepted": [line for finding in decision.findings for line in finding.lines],
        "steps": [step.to_dict() for step in decision.steps],
    }


def decision_lines(decision: Decision | None) -> list[str]:
    """The upgrade decision as text."""
    if decision is None:
        return ["checkpoint: new"]
    if not decision.migrates:
        return ["checkpoint: continues in place, with all state"]
    lines = [f"checkpoint: {decision.verdict.value}; {_MOVES}:"]
    lines += [f"  accepted: {line}" for finding in decision.findings for line in finding.lines]
    return [*lines, *(f"  {number}. {step.text}" for number, step in enumerate(decision.steps, 1))]


def declared_options(texts: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """Connector options by table, from texts like `orders=('connector' = 'filesystem', ...)`.

    Raises:
        ProgramError: a text has another form.
    """
    from compiled_plan.planner.sql.nodes.statements import CreateTable
    from compiled_plan.planner.sql.parse import parse_script

    declared: dict[str, Mapping[str, str]] = {}
    for text in texts:
        table, equals, options = (part.strip() for part in text.partition("="))
        if not equals or not table or not options.startswith("("):
            raise ProgramError(
                f"--warm-up-from {text}: not a declaration",
                remedy="write TABLE=('connector' = 'filesystem', 'path' = '...', 'format' = '...')",
            )
        (created,) = parse_script(f"CREATE TABLE {table} (c INT) WITH {options}")
        assert isinstance(created, CreateTable)
        declared[table] = dict(created.options)
    return declared

"""Output of upgrade decisions, and operations on the generations of a checkpoint."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.plans.execution.state.upgrade.decision import Decision

_MOVES = "a start moves the state into a new generation in these steps; the old one is in force until the last"


def decision_dict(decision: Decision | None) -> dict[str, Any]:
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


def change_generations(
    checkpoint: str, *, rollback: bool, adopted: int | None, master: str, settings: Mapping[str, str], as_json: bool
) -> None:
    """Roll a checkpoint back, activate one of its generations, or prune it.

    Args:
        checkpoint: the folder of the checkpoint.
        rollback: return to the previous generation.
        adopted: the generation to activate. With neither, inactive generations are removed.
    """
    from compiled_plan.plans.execution.session.spark_session import spark_session

    with spark_session(master, settings, verbose=False) as spark:
        from compiled_plan.plans.execution.state.upgrade.rollback import adopt, prune, roll_back

        if adopted is not None:
            head = adopt(spark, checkpoint, adopted)
            shown = {"generation": head.generation, "program": head.program, "head": head.number}
            _print(shown, [f"generation {head.generation} is active, with its program {head.program}"], as_json)
            return
        if not rollback:
            removed = prune(spark, checkpoint)
            numbers = ", ".join(map(str, removed)) or "none"
            _print({"removed": list(removed)}, [f"removed generations: {numbers}"], as_json)
            return
        report = roll_back(spark, checkpoint)
        lines = [
            f"generation {report.generation} is active again; generation {report.before} remains until --prune",
            f"output of {report.batches} micro-batches of generation {report.before}, which sinks receive again:",
            *(f"  {sink.text}" for sink in report.sinks),
        ]
        _print(report.to_dict(), lines, as_json)


def _print(document: Mapping[str, Any], lines: list[str], as_json: bool) -> None:
    text = json.dumps(document) if as_json else "\n".join(lines)
    sys.stdout.write(f"{text}\n")

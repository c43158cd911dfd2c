"""Checkpoints of another program: decisions as `execute-plan` shows them, and acts on generations."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from compiled_plan.plans.execution.upgrade.decision import Decision


def decision_dict(decision: Decision | None) -> dict[str, Any]:
    """How a start goes on with a checkpoint, as JSON."""
    if decision is None:
        return {"start": "new", "verdict": None, "accepted": [], "steps": []}
    return {
        "start": "moves" if decision.moves else "in place",
        "verdict": decision.verdict.value,
        "accepted": [line for each in decision.findings for line in each.lines],
        "steps": [step.to_dict() for step in decision.steps],
    }


def decision_lines(decision: Decision | None) -> list[str]:
    """The same as text."""
    if decision is None:
        return ["checkpoint: new"]
    if not decision.moves:
        return ["checkpoint: goes on in place, with all state"]
    lines = [f"checkpoint: {decision.verdict.value}, the state moves into a new generation"]
    lines += [f"  accepted: {line}" for each in decision.findings for line in each.lines]
    return [*lines, *(f"  {number}. {step.text}" for number, step in enumerate(decision.steps, 1))]


def declared_options(texts: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """By table the options that are declared for it: `orders=('connector' = 'filesystem', ...)`, as behind WITH.

    Raises:
        ProgramError: it is not written so.
    """
    from compiled_plan.planner.sql.nodes.statements import CreateTable
    from compiled_plan.planner.sql.parse import parse_script

    found: dict[str, Mapping[str, str]] = {}
    for text in texts:
        table, equals, options = (part.strip() for part in text.partition("="))
        if not equals or not table or not options.startswith("("):
            raise ProgramError(
                f"--warm-up-from {text}: no declaration",
                remedy="write TABLE=('connector' = 'filesystem', 'path' = '...', 'format' = '...')",
            )
        (created,) = parse_script(f"CREATE TABLE {table} (c INT) WITH {options}")
        assert isinstance(created, CreateTable)
        found[table] = dict(created.options)
    return found


def change_generations(
    checkpoint: str, *, rollback: bool, adopted: int | None, master: str, settings: Mapping[str, str], as_json: bool
) -> None:
    """Roll a checkpoint back, have a generation of it count again, or prune it.

    Args:
        checkpoint: its folder.
        adopted: the generation that is to count; else, without `rollback`, those that do not count are removed.
    """
    from compiled_plan.plans.execution.session.spark_session import spark_session

    with spark_session(master, settings, verbose=False) as spark:
        from compiled_plan.plans.execution.upgrade.rollback import adopt, prune, roll_back

        if adopted is not None:
            head = adopt(spark, checkpoint, adopted)
            shown = {"generation": head.generation, "program": head.program, "head": head.number}
            _print(shown, [f"generation {head.generation} counts, with its program {head.program}"], as_json)
            return
        if not rollback:
            removed = prune(spark, checkpoint)
            numbers = ", ".join(map(str, removed)) or "none"
            _print({"removed": list(removed)}, [f"removed generations: {numbers}"], as_json)
            return
        found = roll_back(spark, checkpoint)
        lines = [
            f"generation {found.generation} counts again; generation {found.before} stays until --prune",
            f"what sinks got in {found.batches} micro-batches of generation {found.before}, and get once more:",
            *(f"  {each.text}" for each in found.sinks),
        ]
        _print(found.to_dict(), lines, as_json)


def _print(found: Mapping[str, Any], lines: list[str], as_json: bool) -> None:
    text = json.dumps(found) if as_json else "\n".join(lines)
    sys.stdout.write(f"{text}\n")

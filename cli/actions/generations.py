"""Generations of a checkpoint: rolled back, activated and removed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from compiled_plan.plans.execution.session import spark_session as sessions
from compiled_plan.plans.execution.state.upgrade.rollback import adopt, prune, roll_back


def change_generations(
    checkpoint: str, *, rollback: bool, adopted: int | None, master: str, settings: Mapping[str, str], as_json: bool
) -> None:
    """Roll a checkpoint back, activate one of its generations, or prune it.

    Args:
        checkpoint: the folder of the checkpoint.
        rollback: return to the previous generation.
        adopted: the generation to activate. With neither, inactive generations are removed.
    """
    with sessions.spark_session(master, settings, verbose=False) as spark:
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


def _print(document: Mapping[str, object], lines: list[str], as_json: bool) -> None:
    text = json.dumps(document) if as_json else "\n".join(lines)
    sys.stdout.write(f"{text}\n")

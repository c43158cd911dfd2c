"""Generations of a checkpoint: rolled back, activated and removed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping

from compiled_plan.cli.actions.state_text import size_text
from compiled_plan.plans.execution.session import spark_session as sessions
from compiled_plan.plans.execution.state.upgrade.rewinding import Rewound, rewind
from compiled_plan.plans.execution.state.upgrade.rollback import adopt, prune, roll_back
from compiled_plan.plans.text.visible import counted


def change_generations(
    checkpoint: str,
    *,
    rollback: bool,
    rewind_to: str,
    keep_output: bool,
    dry_run: bool,
    adopted: int | None,
    master: str,
    settings: Mapping[str, str],
    as_json: bool,
) -> None:
    """Roll a checkpoint back, rewind it, activate one of its generations, or prune it.

    Args:
        checkpoint: the folder of the checkpoint.
        rollback: return to the previous generation.
        rewind_to: the target of a rewind.
        keep_output: leave the output of a rewind or its rollback in the tables.
        dry_run: report what a rewind would do.
        adopted: the generation to activate. With neither, inactive generations are removed.
    """
    with sessions.spark_session(master, settings, verbose=False) as spark:
        if adopted is not None:
            head = adopt(spark, checkpoint, adopted)
            shown = {"generation": head.generation, "program": head.program, "head": head.number}
            _print(shown, [f"generation {head.generation} is active, with its program {head.program}"], as_json)
            return
        if rewind_to:
            rewound = rewind(spark, checkpoint, rewind_to, keep_output=keep_output, dry_run=dry_run)
            _print(rewound.to_dict() | {"dry_run": dry_run}, list(_rewind_lines(rewound, dry_run)), as_json)
            return
        if not rollback:
            removed = prune(spark, checkpoint)
            numbers = ", ".join(map(str, removed)) or "none"
            _print({"removed": list(removed)}, [f"removed generations: {numbers}"], as_json)
            return
        report = roll_back(spark, checkpoint, keep_output=keep_output)
        lines = [f"generation {report.generation} is active again; generation {report.before} remains until --prune"]
        if report.outputs:
            lines += [f"  {output.table}: {output.text}" for output in report.outputs]
        else:
            again = f"output of {report.batches} micro-batches of generation {report.before}, which sinks receive again"
            lines += [f"{again}:", *(f"  {sink.text}" for sink in report.sinks)]
        _print(report.to_dict(), lines, as_json)


def _rewind_lines(report: Rewound, dry_run: bool) -> Iterator[str]:
    place = f"micro-batch {report.batch} of generation {report.origin}, planned at {report.begun}"
    if dry_run:
        yield f"would return to {place}, {counted(report.batches, 'micro-batch')} back:"
    elif report.generation == report.before:
        yield f"generation {report.generation} ends with {place}"
    else:
        yield f"generation {report.generation} is active: it continues behind {place}"
        remains = (
            f"generation {report.before} remains for --rollback until --prune, with {size_text(report.kept_bytes)}"
        )
        yield f"{counted(report.batches, 'micro-batch')} taken back; {remains} of state"
    for sink in report.sinks:
        yield f"  {sink.table}: {sink.text}"


def _print(document: Mapping[str, object], lines: list[str], as_json: bool) -> None:
    text = json.dumps(document) if as_json else "\n".join(lines)
    sys.stdout.write(f"{text}\n")

"""Tasks on runs: their stages and output."""

from __future__ import annotations

from itertools import takewhile
from operator import eq
from pathlib import Path

from compiled_plan.plans.execution.explain import stages_of, stages_text
from compiled_plan.plans.inspection.checked_plans import plan_from_json
from compiled_plan.service.runs import output
from compiled_plan.service.runs.endings import without_secrets
from compiled_plan.service.runs.folders import RunFolder
from compiled_plan.service.workers.tasks.results import Document


def stages(plan: str) -> Document:
    """The stages of a plan: the document of `execute-plan --dry-run --json`, and its text."""
    layout = stages_of(plan_from_json(plan))
    return {**layout.model_dump(by_alias=True), "text": stages_text(layout)}


def shown_output(run: str, offset: int | None, tail: int | None, most: int = 1 << 20) -> Document:
    """A part of the output of a run with secrets masked: lines, offset, next offset, and size.

    Args:
        run: the folder of the run.
        offset: the first byte.
        tail: instead, the number of lines from the end.
        most: the maximum number of bytes.
    """
    folder = RunFolder(Path(run))
    stretch = output.read(folder.output, offset=offset, tail=tail, most=most)
    # A secret may begin before the part, or end after it: mask it with its surroundings, and then remove these.
    before, text, after = (without_secrets(part, folder) for part in output.around(folder.output, stretch))
    text = text[_common(before, text) :]
    text = text[: len(text) - _common(after[::-1], text[::-1])]
    return {"lines": text.splitlines(), "offset": stretch.offset, "next_offset": stretch.end, "size": stretch.size}


def _common(left: str, right: str) -> int:
    """The length of the common beginning of two texts."""
    return sum(1 for _ in takewhile(bool, map(eq, left, right)))

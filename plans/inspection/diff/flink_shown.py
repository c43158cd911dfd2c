"""Flink's restored state, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.flink import ALLOW, Fate, FlinkDiff, FlinkEdit
from compiled_plan.plans.inspection.diff.markdown import cell, code, plain
from compiled_plan.plans.inspection.diff.text import STYLES, Line
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import counted


def flink_lines(diff: FlinkDiff, *, everything: bool = False) -> tuple[Line, ...]:
    """Text lines of the section; fully restored state is folded unless `everything` is set."""
    return tuple(_lines(diff, everything))


def _lines(diff: FlinkDiff, everything: bool) -> Iterator[Line]:
    yield Line("in Flink, from a savepoint", "bold")
    for edit in diff.operators:
        if everything or not is_plain(edit):
            style = STYLES[edit.verdict] if edit.verdict is not Verdict.FULL else ""
            yield Line(f"  {masked_text(edit.words)}: {edit.fate.value}", style)
            if edit.uid:
                yield Line(f"      {edit.uid}{_was(edit)}", "dim")
            if edit.why:
                yield Line(f"      {masked_text(edit.why)}", style)
    folded = 0 if everything else sum(map(is_plain, diff.operators))
    if folded:
        yield Line(f"    {counted(folded, 'part')} restored", "dim")
    yield Line(f"  {flink_verdict(diff)}", f"bold {STYLES[diff.verdict]}")
    yield Line("")


def is_plain(edit: FlinkEdit) -> bool:
    """Return True if the edit has nothing to report."""
    return edit.fate is Fate.RESTORED and edit.verdict is Verdict.FULL and not edit.why


def flink_verdict(diff: FlinkDiff) -> str:
    """Overall result of a start from a savepoint."""
    if any(edit.fate is Fate.REFUSED for edit in diff.operators):
        return "incompatible: Flink refuses the savepoint"
    needs = f"; the start needs {ALLOW}" if diff.needs_permission else ""
    return f"{diff.verdict.value}{needs}"


def flink_markdown(diff: FlinkDiff) -> str:
    lines = [f"#### In Flink, from a savepoint: {plain(flink_verdict(diff))}", ""]
    rows = [edit for edit in diff.operators if not is_plain(edit)]
    if rows:
        lines += ["| operator | uid | what | why |", "| --- | --- | --- | --- |"]
    for edit in rows:
        uid = f"{code(edit.uid)}{plain(_was(edit))}" if edit.uid else ""
        parts = (code(masked_text(edit.words)), uid, edit.fate.value, plain(masked_text(edit.why)))
        lines.append("| " + " | ".join(map(cell, parts)) + " |")
    return "\n".join([*lines, *([""] if rows else [])]) + "\n"


def _was(edit: FlinkEdit) -> str:
    return f" (was {edit.was})" if edit.was and edit.was != edit.uid else ""

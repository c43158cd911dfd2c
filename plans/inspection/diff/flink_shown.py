"""What Flink restores, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.diff.flink import ALLOW, Fate, FlinkDiff, FlinkEdit
from compiled_plan.plans.inspection.diff.markdown import cell, code, plain
from compiled_plan.plans.inspection.diff.text import STYLES, Line
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import counted


def flink_lines(found: FlinkDiff, *, everything: bool = False) -> tuple[Line, ...]:
    """The section of the text; what is restored as it was is folded unless everything is asked for."""
    return tuple(_lines(found, everything))


def _lines(found: FlinkDiff, everything: bool) -> Iterator[Line]:
    yield Line("in Flink, from a savepoint", "bold")
    for edit in found.operators:
        if everything or not is_plain(edit):
            style = STYLES[edit.verdict] if edit.verdict is not Verdict.FULL else ""
            yield Line(f"  {masked_text(edit.words)}: {edit.fate.value}", style)
            if edit.uid:
                yield Line(f"      {edit.uid}{_was(edit)}", "dim")
            if edit.why:
                yield Line(f"      {masked_text(edit.why)}", style)
    folded = 0 if everything else sum(map(is_plain, found.operators))
    if folded:
        yield Line(f"    {counted(folded, 'part')} restored", "dim")
    yield Line(f"  {flink_verdict(found)}", f"bold {STYLES[found.verdict]}")
    yield Line("")


def is_plain(edit: FlinkEdit) -> bool:
    """Whether nothing is to be said."""
    return edit.fate is Fate.RESTORED and edit.verdict is Verdict.FULL and not edit.why


def flink_verdict(found: FlinkDiff) -> str:
    """What a start from a savepoint comes to."""
    if any(each.fate is Fate.REFUSED for each in found.operators):
        return "incompatible: Flink refuses the savepoint"
    needs = f"; the start needs {ALLOW}" if found.needs_permission else ""
    return f"{found.verdict.value}{needs}"


def flink_markdown(found: FlinkDiff) -> str:
    """The section of the Markdown."""
    lines = [f"#### In Flink, from a savepoint: {plain(flink_verdict(found))}", ""]
    rows = [each for each in found.operators if not is_plain(each)]
    if rows:
        lines += ["| operator | uid | what | why |", "| --- | --- | --- | --- |"]
    for each in rows:
        uid = f"{code(each.uid)}{plain(_was(each))}" if each.uid else ""
        parts = (code(masked_text(each.words)), uid, each.fate.value, plain(masked_text(each.why)))
        lines.append("| " + " | ".join(map(cell, parts)) + " |")
    return "\n".join([*lines, *([""] if rows else [])]) + "\n"


def _was(edit: FlinkEdit) -> str:
    return f" (was {edit.was})" if edit.was and edit.was != edit.uid else ""

"""A difference as Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compiled_plan.plans.inspection.diff.advice import Advice
from compiled_plan.plans.inspection.diff.masked import masked_diff
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, Part, PlanDiff, SinkEdit, SourceEdit
from compiled_plan.plans.inspection.diff.text import fate, is_unchanged, ttl_text, verdict_line
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit
from compiled_plan.plans.text.visible import counted


def diff_markdown(diff: PlanDiff, old: str, new: str, advice: Advice) -> str:
    """Render the verdict, a table of changes, unchanged parts (folded) and the next step; passwords are masked."""
    return "\n".join(_lines(masked_diff(diff), old, new, advice)) + "\n"


def _lines(diff: PlanDiff, old: str, new: str, advice: Advice) -> Iterator[str]:
    yield f"### Plan: {verdict_line(diff).text}"
    yield ""
    yield f"{code(old)} → {code(new)}"
    yield ""
    yield from _table(diff)
    yield from _unchanged(diff)
    yield plain(advice.what[:1].upper() + advice.what[1:]) + "."
    if advice.command:
        yield from ("", "```bash", advice.command, "```")


def _table(diff: PlanDiff) -> Iterator[str]:
    rows = [
        *(("program", *_edit(edit), edit.verdict.value, plain(edit.why)) for edit in diff.whole),
        *(_operator(part) for part in diff.operators if not is_unchanged(part)),
        *(_beside("source", part) for part in diff.sources if not is_unchanged(part)),
        *(_beside("sink", part) for part in diff.sinks if not is_unchanged(part)),
        *(("", *_edit(edit), "", plain(edit.why)) for edit in diff.stateless),
    ]
    if rows:
        yield "| | what | change | verdict | why |"
        yield "| --- | --- | --- | --- | --- |"
        for row in rows:
            yield "| " + " | ".join(cell(column) for column in row) + " |"
        yield ""


def _operator(part: OperatorEdit) -> Sequence[str]:
    changes = [
        part.change.value if part.change is not Change.TTL_CHANGED else "",
        f"now {plain(part.place)}" if part.place else "",
        *(": ".join(text for text in _edit(edit) if text) for edit in part.edits),
        *(f"TTL of {code(ttl.name)}: {ttl_text(ttl.old)} → {ttl_text(ttl.new)}" for ttl in part.ttls),
    ]
    return "operator", f"{code(part.words)}\n{code(part.uid)}", _stacked(changes), part.verdict.value, _reasons(part)


def _beside(word: str, part: SourceEdit | SinkEdit) -> Sequence[str]:
    changes = [part.change.value, fate(part), *(": ".join(text for text in _edit(edit) if text) for edit in part.edits)]
    return word, code(part.name), _stacked(changes), part.verdict.value, _reasons(part)


def _edit(edit: PropertyEdit) -> tuple[str, str]:
    if edit.old and edit.new:
        return plain(edit.property), f"{code(edit.old)} → {code(edit.new)}"
    change = Change.REMOVED if edit.old else Change.ADDED
    only = edit.old or edit.new
    return plain(edit.property), f"{change.value}{f' {code(only)}' if only else ''}"


def _reasons(part: Part) -> str:
    return _stacked([plain(why) for why in dict.fromkeys([*(edit.why for edit in part.edits), part.why])])


def _stacked(texts: Sequence[str]) -> str:
    return "\n".join(text for text in texts if text)


def _unchanged(diff: PlanDiff) -> Iterator[str]:
    unchanged = [
        (word, [part for part in parts if is_unchanged(part)])
        for word, parts in (("operator", diff.operators), ("source", diff.sources), ("sink", diff.sinks))
    ]
    if not any(parts for _, parts in unchanged):
        return
    counts = ", ".join(counted(len(parts), word) for word, parts in unchanged if parts)
    yield f"<details><summary>{counts} kept</summary>"
    yield ""
    for word, parts in unchanged:
        for part in parts:
            name = part.words if isinstance(part, OperatorEdit) else part.name
            yield f"- {word} {code(name)}"
    yield ""
    yield "</details>"
    yield ""


def code(text: str) -> str:
    """Format text as code; backticks in it, as of quoted names, need a longer fence."""
    if "`" not in text:
        return f"`{text}`"
    return f"`` {text} ``"


def plain(text: str) -> str:
    """Escape markup in text, except for code in backticks."""
    parts = text.split("`")
    return "`".join(re.sub(r"([*_<\\])", r"\\\1", part) if at % 2 == 0 else part for at, part in enumerate(parts))


def cell(text: str) -> str:
    """Escape text for a table cell."""
    return text.replace("|", "\\|").replace("\n", "<br>")

"""A difference as Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compiled_plan.plans.inspection.diff.advice import Advice
from compiled_plan.plans.inspection.diff.masked import masked_diff
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, Part, PlanDiff, SinkEdit, SourceEdit
from compiled_plan.plans.inspection.diff.outcomes import outcome, reasons, to_do
from compiled_plan.plans.inspection.diff.text import fate, is_unchanged, size_text, ttl_text, verdict_line
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import counted, visible

#: Mermaid's defaults for the largest graph that it draws; each line has at most one edge.
_MOST_CHARACTERS, _MOST_LINES = 50_000, 500


def diff_markdown(diff: PlanDiff, old: str, new: str, advice: Advice, graph: str = "", title: str = "Plan") -> str:
    """Render a difference; passwords are masked.

    Args:
        diff: the difference.
        old: name of the old plan.
        new: name of the new plan.
        advice: the next step.
        graph: the difference as Mermaid text; without it, nothing is drawn.
        title: the subject of the verdict, as Markdown.
    """
    return "\n".join(_lines(masked_diff(diff), old, new, advice, graph, title)) + "\n"


def _lines(diff: PlanDiff, old: str, new: str, advice: Advice, graph: str, title: str) -> Iterator[str]:
    yield f"### {title}: {verdict_line(diff).text}"
    yield ""
    yield f"{code(masked_text(old))} → {code(masked_text(new))}"
    yield ""
    yield from _operators([part for part in diff.operators if not is_unchanged(part)])
    tables: tuple[SourceEdit | SinkEdit, ...] = (*diff.sources, *diff.sinks)
    yield from _tables([part for part in tables if not is_unchanged(part)])
    yield from _around(diff)
    yield plain(masked_text(advice.what[:1].upper() + advice.what[1:])) + "."
    yield ""
    if advice.command:
        yield from fenced(advice.command, "bash")
    yield from _unchanged(diff)
    yield from drawn(graph)


def _operators(parts: Sequence[OperatorEdit]) -> Iterator[str]:
    """The table of operators; sizes are known from a checkpoint alone."""
    sized = any(part.state_bytes is not None for part in parts)
    rows = []
    for part in parts:
        result = outcome(part)
        name = stacked((code(part.words), code(part.uid)))
        size = [size_text(part)] if sized else []
        to_do = stacked(map(remedy, result.to_do))
        rows.append([name, _change(part), result.kept_state, plain(result.lost_state), *size, to_do])
    yield from table(("operator", "change", "kept", "lost", *(["bytes"] if sized else []), "what to do"), rows)


def _tables(parts: Sequence[SourceEdit | SinkEdit]) -> Iterator[str]:
    rows = []
    for part in parts:
        word = "source" if isinstance(part, SourceEdit) else "sink"
        effect = stacked(map(plain, (fate(part), *reasons(part))))
        rows.append([f"{word} {code(part.name)}", _change(part), effect, stacked(map(remedy, to_do(part)))])
    yield from table(("source or sink", "change", "effect", "what to do"), rows)


def _change(part: Part) -> str:
    """Kind of change and verdict, then the properties that differ."""
    lines = [f"{part.change.value}, {part.verdict.value}"]
    lines += map(_line, part.edits)
    if isinstance(part, OperatorEdit):
        lines += [f"now {plain(part.place)}"] if part.place else []
        lines += (f"TTL of {code(ttl.name)}: {ttl_text(ttl.old)} → {ttl_text(ttl.new)}" for ttl in part.ttls)
        # The reason of another verdict is a loss.
        lines += map(plain, reasons(part)) if part.verdict is Verdict.FULL and part.change is not Change.REMOVED else ()
    return stacked(lines)


def _around(diff: PlanDiff) -> Iterator[str]:
    """Changes of the whole program and of stateless operators, and facts that only a start compares."""
    lines = [
        *(f"- {_line(edit)}: {edit.verdict.value}, {plain(edit.why)}" for edit in diff.whole),
        *(f"- {_line(edit)}" for edit in diff.stateless),
        *(f"- compared at the start: {plain(fact)}" for fact in diff.unchecked),
    ]
    if lines:
        yield from (*lines, "")


def _line(edit: PropertyEdit) -> str:
    return ": ".join(text for text in _edit(edit) if text)


def _edit(edit: PropertyEdit) -> tuple[str, str]:
    if edit.old and edit.new:
        return plain(edit.property), f"{code(edit.old)} → {code(edit.new)}"
    change = Change.REMOVED if edit.old else Change.ADDED
    only = edit.old or edit.new
    return plain(edit.property), f"{change.value}{f' {code(only)}' if only else ''}"


def stacked(texts: Iterable[str]) -> str:
    """Lines of a cell, without empty ones."""
    return "\n".join(text for text in texts if text)


def remedy(text: str) -> str:
    """A remedy; an option at its start, with its argument, is code."""
    if not text.startswith("--"):
        return plain(text)
    option, argument, *rest = text.split(" ")
    return " ".join((code(f"{option} {argument}"), plain(" ".join(rest))))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table and an empty line; nothing without rows."""
    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in rows]
    if lines:
        yield "| " + " | ".join(columns) + " |"
        yield "| " + " | ".join("---" for _ in columns) + " |"
        yield from (*lines, "")


def drawn(graph: str) -> Iterator[str]:
    """Mermaid text, folded; a remark if Mermaid does not draw a text of this length."""
    if graph and len(graph) <= _MOST_CHARACTERS and graph.count("\n") <= _MOST_LINES:
        yield from ("<details><summary>graph</summary>", "")
        yield from fenced(graph.rstrip("\n"), "mermaid")
        yield from ("</details>", "")
    elif graph:
        yield from (f"The plan is too large for a graph here; {code('edit-plan --graph svg')} draws it.", "")


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
            size = f", {size_text(part)} bytes" if isinstance(part, OperatorEdit) and size_text(part) else ""
            yield f"- {word} {code(name)}{size}"
    yield ""
    yield "</details>"
    yield ""


def code(text: str) -> str:
    """Format text as code; backticks in it, as of quoted names, need a longer fence."""
    text = _on_one_line(text)
    if "`" not in text:
        return f"`{text}`"
    fence = _fence(text, 1)
    return f"{fence} {text} {fence}"


def fenced(text: str, language: str) -> Iterator[str]:
    """Lines of code in a block of their own."""
    fence = _fence(text, 3)
    yield from (f"{fence}{language}", visible(text), fence, "")


def plain(text: str) -> str:
    """Escape markup in text; parts in backticks become code."""
    parts = _on_one_line(text).split("`")
    unmatched = "" if len(parts) % 2 else f"\\`{_escaped(parts.pop())}"
    return "".join(_code_of(part) if at % 2 else _escaped(part) for at, part in enumerate(parts)) + unmatched


def _code_of(text: str) -> str:
    return code(text) if text else "\\`\\`"


def _escaped(text: str) -> str:
    return re.sub(r"([\\*_<\[~&])", r"\\\1", text)


def _on_one_line(text: str) -> str:
    """Text of a program, which may hold any character."""
    return visible(text).replace("\n", " ")


def _fence(text: str, shortest: int) -> str:
    """Backticks around text that may hold backticks."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(shortest, longest + 1)


def cell(text: str) -> str:
    """Escape text for a table cell."""
    return text.replace("|", "\\|").replace("\n", "<br>")

"""A difference as text in the form of a review: changes with reasons; unchanged parts folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from compiled_plan.plans.inspection.diff.advice import Advice
from compiled_plan.plans.inspection.diff.masked import masked_diff
from compiled_plan.plans.inspection.diff.model import Change, OperatorEdit, Part, PlanDiff, SinkEdit, SourceEdit
from compiled_plan.plans.inspection.judging.verdicts import PropertyEdit, Verdict
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.text.visible import counted

#: Prefix of a part by its change.
MARKS = {
    Change.KEPT: " ",
    Change.MOVED: ">",
    Change.CHANGED: "~",
    Change.ADDED: "+",
    Change.REMOVED: "-",
    Change.TTL_CHANGED: "~",
}
#: Colour of a verdict, as a style of `rich`.
STYLES = {Verdict.FULL: "green", Verdict.PARTIAL: "yellow", Verdict.UNKNOWN: "magenta", Verdict.INCOMPATIBLE: "red"}
_CHANGES = {Change.ADDED: "green", Change.REMOVED: "red"}
_DIM = "dim"
#: Combined length above which the old and the new value are on separate lines.
_WIDE = 88


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and its style if colours are on."""

    text: str
    style: str = ""


def diff_lines(diff: PlanDiff, *, everything: bool = False) -> tuple[Line, ...]:
    """Render the parts of a difference; `everything` includes unchanged parts. Passwords are masked."""
    masked = masked_diff(diff)
    return tuple(_lines(masked, everything))


def verdict_line(diff: PlanDiff) -> Line:
    """The verdict with the numbers of changes."""
    if diff.is_empty:
        return Line("no difference", STYLES[Verdict.FULL])
    counts = ", ".join(
        f"{number} {change.value}"
        for change in (Change.CHANGED, Change.ADDED, Change.REMOVED, Change.MOVED, Change.TTL_CHANGED)
        if (number := sum(part.change is change for part in diff.operators))
    )
    about = f": of {counted(len(diff.operators), 'operator')} with state {counts}" if counts else ""
    return Line(f"{diff.verdict.value}{about}", f"bold {STYLES[diff.verdict]}")


def advice_lines(advice: Advice) -> tuple[Line, ...]:
    return (Line(advice.what), *([Line(f"  try: {advice.command}")] if advice.command else []))


def ttl_text(milliseconds: int) -> str:
    return format_duration(milliseconds) if milliseconds else "0 ms (never expires)"


def size_text(part: OperatorEdit) -> str:
    """The bytes of an operator's state; empty if unknown."""
    return "" if part.state_bytes is None else f"{part.state_bytes:,}"


def _lines(diff: PlanDiff, everything: bool) -> Iterator[Line]:
    yield from _section("the whole program", (line for edit in diff.whole for line in _property(edit, 1, True)))
    yield from _section("operators with state", _parts(diff.operators, "operator", everything))
    yield from _section("around them", (line for edit in diff.stateless for line in _property(edit, 1, True)))
    yield from _section("sources", _parts(diff.sources, "source", everything))
    yield from _section("sinks", _parts(diff.sinks, "sink", everything))
    yield from _section("compared at the start", (Line(f"    {fact}") for fact in diff.unchecked))


def _section(title: str, lines: Iterable[Line]) -> Iterator[Line]:
    content = list(lines)
    if content:
        yield Line(title, "bold")
        yield from content
        yield Line("")


def is_unchanged(part: Part) -> bool:
    """Return True if a part has nothing to report."""
    return part.change is Change.KEPT and not part.edits


def _parts(parts: Sequence[Part], word: str, everything: bool) -> Iterator[Line]:
    for part in parts:
        if everything or not is_unchanged(part):
            yield from _part(part)
    unchanged = sum(map(is_unchanged, parts))
    if unchanged and not everything:
        yield Line(f"    {counted(unchanged, word)} kept", _DIM)


def _part(part: Part) -> Iterator[Line]:
    verdict_style = _style(part.verdict)
    style = verdict_style or _CHANGES.get(part.change, "")
    mark, change = f"  {MARKS[part.change]} ", f": {part.change.value}"
    judged = f"{change}, {part.verdict.value}"
    if isinstance(part, OperatorEdit):
        yield Line(mark + part.words + ("" if part.change is Change.KEPT else judged), style)
        size = f", {size_text(part)} bytes" if size_text(part) else ""
        yield Line(f"      {part.uids}, {_nodes(part)}{size}", _DIM)
        if part.place:
            yield Line(f"      now {part.place}")
    else:
        yield Line(mark + part.name + (change if part.change is Change.KEPT else judged), style)
        yield Line(f"      {fate(part)}")
    for edit in part.edits:
        yield from _property(edit, 3, False)
    for ttl in part.ttls if isinstance(part, OperatorEdit) else ():
        yield Line(f"      TTL of {ttl.name}: {ttl_text(ttl.old)} -> {ttl_text(ttl.new)}", "cyan")
    if part.why and all(part.why != edit.why for edit in part.edits):
        yield Line(f"      {part.why}", verdict_style)


def _style(verdict: Verdict) -> str:
    return "" if verdict is Verdict.FULL else STYLES[verdict]


def _nodes(part: OperatorEdit) -> str:
    if part.old_node is None or part.new_node is None or part.old_node == part.new_node:
        return f"node {part.new_node if part.new_node is not None else part.old_node}"
    return f"node {part.old_node} -> {part.new_node}"


def _property(edit: PropertyEdit, depth: int, marked: bool) -> Iterator[Line]:
    """Render a property on one line, or its values on separate lines if they are long."""
    pad = "  " * depth
    head = pad + (f"{MARKS[_change_of(edit)]} " if marked else "") + edit.property
    if not edit.old or not edit.new:
        only = edit.old or edit.new
        word = "" if marked else f" {Change.REMOVED.value if edit.old else Change.ADDED.value}"
        yield Line(f"{head}{word}{f': {only}' if only else ''}", _CHANGES.get(_change_of(edit), ""))
    elif len(edit.old) + len(edit.new) <= _WIDE:
        yield Line(f"{head}: {edit.old} -> {edit.new}")
    else:
        yield Line(f"{head}:")
        yield Line(f"{pad}  - {edit.old}", "red")
        yield Line(f"{pad}  + {edit.new}", "green")
    if edit.why:
        reason = edit.why if edit.verdict is Verdict.FULL else f"{edit.verdict.value}: {edit.why}"
        yield Line(f"{pad}    {reason}", _style(edit.verdict))


def _change_of(edit: PropertyEdit) -> Change:
    if edit.old and edit.new:
        return Change.CHANGED
    return Change.REMOVED if edit.old else Change.ADDED


def fate(part: SourceEdit | SinkEdit) -> str:
    """Effect on a source's offsets, or the rows that a sink receives."""
    return f"offsets {part.offsets}" if isinstance(part, SourceEdit) else f"gets {part.gets}"

"""Comment of a review: one line of verdict, a table of programs, a section for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiled_plan.cli.review.reviewing import Result, Reviewed
from compiled_plan.plans.inspection.diff.markdown import code, plain, table
from compiled_plan.plans.text.visible import counted

_SHORTENED = "The rest is left out, as the text would be too long; the log of the run has all of it."
_FIRST = list(Result)


def comment(reviewed: Sequence[Reviewed]) -> str:
    """The comment of a review as Markdown."""
    return "\n".join(_lines(reviewed))


def shortened(text: str, longest: int) -> str:
    """The comment in at most so many bytes of UTF-8: without graphs, then without the last lines."""
    if _size(text) <= longest:
        return text
    lines, is_graph = [], False
    for line in text.splitlines():
        is_graph = is_graph or line == "<details><summary>graph</summary>"
        if not is_graph:
            lines.append(line)
        is_graph = is_graph and line != "</details>"
    size = sum(_size(line) + 1 for line in lines)
    while size > longest - _size(_SHORTENED) - 2:
        size -= _size(lines.pop()) + 1
    return "\n".join((*lines, "", _SHORTENED))


def _size(text: str) -> int:
    return len(text.encode())


def _lines(reviewed: Sequence[Reviewed]) -> Iterator[str]:
    ordered = sorted(reviewed, key=lambda item: (_FIRST.index(item.result), item.name))
    yield f"## Plans: {verdict(ordered)}"
    yield ""
    shown = [item for item in ordered if item.result is not Result.SAME or item.notes]
    rows = [(code(item.name), item.result.value, "\n".join(map(plain, item.notes))) for item in shown]
    yield from table(("program", "verdict", "remarks"), rows)
    for item in ordered:
        if item.result is not Result.SAME:
            yield from (item.body.rstrip("\n"), "")
    same = [item.name for item in ordered if item.result is Result.SAME]
    if same:
        yield from (f"<details><summary>{counted(len(same), 'program')} without a difference</summary>", "")
        yield from (f"- {code(name)}" for name in same)
        yield from ("", "</details>", "")


def verdict(reviewed: Sequence[Reviewed]) -> str:
    """The verdict in one line: the worst result, and the number of each."""
    if not reviewed:
        return "no changed program"
    if len(reviewed) == 1:
        return worst(reviewed)
    counts = {result: sum(item.result is result for item in reviewed) for result in Result}
    rest = ", ".join(f"{number} {result.value}" for result, number in counts.items() if number)
    return f"{worst(reviewed)}: of {counted(len(reviewed), 'program')} {rest}"


def worst(reviewed: Sequence[Reviewed]) -> str:
    """The worst result in words."""
    return min((item.result for item in reviewed), key=_FIRST.index, default=Result.SAME).value

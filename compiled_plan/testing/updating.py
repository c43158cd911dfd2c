"""Expectations written back into files of tests: only the texts of rows that differ change."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from compiled_plan.plans.files import write_text
from compiled_plan.testing.comparing import row_text
from compiled_plan.testing.document import Document, Spot
from compiled_plan.testing.running import Expectation, Result

_WIDTH = 120


def update(results: Iterable[Result]) -> dict[Path, int]:
    """Write what came into the files of tests; return the number of changed expectations by file.

    Raises:
        ProgramError: several expectations share rows in the file, and cannot share the new ones; nothing is written.
    """
    documents: dict[Path, tuple[Document, list[Expectation]]] = {}
    for result in results:
        document = result.case.document
        documents.setdefault(document.path, (document, []))[1].extend(result.expectations)
    texts = {path: updated_text(*of_file) for path, of_file in documents.items()}
    counts = {}
    for path, (document, expectations) in documents.items():
        if texts[path] != document.text:
            write_text(str(path), texts[path])
            counts[path] = len({document.spots[item.path].start for item in expectations if item.differs})
    return counts


def updated_text(document: Document, expectations: Iterable[Expectation]) -> str:
    """The text of a file with the rows that came where they differ from the expected ones.

    Raises:
        ProgramError: several expectations share rows in the file, and cannot share the new ones.
    """
    text = document.text
    # Tests share the steps of the file, and rows by aliases.
    by_spot: dict[Spot, list[Expectation]] = {}
    for expectation in expectations:
        by_spot.setdefault(document.spots[expectation.path], []).append(expectation)
    changed = [spot for spot, sharing in by_spot.items() if any(item.differs for item in sharing)]
    for spot in sorted(changed, key=lambda spot: spot.start, reverse=True):
        choices = {_written(expectation, spot, document.text) for expectation in by_spot[spot]}
        if len(choices) > 1 or text.startswith("&", spot.start):
            message = "cannot update rows that several expectations share"
            raise document.error(by_spot[spot][0].path, message, "write the rows of each expectation")
        end = spot.start + len(_content(text[spot.start : spot.end]))
        written, before = choices.pop(), text[: spot.start]
        text = (before.rstrip(" ") if written.startswith("\n") else before) + written + text[end:]
    return text


def _content(span: str) -> str:
    """The text of a node without the blank and comment lines that follow it."""
    lines = span.splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return "".join(lines).rstrip()


def _written(expectation: Expectation, spot: Spot, text: str) -> str:
    rows = [
        f"{change.kind}: {row_text(change, expectation.row_type)}"
        if expectation.changes
        else row_text(change, expectation.row_type)
        for change in expectation.actual
    ]
    # A value that is missing begins where its key ends.
    space = "" if spot.end > spot.start or text[spot.start - 1 : spot.start] in " \n" else " "
    one = f"{space}[{', '.join(rows)}]"
    line = text[: spot.start].rpartition("\n")[2]
    inside_flow = spot.flow and ("{" in line or "[" in line)
    if not rows or inside_flow or (len(line) + len(one) <= _WIDTH and (spot.flow or spot.start == spot.end)):
        return one
    if not line.strip():
        return f"\n{line}".join(f"- {row}" for row in rows)
    indent = " " * (len(line) - len(line.lstrip(" -")) + 2)
    return "".join(f"\n{indent}- {row}" for row in rows)

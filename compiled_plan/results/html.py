"""Results as HTML for notebooks: all text is escaped, nothing is loaded from another host."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import visible
from compiled_plan.plans.types import RowType, quote_identifier
from compiled_plan.results.changelog import as_changes
from compiled_plan.results.tableau import Display, cell_texts

#: Longest text of a cell; number of columns in a `repr`.
_LONGEST, _COLUMNS = 300, 8
_LEFT = ' style="text-align: left"'


def html_of(text: str) -> str:
    """A text with its markup escaped and its control characters visible."""
    return escape(visible(text))


def note(text: str) -> str:
    """A line below a table; secrets are masked."""
    return f"<div><small>{html_of(masked_text(text))}</small></div>"


def block(text: str) -> str:
    """Preformatted text; secrets are masked."""
    return f"<pre>{html_of(masked_text(text))}</pre>"


def table_html(row_type: RowType, rows: Sequence[Sequence[str | None]], state: str) -> str:
    """A table with types below the names of columns, and a note.

    Args:
        row_type: the columns.
        rows: cells as text; None is NULL.
        state: the note.
    """
    heads = zip(map(html_of, row_type.names), map(html_of, map(summary, row_type.types)), strict=True)
    head = "".join(f"<th{_LEFT}>{name}<br><small>{type_}</small></th>" for name, type_ in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note(state)}"


def with_kinds(row_type: RowType, chunks: Sequence[Chunk], display: Display) -> tuple[RowType, list[list[str | None]]]:
    """Columns and cells of changes; with their kinds in a first column if one is no insert."""
    if any(kind for chunk in chunks for kind in chunk.kinds):
        row_type, chunks = as_changes(row_type, chunks)
    cells_of = cell_texts(row_type, display, None)
    return row_type, [shortened(cells_of(row)) for chunk in chunks for row in zip(*chunk.columns, strict=True)]


def shortened(cells: Sequence[str | None]) -> list[str | None]:
    """The cells of a row of a query; long texts are cut."""
    return [cell and _short(cell) for cell in cells]


def columns_text(row_type: RowType) -> str:
    """Columns in one line: `id BIGINT, name STRING, ... 3 more`."""
    columns = [f"{_name(field.name)} {summary(field.type)}" for field in row_type.fields]
    more = len(columns) - _COLUMNS
    return visible(", ".join(columns[:_COLUMNS]) + (f", ... {more} more" if more > 0 else ""))


def _name(name: str) -> str:
    return name if name.isidentifier() else quote_identifier(name)


def _cell(text: str | None) -> str:
    if text is None:
        return f"<td{_LEFT}><i>NULL</i></td>"
    return f"<td{_LEFT}>{html_of(text)}</td>" if "\n" not in text else f"<td{_LEFT}><pre>{html_of(text)}</pre></td>"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

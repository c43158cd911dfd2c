"""Results as HTML for notebooks: all text is escaped, nothing is loaded from another host."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from compiled_plan.api.results.tableau import Display, text_of, zone_of
from compiled_plan.planner.sql.binding.inserts import summary
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.text.masking import masked_text
from compiled_plan.plans.text.visible import visible
from compiled_plan.plans.types import STRING, LogicalType, quote_identifier
from compiled_plan.plans.types.row import RowKind

#: Longest text of a cell; number of columns in a `repr`.
_LONGEST, _COLUMNS = 300, 8
_KINDS = tuple(RowKind)
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


def table_html(
    names: Sequence[str], types: Sequence[LogicalType], rows: Sequence[Sequence[str | None]], state: str
) -> str:
    """A table with types below the names of columns, and a note.

    Args:
        names: names of columns.
        types: their types.
        rows: cells as text; None is NULL.
        state: the note.
    """
    heads = zip(map(html_of, names), map(html_of, map(summary, types)), strict=True)
    head = "".join(f"<th{_LEFT}>{name}<br><small>{type_}</small></th>" for name, type_ in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note(state)}"


def with_kinds(
    names: Sequence[str], types: Sequence[LogicalType], chunks: Sequence[Chunk], display: Display
) -> tuple[Sequence[str], Sequence[LogicalType], list[list[str | None]]]:
    """Columns and cells of changes; with their kinds in a first column `op` if one is no insert."""
    texts = [text_of(type_, zone_of(display.time_zone)) for type_ in types]
    rows: list[list[str | None]] = []
    updates = any(kind for chunk in chunks for kind in chunk.kinds)
    for chunk in chunks:
        for kind, values in zip(chunk.kinds, zip(*chunk.columns, strict=True), strict=True):
            op = [_KINDS[kind].short] if updates else []
            rows.append([*op, *shortened(cells_of(values, texts))])
    return (["op", *names], [STRING, *types], rows) if updates else (names, types, rows)


def cells_of(values: Sequence[Any], texts: Sequence[Any]) -> list[str | None]:
    """The cells of a row: texts, None for NULL."""
    return [None if value is None else text(value) for value, text in zip(values, texts, strict=True)]


def shortened(cells: Sequence[str | None]) -> list[str | None]:
    """The cells of a row of a query; long texts are cut."""
    return [cell and _short(cell) for cell in cells]


def columns_text(names: Sequence[str], types: Sequence[LogicalType]) -> str:
    """Columns in one line: `id BIGINT, name STRING, ... 3 more`."""
    columns = [f"{_name(name)} {summary(type_)}" for name, type_ in zip(names, types, strict=True)]
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

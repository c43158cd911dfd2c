"""Rows as text in lines that programs read: JSON, CSV, Markdown; and Flink's frame."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import chain

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.results.changelog import as_changes
from compiled_plan.results.tableau import Display, cell_texts, lines, text_of, zone_of


class Format(StrEnum):
    """Formats in which the shell shows rows."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def format_rows(
    form: Format, row_type: t.RowType, chunks: Iterator[Chunk], display: Display, *, kinds: bool
) -> Iterator[str]:
    """The lines of rows, as they arrive.

    JSON has an object per line. NULL is `null` in JSON, and empty in CSV and Markdown.

    Args:
        form: the format.
        row_type: the columns.
        chunks: the rows.
        display: the time zone, and in frames the maximum width of columns.
        kinds: begin each row with its kind, in a column as of `as_changes`; in a frame always `op`.
    """
    if form is Format.TABLE:
        return lines(row_type, chunks, display, kinds=kinds)
    if kinds:
        wide_type, _ = as_changes(row_type, ())
        chunks = (changes for chunk in chunks for changes in as_changes(row_type, (chunk,))[1])
        row_type = wide_type
    rows = (row for chunk in chunks for row in zip(*chunk.columns, strict=True))
    return _LINES[form](row_type, rows, display)


Rows = Iterator[Sequence[object]]


def _json_lines(row_type: t.RowType, rows: Rows, display: Display) -> Iterator[str]:
    text = json_of(row_type.with_nullability(False), zone_of(display.time_zone))
    return map(text, rows)


def _csv_lines(row_type: t.RowType, rows: Rows, display: Display) -> Iterator[str]:
    cells = cell_texts(row_type, display, "")
    for row in chain([row_type.names], map(cells, rows)):
        line = io.StringIO()
        # The writer quotes the line breaks of its line terminator alone.
        csv.writer(line, lineterminator=_CRLF).writerow(row)
        yield line.getvalue().removesuffix(_CRLF)


_CRLF = "\r\n"


def _markdown_lines(row_type: t.RowType, rows: Rows, display: Display) -> Iterator[str]:
    cells = cell_texts(row_type, display, "")
    yield _markdown(row_type.names)
    yield _markdown(["---:" if isinstance(type_, t.NumericType) else "---" for type_ in row_type.types])
    for row in rows:
        yield _markdown(cells(row))


_BREAK = re.compile(r"\r\n?|\n")


def _markdown(cells: Sequence[str]) -> str:
    escaped = (_BREAK.sub("<br>", cell.replace("\\", "\\\\").replace("|", "\\|")) for cell in cells)
    return f"| {' | '.join(escaped)} |"


_LINES: dict[Format, Callable[[t.RowType, Rows, Display], Iterator[str]]] = {
    Format.JSON: _json_lines,
    Format.CSV: _csv_lines,
    Format.MARKDOWN: _markdown_lines,
}


# --- JSON


def json_of(type_: t.LogicalType, zone: dt.tzinfo = dt.UTC) -> Callable[..., str]:
    """The function that converts internal values of a type to JSON: numbers with all digits, times as in CAST."""
    convert = _json_of(type_, zone)
    return lambda value: "null" if value is None else convert(value)


def _json_of(type_: t.LogicalType, zone: dt.tzinfo) -> Callable[..., str]:
    match type_:
        case t.ArrayType():
            item = json_of(type_.element, zone)
            return lambda value: f"[{', '.join(map(item, value))}]"
        case t.MapType() | t.MultisetType():
            key_type = type_.key if isinstance(type_, t.MapType) else type_.element
            key, item = text_of(key_type, zone), json_of(type_.value, zone) if isinstance(type_, t.MapType) else str
            return lambda value: _object(("null" if k is None else key(k), item(v)) for k, v in value.items())
        case t.FieldsType():
            names, items = type_.names, [json_of(one, zone) for one in type_.types]
            return lambda value: _object(
                (name, item(cell)) for name, item, cell in zip(names, items, value, strict=True)
            )
        case t.BooleanType():
            return lambda value: "true" if value else "false"
        case t.FloatType() | t.DoubleType():
            number = text_of(type_, zone)
            return lambda value: number(value) if math.isfinite(value) else _quoted(number(value))
        case t.NumericType():
            return text_of(type_, zone)
    text = text_of(type_, zone)
    return lambda value: _quoted(text(value))


def _object(items: Iterator[tuple[str, str]]) -> str:
    return "{" + ", ".join(f"{_quoted(name)}: {value}" for name, value in items) + "}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

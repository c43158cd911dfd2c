"""Rows as text in a frame, as Flink prints them.

Source: Flink 2.3's `TableResult.print()` in streaming mode: rows are printed as they arrive, so that the column types
determine the widths; longer values end in three dots.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from struct import error, pack, unpack
from typing import TypeVar
from unicodedata import category, east_asian_width
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.plans.text.visible import counted
from compiled_plan.plans.types import bitmaps, variants
from compiled_plan.plans.types.row import RowKind

#: The text of NULL in a frame.
NULL = "<NULL>"
Null = TypeVar("Null", str, None)
_KINDS = tuple(RowKind)
_WIDTHS: dict[type[t.LogicalType], int] = {
    t.BooleanType: 5,
    t.TinyIntType: 4,
    t.SmallIntType: 6,
    t.IntType: 11,
    t.BigIntType: 20,
    t.DateType: 10,
}


@dataclass(frozen=True, slots=True)
class Display:
    """The format of printed rows.

    Args:
        time_zone: the time zone of TIMESTAMP_LTZ values, `table.local-time-zone`.
        max_width: the maximum width of a text in screen columns, `table.display.max-column-width`.
    """

    time_zone: str = "UTC"
    max_width: int = 30


def lines(
    row_type: t.RowType, chunks: Iterator[Chunk], display: Display | None = None, *, kinds: bool = True
) -> Iterator[str]:
    """The lines of a result, one per row as it arrives.

    Args:
        row_type: the columns.
        chunks: the rows.
        display: their format.
        kinds: begin each line with the kind of the row, in the column `op`.
    """
    display = display or Display()
    most = display.max_width
    widths = [max(len(NULL), _width_of(field.type, most), _shown_width(field.name)) for field in row_type.fields]
    head = [2] if kinds else []
    rule = _rule([*head, *widths])
    cells_of = cell_texts(row_type, display, NULL)
    count = 0
    for chunk in chunks:
        for kind, row in zip(chunk.kinds, zip(*chunk.columns, strict=True), strict=True):
            if not count:
                yield from (rule, _line([*(["op"] if kinds else []), *row_type.names], [*head, *widths]), rule)
            count += 1
            yield _line([*([_KINDS[kind].short] if kinds else []), *cells_of(row)], [*head, *widths])
    if not count:
        yield EMPTY
        return
    yield rule
    yield f"{counted(count, 'row')} in set"


#: The text of a result without rows.
EMPTY = "Empty set"


def cell_texts(row_type: t.RowType, display: Display, null: Null) -> Callable[[Sequence[object]], list[str | Null]]:
    """The function that converts the internal values of a row to texts, and NULL to `null`."""
    zone = zone_of(display.time_zone)
    texts = [text_of(type_, zone) for type_ in row_type.types]
    return lambda row: [null if value is None else text(value) for value, text in zip(row, texts, strict=True)]


def framed(headings: Sequence[str], rows: Sequence[Sequence[str]], most: int | None = None) -> list[str]:
    """Rows in a frame that is as wide as they are, at most `most` in each column; without the number of rows."""
    widths = [max(map(_shown_width, column)) for column in zip(headings, *rows, strict=True)]
    if most is not None:
        widths = [max(_shown_width(head), min(width, most)) for head, width in zip(headings, widths, strict=True)]
    rule = _rule(widths)
    return [rule, _line(headings, widths), rule, *(_line(row, widths) for row in rows), rule]


def counted_frame(headings: Sequence[str], rows: Sequence[Sequence[str]], most: int | None = None) -> list[str]:
    """As `framed`, with the number of rows below; the text of an empty result if there are none."""
    return [*framed(headings, rows, most), f"{counted(len(rows), 'row')} in set"] if rows else [EMPTY]


def _rule(widths: Sequence[int]) -> str:
    return "+" + "+".join("-" * (width + 2) for width in widths) + "+"


def _width_of(type_: t.LogicalType, most: int) -> int:
    match type_:
        case t.DecimalType():
            return type_.precision + 2
        case t.TimeType():
            return 8 if type_.precision == 0 else 9 + type_.precision
        case t.TimestampBase():
            return 19 if type_.precision == 0 else 20 + type_.precision
    return _WIDTHS.get(type(type_), most)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "|" + "|".join(f" {_fitted(cell, width)} " for cell, width in zip(cells, widths, strict=True)) + "|"


def _fitted(text: str, width: int) -> str:
    size = _shown_width(text)
    if size <= width:
        return " " * (width - size) + text
    fitting, used = "", 0
    for char in text:
        used += _shown_width(char)
        if used > width - 3:
            break
        fitting += char
    return fitting + "..." + " " * (width - 3 - _shown_width(fitting))


def _shown_width(text: str) -> int:
    """The width of a text in screen columns: two for a wide character, none for a combining or format character."""
    return sum(2 if east_asian_width(char) in "WF" else 0 if category(char) in ("Mn", "Cf") else 1 for char in text)


# --- values


Text = Callable[[object], str]


def zone_of(name: str) -> dt.tzinfo:
    """The time zone of a name or an offset: `Europe/Berlin`, `GMT+01:00`."""
    offset = re.fullmatch(r"(?:GMT|UTC)?([+-])(\d{1,2}):?(\d{2})?", name)
    if offset is not None:
        span = dt.timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return dt.timezone(span if offset[1] == "+" else -span)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return dt.UTC


def text_of(type_: t.LogicalType, zone: dt.tzinfo = dt.UTC) -> Callable[..., str]:
    """The function that converts internal values of a type to text, like CAST to STRING."""
    match type_:
        case t.ArrayType():
            element = _inner(type_.element, zone)
            return lambda value: f"[{', '.join(map(element, value))}]"
        case t.MapType() | t.MultisetType():
            key = _inner(type_.key if isinstance(type_, t.MapType) else type_.element, zone)
            item = _inner(type_.value, zone) if isinstance(type_, t.MapType) else str
            return lambda value: "{" + ", ".join(f"{key(k)}={item(v)}" for k, v in value.items()) + "}"
        case t.StructuredType():
            fields = [_inner(one, zone) for one in type_.types]
            names = type_.names
            return lambda value: f"({', '.join(f'{n}={f(v)}' for n, f, v in zip(names, fields, value, strict=True))})"
        case t.RowType():
            fields = [_inner(one, zone) for one in type_.types]
            return lambda value: f"({', '.join(f(v) for f, v in zip(fields, value, strict=True))})"
        case t.TimestampLtzType():
            local = _moment(type_.precision)
            return lambda value: local(value.astimezone(zone))
        case t.TimestampBase() | t.TimeType():
            return _SECONDS[type(type_)](type_.precision)
    return _TEXTS.get(type(type_), str)


def _inner(type_: t.LogicalType, zone: dt.tzinfo) -> Callable[..., str]:
    text = text_of(type_, zone)
    return lambda value: "NULL" if value is None else text(value)


def _single(value: float) -> str:
    """The shortest decimal text that identifies this FLOAT."""
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        try:
            if unpack("f", pack("f", short)) == unpack("f", pack("f", value)):
                return _double(short)
        except error:
            break
    return _double(value)


def _double(value: float) -> str:
    """The text of a DOUBLE in Java: `1.5`, `1.0E10`, `1.0E-5`, `NaN`, `Infinity`."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return format(Decimal(repr(value)), "f") if "e" in repr(value) else repr(value)
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    power = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{power}"


def _moment(precision: int) -> Callable[[dt.datetime], str]:
    def text(value: dt.datetime) -> str:
        return value.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0") + _fraction(value.microsecond * 1000, precision)

    return text


def _clock(precision: int) -> Callable[[int], str]:
    def text(value: int) -> str:
        seconds, millis = divmod(value, 1000)
        head = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        return head + _fraction(millis * 1_000_000, precision)

    return text


def _fraction(nanos: int, precision: int) -> str:
    return f".{nanos:09}"[: precision + 1] if precision else ""


def _months(value: int) -> str:
    years, months = divmod(abs(value), 12)
    return f"{'-' if value < 0 else '+'}{years}-{months:02}"


def _millis(value: int) -> str:
    seconds, millis = divmod(abs(value), 1000)
    days, seconds = divmod(seconds, 86400)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{millis:03}"
    return f"{'-' if value < 0 else '+'}{days} {clock}"


_SECONDS: dict[type[t.LogicalType], Callable[[int], Callable[..., str]]] = {
    t.TimestampType: _moment,
    t.TimeType: _clock,
}
_TEXTS: dict[type[t.LogicalType], Callable[..., str]] = {
    t.BooleanType: lambda value: "TRUE" if value else "FALSE",
    t.BinaryType: lambda value: f"x'{value.hex()}'",
    t.VarBinaryType: lambda value: f"x'{value.hex()}'",
    t.BitmapType: bitmaps.text,
    t.VariantType: lambda value: variants.text(value, _double),
    t.FloatType: _single,
    t.DoubleType: _double,
    t.DecimalType: lambda value: format(value, "f"),
    t.DateType: lambda value: value.isoformat(),
    t.YearMonthIntervalType: _months,
    t.DayTimeIntervalType: _millis,
}

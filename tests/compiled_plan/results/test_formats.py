from __future__ import annotations

import csv
import datetime as dt
import io
import json
from decimal import Decimal

import pytest

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.chunks import Chunk
from compiled_plan.results.formats import Format, format_rows, json_of
from compiled_plan.results.tableau import Display

ROW = t.row_of(["a", "b c"], [t.INT, t.STRING])


def lines(form: Format, *, kinds: bool = False) -> list[str]:
    chunks = [Chunk([0, 1], [[1, None], ["x|y", 'q"\n,']]), Chunk([3], [[2], [None]])]
    return list(format_rows(form, ROW, iter(chunks), Display(), kinds=kinds))


def test_each_format() -> None:
    assert lines(Format.JSON) == [
        '{"a": 1, "b c": "x|y"}',
        '{"a": null, "b c": "q\\"\\n,"}',
        '{"a": 2, "b c": null}',
    ]
    assert lines(Format.CSV) == ["a,b c", "1,x|y", ',"q""\n,"', "2,"]
    assert lines(Format.MARKDOWN) == [
        "| a | b c |",
        "| ---: | --- |",
        "| 1 | x\\|y |",
        '|  | q"<br>, |',
        "| 2 |  |",
    ]
    assert lines(Format.TABLE)[1].split() == ["|", "a", "|", "b", "c", "|"]
    assert lines(Format.TABLE)[-1] == "3 rows in set"


def test_line_breaks_stay_in_their_cells() -> None:
    texts = ["a\nb", "a\rb", "a\r\nb"]
    chunks = [Chunk([0] * 3, [texts])]
    row_type = t.row_of(["s"], [t.STRING])
    as_csv = "\n".join(format_rows(Format.CSV, row_type, iter(chunks), Display(), kinds=False))
    assert [*csv.reader(io.StringIO(as_csv, newline=""))] == [["s"], *([text] for text in texts)]
    as_markdown = format_rows(Format.MARKDOWN, row_type, iter(chunks), Display(), kinds=False)
    assert [*as_markdown][2:] == ["| a<br>b |"] * 3


def test_kinds_are_the_first_column() -> None:
    assert lines(Format.CSV, kinds=True)[:3] == ["op,a,b c", "+I,1,x|y", '-U,,"q""\n,"']
    assert [json.loads(line)["op"] for line in lines(Format.JSON, kinds=True)] == ["+I", "-U", "-D"]
    assert lines(Format.TABLE, kinds=True)[1].split()[:2] == ["|", "op"]


@pytest.mark.parametrize("form", Format)
def test_rows_are_formatted_as_they_arrive(form: Format) -> None:
    def chunks():
        yield Chunk([0], [[1], ["x"]])
        raise ZeroDivisionError

    out = []
    with pytest.raises(ZeroDivisionError):
        for line in format_rows(form, ROW, chunks(), Display(), kinds=False):
            out.append(line)
    assert "x" in out[-1]


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        (t.BOOLEAN, True, "true"),
        (t.DecimalType(precision=38, scale=20), Decimal("12345678901234567.89000000000000000001"), None),
        (t.DOUBLE, 1e10, "1.0E10"),
        (t.DOUBLE, float("nan"), '"NaN"'),
        (t.FLOAT, float("-inf"), '"-Infinity"'),
        (t.DATE, dt.date(2026, 1, 31), '"2026-01-31"'),
        (t.TimestampLtzType(precision=3), dt.datetime(2026, 1, 31, tzinfo=dt.UTC), '"2026-01-31 01:00:00.000"'),
        (t.BYTES, b"\x01", "\"x'01'\""),
        (t.ArrayType(element=t.INT), [1, None], "[1, null]"),
        (t.MapType(key=t.INT, value=t.STRING), {1: "a", 2: None}, '{"1": "a", "2": null}'),
        (t.row_of(["x"], [t.row_of(["y"], [t.STRING])]), (("é",),), '{"x": {"y": "é"}}'),
        (t.STRING, None, "null"),
    ],
)
def test_json(type_: t.LogicalType, value: object, text: str | None) -> None:
    written = json_of(type_, dt.timezone(dt.timedelta(hours=1)))(value)
    assert written == (str(value) if text is None else text)
    json.loads(written)

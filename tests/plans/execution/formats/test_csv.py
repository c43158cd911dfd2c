from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.expressions.functions import register
from compiled_plan.plans.execution.formats.base import FormatTable
from compiled_plan.plans.execution.formats.csv import SPEC, CsvFormat
from compiled_plan.plans.execution.formats.lines import file_format
from tests.support import messages
from tests.support.formats import writer
from tests.support.tiers import but_wide

FAILURE = (PySparkException, Py4JJavaError)
THREE = ("INT", "STRING", "STRING")


def spec_of(types: tuple[str, ...], options: dict[str, str], names: str = "") -> FormatTable:
    columns = names.split() or [f"col{i}" for i in range(len(types))]
    row = t.row_of(columns, [t.parse_type(text) for text in types])
    return FormatTable("c.d.t", row, {key.replace("_", "-"): value for key, value in options.items()})


def read(spark: SparkSession, text: str, *types: str, **options: str) -> list[tuple[Any, ...]]:
    register(spark)
    format_ = file_format("csv")
    assert isinstance(format_, CsvFormat)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rows.csv").write_text(text, newline="", errors="surrogateescape")
        # A batch reader takes the same format as the stream's.
        rows: list[Row] = format_.scan(spark.read, folder, spec_of(types, options), []).collect()  # type: ignore[arg-type]
    return [tuple(row)[3:] for row in rows]


def test_quotes(spark: SparkSession) -> None:
    text = '1,a,b\n2,"x, ""y""",\r\n3,"two\nlines","é"\n4, "q",a"b'
    assert read(spark, text, *THREE) == [
        (1, "a", "b"),
        (2, 'x, "y"', ""),
        (3, "two\nlines", "é"),
        (4, ' "q"', 'a"b'),
    ]


def test_any_column_name(spark: SparkSession, tmp_path: Path) -> None:
    register(spark)
    (tmp_path / "rows.csv").write_text("1,a,b\n")
    spec = spec_of(THREE, {}, "kind suffix m0")
    rows: list[Row] = CsvFormat(SPEC).scan(spark.read, str(tmp_path), spec, []).collect()  # type: ignore[arg-type]
    assert [tuple(row)[3:] for row in rows] == [(1, "a", "b")]


def test_unused_cells_are_not_parsed(spark: SparkSession, tmp_path: Path) -> None:
    register(spark)
    (tmp_path / "rows.csv").write_text('x,a,2\ny,"b",3\n')
    spec = replace(spec_of(("INT", "STRING", "BIGINT"), {}, "i s n"), wanted=frozenset({"s", "n"}))
    rows: list[Row] = CsvFormat(SPEC).scan(spark.read, str(tmp_path), spec, []).collect()  # type: ignore[arg-type]
    assert [tuple(row)[3:] for row in rows] == [(None, "a", 2), (None, "b", 3)]


#: Text of files with a header, with the rows of columns `id`, `item` and `n`.
HEADED = {
    "of the columns": ("id,item,n\n1,a,2\n", [(1, "a", 2)]),
    "in another order": ("n,id,item\n2,1,a\n4,3,b\n", [(1, "a", 2), (3, "b", 4)]),
    "with more columns": ("x,item,y,id,n\n-,a,-,1,2\n", [(1, "a", 2)]),
    "with quotes and cases": ('"ID","Item" ,N\n"1","a, b",2\n', [(1, "a, b", 2)]),
    "with a mark and an end of Windows": ("\ufeffid,item,n\r\n1,a,2\r\n", [(1, "a", 2)]),
    "alone": ("id,item,n\n", []),
    "repeated as a row": ("item,id,n\nid,1,2\n", [(1, "id", 2)]),
    "": ("", []),
}
COLUMNS = ("INT", "STRING", "INT")


def headed(spark: SparkSession, folder: Path, **options: str) -> list[tuple[Any, ...]]:
    register(spark)
    spec = spec_of(COLUMNS, {"header": "true", **options}, "id item n")
    rows: list[Row] = CsvFormat(SPEC).scan(spark.read, str(folder), spec, []).collect()  # type: ignore[arg-type]
    return [tuple(row)[3:] for row in rows]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "rows"), HEADED.values(), ids=list(HEADED))
def test_a_header_names_the_cells(spark: SparkSession, tmp_path: Path, text: str, rows: list[Any]) -> None:
    (tmp_path / "rows.csv").write_text(text, newline="")
    assert headed(spark, tmp_path) == rows


def test_files_have_headers_of_their_own(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("# of Monday\nid,item,n\n1,a,2\n")
    (tmp_path / "2.csv").write_text("# of Tuesday\nn,item,id\n4,b,3\n")
    assert sorted(headed(spark, tmp_path, allow_comments="true")) == [(1, "a", 2), (3, "b", 4)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lenient", ["false", "true"])
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1,a,2\n3,b,4\n", "its header lacks the column 'id': 1, a, 2"),
        ("id,n\n1,2\n", "its header lacks the column 'item': id, n"),
        ("id,ID,item,item,n\n", "its header has the column 'item' twice: id, ID, item, item, n"),
        ("Id,ID,item,n\n", "its header has the column 'id' twice: Id, ID, item, n"),
    ],
)
def test_a_header_must_have_each_column_once(
    spark: SparkSession, tmp_path: Path, text: str, fault: str, lenient: str
) -> None:
    (tmp_path / "rows.csv").write_text(text)
    with pytest.raises(FAILURE, match=f"a file of table c.d.t cannot be read: {re.escape(fault)}"):
        headed(spark, tmp_path, ignore_parse_errors=lenient)


def test_a_row_below_a_header_has_all_its_cells(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("x,n,id,item\n-,2,1\n")
    with pytest.raises(FAILURE, match="row length mismatch: 4 fields expected, 3 found"):
        headed(spark, tmp_path)
    assert headed(spark, tmp_path, ignore_parse_errors="true") == [(1, None, 2)]


LONG, INTEGER = 2**63 - 1, 2**31 - 1


#: Lines, and their rows.
VALUES = {
    "1,a,2,2024-01-02 03:04:05.678": (1, "a", 2, "2024-01-02 03:04:05.678000"),
    f"{INTEGER},é,{LONG},2024-01-02 03:04:05": (INTEGER, "é", LONG, "2024-01-02 03:04:05"),
    f"{-INTEGER - 1},,{-LONG - 1},-\r": (-INTEGER - 1, "", -LONG - 1, None),
    "-12, b ,-,0": (-12, " b ", None, None),
    " 7 ,-,+8,2024-02-30 00:00:00": (7, None, 8, "2024-02-29 00:00:00"),
    "-,\t,-0,-": (None, "\t", 0, None),
    "5,,6,2024-12-31 23:59:59.9999999": (5, "", 6, "2024-12-31 23:59:59.999999"),
    "5,,6,2023-02-29 00:00:00.25": (5, "", 6, "2023-02-28 00:00:00.250000"),
}


@pytest.mark.parametrize("quoted", [False, True])
def test_values_with_and_without_quotes(spark: SparkSession, quoted: bool) -> None:
    """A line with a quote is parsed differently; the quote belongs to an additional column."""
    options = {"null_literal": "-", "ignore_trailing_unmappable": "true", "ignore_parse_errors": "true"}
    lines = [line.replace("\r", "") + ',""' if quoted else line for line in VALUES]
    rows = read(spark, "\n".join(lines) + "\n", "INT", "STRING", "BIGINT", "TIMESTAMP(6)", **options)
    texts = [(*cells[:3], None if cells[3] is None else str(cells[3])) for cells in rows]
    assert dict(zip(VALUES, texts, strict=True)) == VALUES


def test_options(spark: SparkSession) -> None:
    assert read(spark, "1\t'a\tb'\tx", *THREE, field_delimiter="\t", quote_character="'") == [(1, "a\tb", "x")]
    assert read(spark, '1,"a",b"', *THREE, disable_quote_character="true") == [(1, '"a"', 'b"')]
    assert read(spark, "1,a\\,b,c", *THREE, escape_character="\\") == [(1, "a,b", "c")]
    assert read(spark, "# x\n1,n/a,b", *THREE, allow_comments="true", null_literal="n/a") == [(1, None, "b")]
    assert read(spark, "1, a , b ", *THREE, trim_spaces="true") == [(1, "a", "b")]
    assert read(spark, "1,,b", *THREE, empty_string_as_null="true") == [(1, None, "b")]
    assert read(spark, "1,a,b,c,d", *THREE, ignore_trailing_unmappable="true") == [(1, "a", "b")]
    assert read(spark, "1,a,b,", *THREE) == [(1, "a", "b")]
    assert read(spark, "a\n\nb", "STRING") == [("a",), ("",), ("b",)]
    assert read(spark, "1|2,x", "ARRAY<INT>", "STRING", array_element_delimiter="|") == [([1, 2], "x")]


def test_null_literal_in_a_collection_is_an_element(spark: SparkSession) -> None:
    types = ("INT", "ARRAY<STRING>", "ARRAY<INT>", "ROW<x STRING>")
    text = "1,n,n,n\n2,a;n,1;n,a\n3,,,\n"
    assert read(spark, text, *types, null_literal="n") == [
        (1, [None], [None], (None,)),
        (2, ["a", None], [1, None], ("a",)),
        (3, [], [], None),
    ]
    assert read(spark, "1,,,a\n", *types, null_literal="") == [(1, [], [], ("a",))]
    with pytest.raises(FAILURE, match="row length mismatch: 2 fields expected, 1 found"):
        read(spark, "n", "ROW<x STRING, y INT>", null_literal="n")


@pytest.mark.parametrize(
    "text", but_wide(["a\udce9,1", '"a\udce9",1', "b,1\udcff", "\udced\udca0\udc80,1"], lambda text: text[0] in "ab")
)
def test_bytes_that_are_no_text(spark: SparkSession, text: str) -> None:
    with pytest.raises(FAILURE, match="not UTF-8"):
        read(spark, text, "STRING", "STRING")
    rows = read(spark, f"x,1\n{text}\ny,2\n", "STRING", "STRING", ignore_parse_errors="true")
    assert rows == [("x", "1"), ("y", "2")]


def test_times_have_the_digits_of_their_type(spark: SparkSession) -> None:
    text = "01:02:03.999,01:02:03.999,01:02:03.9999\n"
    ((whole, tenths, millis),) = read(spark, text, "TIME(0)", "TIME(1)", "TIME(3)")
    assert (whole, tenths, millis) == (3_723_000, 3_723_900, 3_723_999)


def test_values(spark: SparkSession) -> None:
    types = (
        "DECIMAL(5, 2)",
        "BOOLEAN",
        "BYTES",
        "DATE",
        "TIMESTAMP(3)",
        "ARRAY<INT>",
        "ROW<p INT, q STRING>",
        "DOUBLE",
    )
    row = read(spark, '1.005,TRUE,AQL/,2024-01-02,"2024-01-02 03:04:05.5",1;2,7;y,-Infinity', *types)[0]
    assert row[0] == Decimal("1.01")
    assert row[1:3] == (True, b"\x01\x02\xff")
    assert [str(v) for v in row[3:5]] == ["2024-01-02", "2024-01-02 03:04:05.500000"]
    assert (row[5], tuple(row[6]), row[7]) == ([1, 2], (7, "y"), float("-inf"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,a,b", "column col0: 'x' cannot be read as INT"),
        ("1,a,b,c", "too many entries: expected at most 3, found 4"),
        ("1,a", "row length mismatch: 3 fields expected, 2 found"),
        ("\n1,a,b", "row length mismatch: 3 fields expected, 1 found"),
        (",a,b", "column col0: '' cannot be read as INT"),
        ('1,"a"b,c', "a separator must follow a quoted cell, not 'b'"),
        ('1,"open,c\n2,x,y', "a quote is not closed"),
    ],
)
def test_faults(spark: SparkSession, text: str, message: str) -> None:
    with pytest.raises(FAILURE, match=message):
        read(spark, text, *THREE)
    rest = read(spark, f"9,ok,ok\n{text}", *THREE, ignore_parse_errors="true")
    assert rest[0] == (9, "ok", "ok")


def test_written_as_flink_writes(spark: SparkSession, tmp_path: Path) -> None:
    types = (
        "INT",
        "STRING",
        "DECIMAL(10, 2)",
        "TIMESTAMP(3)",
        "ARRAY<STRING>",
        "ROW<x INT, y STRING>",
        "BYTES",
        "CHAR(5)",
    )
    values = [
        "1",
        "'a\"b\\n,;ü'",
        "10.00BD",
        "TIMESTAMP_NTZ'2024-01-02 03:04:05.12'",
        "array('x;y', '\"q\"', null, '')",
        "named_struct('x', 1, 'y', 'y')",
        "X'0102FF'",
        "'ab   '",
    ]
    frame = spark.range(2, numPartitions=1).select(
        F.lit(0).cast("tinyint").alias("kind"),
        *(F.when(F.col("id") == 0, F.expr(sql)).alias(f"c{i}") for i, sql in enumerate(values)),
    )
    writer(file_format("csv"), frame, spec_of(types, {})).save(str(tmp_path / "out"))
    text = "".join(file.read_text() for file in sorted((tmp_path / "out").glob("part-*")))
    assert text == ('1,"a""b\n,;ü",1E+1,"2024-01-02 03:04:05.12","x;y;""q"";;",1;y,AQL/,"ab   "\n,,,,,,,\n')


WRONG = {"ignore-parse-errors": "true"}
PAIR = t.row_of(["n", "s"], [t.parse_type("INT"), t.parse_type("STRING")])


#: Messages, and their records.
MESSAGES = {
    "1,a\n": (1, "a"),
    "1,a\r\n": (1, "a"),
    '1,"a"\r\n': (1, "a"),
    '1,"a\nb"': (1, "a\nb"),
    '1,"a\nb"\n': (1, "a\nb"),
    "1,a\n2,b": (1, "a"),
    "1,\n": (1, ""),
    "7,z": (7, "z"),
}


@pytest.mark.parametrize(
    "beside", [{}, pytest.param({"allow-comments": "true"}, marks=pytest.mark.wide)], ids=["quick", "slow"]
)
def test_a_message_is_one_record(spark: SparkSession, beside: Any) -> None:
    """Its first line, as in Flink; a quoted cell may contain line ends."""
    records = messages.read(spark, "csv", PAIR, [message.encode() for message in MESSAGES], beside)
    assert dict(zip(MESSAGES, records, strict=True)) == {text: (0, *row) for text, row in MESSAGES.items()}


@pytest.mark.parametrize(
    "beside", [{}, pytest.param({"allow-comments": "true"}, marks=pytest.mark.wide)], ids=["quick", "slow"]
)
def test_a_quote_ends_with_its_message(spark: SparkSession, beside: dict[str, str]) -> None:
    lines = [b'1,"a', b"2,b", b'3,"c"', b'4,"', b"5,e"]
    assert messages.read(spark, "csv", PAIR, lines, {**WRONG, **beside}) == [(0, 2, "b"), (0, 3, "c"), (0, 5, "e")]
    with pytest.raises(FAILURE, match="a quote is not closed before the end of the message"):
        messages.read(spark, "csv", PAIR, lines, beside)
    with pytest.raises(FAILURE, match="a quote is not closed before the end of the message"):
        messages.read(spark, "csv", PAIR, lines[:1], beside)

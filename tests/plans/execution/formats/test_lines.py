"""Line files: splits for several tasks, compression, and row order."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from compiled_plan.plans import types as t
from compiled_plan.plans.execution.formats.base import FormatTable, Order
from compiled_plan.plans.execution.formats.lines import LineFormat, file_format
from tests.support.formats import message_changes, writer
from tests.support.tiers import but_wide

FAILURE = (PySparkException, Py4JJavaError)
RAW = FormatTable("c.d.t", t.row_of(["line"], [t.STRING]), {})
LINES = ["first", "", "a longer line, with é and 漢", "x" * 50, "", "last"]
MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


@contextmanager
def parts_of(spark: SparkSession, size: int) -> Iterator[None]:
    """Limit the bytes of a file that a task reads."""
    names = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
    before = [spark.conf.get(name) for name in names]
    for name, value in zip(names, (str(size), "1"), strict=True):
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in zip(names, before, strict=True):
            spark.conf.set(name, str(old))


def rows(spark: SparkSession, place: Path, spec: FormatTable = RAW, name: str = "raw") -> list[Row]:
    """The rows of a folder, in their order."""
    order = Order(len(str(place)))
    scanned = file_format(name).scan(spark.read, str(place), spec, [], order)  # type: ignore[arg-type]
    return sorted(scanned.collect(), key=lambda row: (row.ord, bytes(row.path)))


@pytest.mark.wide
@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 61, 1000])
def test_each_line_is_read_once_for_any_split(spark: SparkSession, tmp_path: Path, size: int) -> None:
    """With and without a byte order mark and a last line end; sorted, the rows of a file follow those of another."""
    for name, start, end in [("a", "", ""), ("b", "", "\n"), ("c", MARK, ""), ("d", MARK, "\n")]:
        file = tmp_path / name
        file.write_text(start + "\n".join(LINES) + end, newline="")
        os.utime(file, (100, 100))
    with parts_of(spark, size):
        actual = rows(spark, tmp_path)
    assert [row.c0 for row in actual] == LINES * 4


@pytest.mark.parametrize(
    ("name", "compress"),
    but_wide(
        [
            ("lines.gz", gzip.compress),
            ("lines.gzip", gzip.compress),
            ("lines.bz2", bz2.compress),
            ("lines.deflate", zlib.compress),
            ("lines.xz", lzma.compress),
        ],
        lambda case: case[0] in ("lines.gz", "lines.xz"),
    ),
)
def test_compressed_files_are_read_in_one_piece(
    spark: SparkSession, tmp_path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    many = [f"{at} {LINES[at % len(LINES)]}" for at in range(5000)]
    (tmp_path / name).write_bytes(compress((MARK + "\n".join(many)).encode()))
    with parts_of(spark, 1000):
        assert [row.c0 for row in rows(spark, tmp_path)] == many


@pytest.mark.parametrize(
    "length", but_wide([(1 << 17) - 1, 1 << 17, (1 << 17) + 1, 1_000_000], lambda size: size > 1 << 17)
)
def test_lines_may_be_longer_than_the_read_buffer(spark: SparkSession, tmp_path: Path, length: int) -> None:
    long = ["a", "b" * length, "", "c" * (length + 1), "d"]
    (tmp_path / "lines").write_text("\n".join(long) + "\n")
    assert [row.c0 for row in rows(spark, tmp_path)] == long


def test_rows_are_ordered_by_time_path_and_position(spark: SparkSession, tmp_path: Path) -> None:
    for number, (name, time) in enumerate([("b", 100), ("a", 100), ("c", 50)]):
        file = tmp_path / name
        file.write_text("".join(f'[{{"n": {number * 10 + at}}}, {{"n": {number * 10 + at + 5}}}]\n' for at in range(3)))
        os.utime(file, (time, time))
    spec = FormatTable("c.d.t", t.row_of(["n"], [t.INT]), {})
    actual = rows(spark, tmp_path, spec, "json")
    in_file = [0, 5, 1, 6, 2, 7]
    assert [row.c0 for row in actual] == [start + at for start in (20, 10, 0) for at in in_file]
    assert [row.ord for row in actual] == [50_000_000] * 6 + [100_000_000] * 12


@pytest.mark.parametrize("name", ["raw", "avro"])
def test_files_of_all_formats_are_ordered_together(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """Tables of several formats have files with equal times, and their rows interleave."""
    format_, order = file_format(name), Order(3)
    rows = spark.createDataFrame([("x",)], "c0 string").selectExpr("CAST(0 AS TINYINT) kind", "c0")
    writer(format_, rows, RAW).save(str(tmp_path / "a b"))
    scanned = format_.scan(spark.read, str(tmp_path / "a b"), RAW, [F.col("_metadata.file_path").alias("uri")], order)  # type: ignore[arg-type]
    (row,) = scanned.collect()
    assert bytes(row.path)[:-9].decode() == row.uri[3:]


def test_rows_of_one_file_are_numbered(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_text("\n".join(map(str, range(100))))
    with parts_of(spark, 50):
        scanned = file_format("raw").scan(spark.read, str(file), RAW, []).collect()  # type: ignore[arg-type]
    assert [row.c0 for row in sorted(scanned, key=lambda row: row.ord)] == list(map(str, range(100)))
    assert len({row.ord for row in scanned}) == 100
    assert all(row.path is None for row in scanned)


def test_unused_columns_are_not_parsed(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "rows").write_text('1,no number\n"2","none, either"\n')
    row = t.row_of(["a", "b"], [t.INT, t.INT])
    scanned = file_format("csv").scan(spark.read, str(tmp_path), FormatTable("c.d.t", row, {}), [])  # type: ignore[arg-type]
    assert [row.c0 for row in scanned.select("c0").collect()] == [1, 2]
    assert scanned.count() == 2


def test_unused_fields_may_be_missing(spark: SparkSession, tmp_path: Path) -> None:
    """As in Flink, whose format reads the needed fields only."""
    (tmp_path / "rows").write_text('{"a": 1}\n{"a": 2, "b": "no number"}\n')
    row = t.row_of(["a", "b"], [t.INT, t.INT])
    spec = FormatTable("c.d.t", row, {"fail-on-missing-field": "true"})
    scanned = file_format("json").scan(spark.read, str(tmp_path), spec, [])  # type: ignore[arg-type]
    assert [row.c0 for row in scanned.select("c0").collect()] == [1, 2]
    with pytest.raises(FAILURE, match="could not find field with name 'b'"):
        scanned.collect()


def test_columns_of_all_types_without_and_with_quotes(spark: SparkSession, tmp_path: Path) -> None:
    types = "BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL(38,20) DECIMAL(9,2) DATE TIME(3) TIMESTAMP(6)"
    names = [f"c{at}" for at in range(len(types.split()) + 3)]
    kinds = [*types.split(), "TIMESTAMP_LTZ(3)", "BYTES", "STRING"]
    row = t.row_of(names, [t.parse_type(text) for text in kinds])
    cells = "true,-128,7,-9,9223372036854775807,1.5,2.25,123456789.12345678901234567890,3.10,1969-12-31,23:59:59,"
    cells += "1900-02-28 12:00:00.000001,2024-02-29 00:00:00.001Z,aGk=,text"
    quoted = ",".join(f'"{cell}"' for cell in cells.split(","))
    nulls = ",".join(["-"] * len(names))
    (tmp_path / "rows").write_text("\n".join([cells, quoted, nulls]))
    spec = FormatTable("c.d.t", row, {"null-literal": "-"})
    scanned = file_format("csv").scan(spark.read, str(tmp_path), spec, [])  # type: ignore[arg-type]
    plain, same, nothing = (tuple(row)[3:] for row in scanned.collect())
    assert plain == same
    assert None not in plain
    assert nothing == (None,) * len(names)
    csv = file_format("csv")
    assert isinstance(csv, LineFormat)
    message = F.get(message_changes(spark, csv, spec, F.col("value")), F.lit(0))
    frame = spark.createDataFrame([(text,) for text in (cells, quoted, nulls)], "value string").coalesce(1)
    assert [tuple(row)[2:] for row in frame.select(message.alias("m")).select("m.*").collect()] == [
        plain,
        same,
        nothing,
    ]


def test_lines_without_quotes_are_read_as_those_with_them(spark: SparkSession, tmp_path: Path) -> None:
    chance = random.Random(20261124)
    # Some differ from a comma in one bit, or have a byte that does.
    letters = ["a", "7", " ", "-", "\N{NOT SIGN}", ";", "é", "漢", "\x00"]
    lines = [["".join(chance.choices(letters, k=chance.randrange(12))) for _ in range(5)] for _ in range(2000)]
    for name, quote in (("plain", ""), ("quoted", '"')):
        text = "\n".join(",".join(f"{quote}{cell}{quote}" for cell in line) for line in lines)
        (tmp_path / name).write_text(text, newline="", encoding="utf-8")
    row = t.row_of(["a", "b", "c", "d", "e"], [t.STRING] * 5)
    spec = FormatTable("c.d.t", row, {"null-literal": "7"})
    parsed = rows(spark, tmp_path, spec, "csv")
    wanted = [tuple(None if cell == "7" else cell for cell in line) for line in lines]
    assert [tuple(row)[3:] for row in parsed] == wanted + wanted


FOUR = FormatTable("c.d.t", t.row_of([f"c{at}" for at in range(4)], [t.STRING] * 4), {})


@pytest.mark.parametrize(
    "line", ["1234567,12345678", "1,2,3", "1,2,3,4,5,", "12345678,1234567,1,2,3", "1,2,3,4,5,6,7,8,9,10"]
)
def test_lines_of_too_few_or_too_many_cells_are_named(spark: SparkSession, tmp_path: Path, line: str) -> None:
    (tmp_path / "rows").write_text(line + "\n")
    with pytest.raises(FAILURE, match=r"fields expected|too many entries"):
        rows(spark, tmp_path, FOUR, "csv")


@pytest.mark.parametrize("line", ["12345678,1234567,1,", ",,,", "1,2,3,4,"], ids=["last", "all", "one more separator"])
def test_cells_may_be_empty(spark: SparkSession, tmp_path: Path, line: str) -> None:
    (tmp_path / "rows").write_text(line + "\n")
    (row,) = rows(spark, tmp_path, FOUR, "csv")
    assert tuple(row)[3:] == tuple(line.split(",")[:4])

"""The connector `spark` with data sources that Spark ships, and a Python one: streams, whole tables, restarts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter, WriterCommitMessage

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, DataError, ExecutionError, UnsupportedError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.spark.packages import PROVIDERS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = (
    "id INT, `Na me` STRING, amount DECIMAL(10, 2), wall TIMESTAMP(6), instant TIMESTAMP_LTZ(6), born DATE, "
    "tags ARRAY<STRING>, shape ROW<w DOUBLE, h DOUBLE>, ok BOOLEAN"
)
VALUES = (
    "(1, 'a', 1.5, TIMESTAMP '2024-03-31 02:30:00.123456', CAST(NULL AS TIMESTAMP_LTZ(6)), DATE '2024-02-29', "
    "ARRAY['x', 'y'], ROW(CAST(1 AS DOUBLE), CAST(2 AS DOUBLE)), TRUE), (2, CAST(NULL AS STRING), CAST(NULL AS INT), "
    "CAST(NULL AS TIMESTAMP(6)), TO_TIMESTAMP_LTZ(1711848600, 0), CAST(NULL AS DATE), CAST(NULL AS ARRAY<STRING>), "
    "CAST(NULL AS ROW<w DOUBLE, h DOUBLE>), FALSE)"
)


def table(name: str, columns: str, **options: str) -> str:
    table_options = {"connector": "spark", **{key.replace("_", "."): value for key, value in options.items()}}
    text = ", ".join(f"'{key}' = '{value}'" for key, value in table_options.items())
    return f"CREATE TABLE {name} ({columns}) WITH ({text});"


def run(spark: SparkSession, program: str, checkpoint: Path | None = None, *, now: bool = False) -> list[str]:
    """The lines that a program prints."""
    lines: list[str] = []
    options = RunOptions(checkpoint=str(checkpoint) if checkpoint else "", available_now=now)
    Run(spark, TableEnvironment().compile_script(program), options, lines.append).execute()
    return sorted(lines)


def printed(columns: str) -> str:
    return f"CREATE TABLE p ({columns}) WITH ('connector' = 'print');"


@pytest.mark.wide
def test_a_stream_of_files_continues_after_a_restart(spark: SparkSession, tmp_path: Path) -> None:
    """Written by one plan, read by another; after a restart only new rows."""
    place = str(tmp_path / "data")
    sink = table("t", COLUMNS, provider="parquet", path=place)
    run(spark, f"{sink} INSERT INTO t SELECT * FROM (VALUES {VALUES}) AS v")
    printing = printed("id INT, amount DECIMAL(10, 2), tags ARRAY<STRING>")
    program = f"{sink}{printing}INSERT INTO p SELECT id, amount, tags FROM t"
    assert run(spark, program, tmp_path / "c", now=True) == ["+I[1, 1.50, [x, y]]", "+I[2, null, null]"]
    run(spark, f"{sink} INSERT INTO t (id) VALUES (3)")
    assert run(spark, program, tmp_path / "c", now=True) == ["+I[3, null, null]"]


@pytest.mark.wide
def test_rows_are_counted_also_where_there_are_none(spark: SparkSession, tmp_path: Path) -> None:
    sink = table("t", "id INT", provider="parquet", path=str(tmp_path / "data"))
    for query, rows in (("VALUES (1), (2)", 2), ("SELECT id FROM (VALUES (1)) AS v(id) WHERE FALSE", 0)):
        plan = TableEnvironment().compile_script(f"{sink} INSERT INTO t {query}")
        assert Run(spark, plan, RunOptions()).execute().rows_out == rows, query


@pytest.mark.deep
def test_a_table_of_all_types_is_read_as_a_whole(spark: SparkSession, tmp_path: Path) -> None:
    place = str(tmp_path / "data")
    sink = table("t", COLUMNS, provider="parquet", path=place)
    run(spark, f"{sink} INSERT INTO t SELECT * FROM (VALUES {VALUES}) AS v")
    run(spark, f"{sink} INSERT INTO t (id) VALUES (3)")
    whole = table("t", COLUMNS, provider="parquet", path=place, scan_mode="batch")
    assert run(spark, f"{whole}{printed(COLUMNS)}INSERT INTO p SELECT * FROM t WHERE id < 3") == [
        "+I[1, a, 1.50, 2024-03-31T02:30:00.123456, null, 2024-02-29, [x, y], +I[1.0, 2.0], true]",
        "+I[2, null, null, null, 2024-03-31T01:30:00Z, null, null, null, false]",
    ]


class Numbers(DataSource):
    """Rows of numbers in the memory of a process, and rows appended to a file."""

    @classmethod
    def name(cls) -> str:
        return "numbers"

    def schema(self) -> str:
        return "n bigint, text string"

    def reader(self, schema: Any) -> DataSourceReader:
        return Reader(int(self.options["upto"]))

    def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
        return Writer(self.options["file"])


class Reader(DataSourceReader):
    def __init__(self, upto: int) -> None:
        self.upto = upto

    def read(self, partition: Any) -> Iterator[tuple[Any, ...]]:
        yield from ((n, f"n{n}") for n in range(self.upto))


class Writer(DataSourceWriter):
    def __init__(self, file: str) -> None:
        self.file = file

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        with Path(self.file).open("a") as out:
            out.writelines(f"{row.n} {row.text}\n" for row in iterator)
        return WriterCommitMessage()


@pytest.mark.deep
def test_a_data_source_in_python_is_read_whole_and_written(spark: SparkSession, tmp_path: Path) -> None:
    spark.dataSource.register(Numbers)
    columns, file = "text STRING, n BIGINT", tmp_path / "out.txt"
    source = table("s", columns, provider="numbers", upto="3")
    sink = table("t", "n BIGINT, text STRING", provider="numbers", upto="0", file=str(file))
    program = f"{source}{sink}INSERT INTO t SELECT n, UPPER(text) FROM s"
    run(spark, program, tmp_path / "c")
    assert sorted(file.read_text().splitlines()) == ["0 N0", "1 N1", "2 N2"]
    # Rows that were read are not read again.
    run(spark, program, tmp_path / "c")
    assert len(file.read_text().splitlines()) == 3
    with pytest.raises(UnsupportedError, match="provider 'numbers' does not support streaming reads"):
        run(spark, program.replace("'upto' = '3'", "'upto' = '3', 'scan.mode' = 'streaming'"))
    with pytest.raises(CompiledPlanError, match="invalid literal for int"):
        run(spark, program.replace("'upto' = '3'", "'upto' = 'three'"))


@pytest.mark.deep
@pytest.mark.parametrize("provider", ["orc", "json", "csv"])
def test_files_in_other_formats(spark: SparkSession, provider: str, tmp_path: Path) -> None:
    columns = "id INT, name STRING, amount DECIMAL(10, 2), born DATE"
    values = "(1, 'a', 1.5, DATE '2024-02-29'), (2, CAST(NULL AS STRING), CAST(NULL AS INT), CAST(NULL AS DATE))"
    place = {"provider": provider, "path": str(tmp_path / "data")}
    run(spark, f"{table('t', columns, **place)}INSERT INTO t SELECT * FROM (VALUES {values}) AS v")
    for mode in ("auto", "batch"):
        lines = run(
            spark,
            f"{table('t', columns, scan_mode=mode, **place)}{printed(columns)}INSERT INTO p SELECT * FROM t",
            now=True,
        )
        assert lines == ["+I[1, a, 1.50, 2024-02-29]", "+I[2, null, null, null]"], mode


@pytest.mark.deep
def test_a_stream_with_event_time(spark: SparkSession, tmp_path: Path) -> None:
    """Ten rows per micro-batch, whose time advances by two seconds with each; columns may have any name."""
    columns = "`timestamp` TIMESTAMP_LTZ(3), `value` BIGINT, WATERMARK FOR `timestamp` AS `timestamp`"
    source = table("r", columns, provider="rate-micro-batch", rowsPerBatch="10", advanceMillisPerBatch="2000")
    window = "TUMBLE(TABLE r, DESCRIPTOR(`timestamp`), INTERVAL '1' SECOND)"
    program = (
        f"{source}{printed('at_ TIMESTAMP(3), n BIGINT, least_ BIGINT')}"
        f"INSERT INTO p SELECT window_start, COUNT(*), MIN(`value`) FROM {window} GROUP BY window_start, window_end"
    )
    lines = [line for _ in range(3) for line in run(spark, program, tmp_path / "c", now=True)]
    assert lines == ["+I[1970-01-01T00:00, 10, 0]", "+I[1970-01-01T00:00:02, 10, 10]"]


@pytest.mark.deep
def test_a_stream_without_files_yet_and_partitions(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    columns = "id INT, day_ STRING"
    place = table("t", columns, provider="parquet", path=str(tmp_path / "data"))
    program = f"{place}{printed(columns)}INSERT INTO p SELECT * FROM t"
    assert run(spark, program, tmp_path / "c", now=True) == []
    parted = place.replace(") WITH", ") PARTITIONED BY (day_) WITH", 1)
    run(spark, f"{parted}INSERT INTO t VALUES (1, '01'), (2, '02')")
    assert {path.name for path in (tmp_path / "data").glob("day_=*")} == {"day_=01", "day_=02"}
    # Spark infers a number from the folder's name, unless the table is declared as partitioned by it.
    with pytest.raises(DataError, match="column 'day_' is VARCHAR"):
        run(spark, program, now=True)
    for mode in ("streaming", "batch"):
        of_mode = parted.replace("'path'", f"'scan.mode' = '{mode}', 'path'")
        lines = run(spark, f"{of_mode}{printed(columns)}INSERT INTO p SELECT * FROM t", now=True)
        assert lines == ["+I[1, 01]", "+I[2, 02]"], mode


@pytest.mark.deep
def test_a_record_that_cannot_be_read_ends_the_run(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"id": 1}\n{"id": "one"}\n')
    place = {"provider": "json", "path": str(tmp_path / "a.json"), "scan_mode": "batch"}
    insert = f"{printed('id INT')}INSERT INTO p SELECT * FROM t"
    with pytest.raises(CompiledPlanError, match="the value one of the JSON token type"):
        run(spark, f"{table('t', 'id INT', **place)}{insert}")
    place["mode"] = "DROPMALFORMED"
    assert run(spark, f"{table('t', 'id INT', **place)}{insert}") == ["+I[1]"]


@pytest.mark.wide
def test_refusals(spark: SparkSession, tmp_path: Path) -> None:
    """Before any run: wrong columns, forbidden classes, missing data sources."""
    place = str(tmp_path / "data")
    spark.range(3).write.parquet(place)

    def refused(columns: str, **options: str) -> CompiledPlanError:
        for program in (
            f"{table('t', columns, **options)}{printed(columns)}INSERT INTO p SELECT * FROM t",
            f"{table('t', columns, **options)}INSERT INTO t SELECT CAST(1 AS BIGINT)",
        ):
            with pytest.raises(CompiledPlanError) as caught:
                Run(spark, TableEnvironment().compile_script(program), RunOptions(checkpoint=str(tmp_path / "c")))
            if "INSERT INTO p" in program:
                first = caught.value
        assert (first.message, not (tmp_path / "c").exists()) == (caught.value.message, True)
        return first

    fault = refused("ID BIGINT", provider="parquet", path=place)
    assert isinstance(fault, DataError) and "provider 'parquet' has no column 'ID'" in fault.message
    assert "write it as 'id'" in fault.remedy and "`t`" in fault.where.replace(".t", ".`t`")
    changed = TableEnvironment().compile_script(
        f"{table('t', 'id INT', provider='parquet', path=place)}{printed('id INT')}INSERT INTO p SELECT * FROM t"
    )
    with pytest.raises(DataError, match="column 'id' is INT, and provider 'parquet' has it as BIGINT"):
        Run(spark, changed, RunOptions())
    class_ = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
    fault = refused("id BIGINT", provider=class_, path=place)
    assert isinstance(fault, UnsupportedError) and f"--conf {PROVIDERS}={class_}" in fault.remedy
    gone = f"{table('t', 'id INT', provider='delta')}{printed('id INT')}INSERT INTO p SELECT * FROM t"
    with pytest.raises(ExecutionError, match=r"provider 'delta' cannot be read.*DATA_SOURCE_NOT_FOUND"):
        Run(spark, TableEnvironment().compile_script(gone), RunOptions())

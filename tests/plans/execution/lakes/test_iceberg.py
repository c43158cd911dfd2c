"""Tables of Iceberg: merged by key, appended, once each, read as streams and snapshots."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError, CompiledPlanError, DataError
from compiled_plan.plans.execution.interfaces.connectors import SinkContext, open_sink
from compiled_plan.plans.execution.lakes.sink import LakeSink
from compiled_plan.plans.execution.stages.prepared import prepare, sink_tables
from tests.support.change_events import events
from tests.support.lakes import needs_iceberg, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [needs_iceberg, pytest.mark.usefixtures("lakes")]
KEYED, COLUMNS = "id INT PRIMARY KEY NOT ENFORCED, n INT", "id INT, n INT"
COPY = "CREATE TABLE p (id INT, n INT) WITH ('connector' = 'print');\nINSERT INTO p SELECT * FROM t;"


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    """The name of a catalog of the test's own."""
    return f"c_{abs(hash(tmp_path)):x}"


def table(name: str, columns: str, catalog: str, folder: Path, extra: str = "", partitioned: str = "") -> str:
    place = f"'catalog-name' = '{catalog}', 'catalog-type' = 'hadoop', 'warehouse' = '{folder / 'w'}'"
    create = "'sink.create-table' = 'true', "
    return (
        f"CREATE TABLE {name} ({columns}) {partitioned} WITH ('connector' = 'iceberg', {place}, "
        f"{create}'catalog-database' = 'shop', 'catalog-table' = '{name}'{extra});\n"
    )


def opened(spark: SparkSession, text: str, run_id: str = "one") -> LakeSink:
    (spec,) = sink_tables(prepare(TableEnvironment().compile_script(text)).sinks).values()
    sink = open_sink(spec, SinkContext(spark, run_id, print))
    assert isinstance(sink, LakeSink)
    return sink


def changes(spark: SparkSession, *rows: tuple[int, int, int | None]) -> DataFrame:
    schema = "kind tinyint, ord bigint, path binary, f0 int, f1 int"
    return spark.createDataFrame([(kind, at, None, key, n) for at, (kind, key, n) in enumerate(rows)], schema)


def rows_of(spark: SparkSession, catalog: str, name: str) -> list[tuple[object, ...]]:
    spark.catalog.refreshTable(f"{catalog}.shop.{name}")
    return sorted((tuple(row) for row in spark.table(f"{catalog}.shop.{name}").collect()), key=repr)


@pytest.mark.wide
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_upserts_deletes_and_appends(spark: SparkSession, tmp_path: Path, catalog: str, mode: str) -> None:
    text = events(
        tmp_path / "events",
        ["+1=10", "+2=20", "+3=null", "1=10>11", "+4=40", "-4=40"],
        ["-2=20", "+5=20", "3=null>30", "+6=60", "6=60>null"],
        ["-1=11", "+1=12", "5=20>21", "5=21>22"],
    )
    text += table("by_key", KEYED, catalog, tmp_path, f", 'write.merge.mode' = '{mode}'")
    run(spark, f"{text}INSERT INTO by_key SELECT * FROM events;", tmp_path / "c", max_files_per_batch=1)
    assert rows_of(spark, catalog, "by_key") == [(1, 12), (3, 30), (5, 22), (6, None)]
    shown = {row.key: row.value for row in spark.sql(f"SHOW TBLPROPERTIES {catalog}.shop.by_key").collect()}
    assert shown["write.merge.mode"] == mode


@pytest.mark.parametrize("columns", [KEYED, COLUMNS])
def test_a_committed_micro_batch_is_skipped(spark: SparkSession, tmp_path: Path, catalog: str, columns: str) -> None:
    text = table("t", columns, catalog, tmp_path) + "INSERT INTO t VALUES (1, 1);"
    sink = opened(spark, text)
    sink.write(changes(spark, (0, 1, 1)), 0)
    sink.write(changes(spark), 1)
    sink.write(changes(spark, (0, 2, 2)), 2)
    opened(spark, text, "rival").write(changes(spark, (0, 3, 3)), 0)
    opened(spark, text).write(changes(spark, (0, 2, 2)), 2)
    assert rows_of(spark, catalog, "t") == [(1, 1), (2, 2), (3, 3)]
    assert spark.table(f"{catalog}.shop.t.snapshots").count() == 4
    with pytest.raises(CheckpointError, match="goes on with micro-batch 1, and the table has micro-batch 2"):
        opened(spark, text).write(changes(spark, (0, 2, 2)), 1)


@pytest.mark.wide
def test_a_stream_continues_and_a_snapshot_is_read(spark: SparkSession, tmp_path: Path, catalog: str) -> None:
    filled = table("t", COLUMNS, catalog, tmp_path)
    run(spark, f"{filled}INSERT INTO t VALUES (1, 10), (2, 20);")
    program = table("t", COLUMNS, catalog, tmp_path, ", 'streaming' = 'true'") + COPY
    assert sorted(run(spark, program, tmp_path / "c", available_now=True)) == ["+I[1, 10]", "+I[2, 20]"]
    run(spark, f"{filled}INSERT INTO t VALUES (3, 30);")
    assert run(spark, program, tmp_path / "c", available_now=True) == ["+I[3, 30]"]
    assert sorted(run(spark, filled + COPY)) == ["+I[1, 10]", "+I[2, 20]", "+I[3, 30]"]
    first = (
        spark.table(f"{catalog}.shop.t.snapshots").sort("committed_at").where("summary['total-records'] = '2'").first()
    )
    assert first is not None
    committed = first.committed_at
    milliseconds = int(committed.timestamp()) * 1000 + committed.microsecond // 1000
    for option, value in {"snapshot-id": first.snapshot_id, "as-of-timestamp": milliseconds}.items():
        as_of = table("t", COLUMNS, catalog, tmp_path, f", '{option}' = '{value}'")
        assert sorted(run(spark, as_of + COPY)) == ["+I[1, 10]", "+I[2, 20]"]
    spark.sql(f"UPDATE {catalog}.shop.t SET n = 0 WHERE id = 1")
    with pytest.raises(CompiledPlanError, match="overwrite"):
        run(spark, program, tmp_path / "c", available_now=True)


def test_columns_are_compared_and_partitions_created(spark: SparkSession, tmp_path: Path, catalog: str) -> None:
    text = table("t", COLUMNS, catalog, tmp_path, partitioned="PARTITIONED BY (n)")
    run(spark, f"{text}INSERT INTO t VALUES (1, 7);")
    assert list((tmp_path / "w/shop/t/data").glob("n=7"))
    with pytest.raises(DataError, match=r"column 'n' is BIGINT, and the Iceberg table .* has it as INT"):
        opened(spark, table("t", "id INT, n BIGINT", catalog, tmp_path) + "INSERT INTO t VALUES (1, 1);")
    with pytest.raises(DataError, match="is partitioned by n, and not by id"):
        by_id = table("t", COLUMNS, catalog, tmp_path, "", "PARTITIONED BY (id)")
        opened(spark, f"{by_id}INSERT INTO t VALUES (1, 1);")


def test_another_catalog_of_the_same_name_is_refused(spark: SparkSession, tmp_path: Path, catalog: str) -> None:
    opened(spark, table("t", COLUMNS, catalog, tmp_path) + "INSERT INTO t VALUES (1, 1);")
    with pytest.raises(DataError, match=r"the session has another catalog .*: its warehouse is "):
        opened(spark, table("t", COLUMNS, catalog, tmp_path / "other") + "INSERT INTO t VALUES (1, 1);")


def test_added_columns_are_added_where_asked(spark: SparkSession, tmp_path: Path, catalog: str) -> None:
    run(spark, table("t", KEYED, catalog, tmp_path) + "INSERT INTO t VALUES (1, 1);")
    wider, values = f"{KEYED}, `na``me` STRING", "INSERT INTO t VALUES (1, 10, 'x') ON CONFLICT DO DEDUPLICATE;"
    with pytest.raises(DataError, match="has no column 'na`me'"):
        run(spark, table("t", wider, catalog, tmp_path) + values)
    run(spark, table("t", wider, catalog, tmp_path, ", 'mergeSchema' = 'true'") + values)
    assert rows_of(spark, catalog, "t") == [(1, 10, "x")]


@pytest.mark.wide
def test_writers_of_one_table_at_the_same_time(spark: SparkSession, tmp_path: Path, catalog: str) -> None:
    """Every merge rewrites the one file of the table, so that commits conflict."""
    text = table("t", KEYED, catalog, tmp_path) + "INSERT INTO t VALUES (1, 1);"
    opened(spark, text, "first").write(changes(spark, *((0, key, 0) for key in range(8))), 0)

    def write(writer: int) -> None:
        # As every query does: the settings of a commit belong to one session.
        session = spark.newSession()
        sink = opened(session, text, f"writer{writer}")
        for batch in range(4):
            sink.write(changes(session, *((2, key, batch + 1) for key in range(writer, 8, 2))), batch)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, range(2)))
    assert rows_of(spark, catalog, "t") == [(key, 4) for key in range(8)]

"""Changes read from Iceberg tables: kinds, order, positions, bounds, and snapshots that cannot be read."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import StreamingQueryException

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, DataError
from compiled_plan.plans.execution.interfaces.connectors import SourceContext, open_source
from compiled_plan.plans.execution.stages.prepared import prepare
from tests.support.lakes import IcebergCatalog, needs_iceberg, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [needs_iceberg, pytest.mark.usefixtures("lakes")]
COLUMNS, KEYED = "id INT, n INT", "id INT PRIMARY KEY NOT ENFORCED, n INT"
CHANGES = {"streaming": "true", "changelog": "true"}
PRINT = "CREATE TABLE p (id INT, n INT) WITH ('connector' = 'print');\n"
COPY = f"{PRINT}INSERT INTO p SELECT * FROM t;"
COMPACTION = "options => map('rewrite-all', 'true', 'delete-file-threshold', '1', 'remove-dangling-deletes', 'true')"
#: Later than all snapshots.
EXPIRE = "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => {}"


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> IcebergCatalog:
    """A table with one snapshot of three rows, in one file."""
    catalog = IcebergCatalog(spark, tmp_path)
    catalog.sql(f"CREATE TABLE $ ({COLUMNS}) USING iceberg", inserted((1, 10), (2, 20), (3, 30)))
    return catalog


def inserted(*rows: tuple[int, int]) -> str:
    values = ", ".join(f"({id_}, {n})" for id_, n in rows)
    return f"INSERT INTO $ SELECT /*+ COALESCE(1) */ * FROM VALUES {values} AS v(id, n)"


def changes(lake: IcebergCatalog, checkpoint: Path | None = None, columns: str = KEYED, **options: str) -> list[str]:
    """Read the changes behind the checkpoint's position."""
    program = lake.declared(columns, **CHANGES, **options) + COPY
    return run(lake.spark, program, checkpoint, available_now=True)


def merged(rows: str, *clauses: str) -> str:
    source = f"(SELECT col1 AS id, col2 AS n FROM VALUES {rows})"
    return f"MERGE INTO $ AS t USING {source} AS s ON t.id = s.id {' '.join(clauses)}"


def test_each_start_continues_with_the_changes_of_rows(lake: IcebergCatalog, tmp_path: Path) -> None:
    """Rows that rewritten files carry over are no changes, and neither is a compaction."""
    merge = merged(
        "(1, 12), (3, NULL), (4, 40)",
        "WHEN MATCHED AND s.n IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    )
    steps = {
        "": ["+I[1, 10]", "+I[2, 20]", "+I[3, 30]"],
        "UPDATE $ SET n = 11 WHERE id = 1": ["+U[1, 11]", "-U[1, 10]"],
        "DELETE FROM $ WHERE id = 2": ["-D[2, 20]"],
        merge: ["+I[4, 40]", "+U[1, 12]", "-D[3, 30]", "-U[1, 11]"],
        inserted((5, 50)): ["+I[5, 50]"],
        f"CALL {lake.name}.system.rewrite_data_files(table => 'shop.t', {COMPACTION})": [],
        "UPDATE $ SET n = 13 WHERE id = 1": ["+U[1, 13]", "-U[1, 12]"],
        "INSERT OVERWRITE $ VALUES (1, 13), (6, 60)": ["+I[6, 60]", "-D[4, 40]", "-D[5, 50]"],
        "DELETE FROM $": ["-D[1, 13]", "-D[6, 60]"],
    }
    for statement, lines in steps.items():
        lake.sql(*filter(None, [statement]))
        assert sorted(changes(lake, tmp_path / "c")) == lines, statement
    assert changes(lake, tmp_path / "c") == []


@pytest.mark.wide
def test_the_old_row_of_a_key_comes_before_the_new_one(lake: IcebergCatalog, tmp_path: Path) -> None:
    start = {"start_snapshot_timestamp": "0"}
    lake.sql(*(f"UPDATE $ SET n = n + {step} WHERE id < 3" for step in (1, 2)), "DELETE FROM $ WHERE id = 1")
    lines = changes(lake, tmp_path / "c", **start)
    assert [line for line in lines if "[2," in line] == [
        "+I[2, 20]",
        *("-U[2, 20]", "+U[2, 21]"),
        *("-U[2, 21]", "+U[2, 23]"),
    ]
    assert [line for line in lines if "[1," in line][-1] == "-D[1, 13]"
    without_key = changes(lake, columns=COLUMNS, **start)
    assert [line for line in without_key if "[2," in line] == [
        "+I[2, 20]",
        *("-D[2, 20]", "+I[2, 21]"),
        *("-D[2, 21]", "+I[2, 23]"),
    ]


@pytest.mark.wide
@pytest.mark.parametrize("seed", range(2))
def test_an_aggregate_over_a_table_that_is_updated(lake: IcebergCatalog, tmp_path: Path, seed: int) -> None:
    """Random statements between starts: the sums written to another table are those of the table itself."""
    chance = random.Random(seed)
    lake.sql("ALTER TABLE $ ADD PARTITION FIELD bucket(2, id)")
    sums = lake.declared("n INT PRIMARY KEY NOT ENFORCED, c BIGINT, s BIGINT", "sums", sink__create_table="true")
    query = "INSERT INTO sums SELECT n, COUNT(*), SUM(CAST(id AS BIGINT)) FROM t GROUP BY n;"
    program = lake.declared(KEYED, **CHANGES) + sums + query
    for _ in range(3):
        rows = ", ".join(f"({id_}, {chance.randrange(4)})" for id_ in chance.sample(range(12), 6))
        upsert = merged(rows, "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
        statements = [
            upsert,
            f"DELETE FROM $ WHERE id % 5 = {chance.randrange(5)}",
            f"UPDATE $ SET n = n + 1 WHERE id % 2 = {chance.randrange(2)}",
            f"CALL {lake.name}.system.rewrite_data_files(table => 'shop.t', {COMPACTION})",
        ]
        chance.shuffle(statements)
        lake.sql(*statements)
        run(lake.spark, program, tmp_path / "c", available_now=True)
        counts, totals = Counter[int](), Counter[int]()
        for id_, n in lake.rows():
            counts[n] += 1
            totals[n] += id_
        assert lake.rows("sums") == sorted(((n, counts[n], totals[n]) for n in counts), key=repr)


def test_unchanged_values_of_every_type_are_no_changes(lake: IcebergCatalog, tmp_path: Path) -> None:
    """Only the sign of a zero changes, and one of three equal rows is deleted."""
    lake.sql(
        "CREATE OR REPLACE TABLE $ (id INT, d DOUBLE, m MAP<STRING, DOUBLE>, a ARRAY<STRUCT<x: FLOAT>>) USING iceberg",
        "INSERT INTO $ SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 0.0D, map('b', 1.0D, 'a', -0.0D), NULL), "
        "(2, double('NaN'), map(), array(named_struct('x', float('-0.0')))), (3, NULL, NULL, NULL), "
        "(3, NULL, NULL, NULL), (3, NULL, NULL, NULL) AS v(id, d, m, a)",
    )
    columns = "id INT, d DOUBLE, m MAP<STRING, DOUBLE>, a ARRAY<ROW<x FLOAT>>"
    text = lake.declared(columns, **CHANGES)
    text += f"CREATE TABLE p ({columns}) WITH ('connector' = 'print');\nINSERT INTO p SELECT * FROM t;"
    first = sorted(run(lake.spark, text, tmp_path / "c", available_now=True))
    assert first[:2] == ["+I[1, 0.0, {b=1.0, a=-0.0}, null]", "+I[2, NaN, {}, [+I[-0.0]]]"]
    lake.sql(
        "UPDATE $ SET d = -0.0D WHERE id = 1",
        "INSERT OVERWRITE $ SELECT id, d, m, a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY d) AS r "
        "FROM $) WHERE r < 3",
    )
    lines = run(lake.spark, text, tmp_path / "c", available_now=True)
    assert sorted(lines) == [
        "+I[1, -0.0, {b=1.0, a=-0.0}, null]",
        "-D[1, 0.0, {b=1.0, a=-0.0}, null]",
        "-D[3, null, null, null]",
    ]


@pytest.mark.wide
def test_a_micro_batch_has_whole_snapshots_up_to_a_bound(lake: IcebergCatalog, tmp_path: Path) -> None:
    start = {"start_snapshot_timestamp": "0"}
    lake.sql("UPDATE $ SET n = 11 WHERE id = 1", inserted((4, 40)), inserted((5, 50)))
    count = "CREATE TABLE p (c BIGINT) WITH ('connector' = 'print');\nINSERT INTO p SELECT COUNT(*) FROM t;"

    def counts(**options: str) -> list[str]:
        text = lake.declared(KEYED, **CHANGES, **start, **options) + count
        return [line for line in run(lake.spark, text, available_now=True) if line[0] == "+"]

    assert counts() == ["+I[5]"]
    assert counts(streaming_max_files_per_micro_batch="1") == ["+I[3]", "+U[4]", "+U[5]"]
    assert counts(streaming_max_files_per_micro_batch="3") == ["+I[3]", "+U[5]"]
    assert counts(streaming_max_rows_per_micro_batch="9") == ["+I[3]", "+U[5]"]


def frame_of(lake: IcebergCatalog, **options: str) -> DataFrame:
    """The rows of the source, as the executor gets them."""
    plan = TableEnvironment().compile_script(lake.declared(KEYED, **CHANGES, **options) + COPY)
    (table,) = prepare(plan).tables.values()
    kernel: Any = lake.spark._jvm
    kernel.org.compiledplan.kernel.host.input.OrderNumber.register(lake.spark._jsparkSession)
    return open_source(table.table, SourceContext(lake.spark)).frame


@pytest.mark.parametrize("options", [{}, {"start_snapshot_timestamp": "0"}])
@pytest.mark.sampled(1)
def test_a_repeated_micro_batch_has_the_same_rows(
    lake: IcebergCatalog, tmp_path: Path, options: dict[str, str]
) -> None:
    """Later changes of the table have no effect on the first micro-batch, or on another one."""
    batches: list[list[tuple[Any, ...]]] = []

    def read() -> list[tuple[Any, ...]]:
        rows = frame_of(lake, **options).writeStream.foreachBatch(
            lambda frame, _: batches.append([(row.kind, row.f0, row.f1) for row in frame.sort("ord", "path").collect()])
        )
        rows.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
        return batches.pop(0)

    def uncommitted(number: int) -> None:
        for name in (f"{number}", f".{number}.crc"):
            (tmp_path / "c/commits" / name).unlink(missing_ok=True)

    first = read()
    uncommitted(0)
    lake.sql("UPDATE $ SET n = n + 1 WHERE id < 3")
    assert read() == first
    (second,) = batches
    assert sorted(second) == [(1, 1, 10), (1, 2, 20), (2, 1, 11), (2, 2, 21)]
    uncommitted(1)
    lake.sql("DELETE FROM $")
    batches.clear()
    assert read() == second
    assert [sorted(batch) for batch in batches] == [[(3, 1, 11), (3, 2, 21), (3, 3, 30)]]


@pytest.mark.wide
def test_a_stream_of_an_empty_table_begins_with_its_first_rows(lake: IcebergCatalog, tmp_path: Path) -> None:
    lake.sql("DROP TABLE $", f"CREATE TABLE $ ({COLUMNS}) USING iceberg")
    assert changes(lake, tmp_path / "c") == []
    lake.sql(inserted((1, 10)))
    assert changes(lake, tmp_path / "c") == ["+I[1, 10]"]


@pytest.mark.wide
def test_a_start_by_time_leaves_the_rows_of_the_table_out(lake: IcebergCatalog, tmp_path: Path) -> None:
    lake.sql("UPDATE $ SET n = 11 WHERE id = 1")
    (_, first), (_, second) = lake.snapshots()
    assert sorted(changes(lake, start_snapshot_timestamp=str(second))) == ["+U[1, 11]", "-U[1, 10]"]
    assert len(changes(lake, start_snapshot_timestamp=str(first))) == 5
    later = {"start_snapshot_timestamp": str(second + 1)}
    assert changes(lake, tmp_path / "c", **later) == []
    lake.sql("DELETE FROM $ WHERE id = 1")
    assert changes(lake, tmp_path / "c", **later) == ["-D[1, 11]"]
    lake.call("expire_snapshots", EXPIRE.format(1))
    with pytest.raises(DataError, match="snapshots since the time of its start have expired"):
        changes(lake, start_snapshot_timestamp=str(first))


def test_expired_snapshots_that_were_not_read_end_the_run(lake: IcebergCatalog, tmp_path: Path) -> None:
    changes(lake, tmp_path / "c")
    lake.sql("UPDATE $ SET n = 11 WHERE id = 1", "UPDATE $ SET n = 12 WHERE id = 1")
    lake.call("expire_snapshots", EXPIRE.format(3))
    assert len(changes(lake, tmp_path / "c")) == 4
    lake.call("expire_snapshots", EXPIRE.format(1))
    assert changes(lake, tmp_path / "c") == []
    lake.sql("UPDATE $ SET n = 13 WHERE id = 1", "UPDATE $ SET n = 14 WHERE id = 1")
    lake.call("expire_snapshots", EXPIRE.format(1))
    for _ in range(2):
        with pytest.raises(DataError, match=r"has lost changes: snapshots .* have expired") as caught:
            changes(lake, tmp_path / "c")
        assert "start with a new checkpoint" in caught.value.remedy
    assert "+I[1, 14]" in changes(lake, tmp_path / "new")


@pytest.mark.wide
def test_a_table_that_was_rolled_back_ends_the_run(lake: IcebergCatalog, tmp_path: Path) -> None:
    ((first, _),) = lake.snapshots()
    lake.sql("UPDATE $ SET n = 11 WHERE id = 1")
    changes(lake, tmp_path / "c")
    lake.call("rollback_to_snapshot", f"snapshot_id => {first}")
    with pytest.raises(DataError, match="has another history than snapshot"):
        changes(lake, tmp_path / "c")


def test_delete_files_are_refused(lake: IcebergCatalog, tmp_path: Path) -> None:
    """Before they are written, before rows are read, and before a later snapshot is; the remedy helps."""
    changes(lake, tmp_path / "c")
    lake.sql("ALTER TABLE $ SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    with pytest.raises(DataError, match=r"'write\.delete\.mode' = 'merge-on-read'"):
        changes(lake, tmp_path / "c")
    lake.sql("DELETE FROM $ WHERE id = 1", "ALTER TABLE $ SET TBLPROPERTIES ('write.delete.mode' = 'copy-on-write')")
    for checkpoint in ("c", "new"):
        with pytest.raises(DataError, match="has delete files in snapshot"):
            changes(lake, tmp_path / checkpoint)
    lake.call("rewrite_data_files", COMPACTION)
    assert sorted(changes(lake, tmp_path / "new")) == ["+I[2, 20]", "+I[3, 30]"]
    lake.sql("DELETE FROM $ WHERE id = 2")
    assert changes(lake, tmp_path / "new") == ["-D[2, 20]"]


@pytest.mark.wide
def test_a_position_of_appended_rows_is_refused(lake: IcebergCatalog, tmp_path: Path) -> None:
    run(lake.spark, lake.declared(COLUMNS, streaming="true") + COPY, tmp_path / "c", available_now=True)
    program = lake.declared(COLUMNS, **CHANGES) + COPY
    with pytest.raises(CompiledPlanError, match="rows read before used another 'changelog'"):
        run(lake.spark, program, tmp_path / "c", available_now=True)
    with pytest.raises(DataError, match="was read without 'changelog' before"):
        run(lake.spark, program, tmp_path / "c", available_now=True, upgrade="migrate-partial")


@pytest.mark.wide
def test_columns_are_those_of_the_table_now(lake: IcebergCatalog, tmp_path: Path) -> None:
    """A stream begins with columns that no snapshot has yet, and ends if their types change while it runs."""
    lake.sql("ALTER TABLE $ RENAME COLUMN n TO m", "ALTER TABLE $ ADD COLUMN n INT")
    assert sorted(changes(lake, tmp_path / "c")) == ["+I[1, null]", "+I[2, null]", "+I[3, null]"]
    rows = frame_of(lake).writeStream.format("noop")
    lake.sql("ALTER TABLE $ ALTER COLUMN n TYPE BIGINT", "INSERT INTO $ VALUES (4, 0, 40)")
    with pytest.raises(StreamingQueryException, match="has columns of other types than at the start"):
        rows.option("checkpointLocation", str(tmp_path / "n")).trigger(availableNow=True).start().awaitTermination()


@pytest.mark.wide
def test_a_temporal_join_finds_the_version_of_a_row(lake: IcebergCatalog, tmp_path: Path) -> None:
    """The changelog is a versioned table: each order has the rate of its time."""
    lake.sql(
        "CREATE OR REPLACE TABLE $ (currency STRING, rate INT, ts TIMESTAMP_NTZ) USING iceberg",
        "INSERT INTO $ VALUES ('EUR', 10, TIMESTAMP_NTZ '2026-01-01 10:00:00')",
        "UPDATE $ SET rate = 20, ts = TIMESTAMP_NTZ '2026-01-01 11:00:00'",
        "INSERT INTO $ VALUES ('USD', 1, TIMESTAMP_NTZ '2026-01-01 13:00:00')",
    )
    orders = (("3", "09:00:00"), ("1", "10:30:00"), ("2", "11:30:00"), ("4", "14:00:00"))
    lines = (f'{{"id": {id_}, "currency": "EUR", "ts": "2026-01-01 {at}"}}' for id_, at in orders)
    (tmp_path / "orders.json").write_text("\n".join(lines))
    time = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
    text = lake.declared(
        f"currency STRING, rate INT, {time}, PRIMARY KEY (currency) NOT ENFORCED",
        **CHANGES,
        start_snapshot_timestamp="0",
    )
    text += (
        f"CREATE TABLE orders (id INT, currency STRING, {time}) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path / 'orders.json'}', 'format' = 'json');\n{PRINT}"
        "INSERT INTO p SELECT o.id, r.rate FROM orders AS o JOIN t FOR SYSTEM_TIME AS OF o.ts AS r "
        "ON o.currency = r.currency;"
    )
    assert sorted(run(lake.spark, text, tmp_path / "c", available_now=True)) == ["+I[1, 10]", "+I[2, 20]"]

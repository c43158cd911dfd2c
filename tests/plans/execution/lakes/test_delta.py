"""Rows written to Delta tables: merged by key, appended, once each; columns compared before the run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py4j.protocol import Py4JJavaError

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CheckpointError, DataError, ExecutionError
from compiled_plan.plans.execution.interfaces.connectors import SinkContext, SourceContext, open_sink
from compiled_plan.plans.execution.lakes.sink import LakeSink
from compiled_plan.plans.execution.stages.prepared import prepare, sink_tables
from tests.support.change_events import events
from tests.support.lakes import delta, needs_delta, rows_of, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [needs_delta, pytest.mark.usefixtures("lakes")]
KEYED = "id INT PRIMARY KEY NOT ENFORCED, n INT"
CREATED = {"sink__create_table": "true"}


def opened(spark: SparkSession, text: str, run_id: str = "one") -> LakeSink:
    """The sink of a program with one."""
    (table,) = sink_tables(prepare(TableEnvironment().compile_script(text)).sinks).values()
    sink = open_sink(table, SinkContext(spark, run_id, print))
    assert isinstance(sink, LakeSink)
    return sink


def changes(spark: SparkSession, *rows: tuple[int, int, int | None]) -> DataFrame:
    """Rows of a sink: kind, key, value, in their order."""
    schema = "kind tinyint, ord bigint, path binary, f0 int, f1 int"
    return spark.createDataFrame([(kind, at, None, key, n) for at, (kind, key, n) in enumerate(rows)], schema)


@pytest.mark.wide
def test_upserts_deletes_and_appends(spark: SparkSession, tmp_path: Path) -> None:
    """Of the rows of a key the last one counts, within a micro-batch and over several."""
    text = events(
        tmp_path / "events",
        ["+1=10", "+2=20", "+3=null", "1=10>11", "+4=40", "-4=40"],
        ["-2=20", "+5=20", "3=null>30", "+6=60", "6=60>null"],
        ["-1=11", "+1=12", "5=20>21", "5=21>22"],
    )
    text += delta("by_key", KEYED, tmp_path / "by_key", **CREATED)
    text += delta("only_key", "id INT PRIMARY KEY NOT ENFORCED", tmp_path / "only_key", **CREATED)
    text += (
        "EXECUTE STATEMENT SET BEGIN INSERT INTO by_key SELECT * FROM events;"
        "INSERT INTO only_key SELECT id FROM events; END;"
    )
    run(spark, text, tmp_path / "c", max_files_per_batch=1)
    assert rows_of(spark, tmp_path / "by_key") == [(1, 12), (3, 30), (5, 22), (6, None)]
    assert rows_of(spark, tmp_path / "only_key") == [(1,), (3,), (5,), (6,)]


def test_a_batch_of_deletes_alone(spark: SparkSession, tmp_path: Path) -> None:
    """Deletes of rows that are there, and of one that is not."""
    sink = opened(spark, delta("t", KEYED, tmp_path / "t", **CREATED) + "INSERT INTO t VALUES (1, 1);")
    sink.write(changes(spark, (0, 1, 10), (0, 2, 20), (0, 3, 30)), 0)
    sink.write(changes(spark, (3, 1, 10), (1, 2, 20), (3, 4, 40)), 1)
    assert (rows_of(spark, tmp_path / "t"), sink.last) == ([(3, 30)], 1)


def test_a_table_that_is_compared_stays_as_it_was_read(spark: SparkSession, tmp_path: Path) -> None:
    """The old run of a promoted shadow writes to the table while it is compared."""
    sink = opened(spark, delta("t", KEYED, tmp_path / "t", **CREATED) + "INSERT INTO t VALUES (1, 1);")
    sink.write(changes(spark, (0, 1, 10), (0, 2, 20)), 0)
    held = sink.held(SourceContext(spark))
    assert held is not None and held.fixed
    sink.write(changes(spark, (2, 1, 11), (0, 3, 30)), 1)
    assert sorted((row.f0, row.f1) for row in held.frame.collect()) == [(1, 10), (2, 20)]


@pytest.mark.wide
def test_every_type_in_a_partitioned_table(spark: SparkSession, tmp_path: Path) -> None:
    columns = (
        "`order` INT, `Na me` STRING, amount DECIMAL(10, 2), wall TIMESTAMP(6), instant TIMESTAMP_LTZ(6), born DATE, "
        "tags ARRAY<STRING>, counts MAP<STRING, INT>, shape ROW<w DOUBLE, h DOUBLE>, ok BOOLEAN, bytes_ BYTES"
    )
    values = (
        "(1, 'a', 1.5, TIMESTAMP '2024-03-31 02:30:00.123456', CAST(NULL AS TIMESTAMP_LTZ(6)), DATE '2024-02-29', "
        "ARRAY['x', 'y'], MAP['k', 1], ROW(CAST(1 AS DOUBLE), CAST(2 AS DOUBLE)), TRUE, x'00ff')"
    )
    text = delta("t", columns, tmp_path / "t", "PARTITIONED BY (born)", delta__columnMapping__mode="name", **CREATED)
    run(spark, f"{text}INSERT INTO t VALUES {values}")
    printing = f"CREATE TABLE p ({columns}) WITH ('connector' = 'print');"
    whole = delta("t", columns, tmp_path / "t", scan__mode="batch")
    assert run(spark, f"{whole}{printing}INSERT INTO p SELECT * FROM t") == [
        "+I[1, a, 1.50, 2024-03-31T02:30:00.123456, null, 2024-02-29, [x, y], {k=1}, +I[1.0, 2.0], true, [0, -1]]"
    ]
    details = spark.sql(f"DESCRIBE DETAIL delta.`{tmp_path / 't'}`").first()
    assert details is not None and details.partitionColumns == ["born"]


def test_a_committed_micro_batch_is_skipped(spark: SparkSession, tmp_path: Path) -> None:
    text = delta("t", "id INT, n INT", tmp_path / "t", **CREATED) + "INSERT INTO t VALUES (1, 1);"
    rows, nothing = changes(spark, (0, 7, 7)), changes(spark)

    def started(run_id: str = "one") -> Callable[[DataFrame, int], None]:
        return opened(spark, text, run_id).write

    def written() -> int:
        return len(rows_of(spark, tmp_path / "t"))

    first = started()
    first(rows, 0)
    first(nothing, 1)
    first(rows, 2)
    assert written() == 2
    # A crash before Spark has recorded the end of the batch.
    again = started()
    again(rows, 2)
    assert written() == 2
    again(rows, 3)
    assert written() == 3
    with pytest.raises(CheckpointError, match="goes on with micro-batch 1, and the table has micro-batch 3"):
        started()(rows, 1)
    # A new generation, or a new checkpoint.
    started("two")(rows, 0)
    assert written() == 4


def test_a_committed_merge_is_skipped(spark: SparkSession, tmp_path: Path) -> None:
    text = delta("t", KEYED, tmp_path / "t", **CREATED) + "INSERT INTO t VALUES (1, 1);"
    opened(spark, text).write(changes(spark, (0, 1, 1), (0, 2, 2)), 0)
    rival = opened(spark, text, "other")
    rival.write(changes(spark, (2, 1, 9)), 0)
    # The repeated batch would undo the other writer's change.
    opened(spark, text).write(changes(spark, (0, 1, 1), (0, 2, 2)), 0)
    assert rows_of(spark, tmp_path / "t") == [(1, 9), (2, 2)]
    versions = len(list((tmp_path / "t/_delta_log").glob("*.json")))
    rival.write(changes(spark), 1)
    assert len(list((tmp_path / "t/_delta_log").glob("*.json"))) == versions, "no commit without rows"


def test_a_row_before_an_update_deletes_if_it_is_the_last_one(spark: SparkSession, tmp_path: Path) -> None:
    """A condition such as HAVING passes it without the row after the update."""
    text = delta("t", KEYED, tmp_path / "t", **CREATED) + "INSERT INTO t VALUES (1, 1);"
    sink = opened(spark, text)
    sink.write(changes(spark, (0, 1, 1), (0, 2, 2), (1, 3, 3)), 0)
    sink.write(changes(spark, (1, 1, 1), (1, 2, 2), (2, 2, 3)), 1)
    assert rows_of(spark, tmp_path / "t") == [(2, 3)]


def test_updates_without_a_key_end_the_run(spark: SparkSession, tmp_path: Path) -> None:
    text = delta("t", "id INT, n INT", tmp_path / "t", **CREATED) + "INSERT INTO t VALUES (1, 1);"
    with pytest.raises(Exception, match="has no primary key, and the plan writes an update or delete"):
        opened(spark, text).write(changes(spark, (2, 1, 1)), 0)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("id BIGINT", "column 'id' is BIGINT, and the Delta table .* has it as INT"),
        ("ID INT", "the Delta table .* has no column 'ID'"),
        ("id INT, other INT", "has no column 'other'"),
        ("n INT NOT NULL", "column 'id' of the Delta table .* is NOT NULL, and is missing in the plan's table"),
        ("id INT, n INT", "column 'id' .* is NOT NULL, and is INT in the plan's table"),
    ],
)
def test_a_table_with_other_columns_is_refused(
    spark: SparkSession, tmp_path: Path, declared: str, message: str
) -> None:
    spark.sql(f"CREATE TABLE delta.`{tmp_path / 't'}` (id INT NOT NULL, n INT) USING delta")
    names = ", ".join(part.split()[0] for part in declared.split(", "))
    values = ", ".join("1" for _ in declared.split(", "))
    with pytest.raises(DataError, match=message):
        opened(spark, f"{delta('t', declared, tmp_path / 't')} INSERT INTO t ({names}) VALUES ({values})")


def test_a_missing_table_is_refused_unless_it_is_to_be_created(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"the Delta table file:.*/t does not exist") as error:
        opened(spark, f"{delta('t', KEYED, tmp_path / 't')} INSERT INTO t VALUES (1, 1)")
    assert "'sink.create-table' = 'true'" in str(error.value.remedy)
    opened(spark, f"{delta('t', KEYED, tmp_path / 't', **CREATED)} INSERT INTO t VALUES (1, 1)")
    assert not (tmp_path / "t").exists(), "a start changes nothing on disk"


def test_other_partitions_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(f"CREATE TABLE delta.`{tmp_path / 't'}` (id INT, n INT) USING delta PARTITIONED BY (n)")
    table = delta("t", KEYED, tmp_path / "t", "PARTITIONED BY (id)")
    with pytest.raises(DataError, match="is partitioned by n, and not by id"):
        opened(spark, f"{table} INSERT INTO t VALUES (1, 1)")


def test_a_created_table_has_properties(spark: SparkSession, tmp_path: Path) -> None:
    properties = {"delta__enableChangeDataFeed": "true", **CREATED}
    run(spark, delta("t", KEYED, tmp_path / "t", **properties) + "INSERT INTO t VALUES (1, 1);")
    shown = dict(map(tuple, spark.sql(f"SHOW TBLPROPERTIES delta.`{tmp_path / 't'}`").collect()))
    assert shown["delta.enableChangeDataFeed"] == "true"


def test_added_columns_are_added_to_the_table_where_asked(spark: SparkSession, tmp_path: Path) -> None:
    run(
        spark,
        delta("t", KEYED, tmp_path / "t", **CREATED)
        + "INSERT INTO t VALUES (1, 1), (2, 2) ON CONFLICT DO DEDUPLICATE;",
    )
    wider = f"{KEYED}, `na``me` STRING"
    values = "INSERT INTO t VALUES (1, 10, 'x'), (3, 3, 'y') ON CONFLICT DO DEDUPLICATE;"
    with pytest.raises(DataError, match="has no column 'na`me'"):
        run(spark, delta("t", wider, tmp_path / "t") + values)
    run(spark, delta("t", wider, tmp_path / "t", mergeSchema="true") + values)
    assert rows_of(spark, tmp_path / "t") == [(1, 10, "x"), (2, 2, None), (3, 3, "y")]


def test_a_table_of_the_catalog(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE merged (id INT, n INT, more STRING) USING delta")
    try:
        text = f"CREATE TABLE t ({KEYED}) WITH ('connector' = 'delta', 'table-name' = 'default.merged');"
        run(spark, text + "INSERT INTO t VALUES (1, 1), (2, 2) ON CONFLICT DO DEDUPLICATE;")
        assert sorted(map(tuple, spark.table("merged").collect())) == [(1, 1, None), (2, 2, None)]
    finally:
        spark.sql("DROP TABLE merged")


@pytest.mark.parametrize("times", [1, 5])
def test_a_conflicting_commit_is_repeated(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    text = delta("t", KEYED, tmp_path / "t", sink__max_retries="2", **CREATED) + "INSERT INTO t VALUES (1, 1);"
    sink, merge, conflicts = opened(spark, text), LakeSink._merge, [spark._jvm] * times

    def conflicting(sink: LakeSink, rows: DataFrame, only_deletes: bool) -> None:
        if conflicts:
            jvm: Any = conflicts.pop()
            raise Py4JJavaError("conflict", jvm.io.delta.exceptions.ConcurrentAppendException("changed"))
        merge(sink, rows, only_deletes)

    monkeypatch.setattr(LakeSink, "_merge", conflicting)
    if times > 2:
        with pytest.raises(
            ExecutionError, match=r"another writer changed the Delta table .* during each of 3 attempts"
        ):
            sink.write(changes(spark, (2, 1, 5)), 0)
    else:
        sink.write(changes(spark, (2, 1, 5)), 0)
        assert rows_of(spark, tmp_path / "t") == [(1, 5)]


@pytest.mark.wide
def test_writers_of_one_table_at_the_same_time(spark: SparkSession, tmp_path: Path) -> None:
    text = delta("t", KEYED, tmp_path / "t", **CREATED) + "INSERT INTO t VALUES (1, 1);"
    opened(spark, text, "first").write(changes(spark, *((0, key, 0) for key in range(8))), 0)

    def write(writer: int) -> None:
        # As every query does: the settings of a commit belong to one session.
        session = spark.newSession()
        sink = opened(session, text, f"writer{writer}")
        for batch in range(4):
            sink.write(changes(session, *((2, key, batch + 1) for key in range(writer, 8, 2))), batch)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, range(2)))
    assert rows_of(spark, tmp_path / "t") == [(key, 4) for key in range(8)]


@pytest.mark.parametrize("columns", [KEYED, "id INT, n INT"])
def test_rows_of_an_ended_executor_are_computed_again(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    text = delta("t", columns, tmp_path / "t", **CREATED) + "INSERT INTO t VALUES (1, 1);"
    sink, commit, commits = opened(spark, text), LakeSink._commit, 0

    def lose_once(sink: LakeSink, rows: DataFrame, batch: int, *, only_deletes: bool) -> None:
        nonlocal commits
        commits += 1
        if commits == 1:
            for blocks in spark.sparkContext._jsc.getPersistentRDDs().values():
                blocks.unpersist()
        commit(sink, rows, batch, only_deletes=only_deletes)

    monkeypatch.setattr(LakeSink, "_commit", lose_once)
    sink.write(changes(spark, (0, 1, 10), (0, 2, 20)), 0)
    assert (commits, rows_of(spark, tmp_path / "t")) == (2, [(1, 10), (2, 20)])

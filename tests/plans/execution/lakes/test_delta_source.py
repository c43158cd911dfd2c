"""Rows and changes read from Delta tables: streams with positions, versions, the change data feed."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.errors import CompiledPlanError, DataError
from tests.support.change_events import events
from tests.support.lakes import delta, needs_delta, rows_of, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [needs_delta, pytest.mark.usefixtures("lakes")]
COLUMNS = "id INT, n INT"
PRINT = "CREATE TABLE p (id INT, n INT) WITH ('connector' = 'print');\n"
COPY = f"{PRINT}INSERT INTO p SELECT * FROM t;"


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Path:
    """A table with a change data feed and one commit of two rows."""
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` ({COLUMNS}) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 10), (2, 20)")
    return path


def changed(spark: SparkSession, path: Path, *statements: str) -> None:
    for statement in statements:
        spark.sql(statement.replace("$", f"delta.`{path}`"))


@pytest.mark.wide
def test_a_stream_continues_behind_its_position(spark: SparkSession, place: Path, tmp_path: Path) -> None:
    """OPTIMIZE rewrites files, and no rows come again."""
    program = delta("t", COLUMNS, place) + COPY

    def more() -> list[str]:
        return sorted(run(spark, program, tmp_path / "c", available_now=True))

    assert more() == ["+I[1, 10]", "+I[2, 20]"]
    changed(spark, place, "INSERT INTO $ VALUES (3, 30)", "OPTIMIZE $")
    assert more() == ["+I[3, 30]"]
    assert more() == []
    changed(spark, place, "INSERT INTO $ VALUES (4, 40)")
    assert more() == ["+I[4, 40]"]


@pytest.mark.wide
def test_changes_end_a_stream_of_rows_unless_they_are_skipped(spark: SparkSession, place: Path, tmp_path: Path) -> None:
    changed(spark, place, "UPDATE $ SET n = 0 WHERE id = 1", "INSERT INTO $ VALUES (3, 30)")
    started = {"startingVersion": "1"}
    with pytest.raises(CompiledPlanError, match="skipChangeCommits"):
        run(spark, delta("t", COLUMNS, place, **started) + COPY, tmp_path / "c", available_now=True)
    skipping = delta("t", COLUMNS, place, skipChangeCommits="true", **started) + COPY
    assert sorted(run(spark, skipping, available_now=True)) == ["+I[1, 10]", "+I[2, 20]", "+I[3, 30]"]


@pytest.mark.wide
def test_versions_and_starts(spark: SparkSession, place: Path) -> None:
    changed(spark, place, "INSERT INTO $ VALUES (3, 30)", "DELETE FROM $ WHERE id = 1")
    whole = {"scan__mode": "batch"}

    def read(**options: str) -> list[str]:
        streams = "scan__mode" not in options
        return sorted(run(spark, delta("t", COLUMNS, place, **options) + COPY, available_now=streams))

    assert read() == read(**whole) == ["+I[2, 20]", "+I[3, 30]"]
    assert read(versionAsOf="1", **whole) == ["+I[1, 10]", "+I[2, 20]"]
    assert read(startingVersion="2", skipChangeCommits="true") == ["+I[3, 30]"]
    assert read(startingVersion="latest", skipChangeCommits="true") == []
    feed = {"readChangeFeed": "true"}
    assert read(startingVersion="2", **feed) == ["+I[3, 30]", "-D[1, 10]"]
    assert read(startingVersion="1", endingVersion="2", **feed, **whole) == ["+I[1, 10]", "+I[2, 20]", "+I[3, 30]"]
    assert read(**feed) == ["+I[2, 20]", "+I[3, 30]"]


@pytest.mark.wide
def test_the_change_data_feed_has_all_kinds_in_their_order(spark: SparkSession, place: Path, tmp_path: Path) -> None:
    key = "id INT PRIMARY KEY NOT ENFORCED, n INT"
    program = delta("t", key, place, readChangeFeed="true", startingVersion="1") + COPY
    changed(
        spark,
        place,
        "UPDATE $ SET n = n + 1",
        "DELETE FROM $ WHERE id = 2",
        "OPTIMIZE $",
        "INSERT INTO $ VALUES (2, 5)",
    )
    lines = run(spark, program, tmp_path / "c", available_now=True)
    assert [line for line in lines if "[1," in line] == ["+I[1, 10]", "-U[1, 10]", "+U[1, 11]"]
    of_two = ["+I[2, 20]", "-U[2, 20]", "+U[2, 21]", "-D[2, 21]", "+I[2, 5]"]
    assert [line for line in lines if "[2," in line] == of_two
    changed(spark, place, "DELETE FROM $")
    assert sorted(run(spark, program, tmp_path / "c", available_now=True)) == ["-D[1, 11]", "-D[2, 5]"]


@pytest.mark.wide
@pytest.mark.parametrize("seed", range(2))
def test_an_aggregate_over_a_table_that_is_updated(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    """Random merges, updates and deletes: the sums written to another table are those of the table itself."""
    chance, source, target = random.Random(seed), tmp_path / "t", tmp_path / "sums"
    feed = {"delta__enableChangeDataFeed": "true", "sink__create_table": "true"}
    keyed = "id INT PRIMARY KEY NOT ENFORCED, n INT"
    sums = delta("sums", "n INT PRIMARY KEY NOT ENFORCED, c BIGINT, s BIGINT", target, sink__create_table="true")
    program = delta("t", keyed, source, readChangeFeed="true") + sums
    program += "INSERT INTO sums SELECT n, COUNT(*), SUM(CAST(id AS BIGINT)) FROM t GROUP BY n;"
    for _ in range(2):
        for _ in range(2):
            values = {chance.randrange(12): chance.randrange(4) for _ in range(6)}
            rows = ", ".join(map(str, values.items()))
            run(spark, f"{delta('t', keyed, source, **feed)} INSERT INTO t VALUES {rows} ON CONFLICT DO DEDUPLICATE;")
        changed(
            spark,
            source,
            f"DELETE FROM $ WHERE id % 5 = {chance.randrange(5)}",
            f"UPDATE $ SET n = n + 1 WHERE id % 2 = {chance.randrange(2)}",
        )
        run(spark, program, tmp_path / "c", available_now=True)
        rows_now = rows_of(spark, source)
        counts, totals = Counter(n for _, n in rows_now), Counter[int]()
        for id_, n in rows_now:
            totals[n] += id_
        assert rows_of(spark, target) == sorted(((n, counts[n], totals[n]) for n in counts), key=repr)


@pytest.mark.wide
def test_a_changelog_is_read_back_as_it_was_written(spark: SparkSession, tmp_path: Path) -> None:
    """Every retraction read is of the row as it was, and every micro-batch leaves the rows of the changelog."""
    files = [
        ["+1=10", "+2=20", "+3=null", "1=10>11", "+4=40", "-4=40"],
        ["-2=20", "+5=20", "3=null>30", "+6=60", "6=60>null"],
        ["-1=11", "+1=12", "5=20>21", "5=21>22"],
    ]
    keyed, feed = "id INT PRIMARY KEY NOT ENFORCED, n INT", {"delta__enableChangeDataFeed": "true"}
    text = events(tmp_path / "events", *files) + delta("t", keyed, tmp_path / "t", sink__create_table="true", **feed)
    run(spark, f"{text}INSERT INTO t SELECT * FROM events;", tmp_path / "c", max_files_per_batch=1)
    read = delta("t", keyed, tmp_path / "t", readChangeFeed="true", startingVersion="0") + COPY
    rows: dict[str, str] = {}
    for line in run(spark, read, available_now=True):
        kind, (key, value) = line[:2], line[3:-1].split(", ")
        if kind in ("-U", "-D"):
            assert rows.pop(key) == value, line
        else:
            assert key not in rows, line
            rows[key] = value
    assert rows == {"1": "12", "3": "30", "5": "22", "6": "null"}


@pytest.mark.wide
def test_a_temporal_join_finds_the_version_of_a_row(spark: SparkSession, tmp_path: Path) -> None:
    """The change data feed is a versioned table: each order has the rate of its time."""
    path = tmp_path / "rates"
    feed = "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    spark.sql(f"CREATE TABLE delta.`{path}` (currency STRING, rate INT, ts TIMESTAMP_NTZ) USING delta {feed}")
    changed(
        spark,
        path,
        "INSERT INTO $ VALUES ('EUR', 10, TIMESTAMP_NTZ '2026-01-01 10:00:00')",
        "UPDATE $ SET rate = 20, ts = TIMESTAMP_NTZ '2026-01-01 11:00:00'",
        "INSERT INTO $ VALUES ('USD', 1, TIMESTAMP_NTZ '2026-01-01 13:00:00')",
    )
    orders = (("3", "09:00:00"), ("1", "10:30:00"), ("2", "11:30:00"), ("4", "14:00:00"))
    lines = (f'{{"id": {id_}, "currency": "EUR", "ts": "2026-01-01 {at}"}}' for id_, at in orders)
    (tmp_path / "orders.json").write_text("\n".join(lines))
    time = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
    text = delta(
        "rates",
        f"currency STRING, rate INT, {time}, PRIMARY KEY (currency) NOT ENFORCED",
        path,
        readChangeFeed="true",
        startingVersion="0",
    )
    text += (
        f"CREATE TABLE orders (id INT, currency STRING, {time}) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path / 'orders.json'}', 'format' = 'json');\n{PRINT}"
        "INSERT INTO p SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r "
        "ON o.currency = r.currency;"
    )
    assert sorted(run(spark, text, tmp_path / "c", available_now=True)) == ["+I[1, 10]", "+I[2, 20]"]


def test_a_table_without_change_data_feed_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(f"CREATE TABLE delta.`{tmp_path / 't'}` ({COLUMNS}) USING delta")
    with pytest.raises(DataError, match="has no change data feed"):
        run(spark, delta("t", COLUMNS, tmp_path / "t", readChangeFeed="true") + COPY)


def test_a_table_that_is_missing_or_differs_is_refused(spark: SparkSession, place: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"the Delta table file:.* does not exist"):
        run(spark, delta("t", COLUMNS, tmp_path / "nothing") + COPY)
    with pytest.raises(DataError, match=r"column 'n' is BIGINT, and the Delta table .* has it as INT"):
        run(spark, delta("t", "id INT, n BIGINT", place) + COPY.replace("n INT", "n BIGINT"))

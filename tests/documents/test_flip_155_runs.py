"""FLIP-155 executed: window tables that emit rows, inline tables, and the name of a run."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan import (
    Cumulate,
    DataTypes,
    Schema,
    Session,
    Slide,
    Table,
    TableDescriptor,
    TableEnvironment,
    Tumble,
    col,
    lit,
)
from compiled_plan.plans.errors import ProgramError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.wide

BIDS = [("2024-01-01 00:01:00", 3, "a"), ("2024-01-01 00:08:00", 5, "b"), ("2024-01-01 00:12:00", 7, "a")]


@pytest.fixture(scope="module")
def env(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> TableEnvironment:
    folder = tmp_path_factory.mktemp("bids")
    rows = [{"bidtime": at, "price": price, "bidder": bidder} for at, price, bidder in BIDS]
    (folder / "bids.json").write_text("\n".join(map(json.dumps, rows)))
    env = TableEnvironment()
    env.execute_sql(
        "CREATE TABLE Bid (bidtime TIMESTAMP(3), price INT, bidder STRING, WATERMARK FOR bidtime AS bidtime) "
        f"WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json')"
    )
    return env


def windows(env: TableEnvironment) -> dict[str, tuple[Table, str]]:
    bid, ten = env.from_path("Bid"), lit(10).minutes
    by_call = {
        "TUMBLE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES)": Tumble.over(ten),
        "HOP(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES)": Slide.over(ten).every(
            lit(5).minutes
        ),
        "CUMULATE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES)": Cumulate.over(
            ten
        ).step(lit(5).minutes),
        "SESSION(TABLE Bid PARTITION BY bidder, DESCRIPTOR(bidtime), INTERVAL '10' MINUTES)": Session.with_gap(
            ten
        ).partition_by(col("bidder")),
    }
    return {
        call.partition("(")[0]: (bid.window(window.on(col("bidtime"))), f"SELECT * FROM TABLE({call})")
        for call, window in by_call.items()
    }


def test_flip_155_a_window_table_with_two_rowtimes_is_planned_and_comes_out(env: TableEnvironment) -> None:
    cases = windows(env)
    for kind, (table, query) in cases.items():
        assert f"WindowTableFunction(window=[{kind}(" in table.explain()
        assert re.sub(r"\[\d+\]", "", env.explain_sql(query)) == re.sub(r"\[\d+\]", "", table.explain())
    for kind, count in (("HOP", 6), ("SESSION", 3)):
        rows = list(map(tuple, cases[kind][0].execute().collect()))
        assert len(rows) == count and all(start <= at < end and time < end for at, _, _, start, end, time in rows)


def test_flip_155_it_is_printed_and_becomes_a_dataframe(
    env: TableEnvironment, capsys: pytest.CaptureFixture[str]
) -> None:
    table, query = windows(env)["TUMBLE"]
    env.execute_sql(query).print()
    printed = capsys.readouterr().out
    assert "window_time" in printed and "2024-01-01 00:09:59.999" in printed and "3 rows in set" in printed
    # Three time attributes, none of which a sink can take.
    frame = table.add_columns(col("bidtime").alias("again")).to_pandas()
    assert list(frame.columns[3:]) == ["window_start", "window_end", "window_time", "again"]
    assert frame.price.sum() == 15 and (frame.again == frame.bidtime).all()


def test_sum0_is_zero_of_nothing(env: TableEnvironment) -> None:
    bid = env.from_path("Bid")
    none = (
        bid.where(col("price") > 5)
        .group_by(col("bidder"))
        .select(col("price").sum0.filter(col("price") > 7), col("price").sum0.distinct)
    )
    assert [str(type_) for type_ in none.get_schema().get_column_data_types()] == ["INT NOT NULL"] * 2
    assert [tuple(row) for row in none.execute().collect()] == [(0, 7)]
    over = "SELECT `$SUM0`(CAST(NULL AS INT)) OVER w, `$SUM0`(price) OVER w FROM Bid WINDOW w AS (ORDER BY bidtime)"
    assert [tuple(row) for row in env.execute_sql(over).collect()] == [(0, 3), (0, 8), (0, 15)]
    window = "SELECT `$SUM0`(price) FROM TABLE(TUMBLE(TABLE Bid, DESCRIPTOR(bidtime), INTERVAL '1' DAY)) GROUP BY "
    assert "$SUM0(price)" in env.explain_sql(window + "window_start, window_end")


def declared(path: Path, *columns: str) -> TableDescriptor:
    schema = Schema.new_builder()
    for column in columns:
        schema = schema.column(column, DataTypes.INT())
    return (
        TableDescriptor.for_connector("filesystem").schema(schema.build()).format("json").option("path", path).build()
    )


def test_tables_of_descriptors_have_no_name(env: TableEnvironment, tmp_path: Path) -> None:
    known = env.list_tables()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "rows.json").write_text('{"a b": 1, "select": 2}\n{"a b": null, "select": 4}\n')
    table = env.from_descriptor(declared(tmp_path / "in", "a b", "select"))
    assert env.sql_query(f"SELECT SUM(`select`) FROM {table}").to_pandas().values.tolist() == [[6]]
    chosen = table.select(col("select"))
    inserts = env.create_statement_set()
    inserts.add_insert(declared(tmp_path / "one", "x"), chosen)
    inserts.add_insert(chosen.insert_into(declared(tmp_path / "two", "x")))
    inserts.execute().wait()
    for name in ("one", "two"):
        assert sorted(row["x"] for row in written(tmp_path / name)) == [2, 4]
    assert env.list_tables() == [*known, *(name for name in env.list_tables() if name.startswith("UnnamedTable"))]


def written(folder: Path) -> list[dict[str, Any]]:
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.startswith((".", "_"))]
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_a_run_has_an_id(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    env.execute_sql("CREATE TEMPORARY TABLE nothing (a INT) WITH ('connector' = 'blackhole')")
    price = env.from_path("Bid").select(col("price"))
    first, second = price.execute_insert("nothing"), env.execute_sql("INSERT INTO nothing SELECT price FROM Bid")
    ids = [result.get_job_client().get_job_id() for result in (first, second)]  # type: ignore[union-attr]
    assert len(set(ids)) == 2 and all(re.fullmatch("[0-9a-f]{32}", one) for one in ids)
    first.print()
    assert capsys.readouterr().out == f"Job ID: {ids[0]}\nOK\n"
    rows = price.execute()
    assert rows.get_job_client() is not None and len(list(rows.collect())) == 3
    assert env.execute_sql("SHOW TABLES").get_job_client() is None
    assert env.execute_sql("SET 'a' = 'b'").get_job_client() is None
    second.wait()


@dataclass
class Bidder:
    bidder: str
    total: float


def test_collect_makes_objects_by_name_in_wider_types(env: TableEnvironment) -> None:
    query = "SELECT SUM(price) AS total, bidder FROM Bid WHERE price < 6 GROUP BY bidder"
    result = env.sql_query(query).execute()
    with pytest.raises(ProgramError, match="column total of type INT cannot become SMALLINT without loss"):
        result.collect("ROW<bidder STRING, total SMALLINT>")
    # A conversion error leaves the rows in the result.
    bidders = sorted(result.collect(Bidder), key=lambda one: one.bidder)
    assert bidders == [Bidder("a", 3.0), Bidder("b", 5.0)] and isinstance(bidders[0].total, float)

"""Programs that run their own plans: results, background runs, plan files, DataFrames in and out."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest

from compiled_plan import DataTypes, Row, RowKind, Schema, TableEnvironment, Tumble, col, lit
from compiled_plan.plans.errors import CompiledPlanError, DataError, ExecutionError, PlanError, ProgramError
from compiled_plan.plans.execution.embedded import _WAITING, EmbeddedRun
from compiled_plan.plans.types import INT, row_of
from compiled_plan.results.kinds import JobStatus
from compiled_plan.running.plans import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def env(spark: SparkSession) -> TableEnvironment:
    return TableEnvironment()


def sink(env: TableEnvironment, path: Path, columns: str = "a BIGINT, b STRING") -> None:
    env.execute_sql(
        f"CREATE TABLE sink ({columns}) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json')"
    )


def written(path: Path) -> list[dict[str, Any]]:
    files = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith((".", "_")))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


# --- results


def test_changes_come_with_their_kinds(env: TableEnvironment) -> None:
    query = "SELECT x, COUNT(*) AS n FROM (VALUES ('a'), ('b'), ('a')) t(x) GROUP BY x HAVING COUNT(*) > 1"
    rows = list(env.execute_sql(query).collect())
    assert rows[-1] == Row.of(("a", 2), kind=rows[-1].kind) and rows[-1].kind in (RowKind.INSERT, RowKind.UPDATE_AFTER)
    assert rows[-1].n == 2 and rows[-1]["x"] == "a" and rows[-1].field_names == ("x", "n")


@pytest.mark.wide
def test_a_result_as_a_table_and_as_its_changes(env: TableEnvironment, tmp_path: Path) -> None:
    changes = [
        {"before": None, "after": {"id": 1, "v": "a"}, "op": "c"},
        {"before": None, "after": {"id": 2, "v": "b"}, "op": "c"},
        {"before": {"id": 1, "v": "a"}, "after": {"id": 1, "v": "c"}, "op": "u"},
        {"before": {"id": 2, "v": "b"}, "after": None, "op": "d"},
    ]
    (tmp_path / "in.json").write_text("\n".join(map(json.dumps, changes)))
    env.execute_sql(
        f"CREATE TABLE t (id INT, v STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/in.json', "
        "'format' = 'debezium-json')"
    )
    table = env.from_path("t")
    kinds = [(str(row.kind), *row) for row in table.execute().collect()]
    assert kinds == [("+I", 1, "a"), ("+I", 2, "b"), ("-U", 1, "a"), ("+U", 1, "c"), ("-D", 2, "b")]
    assert table.to_pandas().to_dict("list") == {"id": [1], "v": ["c"]}
    shown = table.execute().to_dataframe("pyarrow", changelog=True).to_pydict()
    assert shown == {"op": ["+I", "+I", "-U", "+U", "-D"], "id": [1, 2, 1, 1, 2], "v": ["a", "b", "a", "c", "b"]}


@pytest.mark.wide
def test_rows_can_be_taken_once(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT 1 AS a")
    assert result.column_names == ("a",)
    assert list(result.collect()) == [(1,)]
    for take in (result.collect, result.print, result.to_dataframe):
        with pytest.raises(ExecutionError, match="taken already"):
            take()
    with pytest.raises(ExecutionError, match="'pandas', 'pyarrow' or 'spark'"):
        env.execute_sql("SELECT 1").to_dataframe("polars")  # type: ignore[arg-type]


def test_statements_without_rows_return_ok(env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    result = env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'blackhole')")
    result.wait()
    result.print()
    assert capsys.readouterr().out == "OK\n"
    assert list(result.collect()) == []


def test_a_failed_query_raises_when_its_rows_are_read(env: TableEnvironment) -> None:
    result = env.from_values([("1",), ("x",)]).select(col("f0").cast("INT")).execute()
    with pytest.raises(CompiledPlanError) as caught:
        list(result.collect())
    assert "x" in str(caught.value)
    with pytest.raises(CompiledPlanError):
        result.wait()


@pytest.mark.wide
def test_a_query_that_never_ends_is_closed(env: TableEnvironment) -> None:
    env.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '20')")
    result = env.execute_sql("SELECT a FROM t")
    with pytest.raises(ExecutionError, match="within 10 ms"):
        result.wait(10)
    with result.collect() as rows:
        assert len(list(itertools.islice(rows, 3))) == 3
    result.wait()


class Finished:
    """A run that returns rows, and ends."""

    bounded = True

    def __init__(self, batches: int) -> None:
        self.batches = batches
        self.receive: Callable[[pa.Table], None] = print

    def execute(self) -> None:
        for at in range(self.batches):
            self.receive(pa.table({"kind": [0], "f0": [at]}))

    def stop(self) -> None:
        """Do nothing: it has ended."""


@pytest.mark.parametrize("batches", [1, _WAITING - 1, _WAITING])
def test_a_stop_after_the_end_has_no_effect(batches: int) -> None:
    run, source = EmbeddedRun(Queue(_WAITING), row_of(["a"], [INT])), Finished(batches)
    ended: Queue[tuple[BaseException | None, bool]] = Queue()
    run.on_end(lambda fault, stopped: ended.put((fault, stopped)))
    source.receive = run.receive
    run.begin(source)  # type: ignore[arg-type]
    assert ended.get(timeout=60) == (None, False)
    stop = Thread(target=run.stop, daemon=True)
    stop.start()
    stop.join(60)
    assert not stop.is_alive()
    run.on_end(lambda fault, stopped: ended.put((fault, stopped)))
    assert ended.get(timeout=60) == (None, False)
    assert [value for chunk in run.chunks() for value in chunk.columns[0]] == list(range(batches))


def test_a_query_that_has_ended_is_not_cancelled(env: TableEnvironment) -> None:
    result = env.execute_sql("SELECT 1 AS a")
    with result.collect() as rows:
        assert len(list(rows)) == 1
    client = result.get_job_client()
    assert client is not None and client.get_job_status().result() is JobStatus.FINISHED


# --- statements that write


def test_an_insert_is_waited_for(env: TableEnvironment, tmp_path: Path) -> None:
    sink(env, tmp_path)
    env.execute_sql("INSERT INTO sink VALUES (1, 'x'), (2, 'y')").wait()
    assert sorted(row["a"] for row in written(tmp_path)) == [1, 2]


@pytest.mark.wide
def test_an_insert_that_is_synchronous_needs_no_wait(env: TableEnvironment, tmp_path: Path) -> None:
    sink(env, tmp_path)
    env.set("table.dml-sync", "true")
    env.from_values([(3, "z")], ["a", "b"]).execute_insert("sink")
    assert written(tmp_path) == [{"a": 3, "b": "z"}]


@pytest.mark.wide
def test_a_statement_set_and_a_plan_file(env: TableEnvironment, tmp_path: Path) -> None:
    sink(env, tmp_path / "out")
    plan = tmp_path / "plan.json"
    body = "STATEMENT SET BEGIN INSERT INTO sink VALUES (1, 'x'); INSERT INTO sink VALUES (2, 'y'); END"
    env.execute_sql(f"COMPILE PLAN '{plan}' FOR {body}")
    assert not (tmp_path / "out").exists()
    env.execute_sql(f"EXECUTE PLAN '{plan}'").wait()
    CompiledPlan.read_file(plan).execute().wait()
    assert sorted(row["a"] for row in written(tmp_path / "out")) == [1, 1, 2, 2]
    env.execute_sql(f"COMPILE PLAN '{plan}' IF NOT EXISTS FOR {body}")
    with pytest.raises(ProgramError, match="is there already"):
        env.execute_sql(f"COMPILE PLAN '{plan}' FOR {body}")


def test_an_empty_statement_set_is_refused(env: TableEnvironment) -> None:
    with pytest.raises(ProgramError):
        env.execute_sql("EXECUTE STATEMENT SET BEGIN END")


# --- DataFrames

DAY, NOON = dt.date(2020, 1, 31), dt.datetime(2020, 1, 31, 12, 0, 0, 123456)


def all_types() -> pa.Table:
    """One row of every kind of column, one of nulls."""
    moment = NOON.replace(tzinfo=dt.UTC)
    columns: dict[str, tuple[pa.DataType, Any]] = {
        "bool": (pa.bool_(), True),
        "i8": (pa.int8(), -1),
        "u8": (pa.uint8(), 255),
        "u32": (pa.uint32(), 2**32 - 1),
        "u64": (pa.uint64(), 2**64 - 1),
        "f32": (pa.float32(), 1.5),
        "dec": (pa.decimal128(5, 2), Decimal("1.25")),
        "text": (pa.large_string(), "é\0"),
        "data": (pa.binary(2), b"\x00\xff"),
        "day": (pa.date64(), DAY),
        "clock": (pa.time64("us"), dt.time(1, 2, 3, 4000)),
        "plain": (pa.timestamp("ns"), NOON),
        "zoned": (pa.timestamp("ms", tz="Europe/Berlin"), moment.replace(microsecond=123000)),
        "span": (pa.duration("s"), dt.timedelta(days=1)),
        "list": (pa.list_(pa.time32("s")), [dt.time(1), None]),
        "map": (pa.map_(pa.string(), pa.int32()), {"k": None}),
        "row": (pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))]), {"a": 1, "b": ["x"]}),
        "word": (pa.dictionary(pa.int8(), pa.string()), "w"),
    }
    arrays = []
    for type_, value in columns.values():
        values = list(value.items()) if pa.types.is_map(type_) else value
        arrays.append(pa.array([values, None], type=type_))
    return pa.table(arrays, names=list(columns))


@pytest.mark.wide
def test_arrow_in_and_out(env: TableEnvironment) -> None:
    frame = all_types()
    table = env.from_dataframe(frame)
    types = dict(zip(frame.column_names, map(str, table.get_schema().get_column_data_types()), strict=True))
    assert types["u64"] == "DECIMAL(20, 0)" and types["data"] == "BINARY(2)" and types["clock"] == "TIME(6)"
    assert types["zoned"] == "TIMESTAMP(3) WITH LOCAL TIME ZONE" and types["span"].startswith("INTERVAL DAY")
    first, second = table.execute().collect()
    assert first.as_dict() == {
        "bool": True, "i8": -1, "u8": 255, "u32": 2**32 - 1, "u64": Decimal(2**64 - 1), "f32": 1.5,
        "dec": Decimal("1.25"), "text": "é\0", "data": b"\x00\xff", "day": DAY, "clock": dt.time(1, 2, 3, 4000),
        "plain": NOON, "zoned": NOON.replace(microsecond=123000, tzinfo=dt.UTC), "span": dt.timedelta(days=1),
        "list": [dt.time(1), None], "map": {"k": None}, "row": {"a": 1, "b": ["x"]}, "word": "w",
    }  # fmt: skip
    assert second == (None,) * len(types)
    out = table.execute().to_dataframe("pyarrow")
    assert out.column("clock").to_pylist() == [dt.time(1, 2, 3, 4000), None]
    assert out.column("span").to_pylist() == [dt.timedelta(days=1), None]


@pytest.mark.wide
def test_pandas_in_and_out(env: TableEnvironment) -> None:
    frame = pd.DataFrame({"a": [1, 2], "s": ["x", None], "f": [1.5, float("nan")], "c": pd.Categorical(["u", "v"])})
    table = env.from_dataframe(frame).select(col("a") + 1, col("s"), col("f"), col("c"))
    out = table.to_pandas()
    assert out.values.tolist()[0] == [2, "x", 1.5, "u"]
    assert out.isna().values.tolist()[1] == [False, True, True, False]


@pytest.mark.wide
def test_spark_in_and_out(env: TableEnvironment, spark: SparkSession) -> None:
    query = "SELECT id AS n, named_struct('a', array(1), 'b', map('k', DATE'2020-01-31')) AS r, TIME'01:02:03' AS t"
    frame = spark.sql(f"{query}, INTERVAL '1' DAY AS i, TIMESTAMP_NTZ'2020-01-31 12:00:00.123456' AS ts FROM range(3)")
    table = env.from_dataframe(frame)
    rows = [tuple(row) for row in table.execute().collect()]
    expected = ((([1], {"k": DAY})), dt.time(1, 2, 3), dt.timedelta(days=1), NOON)
    assert rows == [(n, *expected) for n in range(3)]
    out = table.select(col("n"), col("ts"), col("r").get("a")).execute().to_dataframe("spark")
    assert out.where("n = 2").collect() == [(2, NOON, [1])]


@pytest.mark.wide
def test_a_streaming_dataframe_never_ends(env: TableEnvironment, spark: SparkSession) -> None:
    frame = spark.readStream.format("rate").option("rowsPerSecond", 20).load()
    table = env.from_dataframe(frame, ["at", "number"]).select(col("number"))
    with table.execute().collect() as rows:
        numbers = [row.number for row in itertools.islice(rows, 5)]
    assert numbers == sorted(numbers) and len(numbers) == 5


def test_a_schema_converts_the_columns(env: TableEnvironment) -> None:
    frame = pd.DataFrame({"a": [1, 2], "d": ["1.255", None]})
    with pytest.raises(DataError, match=r"'1.255' of class str is no value of DECIMAL\(5, 2\)"):
        env.from_dataframe(frame, "ROW<a INT, d DECIMAL(5, 2)>")
    frame["d"] = [Decimal("1.255"), None]
    table = env.from_dataframe(
        frame, DataTypes.ROW(DataTypes.FIELD("x", "TINYINT"), DataTypes.FIELD("y", "DECIMAL(5, 2)"))
    )
    assert list(table.execute().collect()) == [(1, Decimal("1.26")), (2, None)]


@pytest.mark.wide
def test_a_dataframe_with_a_watermark_has_windows(env: TableEnvironment) -> None:
    schema = (
        Schema.new_builder()
        .column("n", "INT")
        .column("at", "TIMESTAMP(3)")
        .column_by_expression("twice", "n * 2")
        .watermark("at", "`at` - INTERVAL '1' SECOND")
        .build()
    )
    frame = pd.DataFrame(
        {"n": [1, 2, 3], "at": pd.to_datetime(["2020-01-01 00:00", "2020-01-01 00:59", "2020-01-01 01:00"])}
    )
    windows = env.from_dataframe(frame, schema).window(Tumble.over(lit(1).hours).on(col("at")))
    sums = windows.group_by("window_start", "window_end").select(col("window_start"), col("twice").sum.alias("s"))
    start = dt.datetime(2020, 1, 1)
    assert list(sums.execute().collect()) == [(start, 6), (start.replace(hour=1), 6)]


@pytest.mark.parametrize(
    ("frame", "schema", "message"),
    [
        ([(1,)], None, "is no DataFrame"),
        (pa.table({"a": [1]}), ["a", "b"], "2 columns, the DataFrame 1"),
        (pa.table({"a": [300]}), "ROW<a TINYINT>", "300 is no value of TINYINT"),
        (pa.table({"a": [1, None]}), "ROW<a INT NOT NULL>", "None is no value of INT NOT NULL"),
        (pa.table([[1], [2]], names=["a", "a"]), None, "two columns 'a'"),
        (pa.table({"a": [None]}), None, "type null"),
        (pa.table({"a": [1]}), "INT", "must be a row"),
        (pd.DataFrame({"a": [object()]}), None, "cannot be inferred"),
    ],
)
def test_invalid_inputs_of_from_dataframe(frame: Any, schema: Any, message: str) -> None:
    with pytest.raises(CompiledPlanError) as caught:
        TableEnvironment().from_dataframe(frame, schema)
    assert message in caught.value.message


def test_plans_over_dataframes_cannot_be_written(tmp_path: Path) -> None:
    env = TableEnvironment()
    sink(env, tmp_path)
    plan = env.from_dataframe(pa.table({"a": [1], "b": ["x"]})).insert_into("sink").compile_plan()
    with pytest.raises(PlanError) as caught:
        plan.write_file(tmp_path / "plan.json")
    assert "anonymous_dataframe" in caught.value.message and "reads a DataFrame of this program" in caught.value.message
    assert not (tmp_path / "plan.json").exists()


def test_a_plan_over_a_dataframe_of_another_process_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    env = TableEnvironment()
    sink(env, tmp_path)
    plan = env.from_dataframe(pa.table({"a": [1], "b": ["x"]})).insert_into("sink").compile_plan()
    text = plan.to_json()
    name = text.split('"id" : "')[1].split('"')[0] if '"id" : "' in text else ""
    assert name
    with pytest.raises(CompiledPlanError, match="of the program that compiled this plan"):
        CompiledPlan.from_json(text.replace(name, "0" * 12)).execute()

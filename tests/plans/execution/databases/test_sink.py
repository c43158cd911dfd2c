"""Rows written to databases: every type, with and without a key, repeated batches; SQLite and PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import DataError, ExecutionError
from compiled_plan.plans.execution.interfaces.connectors import SinkContext, open_sink
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.execution.stages.prepared import prepare, sink_tables
from tests.support.change_events import events
from tests.support.waiting import wait_until
from tools.services.postgres import psql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

T = TypeVar("T")
DERBY = "jdbc:derby:memory:sinks;create=true"
TYPES = """
    `order` INT, yes BOOLEAN, tiny TINYINT, small SMALLINT, big BIGINT, single FLOAT, wide DOUBLE,
    amount DECIMAL(20, 6), `Mixed Case` STRING, fixed CHAR(3), bytes_ BYTES, born DATE, at_time TIME(3),
    wall TIMESTAMP(6), instant TIMESTAMP_LTZ(6)
"""
VALUES = """
    (1, TRUE, CAST(-128 AS TINYINT), CAST(300 AS SMALLINT), 9223372036854775807, CAST(1.5 AS FLOAT), 2.25E0,
     CAST(12345678901234.567891 AS DECIMAL(20, 6)), 'it''s "ü"', 'abc', x'00ff10', DATE '1969-12-31',
     TIME '23:59:58.123', TIMESTAMP '2024-03-31 02:30:00.123456',
     TO_TIMESTAMP_LTZ(1711852200123, 3))
"""
NULLS = ", ".join(["2", *["CAST(NULL AS %s)"] * 14]) % tuple(
    "BOOLEAN|TINYINT|SMALLINT|BIGINT|FLOAT|DOUBLE|DECIMAL(20, 6)|STRING|CHAR(3)|BYTES|DATE|TIME(3)|TIMESTAMP(6)"
    "|TIMESTAMP_LTZ(6)".split("|")
)


def table(name: str, columns: str, **options: str) -> str:
    table_options = {"connector": "jdbc", "table-name": name, **options}
    text = ", ".join(
        f"'{key.replace('__', '.').replace('_', '-')}' = '{value}'" for key, value in table_options.items()
    )
    return f"CREATE TABLE {name} ({columns}) WITH ({text});\n"


def execute(spark: SparkSession, text: str, **options: Any) -> None:
    Run(spark, TableEnvironment().compile_script(text), RunOptions(**options)).execute()


@pytest.fixture
def derby(spark: SparkSession) -> Any:
    jvm: Any = spark._jvm
    connection = jvm.java.sql.DriverManager.getConnection(DERBY)
    yield connection.createStatement()
    connection.close()


def column(result_set: Any) -> list[tuple[int, int | None]]:
    """The rows of a result set with two numbers."""
    rows = []
    while result_set.next():
        key, value = result_set.getInt(1), result_set.getInt(2)
        rows.append((key, None if result_set.wasNull() else value))
    return rows


def test_every_type_in_postgres(spark: SparkSession, postgres: Server) -> None:
    psql(
        postgres.port,
        'CREATE TABLE typed ("order" INT PRIMARY KEY, yes BOOLEAN, tiny SMALLINT, small SMALLINT, big BIGINT, '
        'single REAL, wide DOUBLE PRECISION, amount NUMERIC(20, 6), "Mixed Case" TEXT, fixed CHAR(3), bytes_ BYTEA, '
        "born DATE, at_time TIME, wall TIMESTAMP, instant TIMESTAMPTZ, ints INT[], texts TEXT[], nested INT[][], "
        "amounts NUMERIC[], blobs BYTEA[], times TIMESTAMPTZ[])",
    )
    arrays = (
        ", ints ARRAY<INT>, texts ARRAY<STRING>, nested ARRAY<ARRAY<INT>>, amounts ARRAY<DECIMAL(4, 2)>, "
        "blobs ARRAY<BYTES>, times ARRAY<TIMESTAMP_LTZ(3)>"
    )
    more_values = (
        ", ARRAY[1, NULL], ARRAY['a,b', '\"'], ARRAY[ARRAY[1, 2], ARRAY[3, 4]], ARRAY[1.25, 2.5], ARRAY[x'00ff'], "
        "ARRAY[TO_TIMESTAMP_LTZ(0, 3)]"
    )
    nothing = ", " + ", ".join(
        f"CAST(NULL AS {type_})"
        for type_ in (
            "ARRAY<INT>|ARRAY<STRING>|ARRAY<ARRAY<INT>>|ARRAY<DECIMAL(4, 2)>|ARRAY<BYTES>|ARRAY<TIMESTAMP_LTZ(3)>"
        ).split("|")
    )
    key = ", PRIMARY KEY (`order`) NOT ENFORCED"
    text = table("typed", TYPES + arrays + key, url=postgres.address)
    rows = f"(VALUES {VALUES.strip()[:-1]}{more_values}), ({NULLS}{nothing}))"
    execute(spark, f"{text}INSERT INTO typed SELECT * FROM {rows} ON CONFLICT DO DEDUPLICATE;")
    shown = psql(postgres.port, "SET timezone = 'UTC'; SELECT * FROM typed ORDER BY 1")
    assert shown[0] == [
        *("1", "t", "-128", "300", "9223372036854775807", "1.5", "2.25", "12345678901234.567891", 'it\'s "ü"', "abc"),
        *("\\x00ff10", "1969-12-31", "23:59:58.123", "2024-03-31 02:30:00.123456", "2024-03-31 02:30:00.123+00"),
        *("{1,NULL}", '{"a,b","\\""}', "{{1,2},{3,4}}", "{1.25,2.50}", '{"\\\\x00ff"}', '{"1970-01-01 00:00:00+00"}'),
    ]
    assert shown[1] == ["2", *[""] * 20]


@pytest.mark.wide
def test_every_type_in_sqlite(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    database = sqlite3.connect(file)
    database.execute(
        'CREATE TABLE typed ("order" INT PRIMARY KEY, yes BOOLEAN, tiny INT, small INT, big INT, single REAL, '
        'wide REAL, amount TEXT, "mixed case" TEXT, fixed TEXT, bytes_ BLOB, born TEXT, at_time TEXT, wall TEXT, '
        "instant TEXT)"
    )
    text = table("typed", TYPES, url=f"jdbc:sqlite:{file}")
    execute(spark, f"{text}INSERT INTO typed SELECT * FROM (VALUES {VALUES}, ({NULLS}));")
    assert database.execute("SELECT * FROM typed ORDER BY 1").fetchall() == [
        (
            *(1, 1, -128, 300, 9223372036854775807, 1.5, 2.25, "12345678901234.567891", 'it\'s "ü"', "abc"),
            *(b"\x00\xff\x10", "1969-12-31", "23:59:58.123", "2024-03-31 02:30:00.123456", "2024-03-31 02:30:00.123"),
        ),
        (2, *[None] * 14),
    ]


@pytest.mark.wide
def test_upserts_deletes_and_appends_in_three_databases(
    spark: SparkSession, postgres: Server, derby: Any, tmp_path: Path
) -> None:
    """Of the rows of a key the last one counts, within a micro-batch and over several."""
    psql(postgres.port, "CREATE SCHEMA s; CREATE TABLE s.by_key (id INT PRIMARY KEY, n INT UNIQUE)")
    psql(postgres.port, "CREATE TABLE only_key (id INT PRIMARY KEY)")
    lite = sqlite3.connect(tmp_path / "a.db")
    lite.execute("CREATE TABLE by_key (ID INT PRIMARY KEY, n INT)")
    lite.execute("CREATE TABLE seen (id INT, n INT)")
    derby.execute("CREATE TABLE by_key (id INT PRIMARY KEY, n INT)")
    urls = {"postgres": postgres.address, "sqlite": f"jdbc:sqlite:{tmp_path / 'a.db'}", "derby": DERBY}
    text = events(
        tmp_path / "events",
        ["+1=10", "+2=20", "+3=null", "1=10>11", "+4=40", "-4=40"],
        # A unique value moves from one row to another: the delete comes first.
        ["-2=20", "+5=20", "3=null>30", "+6=60", "6=60>null"],
        ["-1=11", "+1=12", "5=20>21", "5=21>22"],
    )
    for name, url in urls.items():
        place = {"url": url, "sink.buffer-flush.max-rows": "2" if name == "sqlite" else "100"}
        place |= {"table-name": "s.by_key" if name == "postgres" else "by_key"}
        options = ", ".join(f"'{key}' = '{value}'" for key, value in place.items())
        text += (
            f"CREATE TABLE {name} (id INT PRIMARY KEY NOT ENFORCED, n INT) WITH ('connector' = 'jdbc', {options});\n"
        )
    text += table("only_key", "id INT PRIMARY KEY NOT ENFORCED", url=postgres.address)
    text += table("seen", "id INT, n INT", url=urls["sqlite"])
    text += (
        f"CREATE TABLE plain (id INT, n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'plain'}', "
        "'format' = 'json');\n"
    )
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "1.json").write_text('{"id": 1, "n": 1}\n{"id": 1, "n": 1}\n{"id": null}')
    text += "EXECUTE STATEMENT SET BEGIN\n"
    text += "".join(f"INSERT INTO {name} SELECT * FROM events;\n" for name in urls)
    text += "INSERT INTO only_key SELECT id FROM events;\nINSERT INTO seen SELECT * FROM plain;\nEND;"
    plan = TableEnvironment().compile_script(text)
    Run(spark, plan, RunOptions(max_files_per_batch=1, checkpoint=str(tmp_path / "checkpoint"))).execute()
    expected = [(1, 12), (3, 30), (5, 22), (6, None)]
    assert lite.execute("SELECT * FROM by_key ORDER BY 1").fetchall() == expected
    assert column(derby.executeQuery("SELECT id, n FROM by_key ORDER BY id")) == expected
    rows = psql(postgres.port, "SELECT id, n FROM s.by_key ORDER BY 1")
    assert rows == [[str(key), "" if n is None else str(n)] for key, n in expected]
    assert psql(postgres.port, "SELECT id FROM only_key ORDER BY 1") == [["1"], ["3"], ["5"], ["6"]]
    assert sorted(map(repr, lite.execute("SELECT * FROM seen").fetchall())) == ["(1, 1)", "(1, 1)", "(None, None)"]
    batches = dict(lite.execute("SELECT sink, batch FROM compiled_plan_batches").fetchall())
    assert batches == {
        "default_catalog.default_database.sqlite": 2,
        "default_catalog.default_database.seen": 0,
    }


def test_a_row_that_a_condition_no_longer_passes_is_deleted(spark: SparkSession, tmp_path: Path) -> None:
    """The condition passes the row before the update, and not the row after it."""
    database = sqlite3.connect(tmp_path / "a.db")
    database.execute("CREATE TABLE sums (n INT PRIMARY KEY, total INT)")
    text = events(tmp_path / "events", ["+1=10", "+2=20", "+3=20"], ["+4=10", "-2=20"], ["-4=10", "-3=20"], ["+5=10"])
    text += table("sums", "n INT PRIMARY KEY NOT ENFORCED, total BIGINT", url=f"jdbc:sqlite:{tmp_path / 'a.db'}")
    text += "INSERT INTO sums SELECT n, COUNT(*) FROM events GROUP BY n HAVING COUNT(*) % 2 = 1;"
    execute(spark, text, max_files_per_batch=1)
    assert database.execute("SELECT * FROM sums").fetchall() == []


@pytest.mark.wide
def test_a_committed_micro_batch_is_skipped(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    lite = sqlite3.connect(file)
    lite.execute("CREATE TABLE seen (id INT)")
    text = table("seen", "id INT", url=f"jdbc:sqlite:{file}") + "INSERT INTO seen VALUES (1);"
    sinks = prepare(TableEnvironment().compile_script(text)).sinks
    (opened,) = sink_tables(sinks).values()
    rows = spark.createDataFrame([(0, 0, None, 7)], "kind tinyint, ord bigint, path binary, f0 int")
    nothing = rows.where("f0 < 0")

    def started(run: str) -> Callable[..., None]:
        return open_sink(opened, SinkContext(spark, run, print)).write

    def written() -> int:
        return int(lite.execute("SELECT COUNT(*) FROM seen").fetchone()[0])

    first = started("one")
    first(rows, 0)
    first(nothing, 1)
    first(rows, 2)
    assert written() == 2
    # A crash before Spark has recorded the end of the batch.
    again = started("one")
    again(rows, 2)
    assert written() == 2
    again(rows, 3)
    assert written() == 3
    # A run behind the database, or level with it, has an older copy of the checkpoint.
    with pytest.raises(DataError, match="has micro-batch 3 of this checkpoint in seen already, and the run is at 1"):
        started("one")(rows, 1)
    with pytest.raises(DataError, match=r"has micro-batch 3 .* and the run is at 3: the checkpoint is an older copy"):
        again(rows, 3)
    # A new generation, or a new checkpoint.
    started("two")(rows, 0)
    assert written() == 4
    # Two statements write one table.
    both = table("seen", "id INT", url=f"jdbc:sqlite:{file}") + (
        "EXECUTE STATEMENT SET BEGIN INSERT INTO seen VALUES (1); INSERT INTO seen VALUES (2); END;"
    )
    execute(spark, both)
    assert written() == 6


@pytest.mark.wide
def test_errors_of_a_database_are_reported(spark: SparkSession, postgres: Server, tmp_path: Path) -> None:
    psql(postgres.port, "CREATE TABLE narrow (id INT PRIMARY KEY, name VARCHAR(3), n INT CHECK (n < 9))")

    def refused(columns: str, values: str, name: str = "narrow", **options: str) -> str:
        table_options = {"url": postgres.address, **options}
        with pytest.raises(ExecutionError) as error:
            execute(spark, f"{table(name, columns, **table_options)}INSERT INTO {name} VALUES ({values});")
        return str(error.value)

    missing = refused("id INT", "1", "nowhere")
    assert 'looking for table nowhere: ERROR: relation "nowhere" does not exist' in missing
    assert "?user" not in missing
    assert "narrow of jdbc:postgresql" in refused("id INT, nam STRING", "1, 'a'")
    assert "has no column 'nam'" in refused("id INT, nam STRING", "1, 'a'")
    assert "writing table narrow: ERROR: value too long for type character varying(3)" in refused(
        "id INT, name STRING", "1, 'long'"
    )
    assert 'violates check constraint "narrow_n_check"' in refused("id INT, n INT", "1, 9")
    assert 'role "nobody" does not exist' in refused(
        "id INT", "1", username="nobody", password="", url=postgres.address[:-14]
    )
    assert "the JDBC driver org.nowhere.Driver is not on the class path" in refused(
        "id INT", "1", driver="org.nowhere.Driver"
    )
    assert "no JDBC driver on the class path takes the URL jdbc:oracle:thin" in refused(
        "id INT", "1", url="jdbc:oracle:thin:@//h/s"
    )
    assert psql(postgres.port, "SELECT * FROM narrow") == []


def while_away(server: Server, action: Callable[[], T], capfd: pytest.CaptureFixture[str]) -> tuple[T, str]:
    """The result of an action whose server is not up yet, and its messages meanwhile."""
    capfd.readouterr()
    said: list[str] = []

    def is_told() -> bool:
        said.append(capfd.readouterr().err)
        return future.done() or "waiting for" in "".join(said)

    server.kill()
    with ThreadPoolExecutor(1) as pool:
        future: Future[T] = pool.submit(action)
        wait_until(is_told, "a word of the server that is away")
        server.start()
        return future.result(60), "".join([*said, capfd.readouterr().err])


@pytest.mark.wide
def test_a_run_waits_for_an_unavailable_database(
    spark: SparkSession, postgres: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    psql(postgres.port, "CREATE TABLE patient (id INT)")
    columns = {"url": postgres.address, "connection.max-retry-timeout": "30 s"}
    text = table("patient", "id INT", **columns) + "INSERT INTO patient VALUES (1), (2);"
    plan = TableEnvironment().compile_script(text)
    run, shown = while_away(postgres, lambda: Run(spark, plan, RunOptions()), capfd)
    assert shown.startswith(f"waiting for jdbc:postgresql://127.0.0.1:{postgres.port}/postgres, looking for table")
    assert shown.count("\n") == 1
    # The server stops between the start and the first micro-batch.
    _, shown = while_away(postgres, run.execute, capfd)
    assert shown.startswith(f"waiting for jdbc:postgresql://127.0.0.1:{postgres.port}/postgres")
    assert psql(postgres.port, "SELECT * FROM patient ORDER BY 1") == [["1"], ["2"]]


@pytest.mark.wide
def test_an_unavailable_database_ends_the_run(spark: SparkSession) -> None:
    options = {"url": "jdbc:postgresql://127.0.0.1:1/d?password=secret", "connection.max-retry-timeout": "1 s"}
    text = table("gone", "id INT", **options) + "INSERT INTO gone VALUES (1);"
    with pytest.raises(
        ExecutionError, match=r"the database does not answer: .*Connection to 127.0.0.1:1 refused"
    ) as error:
        execute(spark, text)
    assert "secret" not in str(error.value)

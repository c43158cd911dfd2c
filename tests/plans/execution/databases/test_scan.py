"""Database tables read as a whole: every type, partitions, source filters; PostgreSQL and SQLite."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import DataError, ProgramError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.plan import CompiledPlan
from tools.services.postgres import psql

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

COLUMNS = """
    id INT, `Yes` BOOLEAN, tiny TINYINT, small SMALLINT, big BIGINT, single FLOAT, wide DOUBLE, amount DECIMAL(20, 6),
    text STRING, raw_bytes BYTES, born DATE, at_time TIME(3), wall TIMESTAMP(6), instant TIMESTAMP_LTZ(6)
"""
ARRAYS = ", ints ARRAY<INT>, nested ARRAY<ARRAY<STRING>>, amounts ARRAY<DECIMAL(4, 2)>, times ARRAY<TIMESTAMP(3)>"


def table(name: str, columns: str, options: dict[str, str]) -> str:
    option_list = ", ".join(f"'{key}' = '{value}'" for key, value in {"connector": "jdbc", **options}.items())
    return f"CREATE TABLE {name} ({columns}) WITH ({option_list});\n"


def execute(spark: SparkSession, text: str, checkpoint: str = "") -> int:
    return Run(spark, TableEnvironment().compile_script(text), RunOptions(checkpoint=checkpoint)).execute().rows_in


@pytest.mark.wide
def test_rows_of_postgres_survive_a_round_trip(spark: SparkSession, postgres: Server, tmp_path: Path) -> None:
    """Names of any case, every type, NULLs; and through SQLite, which has a handful of types."""
    shape = (
        '(id INT, "Yes" BOOLEAN, tiny SMALLINT, small SMALLINT, big BIGINT, single REAL, wide DOUBLE PRECISION, '
        "amount NUMERIC(20, 6), text TEXT, raw_bytes BYTEA, born DATE, at_time TIME(3), wall TIMESTAMP, "
        "instant TIMESTAMPTZ"
    )
    arrays = ", ints INT[], nested TEXT[][], amounts NUMERIC(4, 2)[], times TIMESTAMP[]"
    psql(
        postgres.port,
        f'CREATE TABLE "Origin" {shape}{arrays}); CREATE TABLE copy {shape}{arrays}); CREATE TABLE back {shape}); '
        "INSERT INTO \"Origin\" VALUES (1, TRUE, -128, 300, 9223372036854775807, 1.5, 'NaN', 12345678901234.567891, "
        "'it''s \"ü\"', '\\x00ff10', '1582-10-04', '23:59:58.123', '2024-03-31 02:30:00.123456', "
        "'2024-03-31 02:30:00.123456+01', '{1,NULL}', '{{\"a,b\",\"\"},{\"c\",NULL}}', '{1.25}', "
        "'{\"2024-03-31 02:30:00\"}'), (3, FALSE, 127, -1, -9223372036854775808, '-Infinity', 1e308, -0.000001, "
        "'', '', '0001-01-01', '00:00', '0001-01-01 00:00:00', '9999-12-31 23:59:59.999999Z', '{}', '{}', '{}', '{}'); "
        'INSERT INTO "Origin" VALUES (2)',
    )
    # SQLite stores DECIMALs as floating-point numbers.
    sqlite3.connect(tmp_path / "a.db").execute(f"CREATE TABLE lite ({COLUMNS.replace('DECIMAL(20, 6)', 'TEXT')})")
    lite = {"url": f"jdbc:sqlite:{tmp_path / 'a.db'}", "table-name": "lite"}
    text = table("origin", COLUMNS + ARRAYS, {"url": postgres.address, "table-name": "Origin", "scan.fetch-size": "2"})
    text += table("copy", COLUMNS + ARRAYS, {"url": postgres.address, "table-name": "copy"})
    text += table("lite", COLUMNS, lite)
    names = ", ".join(column.split()[0] for column in COLUMNS.replace("(20, 6)", "").split(","))
    execute(
        spark,
        f"{text}EXECUTE STATEMENT SET BEGIN INSERT INTO copy SELECT * FROM origin; "
        f"INSERT INTO lite SELECT {names} FROM origin; END;",
    )
    back = table("back", COLUMNS, {"url": postgres.address, "table-name": "back"})
    execute(spark, f"{table('lite', COLUMNS, lite)}{back}INSERT INTO back SELECT * FROM lite;")
    # SQLite has no NaN.
    by_way = names.replace("`", '"').replace("wide, ", "")
    for left, right, columns in (('"Origin"', "copy", "*"), ('"Origin"', "back", by_way)):
        for first, second in ((left, right), (right, left)):
            assert psql(postgres.port, f"SELECT {columns} FROM {first} EXCEPT SELECT {columns} FROM {second}") == []
    assert psql(postgres.port, "SELECT COUNT(*) FROM copy") == [["3"]]


@pytest.mark.wide
def test_parts_are_ranges_of_a_column(spark: SparkSession, tmp_path: Path) -> None:
    """Rows beyond the bounds, and rows without a number, are in no partition; a checkpoint reads a table once."""
    file = tmp_path / "a.db"
    lite = sqlite3.connect(file)
    lite.execute('CREATE TABLE numbers ("group" INT, n INT)')
    lite.execute("CREATE TABLE sums (id INT PRIMARY KEY, s INT, c INT)")
    lite.executemany("INSERT INTO numbers VALUES (?, ?)", [(at % 3, at) for at in range(20)] + [(0, None)])
    lite.commit()
    url = {"url": f"jdbc:sqlite:{file}"}
    parts = {"column": "n", "num": "4", "lower-bound": "3", "upper-bound": "17"}
    parts = {f"scan.partition.{name}": value for name, value in parts.items()}
    text = table(
        "numbers", "`group` INT, n INT, PRIMARY KEY (n) NOT ENFORCED", {**url, "table-name": "numbers"} | parts
    )
    text += table("sums", "id INT PRIMARY KEY NOT ENFORCED, s INT, c BIGINT", {**url, "table-name": "sums"})
    text += "INSERT INTO sums SELECT `group`, SUM(n), COUNT(*) FROM numbers WHERE n <> 4 GROUP BY `group`;"
    # The database filters out the row with 4.
    assert execute(spark, text, str(tmp_path / "checkpoint")) == 14
    expected = [
        (group, sum(numbers), len(numbers))
        for group in range(3)
        if (numbers := [n for n in range(3, 18) if n % 3 == group and n != 4])
    ]
    assert lite.execute("SELECT * FROM sums ORDER BY 1").fetchall() == expected
    assert execute(spark, text, str(tmp_path / "checkpoint")) == 0


@pytest.mark.wide
def test_a_plan_of_flink_with_a_pushed_down_filter(spark: SparkSession, tmp_path: Path) -> None:
    """Flink leaves the filtering to its connector: `WHERE age > 5 AND UPPER(name) = 'X' AND id <= 7`."""
    file = tmp_path / "a.db"
    lite = sqlite3.connect(file)
    lite.execute("CREATE TABLE users (id INT PRIMARY KEY, name TEXT, age TEXT)")
    lite.execute("CREATE TABLE kept (id INT, name TEXT)")
    rows = [(1, "x", 5), (2, "X", 6), (3, "y", 7), (4, "x", None), (7, "x", 10), (8, "x", 10), (5, None, 9)]
    lite.executemany("INSERT INTO users VALUES (?, ?, ?)", rows)
    lite.commit()
    plan = json.loads((Path(__file__).parent / "flink_plan.json").read_text())
    scan, _, sink = plan["nodes"]
    assert [ability["type"] for ability in scan["scanTableSource"]["abilities"]] == [
        "FilterPushDown",
        "ProjectPushDown",
    ]
    scan["scanTableSource"]["table"]["resolvedTable"]["options"]["url"] = f"jdbc:sqlite:{file}"
    options = {"connector": "jdbc", "url": f"jdbc:sqlite:{file}", "table-name": "kept"}
    sink["dynamicTableSink"]["table"]["resolvedTable"]["options"] = options
    # The database filters by `id <= 7`; the text that is read as a number is compared here.
    assert Run(spark, CompiledPlan.from_json(json.dumps(plan)), RunOptions()).execute().rows_in == 6
    assert lite.execute("SELECT id, name FROM kept ORDER BY 1").fetchall() == [(2, "X"), (7, "x")]
    scan["scanTableSource"]["table"]["resolvedTable"]["options"]["filter.handling.policy"] = "NEVER"
    assert Run(spark, CompiledPlan.from_json(json.dumps(plan)), RunOptions()).execute().rows_in == 7
    assert len(lite.execute("SELECT id, name FROM kept").fetchall()) == 4


def test_pushed_down_conditions_keep_the_meaning_of_the_program(spark: SparkSession, tmp_path: Path) -> None:
    """Texts are compared as texts, not in the database's collation; unknown results are dropped."""
    file = tmp_path / "a.db"
    lite = sqlite3.connect(file)
    lite.execute("CREATE TABLE users (id INT, name TEXT COLLATE NOCASE, age INT)")
    lite.execute("CREATE TABLE kept (query INT, id INT)")
    rows = [(1, "a", 1), (2, "A", 2), (3, "b%", 3), (4, None, 4), (5, "a", None), (6, "ab", 6), (None, "a", 1)]
    lite.executemany("INSERT INTO users VALUES (?, ?, ?)", rows)
    lite.commit()
    wanted = {
        "name = 'a'": [None, 1, 5],
        "name LIKE 'a%'": [None, 1, 5, 6],
        "name LIKE 'b!%' ESCAPE '!'": [3],
        "name <> 'a' AND age IN (1, 2, 6)": [2, 6],
        "age NOT IN (1, 2)": [3, 4, 6],
        "age NOT BETWEEN 2 AND 4": [None, 1, 6],
        "age IS NULL OR name IS NULL": [4, 5],
        "(age = 1 AND UPPER(name) = 'A') OR age = 6": [None, 1, 6],
        "id >= age AND id < 3": [1, 2],
    }
    text = table("users", "id INT, name STRING, age INT", {"url": f"jdbc:sqlite:{file}", "table-name": "users"})
    text += table("kept", "query INT, id INT", {"url": f"jdbc:sqlite:{file}", "table-name": "kept"})
    queries = " UNION ALL ".join(f"SELECT {at}, id FROM users WHERE {where}" for at, where in enumerate(wanted))
    execute(spark, f"{text}INSERT INTO kept {queries};")
    fetched = lite.execute("SELECT query, id FROM kept ORDER BY 1, 2").fetchall()
    assert [[id_ for query, id_ in fetched if query == at] for at in range(len(wanted))] == list(wanted.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scan.partition.column": "n"}, "'scan.partition.column' needs 'scan.partition.num', too"),
        ({"scan.partition.num": "0"}, "invalid value '0'"),
        (
            {"column": "name", "num": "2", "lower-bound": "1", "upper-bound": "2"},
            "the parts are ranges of numbers, and column 'name' is VARCHAR",
        ),
        ({"column": "n", "num": "2", "lower-bound": "3", "upper-bound": "2"}, "the lower bound 3 is above"),
    ],
)
def test_invalid_partitions(options: dict[str, str], message: str) -> None:
    settings = {name if "." in name else f"scan.partition.{name}": value for name, value in options.items()}
    text = table("numbers", "n INT, name STRING", {"url": "jdbc:x", "table-name": "t"} | settings)
    with pytest.raises(ProgramError, match=message):
        TableEnvironment().compile_script(
            text + "CREATE TABLE p (n INT) WITH ('connector' = 'print'); INSERT INTO p SELECT n FROM numbers;"
        )


def test_unsupported_column_types() -> None:
    for columns, url, message in (
        ("a ROW<b INT>", "jdbc:postgresql://h/d", "cannot be held in a database"),
        ("a MAP<STRING, INT>", "jdbc:postgresql://h/d", "cannot be held in a database"),
        ("a ARRAY<INT>", "jdbc:mysql://h/d", "can be held in PostgreSQL alone"),
    ):
        text = table("t", columns, {"url": url, "table-name": "t"})
        with pytest.raises(ProgramError, match=message):
            TableEnvironment().compile_script(
                f"{text}{table('s', columns, {'url': url, 'table-name': 's'})}INSERT INTO s SELECT * FROM t;"
            )


def test_a_missing_table(spark: SparkSession, tmp_path: Path) -> None:
    text = table("t", "a INT", {"url": f"jdbc:sqlite:{tmp_path / 'a.db'}", "table-name": "gone"})
    with pytest.raises(DataError, match=r"looking for table gone: .*no such table: gone"):
        execute(spark, f"{text}CREATE TABLE p (n INT) WITH ('connector' = 'print'); INSERT INTO p SELECT a FROM t;")

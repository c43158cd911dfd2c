from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.document import Document

from compiled_plan import TableEnvironment
from compiled_plan.cli.shell.completion import SqlCompleter
from compiled_plan.cli.shell.shell import COMMANDS
from compiled_plan.compiling.completing import _COLUMNS, _NAMES


@pytest.fixture(scope="module")
def completer() -> SqlCompleter:
    env = TableEnvironment()
    env.execute_sql("""
        CREATE TABLE orders (customer STRING, price INT, `order` INT) WITH ('connector' = 'datagen');
        CREATE TABLE `my-table` (x INT) WITH ('connector' = 'datagen');
        CREATE VIEW cheap AS SELECT customer AS buyer FROM orders;
        CREATE DATABASE d2;
        CREATE TABLE d2.parcels (weight INT) WITH ('connector' = 'datagen');
    """)
    return SqlCompleter(env, COMMANDS)


def completed(completer: SqlCompleter, text: str) -> list[str]:
    """The lines after each completion; `|` is the cursor."""
    before, _, after = text.partition("|")
    document = Document(before + after, len(before))
    return [
        before[: len(before) + item.start_position] + item.text for item in completer.get_completions(document, None)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sel", "select"),
        ("SHOW JO", "SHOW JOBS"),
        ("QUI", "QUIT"),
        ("SELECT 1; SHOW TAB", "SELECT 1; SHOW TABLES"),
        ("SELECT * FROM ord", "SELECT * FROM orders"),
        ("SELECT * FROM `my", "SELECT * FROM `my-table`"),
        ("SELECT * FROM my", "SELECT * FROM `my-table`"),
        ("SELECT * FROM d2.par", "SELECT * FROM d2.parcels"),
        ("SELECT * FROM default_catalog.d", "SELECT * FROM default_catalog.d2"),
        ("INSERT INTO ", "INSERT INTO orders"),
        ("DESCRIBE che", "DESCRIBE cheap"),
        ("SELECT cus| FROM orders", "SELECT customer"),
        ("SELECT ord| FROM orders", "SELECT `order`"),
        ("SELECT buy| FROM cheap", "SELECT buyer"),
        ("SELECT o.pri| FROM orders AS o", "SELECT o.price"),
        ("SELECT p.w| FROM d2.parcels p", "SELECT p.weight"),
        ("SELECT orders.cu| FROM orders", "SELECT orders.customer"),
        ("SELECT char_len", "SELECT CHAR_LENGTH"),
        ("SELECT * FROM orders WHERE pri", "SELECT * FROM orders WHERE price"),
        ("USE d", "USE d2"),
        ("SET 'table.exec.state.t", "SET 'table.exec.state.ttl'"),
        ("SET 'sql-client.execution.result-mode' = 'ch", "SET 'sql-client.execution.result-mode' = 'CHANGELOG'"),
        ("SET 'table.dml-sync' = '", "SET 'table.dml-sync' = 'true'"),
        ("CREATE TABLE t (a INT) WITH ('conn", "CREATE TABLE t (a INT) WITH ('connector'"),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'dat", "CREATE TABLE t (a INT) WITH ('connector' = 'datagen'"),
        (
            "CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'rows-per",
            "CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'rows-per-second'",
        ),
        (
            "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'js",
            "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'json'",
        ),
        (
            "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'json', 'json.ign",
            "CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'json', 'json.ignore-parse-errors'",
        ),
    ],
)
def test_completions(completer: SqlCompleter, text: str, expected: str) -> None:
    assert expected in completed(completer, text)


@pytest.mark.parametrize(
    "text", ["SELECT 'or", "SELECT /* or", "SELECT * FROM orders WHERE customer = 'a", "STOP JOB '"]
)
def test_nothing_completes_a_text(completer: SqlCompleter, text: str) -> None:
    assert completed(completer, text) == []


def test_the_words_for_names_are_those_of_the_grammar(root: Path) -> None:
    sources = "".join(path.read_text() for path in (root / "planner/sql/grammar").glob("*.py"))
    assert [words for words in (*_NAMES, *_COLUMNS) if f'"{words}"' not in sources] == []


def test_a_completion_reads_no_lake() -> None:
    """Each key would ask its server for all words of the statement."""
    env = TableEnvironment()
    env.execute_sql("""
        CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-type' = 'rest', 'uri' = 'http://127.0.0.1:9');
        CREATE TABLE lake.shop.declared (amount INT);
        USE CATALOG lake;
    """)
    completer = SqlCompleter(env, COMMANDS)
    assert completed(completer, "SELECT * FROM lake.shop.de") == ["SELECT * FROM lake.shop.declared"]
    assert completed(completer, "SELECT amo| FROM shop.declared") == ["SELECT amount"]

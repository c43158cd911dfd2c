"""The examples of Flink's page "JDBC SQL Connector" compile, with the ON CONFLICT that Flink 2.3 requires."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.plan import CompiledPlan

PAGE = """
-- register a MySQL table 'users' in Flink SQL
CREATE TABLE MyUserTable (
  id BIGINT,
  name STRING,
  age INT,
  status BOOLEAN,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
   'connector' = 'jdbc',
   'url' = 'jdbc:mysql://localhost:3306/mydatabase',
   'table-name' = 'users'
);
"""
TABLES = """
CREATE TABLE T (id BIGINT, name STRING, age INT, status BOOLEAN) WITH ('connector' = 'datagen');
CREATE TABLE myTopic (`key` BIGINT, proctime AS PROCTIME()) WITH ('connector' = 'datagen');
CREATE TABLE joined (k BIGINT, p TIMESTAMP_LTZ(3), id BIGINT, name STRING, age INT, status BOOLEAN)
  WITH ('connector' = 'blackhole');
CREATE TABLE read_rows (id BIGINT, name STRING, age INT, status BOOLEAN) WITH ('connector' = 'blackhole');
"""


def compiled(text: str) -> CompiledPlan:
    return TableEnvironment().compile_script(PAGE + TABLES + text)


def test_rows_are_written_read_and_looked_up() -> None:
    plan = compiled(
        """
        EXECUTE STATEMENT SET BEGIN
        -- write data into the JDBC table from the other table "T"
        INSERT INTO MyUserTable
        SELECT id, name, age, status FROM T ON CONFLICT DO DEDUPLICATE;

        -- scan data from the JDBC table
        INSERT INTO read_rows SELECT id, name, age, status FROM MyUserTable;

        -- temporal join the JDBC table as a dimension table
        INSERT INTO joined SELECT * FROM myTopic
        LEFT JOIN MyUserTable FOR SYSTEM_TIME AS OF myTopic.proctime
        ON myTopic.key = MyUserTable.id;
        END;
        """
    )
    assert sorted(node.type.partition("_")[0] for node in plan.nodes if node.tables()) == [
        "stream-exec-lookup-join",
        *["stream-exec-sink"] * 3,
        *["stream-exec-table-source-scan"] * 3,
    ]


def test_every_option_of_the_page_but_the_dialect_of_others() -> None:
    options = {
        "driver": "com.mysql.cj.jdbc.Driver",
        "username": "u",
        "password": "p",
        "connection.max-retry-timeout": "60s",
        "scan.partition.column": "id",
        "scan.partition.num": "10",
        "scan.partition.lower-bound": "0",
        "scan.partition.upper-bound": "1000",
        "scan.fetch-size": "0",
        "scan.auto-commit": "true",
        "lookup.cache": "PARTIAL",
        "lookup.partial-cache.expire-after-write": "1 min",
        "lookup.partial-cache.max-rows": "10",
        "lookup.max-retries": "3",
        "sink.buffer-flush.max-rows": "100",
        "sink.buffer-flush.interval": "1s",
        "sink.max-retries": "3",
        "sink.parallelism": "2",
    }
    extra = "".join(f", '{key}' = '{value}'" for key, value in options.items())
    table = PAGE.replace("'users'", f"'users'{extra}").replace("MyUserTable", "AllOptions")
    plan = compiled(
        f"{table}EXECUTE STATEMENT SET BEGIN INSERT INTO AllOptions SELECT * FROM T ON CONFLICT DO DEDUPLICATE;"
        "INSERT INTO read_rows SELECT * FROM AllOptions; END;"
    )
    assert len(plan.sinks) == 2


def test_updates_need_a_primary_key() -> None:
    """The page: "If a primary key is defined on DDL, the connector operates in upsert mode"; else it appends."""
    query = "SELECT MAX(id), name, age, status FROM T GROUP BY name, age, status"
    plain = PAGE.replace("MyUserTable", "Plain").replace(",\n  PRIMARY KEY (id) NOT ENFORCED", "")
    with pytest.raises(ProgramError, match="Plain` needs a primary key: the query gives it updates or deletes"):
        compiled(f"{plain}INSERT INTO Plain {query};")
    sinks = compiled(f"{plain}INSERT INTO Plain SELECT * FROM T;").sinks
    assert [sink.input_changelog_mode for sink in sinks] == [("INSERT",)]  # type: ignore[attr-defined]

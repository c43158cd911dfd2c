"""The examples of Flink's connector and format pages run unchanged, but for addresses.

Rows written to an example's table are read back. Topics have names of their own, since several pages
use one. A table that cannot be written (its time is a computed column) gets its rows by a table without that column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from tests.documents.connector_pages import Example, examples
from tests.support.protobufs import add_classes
from tests.support.topics import Message, Topics
from tools.services.postgres import psql
from tools.services.registry import serving

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tools.services.server import Server

#: A broker with authentication is a separate one; those options are covered by the compiled plans.
SECURED = ("kafka, security with PLAIN", "kafka, security with SCRAM")
#: Read only: events with a schema cannot be written, here and in Flink.
WITH_SCHEMA = "debezium, with a schema"
_PAIR = "CAST(ROW(6, 7) AS ROW<v1 BIGINT, v2 INT>)"
VALUES = {
    "BIGINT": ("1", "2"),
    "INT": ("3", "4"),
    "STRING": ("'a'", "'b'"),
    "DOUBLE": ("1.5E0", "2.5E0"),
    "BOOLEAN": ("TRUE", "FALSE"),
    "DECIMAL(10, 2)": ("5.18", "5.15"),
    "TIMESTAMP(3)": ("TIMESTAMP '2024-01-01 00:00:01'", "TIMESTAMP '2024-01-01 00:00:02'"),
    "BINARY": ("X'61'", "X'62'"),
    "map<BIGINT, row<v1 BIGINT, v2 INT>>": (f"MAP[CAST(1 AS BIGINT), {_PAIR}]", f"MAP[CAST(2 AS BIGINT), {_PAIR}]"),
    "array<row<v1 BIGINT, v2 INT>>": (f"ARRAY[{_PAIR}]", f"ARRAY[{_PAIR}, {_PAIR}]"),
}
_BOUNDED = "/*+ OPTIONS('scan.bounded.mode' = 'latest-offset'{start}) */"


def stored(example: Example) -> Example:
    """The table with the columns that its messages or files contain."""
    columns = (name for name in example.columns if not re.search(r" METADATA| AS |^WATERMARK", name))
    return replace(example, columns=tuple(columns))


def hints(example: Example) -> str:
    """Hints that bound a table that would be read forever."""
    match example.options["connector"]:
        case "kafka":
            return _BOUNDED.format(start=", 'scan.startup.mode' = 'earliest-offset'")
        case "upsert-kafka":
            return _BOUNDED.format(start="")
        case "datagen":
            return "/*+ OPTIONS('number-of-rows' = '10') */"
    return ""


def run(spark: SparkSession, statements: list[str], inserts: list[str], checkpoint: Path) -> dict[str, list[str]]:
    """Printed rows of a program by the identifier in front of each line."""
    lines: list[str] = []
    program = f"{''.join(statements)}EXECUTE STATEMENT SET BEGIN {' '.join(inserts)} END;"
    text = f"SET 'table.exec.sink.require-on-conflict' = 'false';\n{program}"
    Run(spark, TableEnvironment().compile_script(text), RunOptions(checkpoint=str(checkpoint)), lines.append).execute()
    result: dict[str, list[str]] = {}
    for line in lines:
        name, _, row = line.rpartition("> ")
        result.setdefault(name, []).append(row)
    return {name: sorted(rows) for name, rows in result.items()}


def printed(name: str, columns: Mapping[str, str]) -> str:
    shape = ", ".join(f"{column} {type_}" for column, type_ in columns.items())
    return f"CREATE TABLE {name} ({shape}) WITH ('connector' = 'print', 'print-identifier' = '{name}');\n"


def rows_of(example: Example) -> str:
    both = zip(*(VALUES[type_] for type_ in example.read.values()), strict=True)
    return ", ".join(f"({', '.join(row)})" for row in both)


@pytest.fixture
def addresses(kafka: Server, postgres: Server, tmp_path: Path) -> Iterator[dict[str, str]]:
    with serving() as registry:
        yield {
            "properties.bootstrap.servers": kafka.address,
            "url": postgres.address,
            "path": f"{tmp_path}/files",
            "registry": registry.url,
        }


def at(example: Example, addresses: Mapping[str, str], number: int) -> dict[str, str]:
    """The options of an example with the addresses of these servers."""
    result = {}
    for name, value in example.options.items():
        registry = name.endswith("avro-confluent.url")
        result[name] = addresses["registry"] if registry else addresses.get(name, value)
        if name == "topic":
            result[name] = f"page{number}"
        if name == "path":
            result[name] += str(number)
    return result


@pytest.mark.deep
def test_examples_run_unchanged(
    spark: SparkSession, kafka: Server, postgres: Server, addresses: dict[str, str], tmp_path: Path
) -> None:
    topics = Topics(spark, kafka)
    add_classes(spark, tmp_path)
    psql(postgres.port, "CREATE TABLE users (id BIGINT PRIMARY KEY, name TEXT, age INT, status BOOLEAN)")
    wanted = {n: example for n, example in enumerate(examples()) if not example.refused and example.page not in SECURED}
    writing, reading = list[str](), list[str]()
    inserts, selects = list[str](), list[str]()
    for number, example in wanted.items():
        options, table = at(example, addresses, number), stored(example)
        if "topic" in options:
            topics.make(options["topic"])
        if example.reads:
            shape = table.read
            reading += [example.ddl(f"t{number}", options), printed(f"p{number}", shape)]
            selects.append(f"INSERT INTO p{number} SELECT {', '.join(shape)} FROM t{number} {hints(example)};")
        if example.writes:
            rows = f"VALUES {rows_of(table)};"
            writing += [table.ddl(f"w{number}", options), printed(f"p{number}", table.read)]
            inserts += [f"INSERT INTO w{number} {rows}", f"INSERT INTO p{number} {rows}"]
        if example.page == WITH_SCHEMA:
            row = '{"id": 1, "name": "a", "description": "a", "weight": 5.18}'
            event = f'{{"schema": {{}}, "payload": {{"before": null, "after": {row}, "op": "c"}}}}'
            topics.send(options["topic"], [Message(event)])
    written = run(spark, writing, inserts, tmp_path / "written")
    assert written.pop("") == ["+I[3, 3, a, 1.5]"] * 2 + ["+I[4, 4, b, 2.5]"] * 2
    result = run(spark, reading, selects, tmp_path / "read")
    for number, example in wanted.items():
        name = f"p{number}"
        if example.options["connector"] == "datagen":
            assert len(result.pop(name)) == 10
        elif example.page == WITH_SCHEMA:
            assert result.pop(name) == ["+I[1, a, a, 5.18]"]
        elif not example.reads:
            written.pop(name)
    assert {name: rows for name, rows in result.items() if rows != written.get(name)} == {}
    assert result == written and len(result) > 25

"""The changelogs of all conformance programs, merged into a Delta table and read back through its change data feed."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.execution.spark.java import settings
from tests.conformance.cases import CATEGORIES, Case, added_up, cases, difference, events, row_text
from tests.conformance.compiled import compiled
from tests.support.lakes import delta, needs_delta, rows_of, run, run_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [needs_delta, pytest.mark.usefixtures("lakes"), pytest.mark.deep]
COLUMNS = "program STRING, k STRING, v STRING, PRIMARY KEY (program, k) NOT ENFORCED"
BATCHES = 6


def keyed(folder: Path, program: str) -> Iterator[dict[str, Any]]:
    """The changes of a sink's files as those of a table whose key is the row and its number among equal rows."""
    present = Counter[str]()
    for event in events(folder):
        for side, op, step in (("before", "d", -1), ("after", "c", 1)):
            if event[side] is None:
                continue
            text = row_text(event[side])
            number = present[text] + (step > 0)
            present[text] += step
            row = {"program": program, "k": f"{number} {text}", "v": text}
            yield {"before": row if op == "d" else None, "after": None if op == "d" else row, "op": op}


def log_table(name: str, folder: Path) -> str:
    return (
        f"CREATE TABLE {name} ({COLUMNS}) WITH ('connector' = 'filesystem', 'path' = '{folder}', "
        "'format' = 'debezium-json');\n"
    )


def test_all_changelogs_are_read_back(spark: SparkSession, tmp_path: Path) -> None:
    changelogs, programs = (
        dict[str, list[dict[str, Any]]](),
        [case for case in cases(*CATEGORIES) if not case.refused_at],
    )
    with settings(spark, {"spark.sql.shuffle.partitions": "1"}):
        for case in programs:
            out = tmp_path / "out" / case.name
            run_plan(spark, compiled(case, out))
            assert difference(case, out) == ""
            for sink in case.expected["sinks"]:
                name = f"{case.name} {sink}"
                changelogs[name] = list(keyed(out / sink, name))
    (tmp_path / "log").mkdir()
    for batch in range(BATCHES):
        file = tmp_path / "log" / f"{batch}.json"
        parts = (log[len(log) * batch // BATCHES : len(log) * (batch + 1) // BATCHES] for log in changelogs.values())
        file.write_text("".join(json.dumps(event) + "\n" for part in parts for event in part))
        os.utime(file, (batch, batch))
    feed = {"sink__create_table": "true", "delta__enableChangeDataFeed": "true"}
    text = log_table("log", tmp_path / "log") + delta("merged", COLUMNS, tmp_path / "merged", **feed)
    run(spark, f"{text}INSERT INTO merged SELECT * FROM log;", tmp_path / "c", max_files_per_batch=1)
    text = delta("merged", COLUMNS, tmp_path / "merged", readChangeFeed="true", startingVersion="0")
    text += log_table("back", tmp_path / "back")
    run(spark, f"{text}INSERT INTO back SELECT * FROM merged;", available_now=True)

    table, rows = added_up(tmp_path / "back")
    assert set(table.values()) <= {0, 1}
    back = sorted((row["program"], row["k"], row["v"]) for text, row in rows.items() if table[text])
    assert back == rows_of(spark, tmp_path / "merged")
    for case in programs:
        for sink in case.expected["sinks"]:
            name = f"{case.name} {sink}"
            written = +added_up(tmp_path / "out" / case.name / sink)[0]
            assert Counter(v for program, _, v in back if program == name) == written, name


_SINK = re.compile(
    r"(CREATE TABLE\s+)(\w+)(\s*\([^;]*?\)\s*WITH\s*)(\([^()]*'path'\s*=\s*'/out/(\w+)'[^()]*\));", re.IGNORECASE
)


def of_a_keyed_sink(case: Case) -> bool:
    """Return True for a program with one sink, which has a primary key."""
    sinks = [match[3] for match in _SINK.finditer(case.program(Path("/out")))]
    return not case.refused_at and len(sinks) == 1 and "PRIMARY KEY" in sinks[0]


@pytest.mark.parametrize("case", list(filter(of_a_keyed_sink, cases(*CATEGORIES))), ids=lambda case: case.name)
def test_a_program_merges_into_a_table(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    """The sink with a primary key becomes a Delta table, whose changes are copied into the sink's own files."""
    text = case.program(Path("/out"))
    sink = _SINK.search(text)
    assert sink is not None
    written = {"sink.create-table": "true", "delta.enableChangeDataFeed": "true"}
    read = {"readChangeFeed": "true", "startingVersion": "0"}

    def lake(name: str, options: dict[str, str]) -> str:
        place = {"connector": "delta", "path": str(tmp_path / "t"), **options}
        named = ", ".join(f"'{key}' = '{value}'" for key, value in place.items())
        return f"{sink[1]}{name}{sink[3]}({named});"

    run(spark, text[: sink.start()] + lake(sink[2], written) + text[sink.end() :])
    files = sink[4].replace("'/out/", f"'{tmp_path}/out/")
    copy = f"{lake('lake', read)}{sink[1]}copied{sink[3]}{files}; INSERT INTO copied SELECT * FROM lake;"
    run(spark, copy, available_now=True)
    assert difference(case, tmp_path / "out") == ""

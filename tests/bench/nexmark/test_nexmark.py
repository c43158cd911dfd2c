"""The parts of the Nexmark bench that need neither Spark nor Flink."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from tests.bench.harness import BenchError
from tests.bench.nexmark import compare, flink
from tests.bench.nexmark.compare import Data, Row, generate, markdown, rows, title
from tests.bench.nexmark.flink import run_jobs
from tests.bench.nexmark.profiling import COMPILING, DRIVER, OTHER, parts
from tests.bench.nexmark.profiling import markdown as profiled
from tests.bench.nexmark.programs import FOLDER, QUERIES, program, statements
from tests.bench.nexmark.times import Rate, Times


def test_every_program_of_the_folder_is_run() -> None:
    assert {file.stem for file in FOLDER.glob("q*.sql")} == set(QUERIES)


@pytest.mark.parametrize("query", QUERIES)
def test_programs_use_the_requested_folders(query: str, tmp_path: Path) -> None:
    text = program(query, tmp_path / "events", tmp_path / "results")
    assert f"'{tmp_path}/events/events'" in text
    assert f"'{tmp_path}/results/{query}'" in text
    assert "'data/" not in text
    assert "'out/" not in text


@pytest.mark.parametrize("query", QUERIES)
def test_programs_compile_into_a_sink_that_drops_rows(query: str, tmp_path: Path) -> None:
    text = program(query, tmp_path)
    TableEnvironment().compile_script(text)
    assert text.count("'blackhole'") == 1
    assert "out/nexmark" not in text
    assert "PARTITIONED" not in text


def test_statements_are_those_of_the_program(tmp_path: Path) -> None:
    actual = statements(program("q5", tmp_path))
    kinds = [statement.partition("\n")[0].removesuffix(" (") for statement in actual]
    assert kinds == [
        "CREATE TABLE events",
        "CREATE VIEW person AS",
        "CREATE VIEW auction AS",
        "CREATE VIEW bid AS",
        "CREATE TABLE q5",
        "CREATE TEMPORARY VIEW counted AS",
        "INSERT INTO q5",
    ]
    assert not any(";" in statement for statement in actual)


def test_every_query_has_a_title() -> None:
    assert title("q5") == "Hot items"
    assert all(3 < len(title(query)) < 45 for query in QUERIES)


def test_the_mean_is_that_of_the_queries_that_ran_on_both_sides() -> None:
    measured = [
        Row("q0", Rate(1000.0, 0.034, 2000.0), Rate(4000.0, 0.0, 1000.4)),
        Row("q1", Rate(2000.0), Rate(2000.0)),
        Row("q2", Rate(5.0), None, "here: no"),
    ]
    table = markdown(measured)
    assert "| q0 | Pass through | 1,000 ± 3% | 4,000 | 4.00 | 2,000 | 1,000 |" in table
    assert "| q2 | Selection | 5 | failed |  | 0 |  |" in table
    assert table.splitlines()[-1] == "| | geometric mean of 2 | | | 2.00 | | |"


def test_a_rate_is_that_of_the_median_run_without_the_first() -> None:
    assert Rate.of(100, Times((9.0, 2.0, 1.5, 4.0), 7.0).measured()) == Rate(50.0, 0.625, 7.0)


@pytest.mark.wide
def test_a_failed_side_does_not_affect_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fails(query: str, data: Data, folder: Path, runs: int) -> Rate:
        if query == "q0":
            raise BenchError("no")
        return Rate(2.0)

    monkeypatch.setattr(compare, "here", fails)
    monkeypatch.setattr(compare, "on_flink", lambda *arguments: Rate(1.0))
    data = generate(tmp_path, 500)
    assert list(rows(["q0", "q1"], data, tmp_path, 1)) == [
        Row("q0", Rate(1.0), None, "here: no"),
        Row("q1", Rate(1.0), Rate(2.0)),
    ]


@pytest.mark.wide
def test_both_sides_get_the_same_events(tmp_path: Path) -> None:
    data = generate(tmp_path, 1000)

    def lines(folder: Path) -> list[str]:
        return sorted(line for file in (folder / "events").iterdir() for line in file.read_text().splitlines())

    assert len(lines(data.many_here)) == 1000
    assert lines(data.many_here) == lines(data.many_flink)
    assert lines(data.few_here) == lines(data.few_flink)


@pytest.mark.parametrize(
    ("answer", "message"), [('{"error": "no such table"}', "no such table"), ('{"seconds": 1.5}', "ended with 0")]
)
def test_jobs_that_failed_or_did_not_run(
    answer: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!{sys.executable}\nprint('''{answer}''')\n")
    python.chmod(0o755)
    monkeypatch.setenv("FLINK_PYTHON", str(python))
    with pytest.raises(BenchError, match=message):
        run_jobs([["INSERT 1"], ["INSERT 2"]], flink.TUNED, tmp_path)


def test_samples_belong_to_the_innermost_part_that_their_stack_names() -> None:
    task = "[Executor task launch worker#1 tid=7]"
    inner = "org/compiledplan/kernel/operators/join/Join.row"
    actual = parts(
        [
            f"{task};org/apache/spark/scheduler/Task.run;{inner};org/rocksdb/RocksDB.get;rocksdb::DBImpl::Get 3\n",
            f"{task};org/rocksdb/RocksDB.get;{inner};java/util/HashMap.get 2\n",
            f"{task};org/compiledplan/kernel/host/shuffle/GatheredRows.next;java/util/ArrayList.add 5\n",
            f"{task};java/lang/Thread.run 1\n",
            "[C2 CompilerThread0 tid=9];Compile::Compile 4\n",
            "[stream execution thread for [id = 1] tid=8];org/rocksdb/RocksDB.get 6\n",
        ]
    )
    assert actual == {"state": 3, "operators": 2, "gathering": 5, OTHER: 1, COMPILING: 4, DRIVER: 6}


def test_a_profile_is_a_line_of_shares_for_each_query() -> None:
    line = profiled({"q8": Counter({"state": 150, DRIVER: 50})}).splitlines()[-1]
    assert line == "| q8 | 1 | 75 % | 0 % | 0 % | 0 % | 0 % | 0 % | 0 % | 25 % | 0 % | 0 % |"

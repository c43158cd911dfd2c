"""Large plans run: those that Flink compiled, and programs of a size that no person writes."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.api.plans import CompiledPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLINK = Path(__file__).parents[1] / "plan" / "flink"
ROWS = [{"id": at % 5, "x": at, "s": f"k{at}"} for at in range(0, 12)]

#: What each plan of Flink makes of the rows above.
RESULTS: dict[str, Callable[[dict[str, Any]], tuple[Any, ...] | None]] = {
    "in300": lambda row: (row["id"], row["s"]) if row["x"] % 2 == 0 else None,
    "or300": lambda row: (row["id"], row["s"]),
    "and300": lambda row: None,
    "concat300": lambda row: (row["id"], row["s"] * 300),
    "calls300": lambda row: (row["id"], row["s"].upper()),
    "parens300": lambda row: (row["id"] + 300, row["s"]),
    "case100": lambda row: (row["id"], row["s"] * (row["x"] + 1)),
}


def written(path: Path) -> list[dict[str, Any]]:
    files = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith((".", "_")))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def source(folder: Path, rows: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    (folder / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def into_files(text: str, table: Path, sink: Path) -> str:
    """The plan of Flink over files of a test."""
    files = f'"connector" : "filesystem",\n"path" : "{sink}",\n"format" : "json"'
    return text.replace('"connector" : "print"', files).replace('"path" : "/t"', f'"path" : "{table}"')


@pytest.mark.parametrize("name", RESULTS)
def test_a_plan_of_flink(spark: SparkSession, name: str, tmp_path: Path) -> None:
    text = lzma.decompress((FLINK / f"{name}.json.xz").read_bytes()).decode()
    plan = CompiledPlan.from_json(into_files(text, source(tmp_path / "t", ROWS), tmp_path / "o"))
    plan.execute().wait()
    expected = Counter(found for row in ROWS if (found := RESULTS[name](row)) is not None)
    assert Counter((row["id"], row["s"]) for row in written(tmp_path / "o")) == expected


def run(program: str, tables: dict[str, str], folder: Path) -> None:
    """Run statements over tables of files, by their columns."""
    declared = "".join(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{folder / name}', "
        "'format' = 'json');\n"
        for name, columns in tables.items()
    )
    TableEnvironment().compile_script(declared + program).execute().wait()


COLUMNS = "id BIGINT, x INT, s STRING"


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.deep)])
def test_an_in_list(spark: SparkSession, count: int, tmp_path: Path) -> None:
    source(tmp_path / "t", ROWS)
    texts, numbers = tuple(map(str, range(0, 2 * count, 2))), tuple(range(0, 3 * count, 3))
    query = f"INSERT INTO o SELECT x FROM t WHERE CAST(x AS STRING) IN {texts} OR x IN {numbers};"
    run(query, {"t": COLUMNS, "o": "x INT"}, tmp_path)
    found = sorted(row["x"] for row in written(tmp_path / "o"))
    assert found == [row["x"] for row in ROWS if row["x"] % 2 == 0 or row["x"] % 3 == 0]


@pytest.mark.parametrize("count", [100, pytest.param(1_000, marks=pytest.mark.deep)])
def test_columns_through_a_join(spark: SparkSession, count: int, tmp_path: Path) -> None:
    columns = "id BIGINT, " + ", ".join(f"c{at} INT" for at in range(count))
    source(tmp_path / "t", [{"id": row, **{f"c{at}": at + row for at in range(count)}} for row in (1, 2)])
    chosen = ", ".join(f"{'ab'[at % 2]}.c{at}" for at in range(count))
    run(
        f"INSERT INTO o SELECT a.id, {chosen} FROM t a JOIN t b ON a.id = b.id;", {"t": columns, "o": columns}, tmp_path
    )
    assert sorted(tuple(row.values()) for row in written(tmp_path / "o")) == [
        (row, *(at + row for at in range(count))) for row in (1, 2)
    ]


@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.deep)])
def test_sinks(spark: SparkSession, count: int, tmp_path: Path) -> None:
    source(tmp_path / "t", ROWS)
    inserts = "".join(f"INSERT INTO o{at} SELECT x FROM t WHERE x <> {at};\n" for at in range(count))
    tables = {"t": COLUMNS, **{f"o{at}": "x INT" for at in range(count)}}
    run(f"BEGIN STATEMENT SET;\n{inserts}END;", tables, tmp_path)
    for at in range(count):
        found = sorted(row["x"] for row in written(tmp_path / f"o{at}"))
        assert found == [row["x"] for row in ROWS if row["x"] != at]

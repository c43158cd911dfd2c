"""Large plans run: those that Flink compiled, and generated programs of large size."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.running.plans import CompiledPlan
from tests.support.large import AGGREGATES, MIXED, Chain, counted, left

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

deep = pytest.mark.deep

FLINK = Path(__file__).parents[1] / "plan" / "flink"
ROWS: list[dict[str, Any]] = [{"id": at % 5, "x": at, "s": f"k{at}"} for at in range(0, 12)]

#: Result of each plan of Flink for the rows above.
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


def into_files(text: str, table: Path, sink: Path, format_: str = "json") -> str:
    """The plan of Flink over files of a test."""
    files = f'"connector" : "filesystem",\n"path" : "{sink}",\n"format" : "{format_}"'
    return text.replace('"connector" : "print"', files).replace('"path" : "/t"', f'"path" : "{table}"')


def of_flink(name: str, folder: Path, rows: list[dict[str, Any]], format_: str) -> list[dict[str, Any]]:
    """Output of a plan of Flink."""
    text = lzma.decompress((FLINK / f"{name}.json.xz").read_bytes()).decode()
    plan = CompiledPlan.from_json(into_files(text, source(folder / "t", rows), folder / "o", format_))
    plan.execute().wait()
    return written(folder / "o")


@pytest.mark.wide
@pytest.mark.parametrize(
    "name", [name if name in ("in300", "case100") else pytest.param(name, marks=deep) for name in RESULTS]
)
def test_a_plan_of_flink(spark: SparkSession, name: str, tmp_path: Path) -> None:
    expected = Counter(result for row in ROWS if (result := RESULTS[name](row)) is not None)
    assert Counter((row["id"], row["s"]) for row in of_flink(name, tmp_path, ROWS, "json")) == expected


@pytest.mark.wide
@pytest.mark.parametrize(
    ("name", "chain"),
    [
        ("mixed10", MIXED),
        pytest.param("aggregates300", AGGREGATES, marks=deep),
        pytest.param("mixed300", MIXED, marks=deep),
    ],
)
def test_a_chain_of_operators_of_flink(spark: SparkSession, name: str, chain: Chain, tmp_path: Path) -> None:
    count = int("".join(filter(str.isdigit, name)))
    assert left(of_flink(name, tmp_path, ROWS, "debezium-json")) == chain.rows(ROWS, count)


@deep
@pytest.mark.parametrize("chain", [AGGREGATES, MIXED], ids=["aggregates", "mixed"])
def test_a_chain_of_operators(spark: SparkSession, chain: Chain, tmp_path: Path) -> None:
    source(tmp_path / "t", ROWS)
    run(chain.program(300), {"t": COLUMNS, "o": "id BIGINT, s STRING"}, tmp_path, "debezium-json")
    assert left(written(tmp_path / "o")) == chain.rows(ROWS, 300)


@deep
@pytest.mark.parametrize(("name", "count"), [("columns1000", 1_000), ("sums1000", 1_000), ("columns300", 300)])
def test_many_columns_of_flink(spark: SparkSession, name: str, count: int, tmp_path: Path) -> None:
    numbers = range(count)
    rows = [{"id": at % 2, **{f"c{column}": column + at for column in numbers}} for at in range(4)]
    added = [{"id": row["id"], **{f"c{at}": row[f"c{at}"] + at for at in numbers}} for row in rows]
    pairs = [(rows[0], rows[2]), (rows[1], rows[3])]
    summed = [{"id": a["id"], **{f"c{at}": a[f"c{at}"] + b[f"c{at}"] for at in numbers}} for a, b in pairs]
    expected = added if name == "columns1000" else summed
    assert left(of_flink(name, tmp_path, rows, "debezium-json")) == counted(expected)


@deep
def test_a_hundred_sinks_of_flink(spark: SparkSession, tmp_path: Path) -> None:
    text = lzma.decompress((FLINK / "sinks100.json.xz").read_bytes()).decode().replace("/out/", f"{tmp_path}/o")
    CompiledPlan.from_json(into_files(text, source(tmp_path / "t", ROWS), tmp_path)).execute().wait()
    for at in range(100):
        rows = sorted((row["id"], row["s"]) for row in written(tmp_path / f"o{at}"))
        assert rows == sorted((row["id"], row["s"]) for row in ROWS if row["x"] != at)


def declared(tables: dict[str, str], folder: Path, sink_format: str = "json") -> str:
    """Declarations of filesystem tables by their columns; names of sinks begin with an o."""
    return "".join(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{folder / name}', "
        f"'format' = '{sink_format if name.startswith('o') else 'json'}');\n"
        for name, columns in tables.items()
    )


def run(program: str, tables: dict[str, str], folder: Path, sink_format: str = "json") -> None:
    """Run statements over filesystem tables."""
    TableEnvironment().compile_script(declared(tables, folder, sink_format) + program).execute().wait()


COLUMNS = "id BIGINT, x INT, s STRING"


@pytest.mark.wide
@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.deep)])
def test_an_in_list(spark: SparkSession, count: int, tmp_path: Path) -> None:
    source(tmp_path / "t", ROWS)
    texts, numbers = tuple(map(str, range(0, 2 * count, 2))), tuple(range(0, 3 * count, 3))
    query = f"INSERT INTO o SELECT x FROM t WHERE CAST(x AS STRING) IN {texts} OR x IN {numbers};"
    run(query, {"t": COLUMNS, "o": "x INT"}, tmp_path)
    values = sorted(row["x"] for row in written(tmp_path / "o"))
    assert values == [row["x"] for row in ROWS if row["x"] % 2 == 0 or row["x"] % 3 == 0]


@deep
@pytest.mark.parametrize("count", [100, 1_000])
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


@deep
@pytest.mark.parametrize("count", [10, 100])
def test_sinks(spark: SparkSession, count: int, tmp_path: Path) -> None:
    source(tmp_path / "t", ROWS)
    inserts = "".join(f"INSERT INTO o{at} SELECT x FROM t WHERE x <> {at};\n" for at in range(count))
    tables = {"t": COLUMNS, **{f"o{at}": "x INT" for at in range(count)}}
    run(f"BEGIN STATEMENT SET;\n{inserts}END;", tables, tmp_path)
    for at in range(count):
        values = sorted(row["x"] for row in written(tmp_path / f"o{at}"))
        assert values == [row["x"] for row in ROWS if row["x"] != at]

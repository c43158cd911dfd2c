"""Results of operations without an SQL equivalent, on Spark: splits, samples, null handling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan import Schema, TableDescriptor, TableEnvironment, col

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = [
    {"id": number, "a": None if number % 3 == 0 else number, "s": None if number % 2 else f"text {number}"}
    for number in range(1, 401)
]
WEIGHTS = [0.5, 0.3, 0.2]


def run(
    spark: SparkSession, folder: Path, files: int, *, splits_alone: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """The rows of each sink, after one run of all sinks over rows in several files, each a micro-batch."""
    from compiled_plan.plans.execution.run import Run
    from compiled_plan.plans.execution.session.options import RunOptions

    source = folder / "in"
    source.mkdir(parents=True)
    for number in range(files):
        lines = (json.dumps(row) + "\n" for row in ROWS[number::files])
        (source / f"{number}.json").write_text("".join(lines))
    env = TableEnvironment()
    schema = Schema.new_builder().column("id", "INT").column("a", "INT").column("s", "STRING").build()

    def declare(name: str, path: Path) -> None:
        built = TableDescriptor.for_connector("filesystem").schema(schema).format("json").option("path", path).build()
        env.create_temporary_table(name, built)

    declare("source", source)
    table = env.from_path("source")
    views = {f"part{at}": part for at, part in enumerate(table.split(WEIGHTS))}
    views["sampled"] = table.sample(0.5, 7)
    if not splits_alone:
        views |= {
            "other": table.split(WEIGHTS, seed=1)[0],
            "random": table.sample(0.5),
            "dropped": table.dropna(2),
            "kept": table.dropna(-1, ["a", "s"]),
            "filled": table.fillna(0, ["a"]).fillna({"s": "none"}).where(col("id") <= 6),
            "replaced": table.replace({1: -1, None: 0}, ["a"]).where(col("id") <= 3),
        }
    inserts = env.create_statement_set()
    for name, item in views.items():
        declare(name, folder / name)
        inserts.add_insert(name, item)
    Run(spark, inserts.compile_plan(), RunOptions(max_files_per_batch=1)).execute()
    return {name: _read(folder / name) for name in views}


def _read(folder: Path) -> list[dict[str, Any]]:
    files = [path for path in folder.glob("*") if not path.name.startswith(("_", "."))] if folder.exists() else []
    rows = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    return sorted(({"id": None, "a": None, "s": None} | row for row in rows), key=lambda row: int(row["id"]))


@pytest.fixture(scope="module")
def results(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    return run(spark, tmp_path_factory.mktemp("once"), 1)


def ids(rows: list[dict[str, Any]]) -> list[int]:
    return [row["id"] for row in rows]


@pytest.mark.wide
def test_split_parts_are_disjoint_and_together_the_whole(results: dict[str, list[dict[str, Any]]]) -> None:
    parts = [ids(results[f"part{at}"]) for at in range(3)]
    assert sorted(number for part in parts for number in part) == ids(ROWS)
    assert all(abs(len(part) - weight * len(ROWS)) < 40 for part, weight in zip(parts, WEIGHTS, strict=True))
    assert ids(results["part0"]) != ids(results["other"])


@pytest.mark.wide
def test_splits_and_samples_with_a_seed_do_not_depend_on_files_and_batches(
    results: dict[str, list[dict[str, Any]]], spark: SparkSession, tmp_path: Path
) -> None:
    again = run(spark, tmp_path, 2, splits_alone=True)
    for name in ("part0", "part1", "part2", "sampled"):
        assert ids(again[name]) == ids(results[name])


@pytest.mark.wide
def test_a_sample_is_a_part_of_about_the_fraction(results: dict[str, list[dict[str, Any]]]) -> None:
    for name in ("sampled", "random"):
        assert 140 < len(results[name]) < 260
        assert set(ids(results[name])) < set(ids(ROWS))


@pytest.mark.wide
def test_dropna_keeps_rows_with_at_least_as_many_values(results: dict[str, list[dict[str, Any]]]) -> None:
    there = {row["id"]: sum(value is not None for value in row.values()) for row in ROWS}
    assert ids(results["dropped"]) == [number for number, count in there.items() if count >= 2]
    assert ids(results["kept"]) == [number for number, count in there.items() if count > 1]


@pytest.mark.wide
def test_fillna_and_replace(results: dict[str, list[dict[str, Any]]]) -> None:
    assert [(row["a"], row["s"]) for row in results["filled"]] == [
        (1, "none"),
        (2, "text 2"),
        (0, "none"),
        (4, "text 4"),
        (5, "none"),
        (0, "text 6"),
    ]
    assert [row["a"] for row in results["replaced"]] == [-1, 2, 0]

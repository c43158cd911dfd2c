"""Plans of Flink's releases are readable, and give Flink 2.3's results of the same programs.

`flink/<release>.tar.xz` has the plans that COMPILE PLAN of that release made of `flink/programs`, and `flink/expected/`
the results on Flink 2.3.0: without those that depend on the clock, and those of upsert sinks that plans
up to 2.1 materialize. A sort of all rows, which Flink plans and does not run, is refused here by name.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.spark.java import settings
from compiled_plan.plans.plan import CompiledPlan
from tests.historical import cases

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLINK, COMPILED = cases.HERE / "flink", cases.PACKED / "flink"
RELEASES = ("1.18", "1.19", "1.20", "2.0", "2.1", "2.2")
PLANS = [path for release in RELEASES for path in sorted((COMPILED / release).glob("*.json"))]
PROGRAMS = sorted(path.stem for path in (FLINK / "programs").glob("*.sql") if path.stem != "tables")


def expected(program: str) -> dict[str, list[Any]]:
    document: dict[str, list[Any]] = json.loads(
        (FLINK / "expected" / f"{program}.json").read_text(encoding="utf-8"), parse_float=Decimal
    )
    return document


def read(path: Path, place: str = cases.PLACE) -> CompiledPlan:
    return CompiledPlan.from_json(path.read_text(encoding="utf-8").replace(cases.PLACE, place))


def shape(path: Path) -> str:
    """The content of a plan without the release and the ids of nodes."""
    data = json.loads(read(path).to_json()) | {"flinkVersion": ""}
    numbers = {node["id"]: at for at, node in enumerate(data["nodes"])}
    for node in data["nodes"]:
        node["id"], node["description"] = numbers[node["id"]], ""
    for edge in data["edges"]:
        edge["source"], edge["target"] = numbers[edge["source"]], numbers[edge["target"]]
    return json.dumps(data)


def of_program(name: str) -> list[Path]:
    """The plans of a program, that of the oldest release first."""
    return [path for path in PLANS if path.stem == name]


def by_tier() -> list[Any]:
    """The plans: `make test-wide` runs the oldest plan of a program, `make test-deep` the rest."""
    return [
        pytest.param(
            path,
            id=f"{path.parent.name}-{path.stem}",
            marks=pytest.mark.wide if path == of_program(path.stem)[0] else pytest.mark.deep,
        )
        for path in PLANS
        if path.stem != "sorted"
    ]


def test_each_program_was_compiled_by_each_release() -> None:
    compiled = {(path.parent.name, path.stem) for path in PLANS}
    missing = {(release, program) for release in RELEASES for program in PROGRAMS} - compiled
    # Flink 1.18 knows neither the TTL hint nor SESSION as a table function.
    assert missing == {("1.18", "hints"), ("1.18", "session_windows")}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", PLANS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_plan_of_flink_is_read_and_written(path: Path) -> None:
    plan = read(path)
    assert plan.flink_version == path.parent.name
    assert CompiledPlan.from_json(plan.to_json()) == plan
    nodes = {node["id"]: node for node in json.loads(path.read_text())["nodes"]}
    for node in json.loads(plan.to_json())["nodes"]:
        before = nodes.pop(node["id"])
        assert node["type"] == before["type"]
        assert node.get("state") == before.get("state")
        assert node["outputType"] == before["outputType"]
    assert nodes == {}


def test_fields_missing_in_plans_of_older_releases() -> None:
    windows = of_type(COMPILED / "1.18/windows.json", "local-window-aggregate")
    assert [node.need_retraction for node in windows] == [False, False, False]
    first_rows = of_type(COMPILED / "2.0/latest_rows.json", "deduplicate")
    assert [node.output_insert_only for node in first_rows] == [False, False, False]


def of_type(path: Path, kind: str) -> list[Any]:
    return [node for node in read(path).nodes if node.type == f"stream-exec-{kind}_1"]


def test_unsupported_plans_are_refused_by_name(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="stream-exec-sort_1"):
        cases.run(spark, read(COMPILED / "1.18/sorted.json", str(tmp_path)), tmp_path)


@pytest.mark.parametrize("path", by_tier())
def test_a_plan_of_flink_runs(path: Path, spark: SparkSession, tmp_path: Path) -> None:
    plans = of_program(path.stem)
    if shape(path) in map(shape, plans[: plans.index(path)]):
        pytest.skip("a plan of an older release is the same")
    for source in (FLINK / "data").glob("*.json"):
        (tmp_path / source.stem).mkdir()
        (tmp_path / source.stem / source.name).write_bytes(source.read_bytes())
    plan = read(path, str(tmp_path))
    with settings(spark, {"spark.sql.shuffle.partitions": "1"}):
        assert cases.run(spark, plan, tmp_path) == ""
    assert cases.difference(cases.results(plan, tmp_path), expected(path.stem)) == ""

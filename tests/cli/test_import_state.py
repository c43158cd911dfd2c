"""`import-state`: the report, refusals, and a run that continues a savepoint of Flink."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from compiled_plan import schemas
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import RunOptions
from compiled_plan.plans.inspection.checked_plans import plan_from_file
from tests.flink_programs.restoring import filled
from tests.plans.execution.state.flink.savepoint import restore_tests
from tests.support.commands import called

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.support.commands import Said

pytestmark = pytest.mark.slow

PROGRAM = "stream-exec-group-aggregate_1/group-aggregate-simple"
VIEWS = "stream-exec-group-aggregate_1/group-aggregate-udf-with-merge"
UID = "group-aggregate-source_t-3ca78a4a78"
importing = partial(called, "import_state")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the savepoint of a job, its plan over files, and no rows yet.

    The savepoint has two groups: b = 1 with one row, c = Hi; b = 2 with two rows, a = 2 twice, c = Hello.
    """
    return unpacked(tmp_path_factory.mktemp("job"), PROGRAM)


def unpacked(folder: Path, program: str) -> Path:
    """The folder with the savepoint of a restore test, its plan over files, and no rows yet."""
    (savepoint,) = restore_tests.unpack(folder / "unpacked", program)
    savepoint.rename(folder / "savepoint")
    names = ("source_t", "orders_t", "shipments_t", "sink_t")
    options = {
        name: {
            "connector": "filesystem",
            "path": str(folder / name),
            "format": "debezium-json" if name == "sink_t" else "json",
        }
        for name in names
    }
    (folder / "plan.json").write_text(filled(restore_tests.plan(program), options))
    (folder / "source_t").mkdir()
    return folder


def dry_run(job: Path, *arguments: str) -> Said:
    return importing(job / "savepoint", job / "plan.json", "--dry-run", *arguments)


def document(done: Said) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schemas.load(schemas.IMPORT)).validate(parsed)
    return parsed


def test_a_dry_run_reports_each_operator_source_and_sink(job: Path) -> None:
    done = dry_run(job, "--start", "source_t=earliest")
    assert done.returncode == 0, done.stderr
    head, aggregate, source, sink = done.stdout.splitlines()
    assert head.split() == ["part", "description", "outcome", "entries", "bytes", "why"]
    assert aggregate.startswith(f"{UID} ")
    assert " taken over " in aggregate
    assert " 2 " in aggregate
    assert "source source_t" in source
    assert "starts empty" in source
    assert "sink sink_t" in sink
    assert "no watermark" in done.stderr


def test_the_document_has_the_same_facts(job: Path) -> None:
    done = dry_run(job, "--json", "--start", "source_t=earliest", "--written-at", "1970-01-01T00:00:00Z")
    report = document(done)
    (operator,) = report["operators"]
    assert (operator["uid"], operator["outcome"], operator["entries"]) == (UID, "taken over", 2)
    assert report["writtenAt"] == 0
    assert report["watermark"] is None


@pytest.mark.wide
def test_a_position_of_another_connector_is_refused(job: Path) -> None:
    done = dry_run(job)
    assert done.returncode == 1
    assert "source source_t: the state of the file source cannot be read" in done.stderr
    assert "--start source_t=earliest" in done.stderr


@pytest.mark.wide
def test_an_operator_that_the_savepoint_lacks_is_refused_unless_it_is_reset(job: Path, tmp_path: Path) -> None:
    """A plan with another operator of the same kind must not start empty unnoticed."""
    plan = json.loads((job / "plan.json").read_text())
    ids = {4: 40, 5: 50, 6: 60}
    for node in plan["nodes"]:
        node["id"] = ids.get(node["id"], node["id"])
    for edge in plan["edges"]:
        edge["source"], edge["target"] = (ids.get(edge[end], edge[end]) for end in ("source", "target"))
    renumbered = tmp_path / "plan.json"
    renumbered.write_text(json.dumps(plan))
    arguments = (job / "savepoint", renumbered, "--dry-run", "--start", "source_t=earliest")
    done = importing(*arguments)
    assert done.returncode == 1
    assert f"operator {UID}" in done.stderr
    assert "the savepoint does not have this operator" in done.stderr
    assert "of the savepoint: no operator of the plan has this state" in done.stderr
    assert importing(*arguments, "--reset", UID).returncode == 1
    assert importing(*arguments, "--reset", UID, "--allow-non-restored-state").returncode == 0


@pytest.mark.wide
def test_a_view_of_a_java_function_is_refused_in_the_dry_run(tmp_path: Path) -> None:
    (savepoint,) = restore_tests.unpack(tmp_path, VIEWS)
    plan = tmp_path / "plan.json"
    plan.write_text(filled(restore_tests.plan(VIEWS), {}))
    done = importing(savepoint, plan, "--dry-run", "--start", "source_t=earliest", "--jars", restore_tests.jar())
    assert done.returncode == 1
    assert "the accumulator of the Java function my_concat is not converted: its state agg1$list" in done.stderr


@pytest.mark.wide
@pytest.mark.parametrize(
    ("program", "tables"),
    [
        ("stream-exec-temporal-sort_1/temporal-sort-proctime", ["source_t"]),
        ("stream-exec-interval-join_1/interval-join-negative-interval", ["orders_t", "shipments_t"]),
    ],
)
def test_an_operator_that_flink_runs_without_state_starts_empty(
    program: str, tables: list[str], tmp_path: Path
) -> None:
    starts = [text for table in tables for text in ("--start", f"{table}=earliest")]
    done = dry_run(unpacked(tmp_path, program), *starts)
    assert done.returncode == 0, done.stderr
    assert "Flink keeps no state of it" in done.stdout


@pytest.mark.wide
def test_rows_in_flight_are_refused_unless_they_are_dropped(tmp_path: Path) -> None:
    job = unpacked(tmp_path, "stream-exec-async-calc_1/async-calc-failure-exception")
    arguments = ("--start", "source_t=earliest", "--json")
    done = dry_run(job, *arguments)
    assert done.returncode == 1
    (left,) = document(done)["left"]
    assert (left["outcome"], "in flight" in left["why"]) == ("refused", True)
    again = dry_run(job, *arguments, "--allow-non-restored-state")
    assert document(again)["left"][0]["outcome"] == "not restored"


@pytest.mark.wide
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--reset", "nobody"), "--reset nobody: no operator of the plan has state and this uid"),
        (("--start", "nowhere=earliest"), "--start nowhere: the plan reads no table of this name"),
    ],
)
def test_unknown_names_are_refused(job: Path, arguments: tuple[str, ...], message: str) -> None:
    done = dry_run(job, *arguments)
    assert done.returncode == 1
    assert message in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--start", "source_t"), "is not TABLE=POSITION"),
        (("--written-at", "yesterday"), "is no time with a zone"),
        (("--checkpoint", "out/{plan}"), "takes one folder"),
    ],
)
def test_wrong_usage(job: Path, arguments: tuple[str, ...], message: str) -> None:
    done = dry_run(job, *arguments)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_a_checkpoint_or_a_dry_run_is_needed(job: Path) -> None:
    assert importing(job / "savepoint", job / "plan.json").returncode == 2


@pytest.mark.wide
@pytest.mark.spark
def test_the_run_continues_the_groups_of_the_job(
    job: Path, spark: SparkSession, shared_session: None, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    arguments = (job / "savepoint", job / "plan.json", "--start", "source_t=earliest", "--checkpoint", checkpoint)
    done = importing(*arguments)
    assert done.returncode == 0, done.stderr
    assert f"go on with: execute-plan {job / 'plan.json'} --checkpoint {checkpoint}" in " ".join(done.stderr.split())
    (job / "source_t/new.json").write_text('{"a": 4, "b": 2, "c": "Ah"}\n{"a": 1, "b": 7, "c": "New"}\n')
    options = RunOptions(checkpoint=str(checkpoint), available_now=True)
    Run(spark, plan_from_file(str(job / "plan.json")), options).execute()
    changes = [json.loads(line) for file in (job / "sink_t").glob("part-*") for line in file.read_text().splitlines()]
    after = {change["after"]["b"]: change["after"] for change in changes if change["after"]}
    assert after == {
        2: {"b": 2, "cnt": 3, "avg_a": 2.0, "min_c": "Ah"},
        7: {"b": 7, "cnt": 1, "avg_a": None, "min_c": "New"},
    }

    again = importing(*arguments)
    assert again.returncode == 1
    assert "the checkpoint has state already" in again.stderr

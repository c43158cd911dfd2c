"""`inspect-state` on savepoints of Flink: with the views of a checkpoint, and without a plan."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from compiled_plan import schemas
from compiled_plan.plans.nodes.aggregate import GroupAggregate
from compiled_plan.plans.nodes.flink_state import FlinkMapping
from tests.flink_programs.restoring import filled
from tests.plans.execution.state.flink.savepoint import restore_tests
from tests.support.commands import called

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.support.commands import Said

pytestmark = pytest.mark.slow

GROUPS = "stream-exec-group-aggregate_1/group-aggregate-simple"
TTL = "stream-exec-join_1/join-with-state-ttl-hint"
inspect = partial(called, "inspect_state")
document_of = jsonschema.Draft202012Validator(schemas.load(schemas.STATE))


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with savepoints, and plans over tables in an unreachable store."""
    folder = tmp_path_factory.mktemp("jobs")
    for program in (GROUPS, TTL):
        (savepoint,) = restore_tests.unpack(folder / "unpacked", program)
        name = program.partition("/")[2]
        savepoint.rename(folder / name)
        (folder / f"{name}.json").write_text(filled(restore_tests.plan(program), Unreachable()))
    return folder


class Unreachable(dict[str, dict[str, str]]):
    """Options of a table on a file system that does not exist."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> dict[str, str]:
        format_ = "debezium-json" if "sink" in name.lower() else "json"
        return {"connector": "filesystem", "path": f"hdfs://nowhere.invalid/{name}", "format": format_}


def with_plan(jobs: Path, program: str, *arguments: str) -> Said:
    name = program.partition("/")[2]
    head, *others = arguments if arguments and not arguments[0].startswith("-") else ("", *arguments)
    operator = [head] if head else []
    return inspect(jobs / name, *operator, "--plan", str(jobs / f"{name}.json"), *others)


def document(done: Said) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    parsed: dict[str, Any] = json.loads(done.stdout)
    document_of.validate(parsed)
    return parsed


@pytest.mark.wide
def test_without_a_plan_its_operators_and_states_are_listed(jobs: Path) -> None:
    done = inspect(jobs / "group-aggregate-simple" / "_metadata")
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["operator", "name", "state", "kind", "entries", "TTL", "bytes"]
    assert any(line.split()[:3] == ["accState", "VALUE", "2"] for line in lines)
    assert ", canonical" in done.stderr
    report = document(inspect(jobs / "group-aggregate-simple", "--json"))["savepoint"]
    states = [state for operator in report["operators"] for state in operator["states"] if state["entries"]]
    assert states == [{"name": "accState", "kind": "VALUE", "entries": 2, "ttl": False}]


def test_views_of_operators_take_a_plan(jobs: Path) -> None:
    done = inspect(jobs / "group-aggregate-simple", "5")
    assert done.returncode == 2
    assert "--plan" in done.stderr


def test_a_folder_without_a_savepoint_is_refused(jobs: Path, tmp_path: Path) -> None:
    done = inspect(tmp_path, "--plan", str(jobs / "group-aggregate-simple.json"))
    assert done.returncode == 1
    assert "there is no savepoint: the file _metadata is missing" in done.stderr


@pytest.mark.wide
@pytest.mark.spark
@pytest.mark.usefixtures("shared_session")
def test_operators_have_keys_and_rows_and_unknown_times(jobs: Path) -> None:
    done = with_plan(jobs, GROUPS)
    assert done.returncode == 0, done.stderr
    _, line = done.stdout.splitlines()
    assert line.startswith("group-aggregate-source_t-3ca78a4a78")
    assert line.count("unknown") == 2
    assert "1970" not in done.stdout
    assert ", taken at " in done.stderr
    report = document(with_plan(jobs, GROUPS, "--json"))["state"]
    (operator,) = report["operators"]
    (part,) = operator["parts"]
    assert (operator["keys"], part["entries"], part["written"], part["unknown"]) == (2, 2, 0, 2)
    assert report["savepoint"]["unread"] == []


@pytest.mark.wide
@pytest.mark.spark
@pytest.mark.usefixtures("shared_session")
def test_a_key_has_its_accumulators_and_no_invented_time(jobs: Path) -> None:
    done = with_plan(jobs, GROUPS, "4", "--key", "b=2")
    assert done.returncode == 0, done.stderr
    assert "lastWrite TIMESTAMP_LTZ(3) = NULL" in done.stdout
    assert "key b=2" in done.stdout.replace("key 2", "key b=2")
    assert "Hello" in done.stdout


@pytest.mark.wide
@pytest.mark.spark
@pytest.mark.usefixtures("shared_session")
def test_rows_have_the_times_at_which_flink_wrote_them(jobs: Path, spark: SparkSession, tmp_path: Path) -> None:
    report = document(with_plan(jobs, TTL, "--json", "--what-if", "1 d"))["state"]
    (join,) = (operator for operator in report["operators"] if operator["kind"] == "join")
    for part in join["parts"]:
        assert part["entries"] == part["written"] > 0
        assert part["oldestWrite"] > 1_700_000_000_000
        assert part["whatIf"]["expired"] == part["entries"]
    path = tmp_path / "exported"
    exported = document(with_plan(jobs, TTL, join["uid"], "--export", str(path), "--json"))
    rows = spark.read.parquet(str(path))
    assert rows.count() == exported["rows"] == join["entries"]
    assert rows.where("last_write IS NULL").count() == 0


@pytest.mark.wide
@pytest.mark.spark
@pytest.mark.usefixtures("shared_session")
def test_refused_operators_are_shown_with_the_reason(jobs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GroupAggregate, "flink_mapping", FlinkMapping(refusal="its accumulator is not converted"))
    done = with_plan(jobs, GROUPS)
    assert done.returncode == 0, done.stderr
    assert ": refused: its accumulator is not converted" in done.stdout
    uid = done.stdout.splitlines()[-1].partition(":")[0]
    assert with_plan(jobs, GROUPS, uid).returncode == 0
    refused = with_plan(jobs, GROUPS, uid, "--key", "b=1")
    assert refused.returncode == 1
    assert f"the state of operator {uid} is refused: its accumulator" in refused.stderr

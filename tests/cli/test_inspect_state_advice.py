"""Advice on TTLs: a run, `inspect-state --advise`, `edit-plan --ttl-from`, and the next run."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from compiled_plan import schemas
from compiled_plan.plans.plan import CompiledPlan
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.support.commands import called

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("shared_session")

inspect = partial(called, "inspect_state")
HOUR = 3_600_000
PROGRAM = (
    "SET 'table.exec.state.ttl' = '2 h';\n"
    + table("orders", "id INT, item STRING")
    + table("shipments", "id INT, town STRING")
    + "CREATE TABLE sink (item STRING, town STRING) WITH ('connector' = 'blackhole');\n"
)
QUERY = "INSERT INTO sink SELECT item, town FROM orders AS o JOIN shipments AS s ON o.id = s.id"
ORDERS = [{"id": at, "item": "nut"} for at in range(4)]
SHIPMENTS = [{"id": at, "town": "Rome"} for at in range(3)]


@pytest.fixture(scope="module")
def place(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(spark, tmp_path_factory.mktemp("advised"))
    place.add({"orders": ORDERS, "shipments": [{"id": 99, "town": "Oslo"}]})
    plan = place.compiled(PROGRAM, QUERY)
    (place.folder / "plan.json").write_text(plan.to_json(), encoding="utf-8")
    place.run(plan)
    place.add({"shipments": SHIPMENTS})
    place.run(plan)
    return place


def advice(checkpoint: Path, *arguments: str) -> tuple[str, dict[str, Any]]:
    done = inspect(checkpoint, "--advise", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schemas.load(schemas.STATE)).validate(document)
    return done.stdout, document["advice"]


def test_a_run_is_observed_advised_edited_and_run_on(place: Place, tmp_path: Path) -> None:
    text, report = advice(place.checkpoint)
    left, right = report["entries"]
    assert (report["keep"], left["entry"], right["entry"]) == (0.999, "leftState", "rightState")
    assert (left["uses"], left["ttl"], left["entries"]) == (3, 2 * HOUR, 4)
    assert left["savedBytes"] == left["bytes"] * left["savedEntries"] // 4, "all or none have the age of a start"
    assert 1000 <= left["advised"] < HOUR
    assert min(left["bytes"], right["bytes"]) > 100
    assert (right["uses"], right["advised"], right["entries"]) == (0, None, 4)

    advised = tmp_path / "advice.json"
    advised.write_text(text, encoding="utf-8")
    file = place.folder / "plan.json"
    done = called("edit_plan", file, "--ttl-from", advised, "--json")
    assert done.returncode == 0, done.stderr
    (change,) = json.loads(done.stdout)["changes"]
    assert (change["uid"], change["entry"], change["old"]) == (left["uid"], "leftState", "2 h")

    plan = CompiledPlan.read_file(str(file))
    place.add({"shipments": SHIPMENTS})
    place.run(plan)
    after = advice(place.checkpoint)[1]["entries"]
    assert [entry["ttl"] for entry in after] == [left["advised"], 2 * HOUR]
    assert after[0]["since"] > left["since"], "the observation begins anew under another TTL"
    assert after[1]["since"] == right["since"]

    again = called("edit_plan", file, "--ttl-from", advised)
    assert again.returncode == 1
    assert "leftState has the TTL" in again.stderr


def test_an_advice_as_text(place: Place) -> None:
    done = inspect(place.checkpoint, "--advise", "--keep", "50%")
    assert done.returncode == 0, done.stderr
    head, left, right = done.stdout.splitlines()
    assert head.split()[:5] == ["operator", "description", "entry", "TTL", "advised"]
    assert "leftState" in left
    assert "none: no use is observed" in right
    assert "the advised TTLs keep 50% of the uses" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--keep", "99%"], 2, "--keep is a share for --advise"),
        (["--advise", "--what-if", "3d"], 2, "exclude each other"),
        (["--advise", "--keep", "all"], 1, "'all' is not a share of uses to keep"),
    ],
)
def test_refusals(place: Place, arguments: list[str], code: int, says: str) -> None:
    done = inspect(place.checkpoint, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr

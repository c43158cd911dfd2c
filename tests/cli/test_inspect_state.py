"""`inspect-state`: output and refusals on a checkpoint."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from compiled_plan import schemas
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.support.commands import called

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("shared_session")

inspect = partial(called, "inspect_state")
PROGRAM = (
    "SET 'table.exec.state.ttl' = '1 h';\n"
    + table("orders", "id INT, item STRING")
    + "CREATE TABLE sink (item STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
)
ROWS = [{"id": 1, "item": "nut"}, {"id": 2, "item": "nut"}, {"id": 3, "item": None}]


@pytest.fixture(scope="module")
def checkpoint(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = Place(spark, tmp_path_factory.mktemp("inspected"))
    place.add({"orders": ROWS})
    place.run(place.compiled(PROGRAM, "INSERT INTO sink SELECT item, COUNT(*) FROM orders GROUP BY item"))
    return place.checkpoint


def document(checkpoint: Path, *arguments: str) -> dict[str, Any]:
    done = inspect(checkpoint, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schemas.load(schemas.STATE)).validate(document)
    assert document["version"] == 1
    return document


def uid(checkpoint: Path) -> str:
    (operator,) = document(checkpoint)["state"]["operators"]
    return str(operator["uid"])


@pytest.mark.wide
def test_all_operators_as_a_table(checkpoint: Path) -> None:
    done = inspect(checkpoint)
    head, line = done.stdout.splitlines()
    assert head.split()[:3] == ["operator", "description", "entry"]
    assert line.startswith(uid(checkpoint))
    for part in ("COUNT(*) by item, of orders", "groupAggregateState", "1 h"):
        assert part in line
    assert "generation 1, after micro-batch 0, at " in done.stderr


@pytest.mark.wide
def test_one_operator(checkpoint: Path) -> None:
    lines = inspect(checkpoint, uid(checkpoint)).stdout.splitlines()
    assert lines[0].startswith(uid(checkpoint))
    assert lines[1] == "  state group-aggregate, key (item STRING)"
    assert lines[2].startswith("  2 keys, 2 rows, ")
    assert any(line.startswith("    expired, not yet removed: 0") for line in lines)


def test_the_way_to_a_row_of_a_sink(checkpoint: Path) -> None:
    done = inspect(checkpoint, "--sink", "sink", "--key", "item=nut")
    head, operator, key, *_ = done.stdout.splitlines()
    assert head == "default_catalog.default_database.sink, after micro-batch 0"
    assert operator == f"{uid(checkpoint)}: COUNT(*) by item, of orders"
    assert key.startswith("  key ") and "nut" in key
    (step,) = document(checkpoint, "--sink", "sink", "--key", "item=nut")["path"]["steps"]
    assert (step["byKey"], step["count"], step["columns"]) == (True, 1, [{"item": "item"}])
    (line,) = inspect(checkpoint, "--sink", "sink", "--key", "n=2").stdout.splitlines()[2:]
    assert line == "  the key of the sink does not reach its rows"


@pytest.mark.wide
def test_another_ttl(checkpoint: Path) -> None:
    done = inspect(checkpoint, uid(checkpoint), "--what-if", "1 ms")
    assert "    with a TTL of 1 ms: 2 of 2 would be expired, 0 would remain" in done.stdout.splitlines()
    (operator,) = document(checkpoint, "--what-if", "3d")["state"]["operators"]
    assert operator["parts"][0]["whatIf"]["kept"] == 2


@pytest.mark.wide
def test_a_key(checkpoint: Path) -> None:
    done = inspect(checkpoint, uid(checkpoint), "--key", "item=nut")
    assert "    key: item STRING = nut" in done.stdout.splitlines()
    assert "    rows BIGINT = 2" in done.stdout.splitlines()
    entries = document(checkpoint, uid(checkpoint), "--key", "item=NULL")["entries"]
    (key,) = entries["keys"]
    fields = {field["name"]: field for field in key["fields"]}
    assert fields["key"]["value"] == [{"name": "item", "type": "STRING", "value": None}]
    assert fields["rows"] == {"name": "rows", "type": "BIGINT", "value": 1}
    nothing = inspect(checkpoint, uid(checkpoint), "--key", "item=screw")
    assert (nothing.returncode, nothing.stdout.splitlines()[1]) == (0, "  no state for that key")


@pytest.mark.wide
def test_export(checkpoint: Path, tmp_path: Path) -> None:
    target = tmp_path / "entries"
    assert document(checkpoint, uid(checkpoint), "--export", str(target))["rows"] == 2
    assert list(target.glob("part-*.parquet"))
    done = inspect(checkpoint, uid(checkpoint), "--export", target)
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is a file or folder of that name" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing-3f"], "the checkpoint has no operator nothing-3f"),
        (["nothing-3f"], "try: name one of the operators with state: `"),
        (["99", "--key", "id=1"], "no operator 99"),
        (["--what-if", "left=3d"], "--what-if left=3d names an entry, and no operator is named"),
        (["--what-if", "soon"], "--what-if soon"),
    ],
)
def test_refusals(arguments: list[str], says: str, checkpoint: Path) -> None:
    done = inspect(checkpoint, *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert says in done.stderr


def test_no_checkpoint(tmp_path: Path) -> None:
    done = inspect(tmp_path / "none")
    assert done.returncode == 1
    assert "the checkpoint is not there" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--key", "a=1"],
        ["--export", "x"],
        ["u", "--key", "a=1", "--export", "x"],
        ["--conf", "x"],
        ["--sink", "s"],
        ["u", "--sink", "s", "--key", "a=1"],
    ],
)
def test_wrong_usage(arguments: list[str], checkpoint: Path) -> None:
    assert inspect(checkpoint, *arguments).returncode == 2

"""Requests for rows that enter a sink, in files beside the progress file."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.cli.actions.tapping import FileTap
from compiled_plan.compiling.scripts import Session, compiled_text
from compiled_plan.plans.types import RowType, parse_type
from tests.support.commands import called

PROGRAM = """CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence',
  'fields.n.start' = '1', 'fields.n.end' = '9');
CREATE TABLE doubled (twice BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE counted (n BIGINT, PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'blackhole');
EXECUTE STATEMENT SET BEGIN
INSERT INTO doubled SELECT 2 * n FROM numbers;
INSERT INTO counted SELECT COUNT(*) FROM numbers;
END;"""


@pytest.fixture
def progress(tmp_path: Path) -> Path:
    return tmp_path / "progress.jsonl"


def ask(progress: Path, node: int, rows: int = 5, until: float = 60.0) -> Path:
    request = progress.with_name("progress.jsonl.tap")
    request.write_text(json.dumps({"id": "a", "node": node, "rows": rows, "until": time.time() + until}))
    return request


def answer(progress: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(progress.with_name("progress.jsonl.tapped").read_text())
    return document


@pytest.mark.wide
@pytest.mark.usefixtures("shared_session")
@pytest.mark.parametrize(("sink", "count", "possible"), [(0, 5, range(2, 20, 2)), (1, 1, [9])])
def test_rows_of_a_sink(progress: Path, tmp_path: Path, sink: int, count: int, possible: Sequence[int]) -> None:
    plan = compiled_text(PROGRAM, Session({}), lambda _: None).plan
    (tmp_path / "plan.json").write_text(plan.to_json())
    ask(progress, list(plan.sinks)[sink].id)
    done = called("execute_plan", tmp_path / "plan.json", "--progress-file", str(progress), "--json")
    assert done.returncode == 0, done.stderr
    document = answer(progress)
    # The sink does not read the order of the rows, which the run therefore omits.
    values = {int(row["values"][0]) for row in document["result"]["rows"]}
    assert (len(values), values <= set(possible)) == (count, True)
    assert document["open"] is (count < 5)
    # The run writes the same rows with and without a tap.
    assert json.loads(progress.read_text().splitlines()[-1])["rowsOut"] == 10


def row_type() -> RowType:
    type_ = parse_type("ROW<n INT>")
    assert isinstance(type_, RowType)
    return type_


def test_a_request_ends_at_its_limit_of_rows(progress: Path) -> None:
    request = ask(progress, 1, rows=3)
    tap = FileTap(progress, "UTC")
    for left, values in ((3, [1, 2]), (1, [3])):
        opened = tap.request()
        assert opened is not None
        assert opened.left == left
        opened.take(row_type(), [0] * len(values), [values])
    assert [row["values"] for row in answer(progress)["result"]["rows"]] == [["1"], ["2"], ["3"]]
    assert (answer(progress)["open"], request.exists(), tap.request()) == (False, False, None)


def test_an_expired_request_is_removed_and_a_wrong_one_ignored(progress: Path) -> None:
    request, tap = ask(progress, 1, until=-1), FileTap(progress, "UTC")
    assert tap.request() is None
    assert not request.exists()
    request.write_text("{")
    assert tap.request() is None


def test_an_error_ends_the_request(progress: Path) -> None:
    request = ask(progress, 1)
    opened = FileTap(progress, "UTC").request()
    assert opened is not None
    opened.fail(ValueError("password=secret-word"))
    assert (answer(progress)["open"], request.exists()) == (False, False)
    assert "secret-word" not in answer(progress)["message"]

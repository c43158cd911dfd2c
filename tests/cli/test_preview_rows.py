"""`preview_rows`: the rows of a plan within limits."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.compiling.previews import preview_plan, table_preview_plan
from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.plan import CompiledPlan
from tests.support.commands import called

pytestmark = pytest.mark.usefixtures("shared_session")

preview = partial(called, "preview_rows")
FUNCTIONS = Path(__file__).parents[2] / "samples/functions"
NUMBERS = """CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence',
  'fields.n.start' = '1', 'fields.n.end' = '{last}');
"""

LARGEST = "SELECT n FROM (SELECT n, ROW_NUMBER() OVER (ORDER BY n DESC) AS place FROM numbers) WHERE place = 1"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return tmp_path / "plan.json"


def rows_of(plan: Path, script: str, *options: str, rows: int = 100) -> dict[str, Any]:
    plan.write_text(preview_plan({}, script, len(script), rows).to_json())
    done = preview(plan, "--rows", str(rows), *options)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_all_changes_of_a_query_in_their_order(plan: Path) -> None:
    document = rows_of(plan, f"{NUMBERS.format(last=3)}{LARGEST}")
    changes = [(row["kind"], row["values"][0]) for row in document["rows"]]
    replaced = [("-D", "1"), ("+I", "2"), ("-D", "2"), ("+I", "3")]
    assert (changes, document["ended"]) == ([("+I", "1"), *replaced], "end")


@pytest.mark.parametrize(
    "query",
    ["SELECT * FROM numbers", pytest.param("SELECT n, COUNT(*) FROM numbers GROUP BY n", marks=pytest.mark.wide)],
)
def test_a_limit_on_rows(plan: Path, query: str) -> None:
    progress = plan.with_name("progress.json")
    script = NUMBERS.format(last=1_000_000) + query
    document = rows_of(plan, script, "--progress-file", str(progress), rows=5)
    assert (len(document["rows"]), document["ended"]) == (5, "rows")
    assert json.loads(progress.read_text())["of"] == 5


@pytest.mark.wide
def test_a_limit_on_time(plan: Path) -> None:
    script = """CREATE TABLE slow (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1');
    SELECT n FROM slow WHERE n IS NULL"""
    assert rows_of(plan, script, "--seconds", "1") == {
        "columns": [{"name": "n", "type": "BIGINT"}],
        "rows": [],
        "ended": "seconds",
    }


def test_the_table_of_a_source_without_its_program(plan: Path) -> None:
    (plan.parent / "people").mkdir()
    (plan.parent / "people/rows.json").write_text('{"name": "ann", "born": "2001-02-03"}\n')
    script = f"""CREATE TABLE people (name STRING, born DATE, bearing AS UPPER(name))
    WITH ('connector' = 'filesystem', 'path' = '{plan.parent}/people', 'format' = 'json');
    CREATE TABLE printed (n BIGINT) WITH ('connector' = 'print');
    INSERT INTO printed SELECT COUNT(*) FROM people WHERE name = 'bob'"""
    stored = CompiledPlan.from_json(TableEnvironment().compile_script(script).to_json())
    plan.write_text(table_preview_plan({}, stored, stored.sources[0].id, 5).to_json())
    done = preview(plan)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == [{"kind": "+I", "values": ["ann", "2001-02-03", "ANN"]}]


@pytest.mark.wide
def test_times_are_shown_in_the_zone_of_the_program(plan: Path) -> None:
    (plan.parent / "visits").mkdir()
    (plan.parent / "visits/rows.json").write_text('{"ts": "2024-07-01 22:30:00Z"}\n')
    script = f"""SET 'table.local-time-zone' = 'Europe/Rome';
    CREATE TABLE visits (ts TIMESTAMP_LTZ(3), bearing AS DATE_FORMAT(ts, 'dd HH'))
    WITH ('connector' = 'filesystem', 'path' = '{plan.parent}/visits', 'format' = 'json');
    CREATE TABLE printed (n TIMESTAMP_LTZ(3)) WITH ('connector' = 'print');
    INSERT INTO printed SELECT ts FROM visits;"""
    stored = CompiledPlan.from_json(TableEnvironment().compile_script(script).to_json())
    plan.write_text(table_preview_plan({}, stored, stored.sources[0].id, 5, script).to_json())
    done = preview(plan)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == [{"kind": "+I", "values": ["2024-07-02 00:30:00.000", "02 00"]}]


def test_rows_of_a_test_instead_of_the_source(plan: Path) -> None:
    tests = plan.with_name("tests.yaml")
    tests.write_text("tests: [{name: --two, steps: [{rows: {numbers: [{n: 7}, [8]]}}]}]")
    progress = plan.with_name("progress.json")
    options = ("--sample", str(tests), "--test=--two", "--progress-file", str(progress))
    document = rows_of(plan, f"{NUMBERS.format(last=3)}SELECT n FROM numbers", *options)
    assert ([row["values"] for row in document["rows"]], document["ended"]) == ([["7"], ["8"]], "end")
    assert json.loads(progress.read_text()) == {"done": 2, "of": 100}


@pytest.mark.wide
def test_functions_in_python_over_rows_of_a_test(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FUNCTIONS))
    tests = plan.with_name("tests.yaml")
    tests.write_text("tests: [{name: one, steps: [{rows: {sales: [{price: 10.00}]}}]}]")
    script = """CREATE FUNCTION discounted AS 'prices.Discounted' LANGUAGE PYTHON;
    CREATE TABLE sales (price DECIMAL(10, 2)) WITH ('connector' = 'datagen');
    SELECT discounted(price) AS reduced FROM sales"""
    options = ("--sample", str(tests), "--test=one", "--functions-from", f"prices={FUNCTIONS}")
    assert rows_of(plan, script, *options)["rows"] == [{"kind": "+I", "values": ["9.00"]}]


def test_an_error_of_a_source(plan: Path) -> None:
    script = (
        "CREATE TABLE t (n INT) WITH ('connector' = 'filesystem', 'path' = '/nothing/here', 'format' = 'json');TABLE t"
    )
    plan.write_text(preview_plan({}, script, "t", 5).to_json())
    done = preview(plan)
    assert (done.returncode, "/nothing/here" in done.stderr) == (1, True)

"""Taps of runs, by the files of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.compiling.scripts import Session, compiled_text
from compiled_plan.plans.errors import CompiledPlanError, PlanError
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.service.runs.folders import COMMAND, PLAN, RunFolder
from compiled_plan.service.runs.taps import close_tap, open_tap, read_tap
from compiled_plan.service.store.errors import ConflictError, NotFoundError

PROGRAM = """CREATE TABLE orders (id INT) WITH ('connector' = 'datagen');
CREATE TABLE kept (id INT) WITH ('connector' = 'blackhole');
INSERT INTO kept SELECT id FROM orders"""
ROWS = {"columns": [{"name": "id", "type": "INT"}], "rows": [{"kind": "+I", "values": ["1"]}], "ended": "rows"}


@pytest.fixture(scope="module")
def plan() -> CompiledPlan:
    return compiled_text(PROGRAM, Session({}), lambda _: None).plan


@pytest.fixture
def run(tmp_path: Path, plan: CompiledPlan) -> RunFolder:
    folder = RunFolder(tmp_path / "1")
    folder.path.mkdir()
    (folder.path / PLAN).write_text(plan.to_json())
    return folder


def sink(plan: CompiledPlan) -> int:
    return next(iter(plan.sinks)).id


def answer(run: RunFolder, **content: Any) -> None:
    run.progress.with_name("progress.jsonl.tapped").write_text(json.dumps({"id": "a", **content}))


def test_a_tap_until_its_rows_are_complete(run: RunFolder, plan: CompiledPlan) -> None:
    with pytest.raises(NotFoundError):
        read_tap(run, is_alive=True)
    open_tap(run, sink(plan), None, 1, 60)
    state = read_tap(run, is_alive=True)
    assert (state["state"], state["done"], state["of"]) == ("running", 0, 1)
    with pytest.raises(ConflictError, match="is open"):
        open_tap(run, sink(plan), None, 1, 60)
    answer(run, open=False, result=ROWS)
    assert read_tap(run, is_alive=True)["state"] == "done"
    close_tap(run)
    assert read_tap(run, is_alive=True)["result"] == ROWS
    open_tap(run, sink(plan), None, 1, 60)
    assert read_tap(run, is_alive=True)["done"] == 0


def test_a_tap_ends_with_its_time_and_with_its_run(run: RunFolder, plan: CompiledPlan) -> None:
    open_tap(run, sink(plan), None, 1, -1)
    state = read_tap(run, is_alive=True)
    assert (state["state"], state["result"]["ended"]) == ("done", "seconds")
    # An expired request does not keep others out.
    open_tap(run, sink(plan), None, 1, 60)
    assert read_tap(run, is_alive=False)["state"] == "done"


def test_an_error_of_the_run(run: RunFolder, plan: CompiledPlan) -> None:
    open_tap(run, sink(plan), None, 1, 60)
    answer(run, open=False, message="no memory")
    state = read_tap(run, is_alive=True)
    assert (state["state"], state["message"]) == ("failed", "no memory")


def test_an_input_is_the_node_that_emits_its_rows(run: RunFolder, plan: CompiledPlan) -> None:
    (source,) = plan.inputs(sink(plan))
    open_tap(run, sink(plan), 0, 1, 60)
    assert json.loads(run.progress.with_name("progress.jsonl.tap").read_text())["node"] == source.id
    close_tap(run)
    for node, at, match in ((sink(plan), 1, "(?s)has no input 1.*0 to 0"), (source.id, 0, "a source has none")):
        with pytest.raises(PlanError, match=match):
            open_tap(run, node, at, 1, 60)
    with pytest.raises(PlanError, match="no such node"):
        open_tap(run, 10_000, None, 1, 60)


def test_real_time_runs_are_refused(run: RunFolder, plan: CompiledPlan) -> None:
    run.write(COMMAND, {"trigger": "real-time=10s"})
    with pytest.raises(CompiledPlanError, match="real-time mode"):
        open_tap(run, sink(plan), None, 1, 60)

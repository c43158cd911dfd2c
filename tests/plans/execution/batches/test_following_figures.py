"""Reports of micro-batches, from invented progress of Spark."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.execution.batches.following import Follower
from compiled_plan.plans.execution.batches.progress import BatchProgress, operator_progress
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.tables.sinks import BatchRows
from compiled_plan.plans.execution.tables.sources import NO_TABLE, ReadTable
from compiled_plan.plans.inspection.checkpoints import ENDS, STATE_ROWS
from compiled_plan.plans.plan import CompiledPlan

PROGRAM = """
CREATE TABLE a (id INT) WITH ('connector' = 'datagen');
CREATE TABLE b (id INT) WITH ('connector' = 'print');
INSERT INTO b SELECT id FROM a;
"""


def progress_of(batch: int, requested: list[int]) -> Any:
    """Spark's progress of a batch; `requested` receives its number when the text is built."""
    rates = {"inputRowsPerSecond": 1.0, "processedRowsPerSecond": 1.0}
    kafka = {"endOffset": {"orders": {"0": 5}}, "latestOffset": {"orders": {"0": 9}}, "numInputRows": 5}
    ends = {"endOffset": "", "latestOffset": "", "numInputRows": 1}
    progress = {
        "id": str(UUID(int=0)),
        "runId": str(UUID(int=1)),
        "name": None,
        "batchId": batch,
        "batchDuration": 250,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "durationMs": {"triggerExecution": 250, "addBatch": 200},
        "eventTime": {"watermark": "2025-12-31T23:59:00.000Z"},
        "stateOperators": [],
        "sources": [
            {"description": "KafkaV2[Subscribe[orders]]", "startOffset": None, **kafka, **rates},
            {"description": f"FileStreamSource[file:/c/{ENDS}]", "startOffset": "", **ends, **rates},
        ],
        "sink": {"description": "", "numOutputRows": -1},
    }

    def text() -> str:
        requested.append(batch)
        return json.dumps(progress)

    return SimpleNamespace(batchId=lambda: batch, json=text)


def follower(folder: LocalFolder, taken: list[BatchProgress], *, resumes: bool) -> Follower:
    return following([progress_of(batch, []) for batch in range(2)], folder, taken, resumes=resumes)


def following(
    recent: list[Any],
    folder: LocalFolder,
    taken: list[BatchProgress],
    *,
    resumes: bool,
    lost: int = 0,
    ttl: int = 1000,
) -> Follower:
    query = SimpleNamespace(_jsq=SimpleNamespace(lastProgress=lambda: recent[-1], recentProgress=lambda: recent))
    figures: dict[str, dict[str, Any]] = {"sum": {"rowsIn": 10, "rowsOut": 4, "stateRows": 3, "stateBytes": 30}}
    figures["sum"] |= {"rowsInByOutcome": {"applied": 8, "late": 2}, "stateChanges": {"created": 3}}
    figures["sum"] |= {"unaccountedRows": 0, "unaccountedEntries": lost}
    figures["sum"] |= {"rowsInByInput": [7, 3], "busyNanos": 5_400_000, "keyedRows": 8, "hotKeys": {"b": 2, "a": 6}}
    figures["sum"] |= {"useAges": [{"64": 5, "700": 2}, {}]}
    handle = SimpleNamespace(figures=lambda: figures, operators=[{"uid": "sum", "ttl": [ttl]}])
    sinks = SimpleNamespace(rows=lambda batch: BatchRows(2, 1))
    plan = CompiledPlan.from_json(TableEnvironment().compile_script(PROGRAM).to_json())
    sources = [ReadTable("c.d.orders", (1, 4)), NO_TABLE]
    tables = SimpleNamespace(read_by=lambda _: sources, read_again=lambda _, batch: [])
    arguments: tuple[Any, ...] = (query, [handle], plan, folder, tables, sinks, taken.append)
    return cast(Any, Follower)(*arguments, resumes=resumes, slots=4)


def test_figures_are_reported_and_stored_for_the_next_run(tmp_path: Path) -> None:
    folder, taken = LocalFolder(tmp_path), list[BatchProgress]()
    folder.make("compiled-plan")
    first = follower(folder, taken, resumes=False)
    first.catch_up()
    result = first.result(False)
    assert (result.batches, result.rows_in, result.rows_out, result.dead_letters) == (2, 10, 4, 2)
    document = taken[-1].to_dict()
    assert document["at"] == "2026-01-01T00:00:00.250Z"
    assert document["watermark"] == "2025-12-31T23:59:00.000Z"
    assert document["sources"] == [
        {"name": "orders", "rows": 5, "lag": 4, "lagUnit": "records", "table": "c.d.orders", "nodes": [1, 4]}
    ]
    assert (document["operators"][0]["stateRows"], document["operators"][0]["stateBytes"]) == (3, 30)
    assert document["operators"][0]["rowsLate"] == 2
    assert document["operators"][0]["rowsInByOutcome"] == {"applied": 8, "late": 2}
    assert document["operators"][0]["stateChanges"] == {"created": 3}
    assert "unaccounted" not in document["operators"][0]
    assert document["operators"][0]["rowsInByInput"] == [7, 3]
    assert document["operators"][0]["busyMillis"] == 5
    assert document["operators"][0]["hotKeys"] == [{"key": "a", "share": 0.75}, {"key": "b", "share": 0.25}]
    assert document["slots"] == 4
    follower(folder, taken, resumes=True).catch_up()
    document = taken[2].to_dict()
    assert (document["operators"][0]["stateRows"], document["operators"][0]["stateBytes"]) == (6, 60)


def test_ages_of_used_entries_add_up_over_runs_under_one_ttl(tmp_path: Path) -> None:
    folder, taken = LocalFolder(tmp_path), list[BatchProgress]()
    folder.make("compiled-plan")
    follower(folder, taken, resumes=False).catch_up()
    first = ages_in(folder)
    assert (first["ttl"], first["uses"]) == (1000, {"64": 5, "700": 2})
    assert "useAges" not in taken[-1].to_dict()["operators"][0]
    follower(folder, taken, resumes=True).catch_up()
    assert ages_in(folder) == first | {"uses": {"64": 10, "700": 4}}
    following([progress_of(0, [])], folder, taken, resumes=True, ttl=500).catch_up()
    assert (ages_in(folder)["ttl"], ages_in(folder)["uses"]) == (500, {"64": 5, "700": 2})


def ages_in(folder: LocalFolder) -> dict[str, Any]:
    (ages,) = json.loads(folder.read_text(STATE_ROWS) or "")["sum"]["ages"]
    return dict(ages)


def test_entries_without_a_reason_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The session of other tests fails such runs.
    monkeypatch.setattr("compiled_plan.plans.execution.batches.following.operator_progress", operator_progress)
    folder, taken = LocalFolder(tmp_path), list[BatchProgress]()
    folder.make("compiled-plan")
    following([progress_of(0, [])], folder, taken, resumes=False, lost=7).catch_up()
    assert taken[-1].to_dict()["operators"][0]["unaccounted"] == {"rows": 0, "entries": 7}


def test_each_batch_is_read_once(tmp_path: Path) -> None:
    folder, taken, requested = LocalFolder(tmp_path), list[BatchProgress](), list[int]()
    folder.make("compiled-plan")
    recent = [progress_of(batch, requested) for batch in range(3)]
    running = following(recent, folder, taken, resumes=False)
    for number in range(3, 6):
        running.catch_up()
        running.catch_up()
        recent.append(progress_of(number, requested))
    running.catch_up()
    assert sorted(requested) == [0, 1, 2, 3, 4, 5]
    assert [batch.batch for batch in taken] == [0, 1, 2, 3, 4, 5]

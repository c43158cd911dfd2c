"""The parts that need neither Flink nor Spark: plans to stop, rows, contents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.flink_programs.running import Attempt
from tests.flink_programs.verdicts import Outcome
from tests.savepoints.flink import FIRST, Job, Stopped, _rows, open_ended, tables_read
from tests.savepoints.programs import expiring_jobs, fixed_jobs, random_job
from tests.savepoints.trial import _verdict, content_of

EVENTS = [{"before": None, "after": {"k": "a", "n": 1}, "op": "c"}]


@pytest.mark.wide
def test_every_job_compiles_and_reads_tables_that_have_rows_in_both_parts() -> None:
    jobs = [*fixed_jobs(), *expiring_jobs(), *map(random_job, range(1, 6))]
    assert len({job.name for job in jobs}) == len(jobs)
    for job in jobs:
        names = tables_read(job.plan(Path("/jobs")))
        assert names
        assert all(part[name] for part in job.parts for name in names), job.name


def test_a_random_job_has_no_late_rows() -> None:
    for part in random_job(3).parts:
        times = [str((row.get("after") or row)["at1"]) for row in part["clicks"]]
        assert times == sorted(times)


def test_a_plan_to_stop_stays_open_and_writes_to_another_folder() -> None:
    job = next(iter(fixed_jobs()))
    document = json.loads(open_ended(job.plan(Path("/jobs")), Path("/jobs")))
    options = [
        node[kind]["table"]["resolvedTable"]["options"]
        for node in document["nodes"]
        for kind in ("scanTableSource", "dynamicTableSink")
        if kind in node
    ]
    assert [table["path"] for table in options] == ["/jobs/sales", f"/jobs/{FIRST}/wide"]
    assert [table.get("source.monitor-interval") for table in options] == ["100 ms", None]


def test_an_update_is_two_rows() -> None:
    row = {"k": "a"}
    assert _rows([row, row]) == 2
    assert _rows([{"before": row, "after": row, "op": "u"}, {"before": None, "after": row, "op": "c"}]) == 3


def changes(folder: Path, *rows: tuple[str, str, int]) -> Path:
    folder.mkdir(parents=True)
    events = [{"before": None, "after": None, side: {"k": key, "n": n}, "op": ""} for side, key, n in rows]
    (folder / "part-0").write_text("".join(json.dumps(event) + "\n" for event in events))
    return folder


def test_the_content_of_a_sink_continues_from_the_first_part(tmp_path: Path) -> None:
    first = changes(tmp_path / "first", ("after", "a", 1), ("after", "b", 1))
    second = changes(tmp_path / "second", ("before", "a", 1), ("after", "a", 2))
    assert content_of([first, second], False) == {("a", 2): 1, ("b", 1): 1}
    assert content_of([first, second], True) == {"a": ("a", 2), "b": ("b", 1)}
    gone = changes(tmp_path / "gone", ("before", "b", 1))
    assert content_of([first, second, gone], True) == {"a": ("a", 2)}


def test_outcomes_of_jobs(tmp_path: Path) -> None:
    job: Job = next(iter(fixed_jobs()))
    plan = tmp_path / "plan.json"
    plan.write_text(job.plan(tmp_path).to_json())
    stopped = Stopped(tmp_path, plan, tmp_path)
    changes(tmp_path / "first" / "wide", ("after", "a", 1))
    changes(tmp_path / "whole" / "wide", ("after", "a", 1), ("before", "a", 1), ("after", "a", 2))
    attempt = Attempt(job.name, tmp_path, None, tmp_path)
    assert _verdict(stopped, attempt).outcome is Outcome.DIFFERENT
    changes(tmp_path / "wide", ("before", "a", 1), ("after", "a", 2))
    assert _verdict(stopped, attempt).outcome is Outcome.EQUAL
    attempt.refusals["import-state"] = "no mapping"
    assert _verdict(stopped, attempt).outcome is Outcome.REFUSED

"""Runs of tests in the service's process for them: results, limits, cancel, and no process left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from compiled_plan.service.common.places import AllowedFields
from compiled_plan.service.common.settings import Limits
from compiled_plan.service.workers import tasks
from compiled_plan.service.workers.pool import Workers
from compiled_plan.service.workers.test_jobs import TestJob, TestJobs
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.spark, pytest.mark.wide]
SQL = """
CREATE TABLE orders (customer STRING, price INT) WITH ('connector' = 'datagen');
CREATE TABLE totals (customer STRING, paid INT, PRIMARY KEY (customer) NOT ENFORCED) WITH ('connector' = 'print');
INSERT INTO totals SELECT customer, SUM(price) FROM orders GROUP BY customer;
"""
TESTS = """
program: elsewhere.sql
tests:
  - name: adds up
    steps:
      - rows: {orders: [{customer: ann, price: 3}, {customer: ann, price: 4}]}
      - expect: {totals: {table: [{customer: ann, paid: 7}]}}
  - name: wrong
    steps:
      - rows: {orders: [[ann, 3]]}
      - expect: {totals: {table: [{customer: ann, paid: 4}]}}
      - end:
  - name: demands spark
    engine: spark
    steps: [{rows: {orders: []}}]
  - name: upgrades
    steps: [{upgrade: /etc/passwd}]
  - name: prepared
    init: /etc/passwd
    steps: [{end: }]
  - name: elsewhere
    program: /etc/passwd
    steps: [{end: }]
"""
#: Its rows are one micro-batch of a function that takes for ever: Java remembers no positions beside a group reference.
SLOW = "REGEXP_REPLACE(customer, '(a+)+\\1b', 'x')"
ENDLESS = SQL.replace("SELECT customer", f"SELECT {SLOW}").replace("BY customer", f"BY {SLOW}")
LONG = f"steps: [{{rows: {{orders: [[{'a' * 60}c, 3]]}}}}]"
FULL = "REPEAT(customer, 100000000)"
LARGE = SQL.replace("SELECT customer", f"SELECT {FULL}").replace("BY customer", f"BY {FULL}")
ALLOWED: AllowedFields = {"programs": (), "data": ()}


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    workers = Workers(Limits(compile_workers=1))
    yield workers
    workers.close()


def begun(jobs: TestJobs, workers: Workers, tests: str, sql: str = SQL) -> TestJob:
    def request() -> tuple[int, dict[str, object]]:
        plans = workers.run(tasks.submitted.plans_of_tests, tests=tests, text=sql, allowed=ALLOWED)
        return len(plans), {"tests": tests, "plans": plans}

    return jobs.begin("ann", request)


def ended(jobs: TestJobs, workers: Workers, tests: str, sql: str = SQL) -> TestJob:
    job = begun(jobs, workers, tests, sql)
    wait_until(lambda: job.is_over)
    return job


def pid_of(jobs: TestJobs) -> int:
    wait_until(lambda: jobs._worker is not None)
    assert jobs._worker is not None
    return jobs._worker.process.pid


def members(group: int) -> list[int]:
    def in_group(pid: int) -> bool:
        try:
            return os.getpgid(pid) == group and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
        except (ProcessLookupError, psutil.NoSuchProcess):
            return False

    return [pid for pid in psutil.pids() if in_group(pid)]


def text(result: dict[str, Any]) -> str:
    return "\n".join(line["text"] for line in result["failure"])


def test_results_by_test_and_step_and_limits_that_end_the_process(workers: Workers) -> None:
    jobs = TestJobs(Limits(test_seconds=40, test_memory=600_000_000))
    try:
        job = ended(jobs, workers, TESTS)
        assert (job.state, job.tests, job.fault) == ("done", 6, None)
        good, wrong, spark, upgrades, prepared, elsewhere = job.results
        assert (good["passed"], [step["state"] for step in good["steps"]]) == (True, ["passed", "passed"])
        assert [(step["kind"], step["line"], step["state"]) for step in wrong["steps"]] == [
            ("rows", 10, "passed"),
            ("expect", 11, "failed"),
            ("end", 12, "skipped"),
        ]
        assert {"text": "  - {customer: ann, paid: 4}", "style": "red"} in wrong["failure"]
        assert "paid: expected 4, got 3" in text(wrong)
        assert "only Spark runs this test: the test demands Spark" in text(spark)
        assert "test-plan --spark" in text(spark)
        for refused in (upgrades, prepared, elsewhere):
            assert not refused["passed"]
            assert text(refused).startswith("line ")
            assert "on the command line" in text(refused)

        pid = pid_of(jobs)
        assert ended(jobs, workers, TESTS).results[0]["passed"]
        assert pid_of(jobs) == pid, "the process is used again"
        assert len(members(pid)) >= 2

        broken = ended(jobs, workers, "steps: [")
        assert (broken.state, "not YAML" in broken.fault.message if broken.fault else "") == ("failed", True)
        assert pid_of(jobs) == pid, "the process has not seen it"

        full = ended(jobs, workers, "steps: [{rows: {orders: [[abcdefgh, 3]]}}]", LARGE)
        assert full.fault is not None
        assert "limit on memory" in full.fault.message
        wait_until(lambda: not members(pid))
    finally:
        jobs.close()


def test_a_cancelled_job_and_a_timeout_leave_no_process(workers: Workers) -> None:
    jobs = TestJobs(Limits(test_seconds=5))
    try:
        job = begun(jobs, workers, LONG, ENDLESS)
        wait_until(lambda: job.state == "running")
        pid = pid_of(jobs)
        jobs.cancel(job)
        wait_until(lambda: not members(pid))
        assert (job.state, job.fault) == ("cancelled", None)

        late = ended(jobs, workers, LONG, ENDLESS)
        assert late.fault is not None
        assert "exceeded 5 s" in late.fault.message
    finally:
        jobs.close()


def test_examples_of_a_change(workers: Workers) -> None:
    jobs = TestJobs(Limits())

    def request() -> tuple[int, dict[str, object]]:
        old = workers.run(tasks.submitted.compile_, text=SQL, allowed=ALLOWED)["plan"]
        new = SQL.replace("SUM", "MAX")
        plans = workers.run(tasks.submitted.plans_of_change, before=old, text=new, allowed=ALLOWED)
        return 1, {"change": plans, "names": ["old.json", "new.json"]}

    try:
        job = jobs.begin("ann", request)
        wait_until(lambda: job.is_over)
        assert job.fault is None
        (result,) = job.results
        assert isinstance(result, dict) and result["missing"] == [] and result["inputs"] > 0
        assert "upgrade: {program: new.json, verdict: partially compatible}" in result["examples"][0]["test"]
    finally:
        jobs.close()


def test_an_unused_process_ends(workers: Workers) -> None:
    jobs = TestJobs(Limits(), idle_seconds=0.1)
    try:
        assert ended(jobs, workers, TESTS).state == "done"
        wait_until(lambda: jobs._worker is None)
    finally:
        jobs.close()

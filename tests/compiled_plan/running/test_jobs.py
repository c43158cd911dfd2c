"""Jobs of a session, with runs that need no Spark."""

from __future__ import annotations

import gc
import weakref

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.errors import ProgramError
from compiled_plan.running import jobs
from compiled_plan.running.compiling import compile_query
from compiled_plan.running.jobs import SessionJob, job_of, register
from tests.support.fake_jobs import FAILURE, FakeJob

PROGRAM = """
CREATE TABLE t (a INT) WITH ('connector' = 'datagen');
CREATE TABLE s (a INT) WITH ('connector' = 'blackhole');
CREATE TABLE s2 (a INT) WITH ('connector' = 'blackhole');
EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT a FROM t; INSERT INTO s2 SELECT a FROM t; END;
"""


def shown(env: TableEnvironment, statement: str = "SHOW JOBS") -> list[tuple[str, str, str]]:
    return [(row["job id"], row["job name"], row["status"]) for row in env.execute_sql(statement).collect()]


def test_jobs_are_listed_and_stopped() -> None:
    env = TableEnvironment()
    plan = env.compile_script(PROGRAM)
    endless, failed, ended = FakeJob((), endless=True), FakeJob((), FAILURE), FakeJob(())
    endless.id, failed.id, ended.id = "ab1", "ab2", "c3"
    register(env.context, plan, endless)
    env.set("pipeline.name", "nightly")
    register(env.context, plan, failed)
    register(env.context, plan, ended)
    name = "insert-into_default_catalog.default_database.s,insert-into_default_catalog.default_database.s2"
    assert shown(env) == [("ab1", name, "RUNNING"), ("ab2", "nightly", "FAILED"), ("c3", "nightly", "FINISHED")]
    assert shown(env, "DESCRIBE JOB 'c'") == [("c3", "nightly", "FINISHED")]
    with pytest.raises(ProgramError, match="several jobs of this session begin with 'ab'"):
        env.execute_sql("STOP JOB 'ab'")
    env.execute_sql("STOP JOB 'ab1'")
    assert shown(env)[0] == ("ab1", name, "CANCELED")
    assert job_of(env.context, "ab2").fault is not None


def test_a_name_does_not_make_a_job_a_query() -> None:
    env = TableEnvironment()
    plan = env.compile_script(PROGRAM)
    env.set("pipeline.name", "collect")
    register(env.context, plan, FakeJob(()))
    env.set("pipeline.name", "nightly")
    query = env.sql_query("SELECT 1 AS a")._rows.as_query()
    register(env.context, compile_query(env.context, query.rel), FakeJob(()))
    assert [(job.name, job.collects) for job in env.context.jobs] == [("collect", False), ("nightly", True)]


def test_a_list_of_jobs_does_not_keep_their_data(monkeypatch: pytest.MonkeyPatch) -> None:
    env = TableEnvironment()
    job = FakeJob(())
    env.context.jobs.append(SessionJob(job, "j"))
    alive = weakref.ref(job)
    del job
    gc.collect()
    assert alive() is None and shown(env)[0][1:] == ("j", "FINISHED")
    monkeypatch.setattr(jobs, "_MOST_ENDED", 2)
    plan = env.compile_script(PROGRAM)
    for _ in range(4):
        register(env.context, plan, FakeJob(()))
    assert len(shown(env)) == 2

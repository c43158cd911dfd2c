"""The start of a session, and concurrent work."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest

from compiled_plan import TableEnvironment
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.session import lean_start
from compiled_plan.plans.execution.session.lean_start import start_java
from compiled_plan.plans.execution.session.spark_session import _beside, query_settings, spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_work_beside_the_start_is_over_when_the_session_is_there() -> None:
    seen: list[str] = []
    with _beside(lambda: seen.append(threading.current_thread().name)):
        pass
    assert len(seen) == 1
    assert seen[0] != threading.current_thread().name


def test_a_failure_beside_the_start_does_not_end_it() -> None:
    reached = []
    with _beside(lambda: 1 / 0):
        reached.append("the session")
    assert reached == ["the session"]


def test_a_start_that_fails_says_so() -> None:
    with pytest.raises(ValueError, match="no Java"), _beside(lambda: None):
        raise ValueError("no Java")


def test_nothing_beside_it() -> None:
    threads = threading.active_count()
    with _beside(None):
        assert threading.active_count() == threads


def test_a_start_in_a_folder_that_was_removed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    try:
        with pytest.raises(ExecutionError, match="the current folder is gone"), spark_session():
            pass
    finally:
        os.chdir(tmp_path)


@pytest.mark.wide
def test_a_run_opens_its_sources_when_no_other_one_is_being_started(spark: SparkSession, tmp_path: Path) -> None:
    """With the settings of queries Spark refuses sources that have no names yet."""
    (tmp_path / "rows.json").write_text('{"a": 1}\n')
    env = TableEnvironment()
    env.execute_sql(
        f"CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json')"
    )
    env.execute_sql("CREATE TABLE nothing (a INT) WITH ('connector' = 'blackhole')")
    entered, leave = threading.Event(), threading.Event()

    def starting() -> None:
        with query_settings(spark, empty_batches=False):
            entered.set()
            assert leave.wait(60)

    with ThreadPoolExecutor(2) as pool:
        future = pool.submit(starting)
        assert entered.wait(60)
        run = pool.submit(lambda: env.execute_sql("INSERT INTO nothing SELECT a FROM t").wait())
        wait([run], timeout=2)  # a start that does not wait fails by then
        leave.set()
        future.result(60)
        run.result(60)


@pytest.mark.attack
def test_secrets_of_spark_are_in_no_list_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PySpark puts settings into the command line of Java; secrets are set in Java itself."""
    from pyspark import SparkConf, SparkContext

    seen: dict[str, str] = {}

    def initialize(conf: SparkConf | None = None) -> None:
        monkeypatch.setattr(SparkContext, "_gateway", Mock())
        seen.update([] if conf is None else conf.getAll())

    monkeypatch.setattr(SparkContext, "_ensure_initialized", initialize)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(lean_start, "unused_folder", lambda prefix: str(tmp_path / "java"))
    monkeypatch.setattr(lean_start, "java_class", Mock())
    monkeypatch.setattr(lean_start, "remove_at_exit", Mock())
    monkeypatch.setattr(lean_start, "settings_of_java", dict)
    settings = {"spark.plain": "a", "spark.hadoop.fs.s3a.secret.key": "geheim", "spark.x.url": "jdbc:x://u:geheim@h"}
    start_java(settings, quickly=True)
    assert seen.get("spark.plain") == "a" and "geheim" not in str(seen)


def test_an_interrupted_start_does_not_wait_for_the_work_beside_it() -> None:
    never = threading.Event()
    with pytest.raises(KeyboardInterrupt), _beside(never.wait):
        raise KeyboardInterrupt
    assert not never.is_set()
    never.set()


@pytest.mark.parametrize("moment", ["while Java starts", "behind its start"])
def test_an_interrupted_start_leaves_no_folder(moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    def initialize(conf: object) -> None:
        monkeypatch.setattr(SparkContext, "_gateway", Mock())
        if moment == "while Java starts":
            interrupted()

    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr(SparkContext, "_ensure_initialized", initialize)
    monkeypatch.setattr(lean_start, "remove_at_exit", interrupted)
    monkeypatch.setattr(lean_start, "unused_folder", lambda prefix: str(tmp_path / "java"))
    with pytest.raises(KeyboardInterrupt):
        start_java({}, quickly=True)
    assert list(tmp_path.iterdir()) == []

"""State queries during runs, in each host, without side effects."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.run import Run
from compiled_plan.plans.execution.session.options import GROUPS, RunOptions
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.checkpoint.state_rows import at_rest
from compiled_plan.plans.execution.state.reading.content import key_report
from compiled_plan.plans.execution.state.reading.entries import export
from compiled_plan.plans.execution.state.reading.figures import state_report
from compiled_plan.plans.execution.state.reading.reader import StateReader
from tests.plans.execution.state.checkpoint.places import Place, table
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = (
    "SET 'table.exec.state.ttl' = '1 h';\n"
    + table("orders", "id INT, item STRING", more=", 'source.monitor-interval' = '1s'")
    + "CREATE TABLE sink (item STRING, n BIGINT) WITH ('connector' = 'blackhole');\n"
)
QUERY = "INSERT INTO sink SELECT item, COUNT(*) FROM orders GROUP BY item"


def entries(reader: StateReader, *items: str) -> dict[str, int]:
    """By item, the number of orders that the aggregate has counted."""
    (operator,) = reader.operators.values()
    report = state_report(reader)
    assert report.operators[0].uid == operator.uid
    result = {}
    for item in items:
        for key in key_report(reader, operator, {"item": item}).keys:
            fields = {field.name: field.value for field in key.fields}
            result[item] = fields["rows"]
    assert report.operators[0].entries >= 0
    return result  # type: ignore[return-value]


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


@contextmanager
def running(run: Run) -> Iterator[None]:
    faults: list[BaseException] = []

    def execute() -> None:
        try:
            run.execute()
        except BaseException as fault:
            faults.append(fault)

    thread = threading.Thread(target=execute)
    thread.start()
    try:
        yield
    finally:
        run.stop()
        thread.join(60)
    assert not faults


@pytest.mark.wide
def test_state_is_read_during_a_run(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path)
    place.add({"orders": [{"id": 1, "item": "nut"}]})
    plan = place.compiled(TABLES, QUERY)
    done: list[int] = []
    options = RunOptions(checkpoint=str(place.checkpoint), trigger="100 ms")
    run = Run(spark, plan, options, report=lambda progress: done.append(progress.batch))
    with running(run):
        wait_until(lambda: bool(done))
        assert entries(StateReader.open(spark, str(place.checkpoint)), "nut") == {"nut": 1}
        place.add({"orders": [{"id": 2, "item": "nut"}]})
        wait_until(lambda: len(done) > 1)
    assert entries(StateReader.open(spark, str(place.checkpoint)), "nut") == {"nut": 2}


@pytest.mark.wide
def test_nothing_on_disk_changes(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path / "place")
    place.folder.mkdir()
    place.add({"orders": [{"id": 1, "item": "nut"}, {"id": 2, "item": "bolt"}]})
    place.run(place.compiled(TABLES, QUERY))
    before = listing(place.folder)
    reader = StateReader.open(spark, str(place.checkpoint))
    assert entries(reader, "nut", "bolt") == {"nut": 1, "bolt": 1}
    (operator,) = reader.operators.values()
    assert export(reader, operator, str(tmp_path / "exported")) == 2
    assert listing(place.folder) == before
    # The settings of the query do not stay in the session.
    assert spark.conf.get("spark.sql.streaming.stateStore.checkpointFormatVersion", "1") == "1"


@pytest.mark.wide
def test_state_of_the_group_state_host(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(spark, tmp_path)
    place.add({"orders": [{"id": 1, "item": "nut"}, {"id": 2, "item": "nut"}]})
    options = RunOptions(checkpoint=str(place.checkpoint), available_now=True, host=GROUPS)
    Run(spark, place.compiled(TABLES, QUERY), options).execute()
    reader = StateReader.open(spark, str(place.checkpoint))
    assert entries(reader, "nut") == {"nut": 2}
    (part,) = state_report(reader).operators[0].parts
    assert (part.entries, part.written, part.ttl) == (1, 1, 3_600_000)


# ------------------------------------------------------------ selected micro-batch


class Settings:
    """A stand-in for a session of which only settings are read."""

    def __init__(self) -> None:
        self.conf, self.values = self, {}  # type: Any, dict[str, str]

    def get(self, name: str, default: str | None) -> str | None:
        return self.values.get(name, default)

    def set(self, name: str, value: str) -> None:
        self.values[name] = value

    def unset(self, name: str) -> None:
        del self.values[name]


def generation(folder: Path, *, planned: int, done: int) -> LocalFolder:
    local = LocalFolder(folder)
    for log, last in (("offsets", planned), ("commits", done)):
        for number in range(last + 1):
            local.write_text(f"{log}/{number}", "")
    return local


def test_the_last_micro_batch_that_is_done_is_read(tmp_path: Path) -> None:
    session: Any = Settings()
    assert at_rest(session, generation(tmp_path, planned=7, done=6), lambda batch: batch) == 6
    assert session.values == {}


def test_before_the_first_micro_batch_there_is_no_state(tmp_path: Path) -> None:
    session: Any = Settings()
    assert at_rest(session, LocalFolder(tmp_path), lambda batch: batch) is None
    assert at_rest(session, generation(tmp_path, planned=0, done=-1), lambda batch: batch) is None


def test_if_files_are_removed_meanwhile_a_later_batch_is_read(tmp_path: Path) -> None:
    session: Any = Settings()
    folder = generation(tmp_path, planned=1, done=1)

    def read(batch: int | None) -> int | None:
        if batch == 1:
            generation(tmp_path, planned=4, done=4)
            raise FileNotFoundError("1.changelog")
        return batch

    assert at_rest(session, folder, read) == 4


def test_unreadable_state_is_reported(tmp_path: Path) -> None:
    session: Any = Settings()
    tried = []

    def read(batch: int | None) -> None:
        tried.append(batch)
        raise FileNotFoundError("1.changelog is missing\nwith more lines")

    with pytest.raises(CheckpointError) as refused:
        at_rest(session, generation(tmp_path, planned=1, done=1), read)
    assert tried == [1]
    assert "the state of micro-batch 1 cannot be read: 1.changelog is missing\n  at:" in str(refused.value)
    assert session.values == {}

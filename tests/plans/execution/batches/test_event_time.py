"""The watermark of a query, micro-batch by micro-batch, on a simulated clock."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from compiled_plan.plans.execution.batches.event_time import EventTime, TimedSource
from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.stages.partitions import PartitionWatermarks, Timing
from compiled_plan.plans.inspection.checkpoints import WATERMARKS


class Clock:
    def __init__(self) -> None:
        self.now = 1000

    def __call__(self) -> int:
        return self.now


class Tasks(PartitionWatermarks):
    """Positions that tasks receive before micro-batches and report after them."""

    announced: list[tuple[dict[str, int | None], int | None]]
    batches: dict[int, dict[str, int | None]]

    @classmethod
    def create(cls, idle_ms: int, by_partition: bool = True) -> Tasks:
        tasks = cls(Timing(by_partition, idle_ms), None)
        object.__setattr__(tasks, "announced", [])
        object.__setattr__(tasks, "batches", {})
        return tasks

    def begin(self, partitions: Mapping[str, int | None], mark: int | None) -> None:
        self.announced.append((dict(partitions), mark))

    def reached(self, batch: int) -> dict[str, int | None]:
        return self.batches[batch]


class Moves:
    """Spark's watermark after a move; `waits` is whether the query waits."""

    def __init__(self) -> None:
        self.to: list[int] = []
        self.waits = True

    def move(self, millis: int) -> None:
        self.to.append(max([millis, *self.to]))

    def move_waiting(self, query: object, millis: int) -> bool:
        if self.waits:
            self.move(millis)
        return self.waits


class Query:
    """A query over Kafka tables of some partitions each, micro-batch by micro-batch."""

    def __init__(self, folder: Path, partitions: Mapping[str, int], idle_ms: int, interval: int = 0) -> None:
        self.folder, self.partitions, self.clock = LocalFolder(folder), dict(partitions), Clock()
        self.idle_ms, self.interval, self.batch = idle_ms, interval, -1
        self.start()

    def start(self) -> None:
        self.tasks = {name: Tasks.create(self.idle_ms) for name in self.partitions}
        self.moves = Moves()
        sources = {at: TimedSource(name, tasks) for at, (name, tasks) in enumerate(self.tasks.items())}
        self.time = EventTime(self.folder, sources, self.moves, self.interval, self.clock)

    def plan(self) -> None:
        self.batch += 1
        lines = ["v2", json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": self.clock.now})]
        for name, count in self.partitions.items():
            lines.append(f"{name}:{json.dumps({name: {str(number): 1 for number in range(count)}})}")
        self.folder.make("offsets")
        self.folder.write_text(f"offsets/{self.batch}", "\n".join(lines))

    def begin(self) -> dict[str, tuple[dict[str, int | None], int | None]]:
        self.time.begin(self.batch)
        return {name: tasks.announced[-1] for name, tasks in self.tasks.items()}

    def end(self, **marks: int | None) -> int | None:
        """Rows of `t_0=5` are of table t, partition 0; returns the last watermark."""
        for name, tasks in self.tasks.items():
            mine = {key.removeprefix(f"{name}_"): mark for key, mark in marks.items() if key.startswith(f"{name}_")}
            tasks.batches[self.batch] = {f"{name}/{part}": mark for part, mark in mine.items()}
        self.time.end(self.batch)
        return self.moves.to[-1] if self.moves.to else None

    def run(self, **marks: int | None) -> int | None:
        self.plan()
        self.begin()
        return self.end(**marks)

    def wait(self, millis: int) -> int | None:
        self.clock.now += millis
        self.time.wait(None)  # type: ignore[arg-type]
        return self.moves.to[-1] if self.moves.to else None


def test_an_idle_partition_is_detected_while_the_query_waits(tmp_path: Path) -> None:
    query = Query(tmp_path, {"t": 2}, idle_ms=100)
    assert query.run(t_0=50) is None
    assert query.wait(60) is None
    assert query.run(t_0=70) is None
    assert query.wait(50) == 70
    query.wait(10)
    assert query.moves.to == [70], "Spark is not asked again for the same"
    # Partition 1 comes back behind the watermark.
    assert query.run(t_0=90, t_1=20) == 70
    assert query.run(t_1=80) == 80


def test_a_query_that_does_not_wait_is_asked_again(tmp_path: Path) -> None:
    query = Query(tmp_path, {"t": 2}, idle_ms=100)
    query.run(t_0=50)
    query.wait(60)
    query.run(t_0=70)
    query.moves.waits = False
    assert query.wait(60) is None
    query.moves.waits = True
    assert query.wait(1) == 70


def test_unpolled_time_is_not_idleness(tmp_path: Path) -> None:
    query = Query(tmp_path, {"t": 2}, idle_ms=100, interval=40)
    query.run(t_0=50)
    query.wait(90)
    query.run(t_0=70)
    assert query.wait(49) is None
    assert query.wait(1) == 70


def test_idleness_is_measured_up_to_the_planning_of_a_micro_batch(tmp_path: Path) -> None:
    """A busy run finds idle partitions, too, but not because of the duration of a micro-batch."""
    query = Query(tmp_path, {"t": 2}, idle_ms=100)
    query.run(t_0=50)
    query.clock.now += 99
    query.plan()
    query.clock.now += 500
    query.begin()
    assert query.end(t_0=60) is None
    assert query.run(t_0=70) == 70


def test_a_source_whose_partitions_are_all_idle_does_not_count(tmp_path: Path) -> None:
    query = Query(tmp_path, {"a": 1, "b": 2}, idle_ms=100)
    assert query.run(a_0=50, b_0=10, b_1=20) == 10
    query.clock.now += 100
    assert query.run(a_0=60) == 60
    assert query.run(a_0=90, b_0=30, b_1=40) == 60, "it is back, behind the watermark"
    assert query.wait(100) == 90, "all are idle: the largest"


def test_the_position_of_a_single_active_source_is_stored(tmp_path: Path) -> None:
    """Table b holds the query back while partition 1 of table a is idle, and becomes active again after that."""
    query = Query(tmp_path, {"a": 2, "b": 1}, idle_ms=100)
    query.run(a_1=5)
    query.wait(60)
    query.run(a_0=50, b_0=10)
    assert query.wait(50) == 10
    query.run(a_1=20)
    assert query.run(b_0=90) == 50


def test_a_repeated_batch_sends_its_tasks_the_same_positions(tmp_path: Path) -> None:
    """Independent of the current clock and of the point at which the first attempt ended."""
    for reached in (False, True):
        query = Query(tmp_path / str(reached), {"t": 2}, idle_ms=100)
        query.run(t_0=50, t_1=40)
        query.plan()
        announced = query.begin()
        assert announced == {"t": ({"t/0": 50, "t/1": 40}, 40)}
        if reached:
            query.end(t_0=70)
        query.clock.now += 1000
        query.start()
        # A run begins without a current watermark.
        assert query.begin() == {"t": ({"t/0": 50, "t/1": 40}, None)}
        assert query.end(t_0=70) == 40
        assert query.run(t_1=60) == 60


def test_a_start_without_stored_positions(tmp_path: Path) -> None:
    """A checkpoint of an older release: each partition has to deliver a row first."""
    query = Query(tmp_path, {"t": 2}, idle_ms=0)
    query.run(t_0=50, t_1=40)
    query.folder.remove(WATERMARKS)
    query.start()
    assert query.run(t_0=90) is None
    assert query.run(t_1=60) == 60


def test_a_new_partition_holds_the_watermark_where_it_is(tmp_path: Path) -> None:
    query = Query(tmp_path, {"t": 1}, idle_ms=100)
    assert query.run(t_0=50) == 50
    query.partitions["t"] = 2
    assert query.run(t_0=60) is None or query.moves.to[-1] == 50
    assert query.run(t_1=55) == 55
    query.clock.now += 100
    assert query.run(t_0=70) == 70

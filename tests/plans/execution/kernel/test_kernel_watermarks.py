"""The watermark in front of a stage in real-time mode: the least of those that count, as a model has it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.execution.checkpoint.marks import Partition, Silence, SourceMarks, least

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NONE = -(2**63)
TICK = 100


class Upstream:
    """The kernel's `UpstreamWatermark`."""

    def __init__(self, spark: SparkSession, *timeouts: int) -> None:
        gateway: Any = spark._sc._gateway  # type: ignore[union-attr]
        given = gateway.new_array(gateway.jvm.long, len(timeouts))
        for at, timeout in enumerate(timeouts):
            given[at] = timeout
        self.kernel = gateway.jvm.org.compiledplan.kernel.host.UpstreamWatermark(given)

    def tells(self, group: int, member: str, mark: int | None, members: int = 2) -> int | None:
        self.kernel.take(group, members, member, NONE if mark is None else mark)
        return self.least

    def ticks(self, count: int) -> int | None:
        for _ in range(count):
            self.kernel.tick(TICK)
        return self.least

    @property
    def least(self) -> int | None:
        found = int(self.kernel.least())
        return None if found == NONE else found


def test_all_count_where_there_is_no_time_out(spark: SparkSession) -> None:
    upstream = Upstream(spark, 0, 0)
    assert upstream.tells(0, "a", 50) is None
    assert upstream.tells(0, "b", 30) is None
    assert upstream.tells(1, "c", 40, members=1) == 30
    assert upstream.ticks(1000) == 30
    assert upstream.tells(0, "b", 60) == 40


def test_a_member_is_idle_after_the_time_out_of_its_group_until_it_tells_something(spark: SparkSession) -> None:
    upstream = Upstream(spark, 300, 500)
    upstream.tells(0, "a", 50)
    upstream.tells(0, "b", 10)
    assert upstream.tells(1, "c", 90, members=1) == 10
    assert upstream.ticks(2) == 10
    assert upstream.tells(0, "a", 60) == 10
    assert upstream.ticks(1) == 60, "b is idle"
    assert upstream.tells(0, "b", 20) == 60, "it counts again, and nothing goes back"
    assert upstream.tells(0, "a", 80) == 60
    assert upstream.tells(0, "b", 70) == 70


@pytest.mark.parametrize("members", [2, 3])
def test_who_has_told_nothing_from_the_start_is_idle_too(spark: SparkSession, members: int) -> None:
    upstream = Upstream(spark, 300)
    upstream.kernel.group(0, members, NONE)
    upstream.kernel.member(0, None, NONE, -200)
    assert upstream.ticks(4) is None
    assert upstream.tells(0, "a", 50, members) is None
    assert upstream.ticks(1) == 50
    assert upstream.tells(0, "b", None, members) == 50, "it has no watermark yet, and holds that of all where it is"
    assert upstream.tells(0, "a", 90, members) == 50
    assert upstream.ticks(2) == 50
    assert upstream.tells(0, "a", 95, members) == 50
    assert upstream.ticks(1) == 95


def test_the_largest_counts_where_all_are_idle(spark: SparkSession) -> None:
    upstream = Upstream(spark, 300, 300)
    upstream.tells(0, "a", 50)
    upstream.tells(0, "b", 10)
    upstream.tells(1, "c", 20, members=1)
    assert upstream.ticks(2) == 10
    assert upstream.ticks(1) == 50
    assert upstream.tells(1, "c", 30, members=1) == 50


def test_a_batch_goes_on_from_what_the_one_before_knew(spark: SparkSession) -> None:
    upstream = Upstream(spark, 300, 0)
    upstream.tells(0, "a", 55)
    upstream.kernel.group(0, 2, 50)
    upstream.kernel.group(1, 1, 70)
    upstream.kernel.member(0, None, NONE, 0)
    upstream.kernel.member(0, "a", 50, 200)
    upstream.kernel.member(0, "b", 10, 200)
    upstream.kernel.member(1, "c", 70, 900)
    upstream.kernel.all(40)
    assert upstream.least == 50, "its source had reached that when b was idle"
    assert upstream.ticks(1) == 55, "a has told something meanwhile, b has not"


@pytest.mark.parametrize("seed", range(8))
def test_random_members_are_as_in_micro_batches(spark: SparkSession, seed: int) -> None:
    random, clock = Random(seed), 0
    sizes = [random.randrange(1, 4) for _ in range(random.randrange(1, 4))]
    silences = {str(group): random.choice([0, 200, 500]) for group in range(len(sizes))}
    upstream = Upstream(spark, *silences.values())
    model = {
        str(group): SourceMarks({str(name): Partition(None, 0) for name in range(size)})
        for group, size in enumerate(sizes)
    }
    for group, size in enumerate(sizes):
        upstream.kernel.group(group, size, NONE)
    expected: int | None = None
    for step in range(200):
        if random.random() < 0.4:
            upstream.ticks(1)
            clock += TICK
        else:
            group = random.randrange(len(sizes))
            name, mark = str(random.randrange(sizes[group])), step * 10 + random.randrange(500)
            upstream.tells(group, name, mark, sizes[group])
            model[str(group)] = model[str(group)].after({name: mark}, clock)
        until = {name: Silence(timeout, clock) for name, timeout in silences.items()}
        model = {name: source.moved(until[name]) for name, source in model.items()}
        reached = least(model, until)
        expected = reached if expected is None else max(expected, reached or 0)
        assert upstream.least == expected, step

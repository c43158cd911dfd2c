"""The watermark in front of a stage in real-time mode against that of micro-batches; see `UpstreamWatermarkTest`."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan.plans.execution.state.checkpoint.marks import Partition, Silence, SourceMarks, least

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NONE = -(2**63)
TICK = 100


class Upstream:
    """The kernel's `UpstreamWatermark`."""

    def __init__(self, spark: SparkSession, *timeouts: int) -> None:
        gateway: Any = spark._sc._gateway  # type: ignore[union-attr]
        array = gateway.new_array(gateway.jvm.long, len(timeouts))
        for at, timeout in enumerate(timeouts):
            array[at] = timeout
        self.kernel = gateway.jvm.org.compiledplan.kernel.host.watermarks.UpstreamWatermark(array)

    def tells(self, group: int, member: str, mark: int, members: int) -> None:
        self.kernel.take(group, members, member, mark)

    @property
    def least(self) -> int | None:
        least = int(self.kernel.least())
        return None if least == NONE else least


@pytest.mark.sampled(3)
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
            upstream.kernel.tick(TICK)
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

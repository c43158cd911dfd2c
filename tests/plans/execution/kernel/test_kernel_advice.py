"""Advised TTLs of workloads whose reuse is known.

They follow from the input alone, and a run under them keeps the share of uses.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import pytest

from compiled_plan.plans.inspection.advice import readable
from compiled_plan.plans.inspection.use_ages import UseAges
from tests.plans.execution.operators import test_aggregate as aggregates
from tests.plans.execution.operators import test_changelog_deduplicate as changelogs
from tests.plans.execution.operators import test_join as joins
from tests.support.kernel.harness import Change, Harness, Step

SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000
SUM = {"function": "$SUM$1", "args": [1]}


@dataclass(frozen=True)
class Workload:
    """Rows in the order of their times, and the age of the used entry at each use, as the input has it."""

    spec: Mapping[str, Any]
    rows: Sequence[tuple[int, Change]]
    ages: Sequence[int]

    def uses(self, harness: Harness, ttl: int) -> UseAges:
        """The uses of the first state entry that a run under a TTL observes."""
        spec = {**self.spec, "ttl": [ttl] * len(self.spec["ttl"])}
        answers = harness.once(spec, [Step(time, [row]) for time, row in self.rows])
        return UseAges(ttl, 0, sum((Counter(answer.uses[0]) for answer in answers), Counter()))


def zipf_keys(chance: random.Random) -> Workload:
    """Deduplication of keys of which few are frequent: each duplicate meets the first row of its key."""
    keys, weights = range(200), [1 / rank for rank in range(1, 201)]
    first, rows, ages, time = dict[int, int](), list[tuple[int, Change]](), list[int](), 0
    for key in chance.choices(keys, weights, k=1500):
        time += chance.randrange(1, 10 * SECOND)
        rows.append((time, Change("+I", (str(key), time), key=str(key))))
        ages += [time - first[key]] if key in first else []
        first.setdefault(key, time)
    return Workload(changelogs.spec("deduplicate", keepLast=False), rows, ages)


def sessions(chance: random.Random) -> Workload:
    """An aggregate by user: rows of a user are a minute apart, and sessions hours."""
    events = list[tuple[int, str]]()
    for user in range(40):
        time = chance.randrange(HOUR)
        for _ in range(40):
            pause = chance.expovariate(1 / (5 * HOUR)) if chance.random() < 0.1 else chance.expovariate(1 / MINUTE)
            time += 1 + int(pause)
            events.append((time, str(user)))
    rows, ages, last = list[tuple[int, Change]](), list[int](), dict[str, int]()
    for time, user in sorted(events):
        rows.append((time, Change("+I", (user, 1), key=user)))
        ages += [time - last[user]] if user in last else []
        last[user] = time
    return Workload(aggregates.spec([SUM], ["INT"], ttl=[0]), rows, ages)


def late_joins(chance: random.Random) -> Workload:
    """A join of orders with their shipments, which mostly take an hour, and some days."""
    rows, ages = list[tuple[int, Change]](), list[int]()
    for order in range(200):
        time, delay = order * MINUTE, 1 + int(chance.lognormvariate(0, 1) * HOUR)
        rows += [(time, Change("+I", (order, 1), key=str(order)))]
        rows += [(time + delay, Change("+I", (order, 2), 1, key=str(order)))]
        ages.append(delay)
    return Workload(joins.spec("INNER"), sorted(rows, key=lambda timed: timed[0]), ages)


def quantile(ages: Sequence[int], share: Fraction) -> int:
    """The least age that a share of the uses does not exceed."""
    return sorted(ages)[ceil(share * len(ages)) - 1]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("workload_of", [zipf_keys, sessions, late_joins])
def test_advised_ttls(harness: Harness, workload_of: Callable[[random.Random], Workload], seed: int) -> None:
    workload = workload_of(random.Random(seed))
    observed = workload.uses(harness, ttl=0)
    assert observed.total == len(workload.ages)
    for keep in shares():
        met = observed.met(keep)
        assert met is not None
        advised, exact = readable(met), quantile(workload.ages, keep)
        assert exact < advised <= exact * 1.1, keep
        replayed = workload.uses(harness, ttl=advised)
        assert observed.total - replayed.total <= (1 - keep) * observed.total, keep


def shares() -> Iterator[Fraction]:
    yield from map(Fraction, ("0.9", "0.99", "0.999"))

"""Random pairs: each part that is not fully compatible has an example of at most 5 rows, no other part has one.

A few pairs run always, more with `make test-wide`, and 1,000 with `make test-deep`: `UPGRADE_SEED` is the seed of the
first, `EXAMPLE_PAIRS` their number.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.execution.testing.engine import Engines
from compiled_plan.plans.execution.testing.sessions import engines_of
from compiled_plan.plans.inspection.diff.concerns import concerns, start_options
from compiled_plan.plans.inspection.diff.model import OperatorEdit, Part
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.testing.counterexamples import Search, search
from compiled_plan.testing.example_files import label
from tests.upgrades.chance.expected import TIMED
from tests.upgrades.chance.pairs import Pair, pair

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = int(os.environ.get("UPGRADE_SEED", "1"))
_ROWS = 5


@dataclass
class Trial:
    """A pair with the search of its examples."""

    pair: Pair
    search: Search
    seconds: float

    @classmethod
    def of(cls, seed: int, engines: Engines) -> Trial:
        random = pair(seed)
        old, new = (program.compiled(Path("/random")) for program in (random.old, random.new))
        begin = time.monotonic()
        result = search(old, new, engines, 30, 12, 150, seed)
        return cls(random, result, time.monotonic() - begin)

    def _waits_for_other_tables(self, part: Part) -> bool:
        """Return True for an effect on rows that wait for their time, of a single table.

        A test moves the watermark behind all rows of a step, which a stopped run may not have done: in a test a row
        waits only for another table, whose rows hold the watermark back, and which both programs read.
        """
        is_sort = isinstance(part, OperatorEdit) and part.kind == "temporal-sort"
        old, new = self.pair.old.reads, self.pair.new.reads
        return is_sort and (len(old & new) == 1 or bool((old ^ new) & TIMED))

    def problems(self) -> Iterator[str]:
        """Parts whose verdict the search contradicts."""
        for part in self.search.missing:
            if not self._waits_for_other_tables(part):
                yield f"no example of {label(part)}: {part.verdict.value}, for {part.why}"
        for example in self.search.examples:
            for watch in example.parts:
                if watch.part.verdict is Verdict.FULL:
                    yield f"an example of {label(watch.part)}, which is fully compatible: {example.outcome.input}"
                elif len(example.outcome.input) > _ROWS:
                    yield f"the example of {label(watch.part)} has {len(example.outcome.input)} rows"


def contradicted(seeds: range, engines: Engines) -> list[str]:
    """Verdicts that searches contradict."""
    texts = []
    for seed in seeds:
        try:
            trial = Trial.of(seed, engines)
        except UpgradeError as refused:
            # No option starts it, so that there is nothing to compare.
            assert refused.diff is not None and start_options(concerns(refused.diff)) is None
            continue
        texts += [f"{trial.pair}\n{problem}" for problem in trial.problems()]
    return texts


@pytest.fixture
def engines(spark: SparkSession) -> Engines:
    return engines_of(spark)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(1, 31))
def test_examples_agree_with_the_verdicts(seed: int, engines: Engines) -> None:
    assert contradicted(range(seed, seed + 1), engines) == []


@pytest.mark.deep
def test_examples_agree_with_the_verdicts_on_many_pairs(engines: Engines) -> None:
    count = int(os.environ.get("EXAMPLE_PAIRS", "1000"))
    assert contradicted(range(SEED, SEED + count), engines) == []

"""Growth of state, from invented records of micro-batches."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.plans.execution.spark.storage import LocalFolder
from compiled_plan.plans.execution.state.reading.advice import growth_of
from compiled_plan.plans.inspection.advice import Growth
from compiled_plan.plans.inspection.checkpoints import OFFSETS, STATE_ROWS, StateFigures, recorded

MINUTE = 60_000
NOW = StateFigures({"a": 7, "b": 1, "new": 5}, {"a": 70})


def generation(path: Path, times: dict[int, int]) -> LocalFolder:
    """Micro-batches with their times in ms; the first has the rows of `a` and `b`."""
    folder = LocalFolder(path)
    for batch, time in times.items():
        folder.write_text(f"{OFFSETS}/{batch}", f'v2\n{{"batchTimestampMs":{time}}}')
        folder.write_text(recorded(batch, STATE_ROWS), StateFigures({"a": 5, "b": 2}, {"a": 50}).text())
    return folder


def test_growth_is_extrapolated_to_a_day(tmp_path: Path) -> None:
    growth = growth_of(generation(tmp_path, {4: 0, 5: MINUTE, 6: 2 * MINUTE}), ["a", "b", "new"], NOW)
    assert list(growth) == [Growth("a", 2 * 720, 20 * 720), Growth("b", -720, None)]


@pytest.mark.parametrize("times", [{}, {4: 0}, {4: 0, 5: MINUTE - 1}])
def test_growth_of_less_than_a_minute_is_unknown(tmp_path: Path, times: dict[int, int]) -> None:
    assert list(growth_of(generation(tmp_path, times), ["a"], NOW)) == []


def test_growth_without_the_time_of_a_micro_batch_is_unknown(tmp_path: Path) -> None:
    folder = generation(tmp_path, {4: 0, 5: MINUTE})
    folder.remove(f"{OFFSETS}/4")
    assert list(growth_of(folder, ["a"], NOW)) == []

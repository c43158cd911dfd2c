"""Real-time mode on a checkpoint that was stopped in the middle of a micro-batch."""

from __future__ import annotations

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.checkpoint.offsets import Progress
from compiled_plan.plans.execution.realtime.query import refuse_begun


def test_a_micro_batch_that_is_not_done_is_named_with_what_does_it() -> None:
    with pytest.raises(CheckpointError, match="micro-batch 7 was begun") as refused:
        refuse_begun(Progress(6, 7), "/checkpoint")
    assert "--available-now" in refused.value.remedy


@pytest.mark.parametrize("done", [None, 7])
def test_where_all_are_done_it_starts(done: int | None) -> None:
    assert refuse_begun(Progress(done, None), "/checkpoint") is None  # type: ignore[func-returns-value]

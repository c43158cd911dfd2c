"""Recent micro-batches, read from progress files that grow."""

from __future__ import annotations

from pathlib import Path

from compiled_plan.plans.telemetry.progress_file import ProgressFile
from compiled_plan.service.runs import recent
from compiled_plan.service.runs.recent import RecentBatches
from tests.support.progress_messages import BEGUN, batch


def message(event: str) -> dict[str, str]:
    return {"event": event, "at": BEGUN.isoformat()}


def test_figures_follow_the_file_and_begin_anew_with_a_run(tmp_path: Path) -> None:
    file = tmp_path / "progress.jsonl"
    batches = RecentBatches(lambda _: file)
    assert batches.of(1) == recent.Recent(0, (), None)
    progress = ProgressFile(file)
    progress.tell(message("start"))
    assert (batches.of(1).number, batches.of(1).figures) == (1, None)
    for number in (1, 2, 3):
        progress.tell(batch(number))
    now = batches.of(1)
    assert (now.number, len(now.batches)) == (4, 3)
    assert now.figures is not None
    assert now.figures.state_bytes == 6_000
    progress.tell(message("end"))
    assert len(batches.of(1).batches) == 3
    progress.tell(message("start"))
    assert (batches.of(1).number, batches.of(1).batches) == (6, ())
    progress.close()


def test_a_new_file_replaces_that_of_a_removed_pipeline(tmp_path: Path) -> None:
    file = tmp_path / "progress.jsonl"
    batches = RecentBatches(lambda _: file)
    for numbers in ((1, 2, 3), (7,)):
        progress = ProgressFile(file)
        for number in numbers:
            progress.tell(batch(number))
        progress.close()
        assert [message["batch"] for message in batches.of(1).batches] == list(numbers)
        file.unlink()

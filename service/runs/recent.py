"""Recent micro-batches of all pipelines, and their figures. Each message of a progress file is read once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, takewhile
from pathlib import Path

from compiled_plan.plans.telemetry.figures import BATCHES, WINDOW, RunFigures, Window
from compiled_plan.plans.telemetry.listeners import Message
from compiled_plan.plans.telemetry.progress_file import last_messages
from compiled_plan.service.runs.endings import messages_since


@dataclass(frozen=True, slots=True)
class Recent:
    """The last run of a pipeline; of the current one, if it has begun.

    Args:
        number: the sequence number of its last start or micro-batch; 0 for none.
        batches: its micro-batches of the last 15 minutes, in order.
        figures: its figures, with rates of 0 for an idle run; None before the first micro-batch.
    """

    number: int
    batches: Sequence[Message]
    figures: RunFigures | None


class RecentBatches:
    """Windows over the progress files of pipelines.

    Args:
        progress: the progress file of a pipeline, by its id.
    """

    def __init__(self, progress: Callable[[int], Path]) -> None:
        self._progress = progress
        #: Windows, and the sequence numbers of their last messages, by pipeline.
        self._windows: dict[int, tuple[Window, int]] = {}
        self._lock = threading.Lock()

    def of(self, pipeline_id: int) -> Recent:
        """The last run of a pipeline."""
        file = self._progress(pipeline_id)
        with self._lock:
            window, seen = self._windows.get(pipeline_id, (Window(), 0))
            newest = next(last_messages(file), None)
            if newest is None or newest["seq"] < seen:  # The file of a new pipeline with the id of a removed one.
                window, seen = Window(), 0
            messages: Sequence[Message] = messages_since(file, seen) if seen else _recent_messages(file)
            for message in messages:
                window.take(message)
            self._windows[pipeline_id] = window, messages[-1]["seq"] if messages else seen
            return Recent(window.number, window.batches, window.figures(time.time()))


def _recent_messages(file: Path) -> Sequence[Message]:
    """The messages that figures cover, in order."""
    messages = islice(last_messages(file), BATCHES)
    newest = next(messages, None)
    if newest is None:
        return []
    oldest = datetime.fromisoformat(newest["at"]).timestamp() - WINDOW
    recent = takewhile(lambda message: datetime.fromisoformat(message["at"]).timestamp() >= oldest, messages)
    return [newest, *recent][::-1]

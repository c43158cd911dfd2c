"""Current figures of a pipeline's run, from its progress file and checkpoint."""

from __future__ import annotations

import os
import time
from datetime import datetime
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from compiled_plan.plans.telemetry.figures import BATCHES, WINDOW, RunFigures, Window
from compiled_plan.plans.telemetry.progress_file import last_messages

#: The time for which a measured size of a checkpoint is valid, in seconds.
_SIZE_VALID = 30.0
_sizes: dict[Path, tuple[float, int]] = {}


def recent_messages(progress: Path) -> list[dict[str, Any]]:
    """The messages that figures cover, in order; of the last run if none is active."""
    messages = islice(last_messages(progress), BATCHES)
    newest = next(messages, None)
    if newest is None:
        return []
    oldest = datetime.fromisoformat(newest["at"]).timestamp() - WINDOW
    recent = takewhile(lambda message: datetime.fromisoformat(message["at"]).timestamp() >= oldest, messages)
    return [newest, *recent][::-1]


def figures_now(progress: Path) -> RunFigures | None:
    """The figures of a run; rates of an idle run are 0. None before the first micro-batch."""
    return Window(recent_messages(progress)).figures(time.time())


def checkpoint_bytes(folder: Path) -> int:
    """The size of the files in a checkpoint, as measured in the last 30 s."""
    measured_at, size = _sizes.get(folder, (-_SIZE_VALID, 0))
    if time.monotonic() - measured_at > _SIZE_VALID:
        size = _size(folder)
        _sizes[folder] = time.monotonic(), size
    return size


def _size(folder: str | Path) -> int:
    size = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    if entry.is_dir(follow_symlinks=False):
                        size += _size(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
                except FileNotFoundError:
                    continue  # A run removes old files meanwhile.
    except FileNotFoundError:
        return size
    return size

"""The size of a checkpoint."""

from __future__ import annotations

import os
import time
from pathlib import Path

#: The time for which a measured size of a checkpoint is valid, in seconds.
_SIZE_VALID = 30.0
_sizes: dict[Path, tuple[float, int]] = {}


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

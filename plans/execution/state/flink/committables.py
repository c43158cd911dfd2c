"""Output that a sink has not committed, in the state of its committer.

The state is a list of checkpoints, each with a list of subtasks, each with a list of outputs to commit; a sink that
commits nothing stores empty lists.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from compiled_plan.plans.execution.state.flink.positions.binary import Reader

_VERSION, _MAGIC = 2, 0xB91F252C


def has_committables(state: bytes) -> bool:
    """Return True if the state of a committer has output to commit, or has an unknown form."""
    reader = Reader(state)
    try:
        version, _, magic = reader.take("i"), reader.take("i"), reader.take("I")
        return (version, magic) != (_VERSION, _MAGIC) or any(_listed(reader, _of_checkpoint))
    except struct.error:
        return True


def _of_checkpoint(version: int, data: bytes) -> bool:
    reader = Reader(data)
    reader.take("q")  # the checkpoint's number
    if version > 0:
        reader.take("i")  # the number of subtasks
    return any(_listed(reader, _of_subtask))


def _of_subtask(version: int, data: bytes) -> bool:
    reader = Reader(data)
    if version > 0:
        reader.take("i")  # the subtask
    return bool(_listed(reader, lambda version, data: True))


def _listed(reader: Reader, item: Callable[[int, bytes], bool]) -> list[bool]:
    """The items of a list: its version, their number, each behind its length."""
    version, count = reader.take("i"), reader.take("i")
    return [item(version, reader.bytes(reader.take("i"))) for _ in range(count)]

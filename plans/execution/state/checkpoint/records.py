"""Records of micro-batches: the product's files of a generation as they were after each one, for as long as Spark
retains it.

The files themselves are replaced by every micro-batch, and Spark's logs retain the last ones. A record is a link to the
replaced file, and is not flushed: after a loss of power the record of a batch may be missing or incomplete.
"""

from __future__ import annotations

from compiled_plan.plans.execution.spark.storage import Folder
from compiled_plan.plans.inspection.checkpoints import BATCHES, OFFSETS, STATE_ROWS, WATERMARKS, WRITTEN, recorded

#: The files of which a record has copies.
RECORDED = (WRITTEN, WATERMARKS, STATE_ROWS)
#: Outdated records are removed after so many micro-batches.
_EVERY = 16


def record_batch(generation: Folder, batch: int, *names: str) -> None:
    """Add the present files of a generation to the record of a micro-batch, and remove outdated records."""
    for name in names:
        generation.link(name, generation, recorded(batch, name))
    if batch % _EVERY == 0:
        remove_outdated(generation)


def remove_outdated(generation: Folder) -> None:
    """Remove the records of micro-batches that Spark's log no longer has."""
    first = min(generation.numbers(OFFSETS), default=0)
    for batch in generation.numbers(BATCHES):
        if batch < first:
            generation.remove(f"{BATCHES}/{batch}")

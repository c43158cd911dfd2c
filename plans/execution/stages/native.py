"""The host `native`: Spark's `dropDuplicatesWithinWatermark` instead of the kernel's keep-first deduplicate.

The plans that it supports, the stage, and the differences of its results from the plan's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.operators.base import refuse
from compiled_plan.plans.execution.session.options import NATIVE
from compiled_plan.plans.nodes.deduplicate import Deduplicate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from compiled_plan.plans.execution.stages.prepared import PreparedPlan

_REMEDY = "leave --host out: the default host runs any plan, exactly"
_SEEN = "seen"
#: Spark's metadata for a column's watermark delay. As a delay of `withWatermark` the TTL would count twice: the
#: watermark would lag behind the clock by it, and a key would be evicted that much later again.
_DELAY = "spark.watermarkDelayMs"


def check_native(prepared: PreparedPlan) -> None:
    """Raise an UnsupportedError with the reason unless the plan's only state is one such deduplication."""
    plan, layout = prepared.plan, prepared.layout
    keyed = [plan.node(node) for node in layout.levels]
    if not keyed:
        raise UnsupportedError(f"a plan without state has nothing for the host {NATIVE}", remedy=_REMEDY)
    for node in keyed:
        if not isinstance(node, Deduplicate):
            raise refuse(node, f"the host {NATIVE} runs deduplication alone", _REMEDY)
        why = _not_first(node)
        if why:
            raise refuse(
                node, f"the host {NATIVE} keeps the first row of a key, for as long as a TTL says; {why}", _REMEDY
            )
    if len(keyed) > 1:
        raise refuse(keyed[1], f"the host {NATIVE} runs one operator with state, this is the second", _REMEDY)
    if layout.passing(layout.levels[keyed[0].id]):
        raise refuse(keyed[0], f"the host {NATIVE} would remember the rows of other INSERTs, which pass it", _REMEDY)


def _not_first(node: Deduplicate) -> str:
    if node.keep_last_row:
        return "this keeps the last"
    if node.is_rowtime and not node.output_insert_only:
        return "this retracts a row when an earlier one arrives"
    if not any(entry.ttl_ms for entry in node.ttl_entries):
        return "the TTL of this is 0, for ever"
    return ""


def first_of_each_key(envelope: DataFrame, ttl_ms: int, port: str, output: str) -> DataFrame:
    """The first row of each operator and key, remembered for the TTL by the clock.

    Args:
        envelope: the rows before the stage.
        ttl_ms: retention of a key.
        port: the column with the operator's rows.
        output: their column after the stage.
    """
    seen = envelope.withColumn(_SEEN, F.current_timestamp()).withWatermark(_SEEN, "0 seconds")
    delayed = seen.withColumn(_SEEN, F.col(_SEEN).alias(_SEEN, metadata={_DELAY: ttl_ms}))
    return delayed.dropDuplicatesWithinWatermark(["op", "key"]).drop(_SEEN).withColumnRenamed(port, output)


def native_differences(node: Deduplicate) -> tuple[str, ...]:
    """Cases in which Spark's operator emits other rows than the plan specifies."""
    ttl = node.ttl_entries[0].ttl
    order = "by the time column, when the watermark has reached it" if node.is_rowtime else "to arrive"
    late = (
        ("late rows: a row behind the watermark counts like any other; the plan drops it",) if node.is_rowtime else ()
    )
    return (
        f"which row: any of the first micro-batch that has the key, at once; the plan says the first {order}",
        *late,
        f"eviction: one to three micro-batches after {ttl} have passed, not at once",
        f"idle gaps and restarts: the first row of a key after a gap longer than {ttl} is dropped, though the key has "
        "expired: Spark's watermark stands at the last micro-batch with data",
        "a changed TTL: known keys keep their previous expiry",
    )

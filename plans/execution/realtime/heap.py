"""Java's heap in real-time mode, where a row that waits for a collection is late."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans.execution.session.spark_session import DRIVER_JAVA, is_local

#: What is new in the heap. Left to itself it grows to a third of the heap: each collection takes longer than the one
#: before, and memory that nobody has used yet is asked of the machine, which costs more than the rows.
_YOUNG = "-XX:MaxNewSize=200m"


def with_short_collections(master: str, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a session whose Java collects little at a time, where its tasks run in the driver.

    Args:
        master: Spark's master URL, empty where nobody says.
        settings: what the user sets; options of Java in them hold.

    Source: JDK 17, "HotSpot Virtual Machine Garbage Collection Tuning Guide", "Factors Affecting Garbage Collection
    Performance", "The Young Generation".
    """
    if not is_local(master, settings):
        return dict(settings)
    return {**settings, DRIVER_JAVA: f"{_YOUNG} {settings.get(DRIVER_JAVA, '')}".strip()}

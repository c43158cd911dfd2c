"""Java's heap in real-time mode, where a row that waits for a collection is late."""

from __future__ import annotations

from collections.abc import Mapping

from compiled_plan.plans.execution.session import DRIVER_JAVA

#: What is new in the heap. Left to itself it grows to a third of the heap: each collection takes longer than the one
#: before, and memory that nobody has used yet is asked of the machine, which costs more than the rows.
_YOUNG = "-XX:MaxNewSize=200m"


def with_short_collections(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a session whose Java collects little at a time.

    Args:
        settings: what the user sets; options of the same name in them hold.

    Source: JDK 17, "HotSpot Virtual Machine Garbage Collection Tuning Guide", "Factors Affecting Garbage Collection
    Performance", "The Young Generation".
    """
    chosen = filter(None, [settings.get(DRIVER_JAVA)])
    return {**settings, DRIVER_JAVA: " ".join([_YOUNG, *chosen])}

"""How much of Java's heap is for what is new, where a run's tasks are in the driver.

Source: JDK 17, "HotSpot Virtual Machine Garbage Collection Tuning Guide", "The Young Generation"; Spark 4.3,
`JavaUtils.byteStringAs`, of how sizes are written.
"""

from __future__ import annotations

import re

#: For each task that runs at once. Micro-batches fill whatever they get, and memory that nobody has used yet is asked
#: of the machine, which costs more than a collection; with less, the states of a micro-batch outlive collections.
_EACH = 256 << 20
#: Java's own share for what is new, at most: one third.
_SHARE = 3
_SIZE = re.compile(r"(\d+)([kmgt]?)b?")
_UNITS = {"k": 10, "": 20, "m": 20, "g": 30, "t": 40}
#: What a user says of the collector, or of the sizes of the heap's parts.
_CHOSEN = re.compile(r"-Xm|GC|New(Size|Ratio)")


def bounded_young(heap: str, tasks: int, options: str) -> list[str]:
    """The options of Java that bound what is new in the heap; none where Java's own bound is less, or users set one.

    Args:
        heap: the size of the heap, as Spark has it: `4g`, or MiB without a unit.
        tasks: how many run at once.
        options: of Java, from the user and for the mode of the run.
    """
    size = _SIZE.fullmatch(heap.strip().lower())
    if size is None or _CHOSEN.search(options):
        return []
    most = _EACH * tasks
    return [f"-XX:MaxNewSize={most >> 20}m"] if most * _SHARE < int(size[1]) << _UNITS[size[2]] else []

"""Which operator runs in which stage, and which columns travel between stages: a plan laid out, without Spark.

A stage hosts all keyed operators of one depth. Rows for a deeper stage or for a sink pass a stage
untouched; they travel in a column of their own. `--dry-run`, progress and the run itself read the same layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Port:
    """Input `index` of the keyed operator or sink `node`."""

    node: int
    index: int

    @property
    def column(self) -> str:
        """The envelope column that carries rows for this port."""
        return f"p{self.node}_{self.index}"


def output_column(node: int) -> str:
    """The envelope column that carries the rows a keyed operator emits."""
    return f"o{node}"


@dataclass(frozen=True, slots=True)
class Layout:
    """Levels of a plan.

    Args:
        stages: for each stage from 1, the ids of the keyed operators that it hosts, ascending.
        entries: for each source (scan or values node), the stage before which its rows join the stream; a source
            that only feeds sinks enters after the last stage, at `len(stages) + 1`.
        targets: for each keyed operator and source, the ports that its rows go to.
        levels: the stage of each keyed operator; sinks are at `len(stages) + 1`.
        event_time: the keyed operators whose timers fire by watermark.
    """

    stages: tuple[tuple[int, ...], ...]
    entries: Mapping[int, int]
    targets: Mapping[int, frozenset[Port]]
    levels: Mapping[int, int]
    event_time: frozenset[int] = frozenset()

    @property
    def last(self) -> int:
        """The level of the sinks."""
        return len(self.stages) + 1

    def arriving(self, level: int) -> tuple[Port, ...]:
        """The ports whose columns the envelope has in front of stage `level` (or of the sinks)."""
        found = {
            port
            for producer, ports in self.targets.items()
            for port in ports
            if self._start(producer) <= level <= self.levels[port.node]
        }
        return tuple(sorted(found))

    def passing(self, level: int) -> tuple[Port, ...]:
        """The ports whose rows pass stage `level` untouched."""
        return tuple(port for port in self.arriving(level) if self.levels[port.node] > level)

    def _start(self, producer: int) -> int:
        entry = self.entries.get(producer)
        return entry if entry is not None else self.levels[producer] + 1


def lay_out(
    producers: Mapping[int, frozenset[Port]],
    sources: frozenset[int],
    sinks: frozenset[int],
    event_time: frozenset[int] = frozenset(),
    apart: frozenset[int] = frozenset(),
) -> Layout:
    """Assign stages.

    Args:
        producers: for each source and keyed operator, the ports that its rows reach through stateless nodes.
        sources: the producers that are sources.
        sinks: ids of the sinks.
        event_time: the keyed operators whose timers fire by watermark.
        apart: the nodes that call Python functions, which have levels without keyed operators.
    """
    feeders: dict[int, set[int]] = {}
    for producer, ports in producers.items():
        for port in ports:
            feeders.setdefault(port.node, set()).add(producer)
    depths: dict[int, int] = {}

    def depth(node: int) -> int:
        if node in sources:
            return 0
        if node not in depths:
            depths[node] = 1 + max((depth(feeder) for feeder in feeders.get(node, ())), default=0)
        return depths[node]

    keyed = [node for node in producers if node not in sources]
    places = {node: (depth(node), node not in apart) for node in keyed}
    numbers = {place: at for at, place in enumerate(sorted(set(places.values())), start=1)}
    levels = {node: numbers[place] for node, place in places.items()}
    last = max(levels.values(), default=0) + 1
    levels |= dict.fromkeys(sinks, last)
    stages = tuple(tuple(sorted(node for node in keyed if levels[node] == at)) for at in range(1, last))
    entries = {source: min((levels[port.node] for port in producers[source]), default=last) for source in sources}
    return Layout(stages, entries, dict(producers), levels, event_time & set(keyed))

"""Layout of a plan: the stage of each operator, and the columns between stages, without Spark.

A stage hosts all keyed operators of one depth. Rows for a deeper stage or for a sink pass a stage unchanged, in a
column of their own. `--dry-run`, progress and the run itself read the same layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Port:
    """Input `index` of a node in a stage, or the writing end of a sink.

    A sink that materialises upserts has both: its materializer is in a stage, and its output is written. The port of a
    source receives its dead letters. A port `late` is the column beside an input with the values of a row that the
    operator returns if it drops the row as late.
    """

    node: int
    index: int
    writes: bool = False
    dead: bool = False
    late: bool = False

    @property
    def column(self) -> str:
        """The envelope column that carries rows for this port."""
        if self.dead:
            return f"d{self.node}"
        if self.late:
            return f"l{self.node}_{self.index}"
        return f"s{self.node}" if self.writes else f"p{self.node}_{self.index}"

    def hosts(self, node: int) -> bool:
        """Return True for an input of that node in a stage."""
        return self.node == node and not self.writes and not self.late


def dead_port(source: int) -> Port:
    """The port of a source's dead letters."""
    return Port(source, 0, writes=True, dead=True)


def output_column(node: int) -> str:
    """The envelope column with the rows that a keyed operator emits."""
    return f"o{node}"


@dataclass(frozen=True, slots=True)
class Layout:
    """Levels of a plan.

    Args:
        stages: for each stage from 1, the ids of its nodes, ascending.
        entries: for each source (scan or values node), the stage before which its rows join the stream; a source
            that only feeds sinks enters after the last stage, at `len(stages) + 1`.
        targets: for each keyed operator and source, the ports that receive its rows.
        levels: the stage of each node in a stage.
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

    def level(self, port: Port) -> int:
        """The stage of an input; the writing ends of sinks are after the last."""
        return self.last if port.writes else self.levels[port.node]

    def arriving(self, level: int) -> tuple[Port, ...]:
        """The ports with columns in the envelope before stage `level` (or the sinks)."""
        arriving = {
            port
            for producer, ports in self.targets.items()
            for port in ports
            if self._start(producer) <= level <= self.level(port)
        }
        return tuple(sorted(arriving))

    def passing(self, level: int) -> tuple[Port, ...]:
        """The ports whose rows pass stage `level` unchanged."""
        return tuple(port for port in self.arriving(level) if self.level(port) > level)

    def _start(self, producer: int) -> int:
        entry = self.entries.get(producer)
        return entry if entry is not None else self.levels[producer] + 1


def lay_out(
    producers: Mapping[int, frozenset[Port]],
    sources: frozenset[int],
    event_time: frozenset[int] = frozenset(),
    apart: frozenset[int] = frozenset(),
) -> Layout:
    """Assign stages.

    Args:
        producers: for each source and keyed operator, the ports that its rows reach through stateless nodes.
        sources: the producers that are sources.
        event_time: the keyed operators whose timers fire by watermark.
        apart: the nodes with steps, which get levels without keyed operators.
    """
    feeders: dict[int, set[int]] = {}
    for producer, ports in producers.items():
        for port in ports:
            if not port.writes:
                feeders.setdefault(port.node, set()).add(producer)
    depths = dict.fromkeys(sources, 0)
    keyed = [node for node in producers if node not in sources]
    waiting = list(keyed)
    while waiting:
        unknown = [feeder for feeder in feeders.get(waiting[-1], ()) if feeder not in depths]
        if unknown:
            waiting += unknown
            continue
        node = waiting.pop()
        depths[node] = 1 + max((depths[feeder] for feeder in feeders.get(node, ())), default=0)
    places = {node: (depths[node], node not in apart) for node in keyed}
    numbers = {place: at for at, place in enumerate(sorted(set(places.values())), start=1)}
    levels = {node: numbers[place] for node, place in places.items()}
    last = max(levels.values(), default=0) + 1
    stages = tuple(tuple(sorted(node for node in keyed if levels[node] == at)) for at in range(1, last))
    entries = {
        source: min((levels[port.node] for port in producers[source] if not port.writes), default=last)
        for source in sources
    }
    return Layout(stages, entries, dict(producers), levels, event_time & set(keyed))

"""CompiledPlan: the plan file as an object, read and written without loss.

Source: Flink 2.3's CompiledPlan JSON. The root holds `flinkVersion`, `nodes` and `edges`, nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from plans import jsontext
from plans.errors import PlanError
from plans.nodes.base import Int, Json, PlanModel, PlanNode

if TYPE_CHECKING:
    from plans.results import TableResult

#: The version of Flink whose plans are written, and the newest whose plans are read.
FLINK_VERSION = "2.3"


class Shuffle(PlanModel):
    """How rows travel along an edge; FORWARD in all streaming plans (exchanges are nodes)."""

    type: Literal["ANY", "HASH", "BROADCAST", "FORWARD", "SINGLETON"]
    keys: tuple[Int, ...] | None = None


FORWARD = Shuffle.model_construct(type="FORWARD", keys=None)


class Edge(PlanModel):
    """The output of node `source` is an input of node `target`; a target's edges stand in the order of its inputs."""

    source: Int
    target: Int
    shuffle: Shuffle
    shuffle_mode: Literal["PIPELINED", "BATCH", "HYBRID_FULL", "HYBRID_SELECTIVE", "UNDEFINED"]

    @classmethod
    def between(cls, source: int, target: int) -> Edge:
        """The edge that all streaming plans have."""
        return cls.model_construct(source=source, target=target, shuffle=FORWARD, shuffle_mode="PIPELINED")


@dataclass(frozen=True)
class CompiledPlan:
    """A plan: nodes, and edges between them by node id. Immutable.

    Args:
        nodes: in the order of the file.
        edges: in the order of the file, which is also the order of the inputs of each node.
        flink_version: the version of Flink whose format it is.
        holds: data of this process that its tables read; no part of what the plan is.
    """

    nodes: tuple[PlanNode, ...]
    edges: tuple[Edge, ...] = ()
    flink_version: str = FLINK_VERSION
    holds: tuple[object, ...] = field(default=(), compare=False, repr=False)

    # ------------------------------------------------------------ reading and writing

    @classmethod
    def from_json(cls, text: str, source: str = "") -> CompiledPlan:
        """Read a plan.

        Args:
            text: the JSON.
            source: name of the file, for errors.

        Raises:
            PlanError: not JSON, or not a plan: unknown or newer node types, missing, unknown or wrong fields,
                incomplete state entries, dangling edges, cycles. Names the node and the JSON pointer.
        """
        return cls.from_data(jsontext.loads(text, source), source)

    @classmethod
    def from_data(cls, data: Json, source: str = "") -> CompiledPlan:
        """Read a plan from parsed JSON. Raises as `from_json` does."""
        from plans.findings import Severity
        from plans.reading import read_plan

        plan, findings = read_plan(data)
        if plan is None:
            errors = [finding for finding in findings if finding.severity is Severity.ERROR]
            raise errors[0].as_error(source, more=len(errors) - 1)
        return plan

    def to_data(self) -> dict[str, Json]:
        """The plan as JSON values, in Flink's order of fields."""
        return {
            "flinkVersion": self.flink_version,
            "nodes": [node.to_json() for node in self.nodes],
            "edges": [edge.to_json() for edge in self.edges],
        }

    def to_json(self) -> str:
        """The plan as text, as Flink prints it."""
        return jsontext.dumps(self.to_data())

    @classmethod
    def read_file(cls, path: str | Path) -> CompiledPlan:
        """Read a plan file, local or remote (`s3://...`).

        Raises:
            PlanError: no such file, or not a plan.
        """
        from plans.files import read_text

        return cls.from_json(read_text(path), str(path))

    def write_file(self, path: str | Path) -> None:
        """Write a plan file, local or remote. A reader never sees half of it.

        Raises:
            PlanError: the place cannot be written to, or the plan reads or writes what only this process has.
        """
        from plans.embedded import check_can_leave
        from plans.files import write_text

        check_can_leave(self)
        write_text(path, self.to_json())

    def write_to_file(self, path: str | Path, ignore_if_exists: bool = False) -> None:
        """Write a plan file that is not there yet.

        Args:
            path: the file, local or remote.
            ignore_if_exists: leave a file that is there as it is.

        Raises:
            PlanError: the file is there; or as `write_file`.
        """
        from plans.files import exists

        if not exists(path):
            self.write_file(path)
        elif not ignore_if_exists:
            raise PlanError(
                f"cannot overwrite the plan file {str(path)!r}",
                where=str(path),
                remedy="delete it, write another file, or give ignore_if_exists=True to keep it; write_file overwrites",
            )

    def as_json_string(self) -> str:
        """The plan as text, as Flink prints it."""
        return self.to_json()

    def print_json_string(self) -> None:
        """Print the plan's text."""
        print(self.to_json())

    def explain(self) -> str:
        """The operators as trees from the sinks down, each with its state entries."""
        from plans.explain import explain

        return explain(self)

    # ------------------------------------------------------------ running

    def execute(self, *, time_zone: str | None = None, checkpoint: str = "") -> TableResult:
        """Run the plan on an embedded local Spark, in the background; `wait()` of the result waits for its end.

        Args:
            time_zone: the zone of TIMESTAMP_LTZ texts, `table.local-time-zone`, instead of what the plan says.
            checkpoint: folder of the checkpoint, where progress and state are kept; temporary if left out.

        Raises:
            UnsupportedError: the plan has something that does not run; names it.
            ExecutionError: Spark does not start.
        """
        from plans.embedded import execute

        return execute(self, time_zone=time_zone, checkpoint=checkpoint)

    # ------------------------------------------------------------ the graph

    @cached_property
    def _by_id(self) -> Mapping[int, PlanNode]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def _inputs(self) -> Mapping[int, tuple[int, ...]]:
        found: dict[int, list[int]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            found[edge.target].append(edge.source)
        return {target: tuple(sources) for target, sources in found.items()}

    @cached_property
    def _consumers(self) -> Mapping[int, tuple[int, ...]]:
        found: dict[int, list[int]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            found[edge.source].append(edge.target)
        return {source: tuple(dict.fromkeys(targets)) for source, targets in found.items()}

    def node(self, node_id: int) -> PlanNode:
        """The node of that id.

        Raises:
            PlanError: there is none.
        """
        found = self._by_id.get(node_id)
        if found is None:
            known = ", ".join(str(key) for key in sorted(self._by_id))
            raise PlanError(f"the plan has no node {node_id}", remedy=f"ids: {known}")
        return found

    def inputs(self, node: PlanNode | int) -> tuple[PlanNode, ...]:
        """The nodes that feed a node, in the order of its inputs (one twice where it is fed twice)."""
        return tuple(self._by_id[source] for source in self._inputs[_id(node)])

    def consumers(self, node: PlanNode | int) -> tuple[PlanNode, ...]:
        """The nodes that a node feeds, each once, in the order of the edges."""
        return tuple(self._by_id[target] for target in self._consumers[_id(node)])

    @cached_property
    def in_order(self) -> tuple[PlanNode, ...]:
        """All nodes, every node after its inputs; otherwise in the order of the file."""
        waiting = {node.id: set(self._inputs[node.id]) for node in self.nodes}
        found: list[PlanNode] = []
        ready = [node.id for node in self.nodes if not waiting[node.id]]
        position = {node.id: number for number, node in enumerate(self.nodes)}
        while ready:
            ready.sort(key=position.__getitem__, reverse=True)
            node_id = ready.pop()
            found.append(self._by_id[node_id])
            for target in self._consumers[node_id]:
                waiting[target].discard(node_id)
                if not waiting[target]:
                    ready.append(target)
        return tuple(found)

    @cached_property
    def sources(self) -> tuple[PlanNode, ...]:
        """The nodes without inputs."""
        return tuple(node for node in self.nodes if not self._inputs[node.id])

    @cached_property
    def sinks(self) -> tuple[PlanNode, ...]:
        """The nodes that feed none."""
        return tuple(node for node in self.nodes if not self._consumers[node.id])

    def with_nodes(self, nodes: Sequence[PlanNode]) -> CompiledPlan:
        """The same plan with other versions of its nodes (of the same ids)."""
        return replace(self, nodes=tuple(nodes))


def _id(node: PlanNode | int) -> int:
    return node if isinstance(node, int) else node.id


def plan_of(nodes: Sequence[PlanNode], edges: Sequence[tuple[int, int]]) -> CompiledPlan:
    """A plan from nodes and (source, target) pairs, checked.

    Raises:
        PlanError: a dangling edge, a cycle, or a wrong number of inputs or state entries.
    """
    from plans.findings import Severity
    from plans.reading import graph_findings

    plan = CompiledPlan(tuple(nodes), tuple(Edge.between(source, target) for source, target in edges))
    for finding in graph_findings(plan.nodes, plan.edges):
        if finding.severity is Severity.ERROR:
            raise finding.as_error()
    return plan


__all__ = ["FLINK_VERSION", "FORWARD", "CompiledPlan", "Edge", "Shuffle", "plan_of"]

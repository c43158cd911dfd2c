"""CompiledPlan: the plan file as an object, read and written without loss.

Source: Flink 2.3's CompiledPlan JSON. The root holds `flinkVersion`, `nodes` and `edges`; here also `$schema`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from compiled_plan.plans.errors import PlanError
from compiled_plan.plans.files import quoted, read_text
from compiled_plan.plans.findings import raise_unreadable
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.newer import FLINK_VERSION
from compiled_plan.plans.plan.edges import Edge
from compiled_plan.plans.plan.parsing import SCHEMA, read_parts
from compiled_plan.plans.plan.structure import structure_findings
from compiled_plan.plans.text import jsontext
from compiled_plan.plans.text.jsontext import Json


@dataclass(frozen=True, eq=False)
class CompiledPlan:
    """A plan: nodes, and edges between them by node id. Immutable. Running and editing plans is in `api.running.plans`.

    Args:
        nodes: in the order of the file.
        edges: in the order of the file, which is also the order of the inputs of each node.
        flink_version: the version of Flink whose format it is.
        schema: the `$schema` of the file, for editors; empty without one. No part of what the plan is.
        holds: data of this process that its tables read; no part of what the plan is.
    """

    nodes: tuple[PlanNode, ...]
    edges: tuple[Edge, ...] = ()
    flink_version: str = FLINK_VERSION
    schema: str = field(default="", compare=False)
    holds: tuple[object, ...] = field(default=(), compare=False, repr=False)

    # ------------------------------------------------------------ reading and writing

    @classmethod
    def from_json(cls, text: str, source: str = "") -> Self:
        """Read a plan; `source` is the name of its file, for errors.

        Raises:
            PlanError: not JSON, or not a plan: unknown or newer node types, missing, unknown or wrong fields,
                incomplete state entries, dangling edges, cycles. Names the node and the JSON pointer. Consistency
                of nodes with their inputs is checked by `inspection.checked_plans`.
        """
        return cls._read(jsontext.loads(text, source), source, text)

    @classmethod
    def from_dict(cls, data: Json, source: str = "") -> Self:
        """Read a plan from parsed JSON. Raises as `from_json` does."""
        return cls._read(data, source)

    @classmethod
    def _read(cls, data: Json, source: str, text: str = "") -> Self:
        parts, findings = read_parts(data)
        if parts is not None:
            findings = list(structure_findings(parts.nodes, parts.edges))
        raise_unreadable(findings, source, text)
        assert parts is not None, "a plan without parts has a finding that says why"
        return cls(parts.nodes, parts.edges, parts.flink_version, parts.schema)

    @classmethod
    def of(cls, plan: CompiledPlan) -> Self:
        """Convert a plan to this class."""
        return (
            plan if isinstance(plan, cls) else cls(plan.nodes, plan.edges, plan.flink_version, plan.schema, plan.holds)
        )

    def to_dict(self) -> dict[str, Json]:
        """The plan as JSON values, in Flink's order of fields."""
        return {
            **({SCHEMA: self.schema} if self.schema else {}),
            "flinkVersion": self.flink_version,
            "nodes": [node.to_dict() for node in self.nodes],
            "edges": [edge.to_dict() for edge in self.edges],
        }

    def to_json(self) -> str:
        """The plan as text, as Flink prints it."""
        return self._text

    @cached_property
    def _text(self) -> str:
        return jsontext.dumps(self.to_dict())

    @classmethod
    def read_file(cls, path: str | Path) -> Self:
        """Read a plan file, local or remote (`s3://...`). Raises PlanError if it does not exist."""
        return cls.from_json(read_text(path), quoted(path))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CompiledPlan):
            return NotImplemented
        return self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    @property
    def _value(self) -> tuple[object, ...]:
        return self.nodes, self.edges, self.flink_version

    # ------------------------------------------------------------ the graph

    @cached_property
    def _by_id(self) -> Mapping[int, PlanNode]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def _inputs(self) -> Mapping[int, tuple[int, ...]]:
        sources_by_target: dict[int, list[int]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            sources_by_target[edge.target].append(edge.source)
        return {target: tuple(sources) for target, sources in sources_by_target.items()}

    @cached_property
    def _consumers(self) -> Mapping[int, tuple[int, ...]]:
        targets_by_source: dict[int, list[int]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            targets_by_source[edge.source].append(edge.target)
        return {source: tuple(dict.fromkeys(targets)) for source, targets in targets_by_source.items()}

    def node(self, node_id: int) -> PlanNode:
        """The node with this id. Raises PlanError if there is none."""
        node = self._by_id.get(node_id)
        if node is None:
            known = ", ".join(str(key) for key in sorted(self._by_id))
            raise PlanError(f"the plan has no node {node_id}", remedy=f"ids: {known}")
        return node

    def inputs(self, node: PlanNode | int) -> tuple[PlanNode, ...]:
        """The nodes that feed a node, in the order of its inputs (repeated if a node feeds it twice)."""
        return tuple(self._by_id[source] for source in self._inputs[_id(node)])

    def consumers(self, node: PlanNode | int) -> tuple[PlanNode, ...]:
        """The distinct nodes that a node feeds, in the order of the edges."""
        return tuple(self._by_id[target] for target in self._consumers[_id(node)])

    @cached_property
    def in_order(self) -> tuple[PlanNode, ...]:
        """All nodes in topological order; ties in the order of the file."""
        waiting = {node.id: set(self._inputs[node.id]) for node in self.nodes}
        ordered: list[PlanNode] = []
        ready = [node.id for node in self.nodes if not waiting[node.id]]
        position = {node.id: number for number, node in enumerate(self.nodes)}
        while ready:
            ready.sort(key=position.__getitem__, reverse=True)
            node_id = ready.pop()
            ordered.append(self._by_id[node_id])
            for target in self._consumers[node_id]:
                waiting[target].discard(node_id)
                if not waiting[target]:
                    ready.append(target)
        return tuple(ordered)

    @cached_property
    def sources(self) -> tuple[PlanNode, ...]:
        """The nodes without inputs: scans of tables and constant rows."""
        return tuple(node for node in self.nodes if not self._inputs[node.id])

    @cached_property
    def sinks(self) -> tuple[PlanNode, ...]:
        """The nodes without consumers, which write tables."""
        return tuple(node for node in self.nodes if not self._consumers[node.id])

    def with_schema(self, schema: str) -> Self:
        """Copy the plan with another `$schema`; empty for none, as Flink requires."""
        return replace(self, schema=schema)

    def with_nodes(self, nodes: Sequence[PlanNode]) -> CompiledPlan:
        """Copy the plan with new versions of its nodes (of the same ids)."""
        return replace(self, nodes=tuple(nodes))


def _id(node: PlanNode | int) -> int:
    return node if isinstance(node, int) else node.id

"""The drawing of a plan as a JSON document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from compiled_plan.plans.inspection.changes import possibly_sent
from compiled_plan.plans.inspection.diff.sides import PlanSide
from compiled_plan.plans.inspection.diff.words import words_of
from compiled_plan.plans.inspection.entries import state_lines
from compiled_plan.plans.inspection.graph.layers import layers_of
from compiled_plan.plans.inspection.graph.summaries import summary_of
from compiled_plan.plans.inspection.graph.words import identifier_of, listed, table_of, title_of
from compiled_plan.plans.inspection.identity import keeps_state
from compiled_plan.plans.inspection.lineage.table_identity import by_name
from compiled_plan.plans.nodes.base import IDLE_ENTRY, PlanNode
from compiled_plan.plans.nodes.references import references
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.text.masking import masked_text

Role = Literal["source", "sink", "operator"]

#: Fields with unique keys of an input: `inputUniqueKeys`, `leftUpsertKeys`.
_NAMES_UNIQUE_KEYS = re.compile(r"(?i)(unique|upsert)keys?$")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class GraphState(_Part):
    """A state entry of an operator."""

    index: int = Field(description="number of the input that is stored")
    name: str
    ttl: str = Field(description="as in the plan")
    effective_ttl: str = Field(description="the same in its largest unit; `never expires` for 0")
    ttl_ms: int = Field(description="milliseconds; 0 never expires")
    of: str = Field(description="the tables whose rows are stored")
    compiled: str = Field(description="the compiled TTL if it was edited since; else empty")


class GraphKey(_Part):
    """A key of the rows of an input."""

    input: int
    columns: list[str]


class GraphColumn(_Part):
    """An output column of an operator."""

    name: str
    type: str


class GraphNode(_Part):
    """An operator with its columns, state entries and role."""

    id: int
    uid: str = Field(description="stable id across plans; empty without state")
    type: str
    kind: str
    role: Role
    table: str = Field(description="identifier of the table of a source or sink; empty for other operators")
    words: str = Field(description="readable label: `Join orders with customers`")
    description: str = Field(description="one-line description")
    rank: int = Field(description="column, from the left")
    order: int = Field(description="position in the column, from the top")
    row: float = Field(description="vertical position, in rows")
    state: list[GraphState]
    keeps_state: bool = Field(description="true also without entries: watermarks clean it, or it is kept for ever")
    why_no_ttl: str = Field(description="why it has no entries, if it keeps state; else empty")
    changelog: list[str] = Field(description="the kinds of rows that it may emit")
    keys: list[GraphKey] = Field(description="the columns by which its rows are distributed and stored")
    upsert_keys: list[GraphKey] = Field(description="the columns that identify rows of an input")
    columns: list[GraphColumn]
    problems: list[str]


class GraphEdge(_Part):
    """Rows from one operator to another."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True)

    source: int = Field(alias="from")
    target: int = Field(alias="to")
    port: int = Field(description="number of the target's input")
    exchange: str = Field(description="distribution of rows: `by customer`; empty if they stay")
    changelog: list[str]
    via: list[float] = Field(description="vertical positions, in rows, in the columns between its ends")


class Graph(_Part):
    """A plan as a drawing."""

    nodes: Sequence[GraphNode]
    edges: list[GraphEdge]


def graph_of(plan: CompiledPlan) -> Graph:
    """Draw a plan, with passwords masked."""
    return placed(*parts_of(PlanSide(plan, by_name)))


def parts_of(side: PlanSide) -> tuple[list[GraphNode], list[GraphEdge]]:
    """The operators of a plan, in topological order, and their edges, without positions; passwords are masked."""
    plan = side.plan
    modes = possibly_sent(plan)
    shown = [node for node in plan.in_order if not _passes(node)]
    edges = [
        edge.model_copy(update={"changelog": modes[edge.source].names()})
        for node in shown
        for edge in _edges(plan, node)
    ]
    states = _states(side)
    nodes = [
        GraphNode(
            id=node.id,
            uid=side.uids.get(node.id, ""),
            type=node.type,
            kind=node.kind,
            role=_role(plan, node),
            table=masked_text(identifier_of(node)),
            words=masked_text(_title(side, node)),
            description=masked_text(_description(side, node)),
            rank=0,
            order=0,
            row=0,
            state=states.get(node.id, []),
            keeps_state=keeps_state(node),
            why_no_ttl=node.why_no_entries() if keeps_state(node) and node.id not in states else "",
            changelog=modes[node.id].names(),
            keys=list(_keys(plan, node)),
            upsert_keys=list(_upsert_keys(plan, node)),
            columns=[GraphColumn(name=column.name, type=str(column.type)) for column in node.output_type.fields],
            problems=[] if node.runnable else [node.refusal().message],
        )
        for node in shown
    ]
    return nodes, edges


def placed(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge]) -> Graph:
    """Lay out operators, which are in topological order, and their edges."""
    layers = layers_of([node.id for node in nodes], [(edge.source, edge.target) for edge in edges])
    return Graph(
        nodes=[
            node.model_copy(
                update={"rank": layers.rank[node.id], "order": layers.order[node.id], "row": layers.row[node.id]}
            )
            for node in nodes
        ],
        edges=[edge.model_copy(update={"via": list(via)}) for edge, via in zip(edges, layers.via, strict=True)],
    )


def _passes(node: PlanNode) -> bool:
    return node.kind == "exchange" and node.runnable


def _edges(plan: CompiledPlan, node: PlanNode) -> Iterator[GraphEdge]:
    for port, start in enumerate(plan.inputs(node)):
        source, spread = start, ""
        while _passes(source):
            spread = spread or _spread(plan, source)
            (source,) = plan.inputs(source)
        ends = {"from": source.id, "to": node.id}
        yield GraphEdge.model_validate({**ends, "port": port, "exchange": spread, "changelog": [], "via": []})


def _spread(plan: CompiledPlan, exchange: PlanNode) -> str:
    wanted = exchange.input_properties[0].required_distribution
    if wanted.keys:
        return f"by {', '.join(_names(exchange, wanted.keys))}"
    return {"SINGLETON": "to one place", "BROADCAST": "to everybody"}.get(wanted.type, "")


def _names(node: PlanNode, columns: Sequence[int]) -> list[str]:
    names = node.output_type.names
    return [names[at] for at in columns if at < len(names)]


def _role(plan: CompiledPlan, node: PlanNode) -> Role:
    if not plan.inputs(node):
        return "source"
    return "operator" if plan.consumers(node) else "sink"


def _title(side: PlanSide, node: PlanNode) -> str:
    tables = [side.lineage.tables[source.id] for source in side.plan.inputs(node)]
    return title_of(node, tables, side.operators.get(node.id))


def _description(side: PlanSide, node: PlanNode) -> str:
    if node.id in side.operators and side.plan.consumers(node):
        return words_of(side, node.id)
    return table_of(node) or summary_of(node, side.plan.inputs(node))


def _states(side: PlanSide) -> Mapping[int, list[GraphState]]:
    states: dict[int, list[GraphState]] = {}
    for line in state_lines(side.plan):
        inputs = side.plan.inputs(line.node)
        fed_by = inputs[line.index : line.index + 1] if line.entry != IDLE_ENTRY else inputs
        entry = GraphState(
            index=line.index,
            name=line.entry,
            ttl=line.ttl,
            effective_ttl=format_duration(line.ttl_ms) if line.ttl_ms else "never expires",
            ttl_ms=line.ttl_ms,
            of=listed([name for source in fed_by for name in side.lineage.tables[source.id]]),
            compiled=line.compiled,
        )
        states.setdefault(line.node, []).append(entry)
    return states


def _keys(plan: CompiledPlan, node: PlanNode) -> Iterator[GraphKey]:
    """The columns by which the rows of each input are distributed, if the node requires it."""
    for port, start in enumerate(plan.inputs(node)):
        columns = start.input_properties[0].required_distribution.keys if _passes(start) else None
        if columns:
            yield GraphKey(input=port, columns=_names(start, columns))


def _upsert_keys(plan: CompiledPlan, node: PlanNode) -> Iterator[GraphKey]:
    inputs = plan.inputs(node)
    parts = (part for part in references(node) if _NAMES_UNIQUE_KEYS.search(str(part.path[0])))
    for (_, port), columns in groupby(parts, lambda part: (part.path[:-1], part.input)):
        if port is not None and port < len(inputs):
            yield GraphKey(input=port, columns=_names(inputs[port], [part.column for part in columns]))

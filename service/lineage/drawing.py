"""Drawing of the lineage across pipelines: tables and pipelines as nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from compiled_plan.planner.catalog.memory import DEFAULT_CATALOG, DEFAULT_DATABASE
from compiled_plan.plans.inspection.graph.document import Graph, GraphEdge, GraphNode, placed

#: The prefix of the names of tables without a catalog.
_DEFAULT = f"{DEFAULT_CATALOG}.{DEFAULT_DATABASE}."


class LineageTable(BaseModel):
    """A table, and the pipelines that use it."""

    id: int = Field(description="id of its node in the graph")
    namespace: str = Field(description="the system: Kafka's brokers, a database, a file system; as in OpenLineage")
    name: str = Field(description="name in that system: a topic, a path, a database's table")
    connector: str
    written_by: list[str]
    read_by: list[str]


class Lineage(BaseModel):
    """Tables as nodes between the pipelines that write and read them."""

    graph: Graph
    tables: list[LineageTable]
    pipelines: dict[str, int] = Field(description="ids of the nodes of pipelines, by name")
    pending: int = Field(description="number of pipelines whose plans are still to be read; repeat the request")


def lineage_of(uses: Mapping[str, Mapping[str, Sequence[Mapping[str, object]]]], pending: int = 0) -> Lineage:
    """Draw the lineage.

    Args:
        uses: documents of the task `tables` by the name of the pipeline.
        pending: number of pipelines that are not in `uses`.
    """
    pipelines = {name: number for number, name in enumerate(sorted(uses), 1)}
    tables: dict[tuple[str, ...], LineageTable] = {}
    edges: dict[tuple[int, int], None] = {}
    for name, pipeline in pipelines.items():
        for way in ("reads", "writes"):
            for use in uses[name][way]:
                table = _table(tables, use, name, len(pipelines))
                users = table.read_by if way == "reads" else table.written_by
                users.append(name)
                edges[(table.id, pipeline) if way == "reads" else (pipeline, table.id)] = None
    names = {table.id: table for table in tables.values()}
    nodes = {number: _node(number, name, "pipeline", name, "") for name, number in pipelines.items()}
    nodes |= {id_: _table_node(table) for id_, table in names.items()}
    graph = _drawn(nodes, list(edges))
    return Lineage(graph=graph, tables=list(tables.values()), pipelines=pipelines, pending=pending)


def _table(
    tables: dict[tuple[str, ...], LineageTable], use: Mapping[str, Any], pipeline: str, before: int
) -> LineageTable:
    key = (use["namespace"], use["name"], "" if use["shared"] else pipeline)
    if key not in tables:
        named = {name: use[name] for name in ("namespace", "name", "connector")}
        tables[key] = LineageTable(id=before + len(tables) + 1, **named, written_by=[], read_by=[])
    return tables[key]


def _table_node(table: LineageTable) -> GraphNode:
    role: Literal["source", "sink"] = "sink" if table.written_by and not table.read_by else "source"
    # Paths and names differ at their end.
    words = "/".join(table.name.strip("/").split("/")[-2:]).removeprefix(_DEFAULT)
    return _node(table.id, words, "table", table.name, f"{table.connector}, {table.namespace}", role)


def _node(
    id_: int,
    words: str,
    kind: str,
    table: str,
    description: str,
    role: Literal["source", "sink", "operator"] = "operator",
) -> GraphNode:
    empty: dict[str, Any] = {key: [] for key in ("state", "changelog", "keys", "upsert_keys", "columns", "problems")}
    return GraphNode(
        id=id_,
        uid="",
        type=kind,
        kind=kind,
        role=role,
        table=table,
        words=words,
        description=description,
        rank=0,
        order=0,
        row=0,
        keeps_state=False,
        why_no_ttl="",
        **empty,
    )


def _drawn(nodes: Mapping[int, GraphNode], edges: Sequence[tuple[int, int]]) -> Graph:
    """Lay out the graph; edges that close a cycle, such as a table that its reader writes, do not move nodes."""
    order, back = _topological(nodes, edges)
    ports: dict[int, int] = defaultdict(int)
    drawn = []
    for source, target in edges:
        ends = {"from": source, "to": target, "port": ports[target]}
        ports[target] += 1
        drawn.append(GraphEdge.model_validate({**ends, "exchange": "", "changelog": ["INSERT"], "via": []}))
    forward = [edge for edge in drawn if (edge.source, edge.target) not in back]
    graph = placed([nodes[id_] for id_ in order], forward)
    return Graph(nodes=graph.nodes, edges=[*graph.edges, *(edge for edge in drawn if edge not in forward)])


def _topological(
    nodes: Mapping[int, GraphNode], edges: Sequence[tuple[int, int]]
) -> tuple[list[int], set[tuple[int, int]]]:
    """The nodes in topological order, and the edges to ignore for it because they close cycles."""
    targets: dict[int, list[int]] = defaultdict(list)
    for source, target in edges:
        targets[source].append(target)
    back: set[tuple[int, int]] = set()
    finished: dict[int, None] = {}
    for root in nodes:
        if root in finished:
            continue
        # A depth-first search with its own stack: chains of pipelines may be long.
        active, stack = {root}, [(root, iter(targets[root]))]
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                active.discard(node)
                finished[node] = None
            elif following in active:
                back.add((node, following))
            elif following not in finished:
                active.add(following)
                stack.append((following, iter(targets[following])))
    return list(finished)[::-1], back

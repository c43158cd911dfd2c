"""Graphviz text of a drawing (DOT)."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.inspection.graph.document import GraphEdge, GraphNode
from compiled_plan.plans.inspection.graph.drawing import Drawing
from compiled_plan.plans.text.visible import visible

_SHAPES = {"source": "cylinder", "sink": "cds", "operator": "box"}


def to_dot(drawing: Drawing) -> str:
    """The drawing as a directed graph, from left to right."""
    return "\n".join(_lines(drawing)) + "\n"


def _lines(drawing: Drawing) -> Iterator[str]:
    yield "digraph plan {"
    yield "  rankdir=LR"
    yield '  node [fontname="Helvetica", fontsize=11]'
    yield '  edge [fontname="Helvetica", fontsize=10]'
    for node in drawing.graph.nodes:
        yield f"  {_node(drawing, node)}"
    for edge in drawing.graph.edges:
        yield f"  {_edge(drawing, edge)}"
    yield "}"


def _node(drawing: Drawing, node: GraphNode) -> str:
    label = "\\n".join(_escaped(line.text) for line in drawing.box(node))
    attributes = [f'label="{label}"', f"shape={_SHAPES[node.role]}"]
    if style := drawing.style(node.id):
        dashes = ", style=dashed" if drawing.is_dashed(node.id) else ""
        attributes.append(f'color="{style.colour}", penwidth=2{dashes}')
    return f"n{node.id} [{', '.join(attributes)}]"


def _edge(drawing: Drawing, edge: GraphEdge) -> str:
    attributes = [f'label="{_escaped(visible(edge.exchange))}"'] if edge.exchange else []
    if drawing.is_dashed(edge.source, edge.target):
        attributes.append("style=dashed")
    return f"n{edge.source} -> n{edge.target}" + (f" [{', '.join(attributes)}]" if attributes else "")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')

"""Mermaid text of a drawing, as Markdown of GitHub and GitLab shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiled_plan.plans.inspection.graph.document import GraphEdge, GraphNode
from compiled_plan.plans.inspection.graph.drawing import Drawing, Style
from compiled_plan.plans.text.visible import visible

#: Brackets around the label of a box, by role.
_SHAPES = {"source": ("[(", ")]"), "sink": ("[[", "]]"), "operator": ("[", "]")}
#: Characters with a meaning in labels; Mermaid's entities begin with `#`.
_SPECIAL = re.compile(r"[^\w ,.:;()/=+*!?%'…-]")


def to_mermaid(drawing: Drawing) -> str:
    """The drawing as a flowchart."""
    return "\n".join(_lines(drawing)) + "\n"


def _lines(drawing: Drawing) -> Iterator[str]:
    yield "flowchart LR"
    for node in drawing.graph.nodes:
        yield f"  {_node(drawing, node)}"
    for edge in drawing.graph.edges:
        yield f"  {_edge(drawing, edge)}"
    for style in Style:
        marked = [f"n{node.id}" for node in drawing.graph.nodes if drawing.style(node.id) is style]
        if marked:
            dashes = ",stroke-dasharray:5 5" if style is Style.REMOVED else ""
            yield f"  classDef {style.title} stroke:{style.colour},stroke-width:3px{dashes}"
            yield f"  class {','.join(marked)} {style.title}"


def _node(drawing: Drawing, node: GraphNode) -> str:
    opening, closing = _SHAPES[node.role]
    label = "<br/>".join(_escaped(line.text) for line in drawing.box(node))
    return f'n{node.id}{opening}"{label}"{closing}'


def _edge(drawing: Drawing, edge: GraphEdge) -> str:
    arrow = "-.->" if drawing.is_dashed(edge.source, edge.target) else "-->"
    label = f'|"{_escaped(visible(edge.exchange))}"|' if edge.exchange else ""
    return f"n{edge.source} {arrow}{label} n{edge.target}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", text)

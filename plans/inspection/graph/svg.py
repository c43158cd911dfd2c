"""SVG image of a drawing: one file without scripts or external resources, for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from compiled_plan.plans.inspection.graph.document import GraphEdge, GraphNode
from compiled_plan.plans.inspection.graph.drawing import BoxLine, Drawing, Part, Style
from compiled_plan.plans.text.visible import visible

#: Width of a character and height of a line; padding of a box; gaps between columns and rows; margin; in pixels.
_CHARACTER, _LINE, _PADDING, _COLUMN_GAP, _ROW_GAP, _MARGIN = 6.9, 16, 10, 110, 24, 16
_STYLE = """
    text { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 11px; fill: #1f2328 }
    .title { font-weight: bold }
    .detail, .edge-label { fill: #59636e }
    .box { fill: #ffffff; stroke: #8c959f }
    .source, .sink { fill: #f6f8fa }
    .edge { fill: none; stroke: #8c959f }
    .arrow { fill: #8c959f }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .detail, .edge-label { fill: #9198a1 }
      .box { fill: #151b23 }
      .source, .sink { fill: #212830 }
    }
"""


def to_svg(drawing: Drawing) -> str:
    """The drawing as an image."""
    return "\n".join(_lines(drawing, _Layout.of(drawing))) + "\n"


@dataclass(frozen=True, slots=True)
class _Box:
    """A node's box: its left and upper edge, its size, and its lines."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[BoxLine, ...]

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class _Layout:
    """Pixels of the graph's columns and rows."""

    boxes: Mapping[int, _Box]
    columns: Mapping[int, tuple[float, float]]  # left and right edge of each column
    step: float  # distance of rows
    width: float
    height: float

    @classmethod
    def of(cls, drawing: Drawing) -> _Layout:
        lines = {node.id: tuple(drawing.box(node)) for node in drawing.graph.nodes}
        sizes = {
            id_: (
                max((len(line.text) for line in box), default=0) * _CHARACTER + 2 * _PADDING,
                len(box) * _LINE + 2 * _PADDING,
            )
            for id_, box in lines.items()
        }
        step = max((height for _, height in sizes.values()), default=0) + _ROW_GAP
        columns: dict[int, tuple[float, float]] = {}
        left: float = _MARGIN
        for rank in sorted({node.rank for node in drawing.graph.nodes}):
            right = left + max(sizes[node.id][0] for node in drawing.graph.nodes if node.rank == rank)
            columns[rank] = left, right
            left = right + _COLUMN_GAP
        boxes = {}
        for node in drawing.graph.nodes:
            width, height = sizes[node.id]
            middle = _MARGIN + node.row * step + (step - _ROW_GAP) / 2
            boxes[node.id] = _Box(columns[node.rank][0], middle - height / 2, width, height, lines[node.id])
        passes = [via for edge in drawing.graph.edges for via in edge.via]
        lowest = max(
            [box.y + box.height for box in boxes.values()] + [_MARGIN + (via + 1) * step for via in passes] + [0]
        )
        width = max((right for _, right in columns.values()), default=0) + _MARGIN
        return cls(boxes, columns, step, width, lowest + _MARGIN)

    def path(self, edge: GraphEdge, source: GraphNode) -> str:
        """Curve from the right of one box to the left of another, through the columns between them."""
        start, end = self.boxes[edge.source], self.boxes[edge.target]
        at = (start.x + start.width, start.middle)
        path = f"M{at[0]:.0f},{at[1]:.0f}"
        for number, via in enumerate(edge.via, 1):
            left, right = self.columns[source.rank + number]
            y = _MARGIN + via * self.step + (self.step - _ROW_GAP) / 2
            path += f"{_curve(at, (left, y))}H{right:.0f}"
            at = (right, y)
        return path + _curve(at, (end.x - 6, end.middle))


def _curve(start: tuple[float, float], end: tuple[float, float]) -> str:
    half = (start[0] + end[0]) / 2
    return f"C{half:.0f},{start[1]:.0f} {half:.0f},{end[1]:.0f} {end[0]:.0f},{end[1]:.0f}"


def _lines(drawing: Drawing, layout: _Layout) -> Iterator[str]:
    width, height = f"{layout.width:.0f}", f"{layout.height:.0f}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" aria-label="Plan">'
    )
    marked = "".join(f"    .{style.title} {{ stroke: {style.colour}; stroke-width: 2.5 }}\n" for style in Style)
    yield f"  <style>{_STYLE}{marked}  </style>"
    yield '  <defs><marker id="arrow" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="8" markerHeight="8"'
    yield '    orient="auto"><path class="arrow" d="M0,0 L8,4 L0,8 z"/></marker></defs>'
    nodes = {node.id: node for node in drawing.graph.nodes}
    for edge in drawing.graph.edges:
        yield from _edge(drawing, layout, edge, nodes[edge.source])
    for node in drawing.graph.nodes:
        yield from _node(drawing, layout.boxes[node.id], node)
    yield "</svg>"


def _edge(drawing: Drawing, layout: _Layout, edge: GraphEdge, source: GraphNode) -> Iterator[str]:
    dashes = ' stroke-dasharray="5 5"' if drawing.is_dashed(edge.source, edge.target) else ""
    yield f'  <path class="edge" d="{layout.path(edge, source)}" marker-end="url(#arrow)"{dashes}/>'
    if edge.exchange:
        end = layout.boxes[edge.target]
        # Edges into one box have their labels side by side: above its middle, below it, further below.
        y = end.middle - 6 + (edge.port * (_LINE + 4))
        text = escape(_short(visible(edge.exchange)))
        yield f'  <text class="edge-label" x="{end.x - 10:.0f}" y="{y:.0f}" text-anchor="end">{text}</text>'


def _short(text: str) -> str:
    most = int((_COLUMN_GAP - 20) / _CHARACTER)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _node(drawing: Drawing, box: _Box, node: GraphNode) -> Iterator[str]:
    style = drawing.style(node.id)
    classes = " ".join(("box", node.role, *([style.title] if style else [])))
    dashes = ' stroke-dasharray="5 5"' if drawing.is_dashed(node.id) else ""
    yield f"  <g><title>{escape(visible(node.uid or node.words))}</title>"
    yield (
        f'    <rect class="{classes}" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" '
        f'height="{box.height:.0f}" rx="6"{dashes}/>'
    )
    for number, line in enumerate(box.lines, 1):
        bold = " title" if line.part is Part.MARK else ""
        y = box.y + _PADDING + number * _LINE - 4
        place = f'x="{box.x + _PADDING:.0f}" y="{y:.0f}"'
        yield f'    <text class="{line.part.value}{bold}" {place}>{escape(line.text)}</text>'
    yield "  </g>"

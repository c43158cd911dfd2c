"""Option `--graph`: the format of a drawing."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.graph.drawing import Drawing


class GraphForm(Enum):
    """Formats in which a drawing can be printed."""

    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"

    def text(self, drawing: Drawing) -> str:
        """Render a drawing; each format's module is imported when it is needed."""
        match self:
            case GraphForm.MERMAID:
                from compiled_plan.plans.inspection.graph.mermaid import to_mermaid

                return to_mermaid(drawing)
            case GraphForm.DOT:
                from compiled_plan.plans.inspection.graph.dot import to_dot

                return to_dot(drawing)
            case GraphForm.SVG:
                from compiled_plan.plans.inspection.graph.svg import to_svg

                return to_svg(drawing)

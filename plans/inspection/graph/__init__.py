"""A plan or a difference as a drawing: operators in columns from the sources to the sinks, with readable labels.

Exchanges are not operators of the drawing: an edge states the distribution of rows. Positions of operators and edges
are computed here, so that a client needs no knowledge of plans. The renderings (Mermaid, DOT, SVG) read one drawing.
"""

from compiled_plan.plans.inspection.graph.document import (
    Graph,
    GraphColumn,
    GraphEdge,
    GraphKey,
    GraphNode,
    GraphState,
    graph_of,
)

__all__ = ["Graph", "GraphColumn", "GraphEdge", "GraphKey", "GraphNode", "GraphState", "graph_of"]

"""A plan as a drawing: operators in columns from the sources to the sinks, in a person's words.

Exchanges are no operators of it: an edge says how rows are spread. Where an operator and an edge stand is computed
here, so that whoever draws it needs no knowledge of plans.
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

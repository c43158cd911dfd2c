"""The plan file as a value: nodes and edges, read from JSON and written in Flink's form. Runs nothing."""

from compiled_plan.plans.nodes.newer import FLINK_VERSION
from compiled_plan.plans.plan.compiled import CompiledPlan
from compiled_plan.plans.plan.edges import FORWARD, Edge, Shuffle

__all__ = ["FLINK_VERSION", "FORWARD", "CompiledPlan", "Edge", "Shuffle"]

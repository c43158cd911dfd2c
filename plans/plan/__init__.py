"""The plan file as a value: nodes and edges, read from JSON and written in Flink's form. Runs nothing."""

from compiled_plan.plans.plan.compiled import CompiledPlan
from compiled_plan.plans.plan.edges import FORWARD, Edge, Shuffle
from compiled_plan.plans.plan.parsing import FLINK_VERSION

__all__ = ["FLINK_VERSION", "FORWARD", "CompiledPlan", "Edge", "Shuffle"]

"""Readable form of a plan: operators as trees from the sinks down, with their state, TTLs and details of EXPLAIN."""

from compiled_plan.plans.inspection.explain.trees import Step as Step
from compiled_plan.plans.inspection.explain.trees import explain as explain
from compiled_plan.plans.inspection.explain.trees import steps as steps

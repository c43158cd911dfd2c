"""The description that a run writes into its checkpoint; for its format see `plans.inspection.diff.description`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.inspection.diff.description import FORMAT
from compiled_plan.plans.inspection.diff.facts import RunFacts
from compiled_plan.plans.inspection.identity import derived_uids
from compiled_plan.plans.inspection.lineage.operators import OperatorLineage
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.lineage.table_identity import local_place
from compiled_plan.plans.rex import PythonFunction


@dataclass(frozen=True, slots=True)
class Setting:
    """What a run adds to a plan.

    Args:
        host: the Spark operator that hosts the stages.
        partitions: number of shuffle partitions that a new checkpoint gets.
        asked: the number that the user asked for, if he did.
        spark: version of Spark, "4.3.0".
        java: major version of Java.
        python: version of Python.
        product: version of the product.
        code: digest of a Python function's code.
        accumulator: type of the accumulator of an aggregate function in Python; empty where it has none.
        place: the full name of a path.
    """

    host: str
    partitions: int = 0
    asked: int | None = None
    spark: str = ""
    java: int = 0
    python: str = ""
    product: str = ""
    code: Callable[[PythonFunction], str] = lambda function: ""
    accumulator: Callable[[PythonFunction], str] = lambda function: ""
    place: Callable[[str], str] = local_place

    @property
    def versions(self) -> dict[str, Any]:
        """What runs the plan."""
        return {"product": self.product, "spark": self.spark, "java": self.java, "python": self.python}

    @property
    def facts(self) -> RunFacts:
        """The facts that a comparison goes by."""
        return RunFacts(
            self.spark,
            lambda _, function: self.code(function),
            lambda _, function: self.accumulator(function),
            self.place,
            is_run=True,
        )


def clock_of(prepared: PreparedPlan) -> str:
    """The clock by which timers of a plan fire."""
    return "event time" if prepared.event_time else "processing time"


def describe(prepared: PreparedPlan, setting: Setting) -> dict[str, Any]:
    """Describe a run, without the names and positions of its sources."""
    stages = stages_of(prepared)
    return {
        "format": FORMAT,
        "versions": setting.versions,
        "host": setting.host,
        "clock": clock_of(prepared),
        "partitions": setting.partitions,
        "folder": setting.place("."),
        "operators": [
            {"uid": each.uid, "stage": stages.get(each.node), **_functions(each, setting)}
            for each in lineage_of(prepared.plan, setting.place).operators
        ],
    }


def stages_of(prepared: PreparedPlan) -> Mapping[int, int]:
    """By node the number of its stage among those that keep state: Spark finds state by it."""
    found: dict[int, int] = {}
    number = 0
    for stage in prepared.layout.stages:
        keeping = [node for node in stage if prepared.plan.node(node).uid is not None]
        number += bool(keeping)
        found |= dict.fromkeys(keeping, number)
    return found


def _functions(operator: OperatorLineage, setting: Setting) -> dict[str, dict[str, str]]:
    accumulators = {function.path: setting.accumulator(function) for function in operator.functions}
    return {
        "code": {function.path: setting.code(function) for function in operator.functions},
        "accumulators": {path: type_ for path, type_ in accumulators.items() if type_},
    }


def given_uids(prepared: PreparedPlan) -> frozenset[str]:
    """The uids that are not what the product would call the operators by itself."""
    plan = prepared.plan
    bare = plan.with_nodes([node.model_copy(update={"uid": None}) for node in plan.nodes])
    derived = derived_uids(bare)
    return frozenset(node.uid for node in plan.nodes if node.uid is not None and node.uid != derived.get(node.id))

"""The setting of a run, and the description of it and its plan that the run writes into its checkpoint.

For the format see `plans.inspection.diff.description`.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.session.partitions import ASKED, PARTITIONS
from compiled_plan.plans.execution.spark.java import java_class
from compiled_plan.plans.execution.spark.storage import folder_of
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.inspection.diff.description import FORMAT, OperatorEntry, RunDescription, Versions
from compiled_plan.plans.inspection.diff.facts import RunFacts
from compiled_plan.plans.inspection.identity import derived_uids
from compiled_plan.plans.inspection.lineage.operators import OperatorLineage
from compiled_plan.plans.inspection.lineage.plans import lineage_of
from compiled_plan.plans.inspection.lineage.table_identity import local_place
from compiled_plan.plans.rex import UserFunction
from compiled_plan.plans.text.hadoop_paths import at_rest
from compiled_plan.plans.version import product_version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Setting:
    """The environment of a run: everything beside the plan that its checkpoint depends on.

    Args:
        host: the Spark operator that hosts the stages.
        partitions: number of shuffle partitions of a new checkpoint.
        requested_partitions: number of shuffle partitions that the user sets, if any.
        spark: version of Spark, "4.3.0".
        java: major version of Java.
        python: version of Python.
        product: version of the product.
        code: returns the digest of a Python function's code.
        accumulator: returns the accumulator type of a Python aggregate function; empty if there is none.
        place: returns the full name of a path.
    """

    host: str
    partitions: int = 0
    requested_partitions: int | None = None
    spark: str = ""
    java: int = 0
    python: str = ""
    product: str = ""
    code: Callable[[UserFunction], str] = lambda function: ""
    accumulator: Callable[[UserFunction], str] = lambda function: ""
    place: Callable[[str], str] = local_place

    @property
    def versions(self) -> Versions:
        """Versions of the software that runs the plan."""
        return {"product": self.product, "spark": self.spark, "java": self.java, "python": self.python}

    @property
    def facts(self) -> RunFacts:
        """The facts used in a comparison."""
        return RunFacts(
            self.spark,
            lambda _, function: self.code(function),
            lambda _, function: self.accumulator(function),
            self.place,
            is_run=True,
        )


def clock_of(prepared: PreparedPlan) -> str:
    return "event time" if prepared.event_time else "processing time"


def describe(prepared: PreparedPlan, setting: Setting) -> RunDescription:
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
            _described(operator, stages.get(operator.node), setting)
            for operator in lineage_of(prepared.plan, setting.place).operators
        ],
    }


def stages_of(prepared: PreparedPlan) -> Mapping[int, int]:
    """Stage number of each stateful node; Spark addresses state by it."""
    stages: dict[int, int] = {}
    number = 0
    for stage in prepared.layout.stages:
        keeping = [node for node in stage if prepared.plan.node(node).uid is not None]
        number += bool(keeping)
        stages |= dict.fromkeys(keeping, number)
    return stages


def _described(operator: OperatorLineage, stage: int | None, setting: Setting) -> OperatorEntry:
    accumulators = {function.path: setting.accumulator(function) for function in operator.functions}
    return {
        "uid": operator.uid,
        "stage": stage,
        "code": {function.path: setting.code(function) for function in operator.functions},
        "accumulators": {path: type_ for path, type_ in accumulators.items() if type_},
    }


def explicit_uids(prepared: PreparedPlan) -> frozenset[str]:
    """The uids that differ from the ones that the product would generate."""
    plan = prepared.plan
    bare = plan.with_nodes([node.model_copy(update={"uid": None}) for node in plan.nodes])
    derived = derived_uids(bare)
    return frozenset(node.uid for node in plan.nodes if node.uid is not None and node.uid != derived.get(node.id))


def setting_of(spark: SparkSession, host: str, functions: PythonFunctions) -> Setting:
    partitions = spark.conf.get(ASKED, "")
    return Setting(
        host,
        int(str(spark.conf.get(PARTITIONS))),
        int(partitions) if partitions else None,
        spark.version,
        _java(spark),
        platform.python_version(),
        product_version(),
        cache(functions.code),
        functions.accumulator,
        _place(spark),
    )


def _java(spark: SparkSession) -> int:
    version = str(java_class(spark._jvm, "java.lang.System").getProperty("java.specification.version"))
    return int(version.removeprefix("1.").partition(".")[0])


def _place(spark: SparkSession) -> Callable[[str], str]:
    @cache
    def place(path: str) -> str:
        """The absolute path with its file system."""
        if not path:
            return path
        try:
            return at_rest(folder_of(spark, path).uri)
        except Exception:
            # Opening the table reports a missing file system.
            return local_place(path)

    return place

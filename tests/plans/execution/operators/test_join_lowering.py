"""Kernel parameters of joins, from plans of Flink."""

from __future__ import annotations

from pyspark.sql import SparkSession

from compiled_plan.plans.execution.expressions import ExpressionContext
from compiled_plan.plans.execution.operators.base import Lowering, lower_keyed
from compiled_plan.plans.nodes.join import MultiJoin
from compiled_plan.plans.plan import CompiledPlan
from tests.support.kernel.specs import kernel_parameters
from tests.support.plan_files import data_of


def test_a_multi_join_gets_the_unique_keys_of_its_inputs(session: SparkSession) -> None:
    plan = CompiledPlan.from_dict(data_of("join/multi_join_same_key"))
    (node,) = (node for node in plan.nodes if isinstance(node, MultiJoin))
    keyed = node.model_copy(update={"input_unique_keys": (((0,), (0, 1)), (), ())})
    operator = lower_keyed(keyed, Lowering(plan, ExpressionContext(time_zone="UTC")))
    assert kernel_parameters(operator.parameters)["inputUniqueKeys"] == [[[0], [0, 1]], [], []]

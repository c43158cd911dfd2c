"""A plan's operators with the kernel's parameters, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace

from compiled_plan.plans.execution.expressions import ExpressionContext
from compiled_plan.plans.execution.functions.columns import PythonFunctions
from compiled_plan.plans.execution.operators.base import KeyedOperator, Lowering
from compiled_plan.plans.execution.stages.hosted import hosted_of
from compiled_plan.plans.execution.stages.prepared import PreparedPlan
from compiled_plan.plans.inspection.diff.mapping import KernelSide
from compiled_plan.plans.inspection.lineage.kernel_operators import KernelInput, KernelOperator
from compiled_plan.plans.text.hadoop_paths import at_rest


def kernel_side(
    prepared: PreparedPlan,
    functions: PythonFunctions | None = None,
    place: Callable[[str], str] = at_rest,
    wanted: Container[int] | None = None,
) -> KernelSide:
    """The operators of a plan.

    Args:
        functions: the Python functions of the plan.
        place: returns the full name of a path.
        wanted: their nodes; None for all. The functions of other nodes may be missing.
    """
    layout = prepared.layout
    if wanted is not None:
        stages = [tuple(node for node in stage if node in wanted) for stage in layout.stages]
        layout = replace(layout, stages=tuple(stages))
    hosted = hosted_of(layout, Lowering(prepared.plan, ExpressionContext(), functions))
    operators = {node: _operator(node, operator) for node, operator in hosted.operators.items()}
    return KernelSide(prepared.plan, operators, place)


def _operator(node: int, operator: KeyedOperator) -> KernelOperator:
    inputs = [
        KernelInput(
            port.sources if port.sources is not None else tuple(range(len(port.types))), port.types, port.key_columns
        )
        for port in operator.ports
    ]
    return KernelOperator(node if operator.reader is None else operator.reader, tuple(inputs), operator.calls)

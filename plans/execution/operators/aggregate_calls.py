"""Calls of aggregate functions in the kernel's parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.execution.operators.base import Lowering
from compiled_plan.plans.execution.operators.parameters import Aggregate, JavaAggregate, PythonAggregate
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.types import LogicalType

if TYPE_CHECKING:
    from compiled_plan.plans.execution.operators import java_aggregates, python_aggregates
else:
    java_aggregates = deferred("compiled_plan.plans.execution.operators.java_aggregates")
    python_aggregates = deferred("compiled_plan.plans.execution.operators.python_aggregates")


def kernel_aggregate(
    node: PlanNode,
    call: AggregateCall,
    types: Sequence[LogicalType],
    lowering: Lowering,
    needs: Sequence[str],
    *,
    retracts: bool,
    place: Callable[[int], int] = lambda at: at,
) -> Aggregate:
    """A call for the kernel.

    Args:
        node: the operator, for errors.
        types: the types of the columns that its arguments index.
        lowering: the plan, with its functions.
        needs: methods that a function of a user must have, such as "retract".
        retracts: True if rows may be retracted.
        place: maps a column of the node to a column of the kernel's input.

    Raises:
        UnsupportedError: a function of a user lacks a method.
    """
    reference = call.python or call.java_function
    function = call.internal_name if reference is None else reference.class_ or reference.path
    assert function is not None
    return Aggregate(
        function=function,
        args=tuple(map(place, call.arg_list)),
        filter=place(call.filter_arg) if call.filter_arg >= 0 else -1,
        distinct=call.distinct,
        need_retract=retracts,
        ignore_nulls=call.ignore_nulls,
        python=_python(node, call, types, lowering, needs),
        java=_java(node, call, types, lowering, needs),
    )


def placed(call: AggregateCall, place: Callable[[int], int]) -> AggregateCall:
    """The call over the columns of the kernel's input."""
    filtered = place(call.filter_arg) if call.filter_arg >= 0 else -1
    return call.model_copy(update={"arg_list": tuple(map(place, call.arg_list)), "filter_arg": filtered})


def _java(
    node: PlanNode, call: AggregateCall, types: Sequence[LogicalType], lowering: Lowering, needs: Sequence[str]
) -> JavaAggregate | None:
    java = None if lowering.functions is None else lowering.functions.java
    if java is None or call.java_function is None:
        return None
    where = f"node {node.id} ({node.type})"
    return java_aggregates.java_aggregate(call, [types[at] for at in call.arg_list], java, where, needs)


def _python(
    node: PlanNode, call: AggregateCall, types: Sequence[LogicalType], lowering: Lowering, needs: Sequence[str]
) -> PythonAggregate | None:
    if call.python is None:
        return None
    where = f"node {node.id} ({node.type})"
    return python_aggregates.kernel_call(call, [types[at] for at in call.arg_list], lowering.functions, where, needs)

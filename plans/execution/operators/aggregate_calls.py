"""What the kernel is told of aggregate functions in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plans.execution.operators.base import Lowering
from plans.nodes import AggregateCall
from plans.nodes.base import PlanNode
from plans.types import LogicalType


def python_call(
    node: PlanNode, call: AggregateCall, types: Sequence[LogicalType], lowering: Lowering, needs: Sequence[str] = ()
) -> dict[str, Any]:
    """The field `python` of a call in the kernel's spec; nothing for built-in functions.

    Args:
        node: the operator, for errors.
        call: the call.
        types: of the columns that its arguments count.
        lowering: the plan, with its functions.
        needs: methods that the function must have, such as "retract".

    Raises:
        UnsupportedError: it lacks one of them.
    """
    if call.python is None:
        return {}
    from plans.execution.functions.aggregates import kernel_call  # for plans with such functions alone

    where = f"node {node.id} ({node.type})"
    found = kernel_call(call, [types[at] for at in call.arg_list], lowering.functions, where, needs)
    return {"function": call.python.class_, "python": found}

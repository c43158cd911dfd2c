"""Aggregate functions in Java: the kernel calls them, and their accumulators are state as values of their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.functions.java import Described, JavaFunctions
from compiled_plan.plans.execution.operators.parameters import JavaAggregate, ValueType
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.types import LogicalType


def java_aggregate(
    call: AggregateCall,
    types: Sequence[LogicalType],
    functions: JavaFunctions,
    where: str,
    needs: Sequence[str],
) -> JavaAggregate:
    """The kernel's parameters of an aggregate function in Java.

    Args:
        call: a call of an aggregate.
        types: the types of its arguments.
        functions: the plan's Java functions.
        where: the node, for errors.
        needs: the required methods beside those that all have: "retract", "merge".

    Raises:
        UnsupportedError: the function lacks a required method.
    """
    described = functions.aggregate(call, types, where)
    function = call.java_function
    assert function is not None
    for method in needs:
        if method not in described.methods:
            raise UnsupportedError(
                f"the aggregate function {function.path} has no method `{method}`, which this operator needs",
                where=where,
                remedy=f"add a public method `{method}` to its class",
            )
    return described_aggregate(described)


def described_aggregate(described: Described) -> JavaAggregate:
    """The kernel's parameters of a function that has its required methods."""
    assert described.accumulator is not None
    return JavaAggregate(described.spec, _type(described.accumulator))


def _type(type_: Mapping[str, Any]) -> ValueType:
    children = tuple(map(_type, type_.get("children", ())))
    return ValueType(type_["kind"], type_["precision"], type_["scale"], children)

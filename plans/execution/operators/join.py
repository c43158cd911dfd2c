"""Regular joins of two or more inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pyspark.sql import Column
from pyspark.sql import functions as F

from compiled_plan.plans.execution.expressions import canonical_key, to_column
from compiled_plan.plans.execution.operators.base import Flow, KeyedOperator, KeyedPort, Lowering, keyed
from compiled_plan.plans.execution.operators.parameters import JoinedCondition, Parameters
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import Join, MultiJoin
from compiled_plan.plans.nodes.specs import JoinSpec
from compiled_plan.plans.rex import Literal, RexNode
from compiled_plan.plans.types import LogicalType


@dataclass(frozen=True, slots=True)
class BinaryJoin(Parameters):
    """Parameters common to all joins of two inputs.

    Args:
        join_type: as in the plan: "INNER", "LEFT", ....
        left_keys: the key columns of the left input.
        right_keys: the key columns of the right input.
        filter_nulls: per key column, True if null matches nothing.
        condition: over the columns of both inputs; None for none.
    """

    join_type: str
    left_keys: tuple[int, ...]
    right_keys: tuple[int, ...]
    filter_nulls: tuple[bool, ...]
    condition: JoinedCondition | None


def binary_join(node: PlanNode, spec: JoinSpec, lowering: Lowering) -> dict[str, Any]:
    types = (*lowering.input_types(node, 0), *lowering.input_types(node, 1))
    return {
        "join_type": spec.join_type,
        "left_keys": tuple(spec.left_keys),
        "right_keys": tuple(spec.right_keys),
        "filter_nulls": tuple(spec.filter_nulls),
        "condition": joined_condition(spec.non_equi_condition, types, lowering, node),
    }


@dataclass(frozen=True, slots=True)
class JoinParameters(BinaryJoin):
    """A regular join, with the known upsert keys of each input."""

    TYPE: ClassVar[str] = "join"
    left_upsert_keys: tuple[tuple[int, ...], ...]
    right_upsert_keys: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class MultiJoinParameters(Parameters):
    """A join of several inputs; for each its type, its condition with the inputs before it, and its unique keys."""

    TYPE: ClassVar[str] = "multi-join"
    join_types: tuple[str, ...]
    conditions: tuple[JoinedCondition | None, ...]
    input_unique_keys: tuple[tuple[tuple[int, ...], ...], ...]


@keyed(Join)
def join(node: Join, lowering: Lowering) -> KeyedOperator:
    """Operator of a join, as Flink's StreamingJoinOperator and StreamingSemiAntiJoinOperator."""
    return KeyedOperator(
        ports=join_ports(node, node.join_spec, lowering),
        output=node.output_type.types,
        parameters=JoinParameters(
            **binary_join(node, node.join_spec, lowering),
            left_upsert_keys=tuple(map(tuple, node.left_upsert_keys or ())),
            right_upsert_keys=tuple(map(tuple, node.right_upsert_keys or ())),
        ),
    )


@keyed(MultiJoin)
def multi_join(node: MultiJoin, lowering: Lowering) -> KeyedOperator:
    """Flink's StreamingMultiJoinOperator: all inputs joined on one key in one operator."""
    inputs = [lowering.input_types(node, port) for port in range(len(node.join_types))]
    together: tuple[LogicalType, ...] = ()
    conditions: list[JoinedCondition | None] = []
    for port, types in enumerate(inputs):
        together = (*together, *types)
        rex = node.join_conditions[port] if port < len(node.join_conditions) else None
        conditions.append(joined_condition(rex, together, lowering, node))
    return KeyedOperator(
        ports=tuple(
            _port(types, keys, [True] * len(keys)) for types, keys in zip(inputs, common_keys(node), strict=True)
        ),
        output=node.output_type.types,
        parameters=MultiJoinParameters(
            join_types=tuple(node.join_types),
            conditions=tuple(conditions),
            input_unique_keys=tuple(tuple(map(tuple, keys)) for keys in node.input_unique_keys),
        ),
    )


def common_keys(node: MultiJoin) -> list[list[int]]:
    """For each input, its columns of the common key, in one order.

    `joinAttributeMap` maps columns of each input to equal columns of earlier inputs. Connected columns are one
    attribute; the attributes of all inputs are the common key.
    """
    parent: dict[tuple[int, int], tuple[int, int]] = {}

    def find(item: tuple[int, int]) -> tuple[int, int]:
        parent.setdefault(item, item)
        while parent[item] != item:
            item = parent[item]
        return item

    for entries in node.join_attribute_map.values():
        for entry in entries:
            if entry.left_input_id >= 0:
                left = find((entry.left_input_id, entry.left_field_index))
                parent[find((entry.right_input_id, entry.right_field_index))] = left
    attributes: dict[tuple[int, int], dict[int, int]] = {}
    for port, column in sorted(parent):
        attributes.setdefault(find((port, column)), {}).setdefault(port, column)
    count = len(node.join_types)
    common = [columns for columns in attributes.values() if len(columns) == count]
    return [[columns[port] for columns in common] for port in range(count)]


def join_ports(node: PlanNode, spec: JoinSpec, lowering: Lowering) -> tuple[KeyedPort, KeyedPort]:
    """The inputs of a binary join."""
    left, right = lowering.input_types(node, 0), lowering.input_types(node, 1)
    return _port(left, spec.left_keys, spec.filter_nulls), _port(right, spec.right_keys, spec.filter_nulls)


def _port(types: tuple[LogicalType, ...], keys: Sequence[int], filter_nulls: Sequence[bool]) -> KeyedPort:
    """An input whose key is the canonical text of the key columns; arbitrary text for a null that matches nothing."""

    def key(flow: Flow) -> Column:
        columns = [flow.columns[at] for at in keys]
        text = canonical_key(columns, [types[at] for at in keys])
        never = [column.isNull() for column, drop in zip(columns, filter_nulls, strict=True) if drop]
        if not never:
            return text
        # A row with a null key matches nothing and keeps no state; its order number spreads such rows over tasks.
        missing = never[0]
        for is_missing in never[1:]:
            missing = missing | is_missing
        return F.when(missing, F.concat(F.lit("?"), flow.ord.cast("string"))).otherwise(text)

    return KeyedPort(types, key, key_columns=tuple(keys))


def joined_condition(
    rex: RexNode | None, types: tuple[LogicalType, ...], lowering: Lowering, node: PlanNode
) -> JoinedCondition | None:
    """A join's condition beside its keys, over the columns of all inputs; None if it is always true."""
    if rex is None or (isinstance(rex, Literal) and rex.value is True):
        return None
    return JoinedCondition(types, lambda columns: to_column(rex, tuple(columns), lowering.context(node)))

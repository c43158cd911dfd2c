"""Regular joins of two or more inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from plans.execution.expressions import canonical_key, to_column
from plans.execution.operators.base import Flow, JoinedCondition, KeyedOperator, KeyedPort, Lowering, keyed
from plans.nodes import Join, MultiJoin
from plans.nodes.base import PlanNode
from plans.rex import Literal, RexNode
from plans.types import LogicalType, RowType


@keyed(Join)
def join(node: Join, lowering: Lowering) -> KeyedOperator:
    """Flink's StreamingJoinOperator and StreamingSemiAntiJoinOperator."""
    left, right = lowering.input_types(node, 0), lowering.input_types(node, 1)
    spec = node.join_spec
    row = node.output_type
    assert isinstance(row, RowType)
    return KeyedOperator(
        type="join",
        ports=(
            KeyedPort(left, join_key(spec.left_keys, spec.filter_nulls, left)),
            KeyedPort(right, join_key(spec.right_keys, spec.filter_nulls, right)),
        ),
        output=row.types,
        parameters={
            "joinType": spec.join_type,
            "leftKeys": list(spec.left_keys),
            "rightKeys": list(spec.right_keys),
            "filterNulls": list(spec.filter_nulls),
            "leftUpsertKeys": [list(key) for key in node.left_upsert_keys or ()],
            "rightUpsertKeys": [list(key) for key in node.right_upsert_keys or ()],
            "condition": joined_condition(spec.non_equi_condition, (*left, *right), lowering, node),
        },
    )


@keyed(MultiJoin)
def multi_join(node: MultiJoin, lowering: Lowering) -> KeyedOperator:
    """Flink's StreamingMultiJoinOperator: all inputs joined on one key in one operator."""
    inputs = [lowering.input_types(node, port) for port in range(len(node.join_types))]
    row = node.output_type
    assert isinstance(row, RowType)
    together: tuple[LogicalType, ...] = ()
    conditions: list[JoinedCondition | None] = []
    for port, types in enumerate(inputs):
        together = (*together, *types)
        rex = node.join_conditions[port] if port < len(node.join_conditions) else None
        conditions.append(joined_condition(rex, together, lowering, node))
    return KeyedOperator(
        type="multi-join",
        ports=tuple(
            KeyedPort(types, join_key(keys, [True] * len(keys), types))
            for types, keys in zip(inputs, common_keys(node), strict=True)
        ),
        output=row.types,
        parameters={
            "joinTypes": list(node.join_types),
            "conditions": conditions,
            "inputUniqueKeys": [[list(key) for key in keys] for keys in node.input_unique_keys],
        },
    )


def common_keys(node: MultiJoin) -> list[list[int]]:
    """For each input, its columns of the key that all inputs share, in one order.

    `joinAttributeMap` says for each input which of its columns equal which columns of earlier inputs. Columns that
    are connected are one attribute; the attributes that every input has are the common key.
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
    common = [found for found in attributes.values() if len(found) == count]
    return [[found[port] for found in common] for port in range(count)]


def join_key(
    keys: Sequence[int], filter_nulls: Sequence[bool], types: Sequence[LogicalType]
) -> Callable[[Flow], Column]:
    """The key of a join's input: canonical text of the key columns, any text where a null matches nothing."""

    def key(flow: Flow) -> Column:
        columns = [flow.columns[at] for at in keys]
        text = canonical_key(columns, [types[at] for at in keys])
        never = [column.isNull() for column, drop in zip(columns, filter_nulls, strict=True) if drop]
        if not never:
            return text
        # A row with a null key matches nothing and keeps no state; its order number keeps such rows off one task.
        missing = never[0]
        for other in never[1:]:
            missing = missing | other
        return F.when(missing, F.concat(F.lit("?"), flow.ord.cast("string"))).otherwise(text)

    return key


def joined_condition(
    rex: RexNode | None, types: tuple[LogicalType, ...], lowering: Lowering, node: PlanNode
) -> JoinedCondition | None:
    """A join's condition beside its keys, over the columns of all inputs; None if it is always true."""
    if rex is None or (isinstance(rex, Literal) and rex.value is True):
        return None
    return JoinedCondition(types, lambda columns: to_column(rex, tuple(columns), lowering.context(node)))

"""Joins of several tables by one common key, in one operator that stores each table once.

Enabled by the option `table.optimizer.multi-join.enabled` or the hint MULTI_JOIN, for chains of inner and left joins of
three tables or more.

Source: Flink's "Performance Tuning" page, "MultiJoin"; Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from compiled_plan.planner.algebra.expressions import (
    TRUE,
    conjunction,
    conjuncts,
    is_call,
    is_true,
    same_representation,
)
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Join, Project, RelNode
from compiled_plan.planner.algebra.rows import named_row
from compiled_plan.planner.physical.base import NodeContext, OperatorPlanner, PhysicalOperator, make
from compiled_plan.planner.physical.describe import names_text, rex_text, type_text
from compiled_plan.planner.physical.hints import hinted_ttl
from compiled_plan.planner.physical.joining import columns_by_side
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.requirements import require_deterministic_condition
from compiled_plan.planner.physical.traits import Key, Keys, ModifyKinds, Traits, UpdateKind, listed_keys
from compiled_plan.plans.nodes.base import InputProperty, PlanNode
from compiled_plan.plans.nodes.join import JoinAttribute
from compiled_plan.plans.nodes.join import MultiJoin as MultiJoinNode
from compiled_plan.plans.rex import InputRef, RexNode, map_inputs
from compiled_plan.plans.types import RowType

_KINDS = (JoinKind.INNER, JoinKind.LEFT)


@dataclass(frozen=True, slots=True)
class Attribute:
    """An equality: column `left` of input `left_input` equals column `right` of input `right_input`."""

    left_input: int
    left: int
    right_input: int
    right: int


@dataclass(frozen=True, slots=True)
class Chain:
    """A flattened chain of joins: `conditions[i]` is over the columns of inputs 0 to i; `columns` are the output."""

    inputs: tuple[RelNode, ...]
    join_kinds: tuple[JoinKind, ...]
    conditions: tuple[RexNode, ...]
    ttls: tuple[int | None, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PhysicalMultiJoin(PhysicalOperator):
    """Joins of several inputs in sequence, all partitioned by one key."""

    sources: tuple[PhysicalOperator, ...]
    join_kinds: tuple[JoinKind, ...]
    conditions: tuple[RexNode, ...]
    attributes: tuple[Attribute, ...]
    keys: tuple[int, ...]
    ttls: tuple[int | None, ...]
    columns: RowType

    @property
    def inputs(self) -> tuple[PhysicalOperator, ...]:
        return self.sources

    def with_inputs(self, inputs: tuple[PhysicalOperator, ...]) -> PhysicalOperator:
        return replace(self, sources=inputs)

    @property
    def row_type(self) -> RowType:
        return self.columns

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        if JoinKind.LEFT in self.join_kinds:
            return ModifyKinds.ALL
        kinds = ModifyKinds.INSERT
        for item in inputs:
            kinds |= item.modify_kinds
        return kinds

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        return None if wanted is UpdateKind.AFTER else (UpdateKind.BOTH,) * len(inputs)

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        updated = not all(traits.modify_kinds.insert_only for traits in inputs)
        if updated or JoinKind.LEFT in self.join_kinds:
            require_deterministic_condition(self, *self.conditions)
        return columns_by_side(self, columns, [traits.local_keys for traits in inputs])

    def plan_node(self, at: NodeContext) -> PlanNode:
        keys = [item.local_keys for item in at.inputs]
        spread = tuple(InputProperty.spread("HASH", (key,), priority=index) for index, key in enumerate(self.keys))
        return make(MultiJoinNode)(
            **self.header(at, self._text(keys), spread),
            join_types=tuple(cast("Literal['INNER', 'LEFT']", kind.value) for kind in self.join_kinds),
            join_conditions=self.conditions,
            multi_join_condition=conjunction(part for item in self.conditions for part in conjuncts(item)),
            join_attribute_map=self._attribute_map(),
            input_unique_keys=tuple(map(listed_keys, keys)),
            state=tuple(at.entry(f"input-state-{index}", ttl, index) for index, ttl in enumerate(self.ttls)),
        )

    def _attribute_map(self) -> dict[str, tuple[JoinAttribute, ...]]:
        attributes: dict[str, list[JoinAttribute]] = {str(at): [] for at in range(len(self.sources))}
        for item in self.attributes:
            if item.left_input == 0:
                attributes["0"].append(_attribute(-1, -1, 0, item.left))
            attributes[str(item.right_input)].append(
                _attribute(item.left_input, item.left, item.right_input, item.right)
            )
        return {key: tuple(items) for key, items in attributes.items()}

    def title(self) -> str:
        return self._text([frozenset()] * len(self.sources))

    def _text(self, keys: Sequence[Keys]) -> str:
        names = self.columns.names
        inputs = [source.row_type.names for source in self.sources]
        unique = [
            ", ".join(f"({names_text(key, columns)})" for key in listed_keys(unique_keys)) or "noUniqueKey"
            for unique_keys, columns in zip(keys, inputs, strict=True)
        ]
        rows = ", ".join(f"{type_text(item.type)} {item.name}" for item in self.columns.fields)
        conditions = ", ".join(rex_text(item, names) for item in self.conditions[1:])
        kinds = ", ".join(kind.value for kind in self.join_kinds[1:])
        return (
            f"MultiJoin(commonJoinKey=[{inputs[0][self.keys[0]]}], joinTypes=[{kinds}], "
            f"inputUniqueKeys=[{', '.join(unique)}], joinConditions=[{conditions}], "
            f"select=[{','.join(names)}], rowType=[RecordType({rows})])"
        )


def _attribute(left_input: int, left: int, right_input: int, right: int) -> JoinAttribute:
    return make(JoinAttribute)(
        left_input_id=left_input, left_field_index=left, right_input_id=right_input, right_field_index=right
    )


def as_multi_join(rel: Join, at: OperatorPlanner) -> tuple[PhysicalOperator, tuple[int, ...]] | None:
    """One operator for a chain of joins, with its columns that are the join's output; None if there is no chain.

    A chain has three inputs or more, and a key that all of them share.
    """
    chain = _chain(rel)
    if len(chain.inputs) < 3:
        return None
    attributes = _attributes(chain)
    keys = _common_key(attributes, len(chain.inputs))
    if keys is None:
        return None
    sources = tuple(PhysicalExchange(at.lower(item), (key,)) for item, key in zip(chain.inputs, keys, strict=True))
    return PhysicalMultiJoin(
        sources, chain.join_kinds, chain.conditions, attributes, keys, chain.ttls, _row(chain)
    ), chain.columns


def _row(chain: Chain) -> RowType:
    names: list[str] = []
    types = []
    for source, kind in zip(chain.inputs, chain.join_kinds, strict=True):
        names += source.row_type.names
        types += [type_.with_nullability(True) if kind is JoinKind.LEFT else type_ for type_ in source.row_type.types]
    return named_row(names, types)


def _chain(rel: RelNode) -> Chain:
    """The chain down the left side of a join, through projections that only select columns."""
    if isinstance(rel, Join) and rel.kind in _KINDS:
        return _joined(rel)
    if isinstance(rel, Project) and all(isinstance(rex, InputRef) for rex in rel.exprs):
        below = _chain(rel.input)
        if len(below.inputs) > 1:
            chosen = [rex.index for rex in rel.exprs if isinstance(rex, InputRef)]
            return replace(below, columns=tuple(below.columns[index] for index in chosen))
    return Chain((rel,), (JoinKind.INNER,), (TRUE,), (None,), tuple(range(len(rel.row_type.fields))))


def _joined(rel: Join) -> Chain:
    left = _chain(rel.left)
    width = len(rel.left.row_type.fields)
    before = sum(len(item.row_type.fields) for item in left.inputs)

    def place(index: int) -> int:
        return left.columns[index] if index < width else before + index - width

    ttls = left.ttls if len(left.inputs) > 1 else (hinted_ttl(rel.hints, rel.left_aliases),)
    return Chain(
        (*left.inputs, rel.right),
        (*left.join_kinds, rel.kind),
        (*left.conditions, map_inputs(rel.condition, place)),
        (*ttls, hinted_ttl(rel.hints, rel.right_aliases)),
        (*left.columns, *range(before, before + len(rel.right.row_type.fields))),
    )


def _attributes(chain: Chain) -> tuple[Attribute, ...]:
    """The equalities of each condition between a column of an earlier input and one of its own."""
    starts = [0]
    for source in chain.inputs:
        starts.append(starts[-1] + len(source.row_type.fields))

    def owner(column: int) -> tuple[int, int]:
        number = max(at for at, start in enumerate(starts[:-1]) if start <= column)
        return number, column - starts[number]

    attributes: list[Attribute] = []
    for number, condition in enumerate(chain.conditions):
        for part in conjuncts(condition):
            if is_true(part) or not is_call(part, "$=$1"):
                continue
            first_ref, second_ref = part.children()
            if not (isinstance(first_ref, InputRef) and isinstance(second_ref, InputRef)):
                continue
            if not same_representation(first_ref.type, second_ref.type):
                continue
            first, second = sorted((first_ref.index, second_ref.index))
            (left_input, left), (right_input, right) = owner(first), owner(second)
            if left_input < right_input == number:
                attributes.append(Attribute(left_input, left, right_input, right))
    return tuple(attributes)


def _common_key(attributes: Sequence[Attribute], count: int) -> tuple[int, ...] | None:
    """The columns, one per input, of a key that all inputs share."""
    starts = [(0, item.left) for item in attributes if item.left_input == 0]
    for start in dict.fromkeys(starts):
        common = {start[0]: start[1]}
        for item in attributes:
            if common.get(item.left_input) == item.left:
                common.setdefault(item.right_input, item.right)
        if len(common) == count:
            return tuple(common[number] for number in range(count))
    return None

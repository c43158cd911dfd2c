"""Operators without computation: exchanges, unions, constant rows, and the filter for old rows of updates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.kinds import SetKind
from compiled_plan.planner.algebra.nodes import SetOp, Values
from compiled_plan.planner.physical.base import (
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    Single,
    lowers,
    make,
    unsupported,
)
from compiled_plan.planner.physical.describe import names_text
from compiled_plan.planner.physical.traits import NO_KEYS, Key, Keys, Traits, UpdateKind, keys_within
from compiled_plan.plans.nodes.base import InputProperty, PlanNode
from compiled_plan.plans.nodes.scan import Values as ValuesNode
from compiled_plan.plans.nodes.stateless import DropUpdateBefore as DropUpdateBeforeNode
from compiled_plan.plans.nodes.stateless import Exchange as ExchangeNode
from compiled_plan.plans.nodes.stateless import Union as UnionNode
from compiled_plan.plans.rex import Literal, RexNode
from compiled_plan.plans.types import CharacterType, RowType


@dataclass(frozen=True, slots=True)
class PhysicalExchange(Single):
    """Partitions rows by `keys`; without keys, all rows go to one task."""

    keys: tuple[int, ...]

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return keys_within(inputs[0].upsert_keys, Key(self.keys)) if self.keys else inputs[0].upsert_keys

    def local_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return inputs[0].upsert_keys

    def plan_node(self, at: NodeContext) -> PlanNode:
        spread = InputProperty.spread("HASH", self.keys) if self.keys else InputProperty.spread("SINGLETON")
        return make(ExchangeNode)(**self.header(at, inputs=(spread,)))

    def title(self) -> str:
        if not self.keys:
            return "Exchange(distribution=[single])"
        return f"Exchange(distribution=[hash[{names_text(self.keys, self.row_type.names)}]])"


@dataclass(frozen=True, slots=True)
class PhysicalDropUpdateBefore(Single):
    """Drops the old rows of updates for a consumer with an upsert key."""

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(DropUpdateBeforeNode)(**self.header(at))

    def title(self) -> str:
        return "DropUpdateBefore"


@dataclass(frozen=True, slots=True)
class PhysicalUnion(PhysicalOperator):
    sources: tuple[PhysicalOperator, ...]
    columns: RowType

    @property
    def inputs(self) -> tuple[PhysicalOperator, ...]:
        return self.sources

    def with_inputs(self, inputs: tuple[PhysicalOperator, ...]) -> PhysicalOperator:
        return replace(self, sources=inputs)

    @property
    def row_type(self) -> RowType:
        return self.columns

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(UnionNode)(**self.header(at))

    def title(self) -> str:
        return f"Union(all=[true], union=[{', '.join(self.row_type.names)}])"


@dataclass(frozen=True, slots=True)
class PhysicalValues(PhysicalOperator):
    """Constant rows of the program."""

    rows: tuple[tuple[RexNode, ...], ...]
    columns: RowType

    @property
    def row_type(self) -> RowType:
        return self.columns

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return frozenset({Key()}) if len(self.rows) <= 1 else NO_KEYS

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        return ()

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(ValuesNode)(**self.header(at), tuples=self.rows)

    def title(self) -> str:
        rows = ", ".join("{ " + ", ".join(map(_cell, row)) + " }" for row in self.rows)
        return f"Values(tuples=[[{rows}]])"


def _cell(rex: RexNode) -> str:
    if not isinstance(rex, Literal):
        return "?"
    if rex.value is None:
        return "null"
    return f"_UTF-16LE'{rex.value}'" if isinstance(rex.type, CharacterType) else str(rex.value)


@lowers(SetOp)
def _lower_set_operation(rel: SetOp, at: OperatorPlanner) -> PhysicalOperator:
    if rel.kind is not SetKind.UNION or not rel.all:
        raise unsupported(f"{rel.kind.value}{' ALL' if rel.all else ''}")
    sources: list[PhysicalOperator] = []
    for source in rel.sources:
        lowered = at.lower(source)
        sources.extend(lowered.sources if isinstance(lowered, PhysicalUnion) else (lowered,))
    return PhysicalUnion(tuple(sources), rel.columns)


@lowers(Values)
def _lower_values(rel: Values, at: OperatorPlanner) -> PhysicalOperator:
    if not all(isinstance(cell, Literal) for row in rel.rows for cell in row):
        raise unsupported("VALUES with expressions that are not constant")
    return PhysicalValues(rel.rows, rel.columns)

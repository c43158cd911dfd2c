"""Regular joins: both sides are kept in state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.expressions import conjunction
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Join
from compiled_plan.planner.algebra.rows import join_row_type
from compiled_plan.planner.physical.base import (
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    any_distribution,
    lowers,
    make,
)
from compiled_plan.planner.physical.calc import calc_over
from compiled_plan.planner.physical.describe import rex_text
from compiled_plan.planner.physical.equi_keys import JOIN_TITLES, EquiKeys, equi_keys
from compiled_plan.planner.physical.hints import hinted_ttl, is_hinted
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.python_conditions import python_above
from compiled_plan.planner.physical.traits import Key, Keys, ModifyKinds, Traits, UpdateKind, listed_keys
from compiled_plan.plans.nodes.base import PlanNode, StateEntry
from compiled_plan.plans.nodes.join import Join as JoinNode
from compiled_plan.plans.nodes.specs import JoinSpec
from compiled_plan.plans.rex import InputRef, RexNode, calls_python
from compiled_plan.plans.text.durations import format_duration
from compiled_plan.plans.types import RowType


@dataclass(frozen=True, slots=True)
class PhysicalJoin(PhysicalOperator):
    """A join; TTLs in milliseconds, None: that of the program."""

    left: PhysicalOperator
    right: PhysicalOperator
    kind: JoinKind
    condition: RexNode
    keys: EquiKeys
    columns: RowType
    left_ttl: int | None
    right_ttl: int | None

    @property
    def inputs(self) -> tuple[PhysicalOperator, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[PhysicalOperator, ...]) -> PhysicalOperator:
        return replace(self, left=inputs[0], right=inputs[1])

    @property
    def row_type(self) -> RowType:
        return self.columns

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        if self.kind in (JoinKind.INNER, JoinKind.SEMI):
            return inputs[0].modify_kinds | inputs[1].modify_kinds
        return ModifyKinds.ALL

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        left = inputs[0].upsert_keys
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return left
        right = inputs[1].upsert_keys
        width = len(self.left.row_type.fields)
        moved = frozenset(Key(index + width for index in key) for key in right)
        found = {one | other for one in left for other in moved}
        # The padded side's key is null for unmatched rows, so it identifies nothing.
        if self._is_unique(1, inputs) and self.kind in (JoinKind.INNER, JoinKind.LEFT):
            found |= left
        if self._is_unique(0, inputs) and self.kind in (JoinKind.INNER, JoinKind.RIGHT):
            found |= moved
        return frozenset(found)

    def _is_unique(self, side: int, inputs: tuple[Traits, ...]) -> bool:
        columns = Key((self.keys.left, self.keys.right)[side])
        return any(key <= columns for key in inputs[side].local_keys)

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        if wanted is UpdateKind.AFTER:
            sides = range(2)
            if any(inputs[side].modify_kinds.updates and not self._is_unique(side, inputs) for side in sides):
                return None
            return (UpdateKind.AFTER, UpdateKind.AFTER)
        return (UpdateKind.BOTH, UpdateKind.BOTH)

    def plan_node(self, at: NodeContext) -> PlanNode:
        spec = make(JoinSpec)(
            join_type=self.kind.value,
            left_keys=self.keys.left,
            right_keys=self.keys.right,
            filter_nulls=self.keys.filter_nulls,
            non_equi_condition=conjunction(self.keys.rest) if self.keys.rest else None,
        )
        ttls = [at.settings.ttl if ttl is None else format_duration(ttl) for ttl in (self.left_ttl, self.right_ttl)]
        sides = [listed_keys(item.local_keys) for item in at.inputs]
        return make(JoinNode)(
            id=at.id,
            join_spec=spec,
            left_upsert_keys=sides[0],
            right_upsert_keys=sides[1],
            state=(
                make(StateEntry)(index=0, ttl=ttls[0], name="leftState"),
                make(StateEntry)(index=1, ttl=ttls[1], name="rightState"),
            ),
            input_properties=any_distribution(2),
            output_type=self.row_type,
            description=f"{self.title()[:-1]}, leftInputSpec=[{_spec(self.keys.left, at.inputs[0])}], "
            f"rightInputSpec=[{_spec(self.keys.right, at.inputs[1])}])",
        )

    def title(self) -> str:
        names = self.columns.names
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            names = join_row_type(self.left.row_type, self.right.row_type, JoinKind.INNER).names
        where = rex_text(self.condition, names)
        select = ", ".join(self.columns.names)
        return f"Join(joinType=[{JOIN_TITLES[self.kind]}], where=[{where}], select=[{select}])"


def _spec(columns: Sequence[int], side: Traits) -> str:
    if not side.local_keys:
        return "NoUniqueKey"
    if any(key <= Key(columns) for key in side.local_keys):
        return "JoinKeyContainsUniqueKey"
    return "HasUniqueKey"


@lowers(Join)
def _lower_join(rel: Join, at: OperatorPlanner) -> PhysicalOperator:
    if calls_python(rel.condition):
        return python_above(rel, at)
    if at.settings.boolean("table.optimizer.multi-join.enabled") or is_hinted(rel.hints, "MULTI_JOIN"):
        from compiled_plan.planner.physical.multi_join import as_multi_join

        many = as_multi_join(rel, at)
        if many is not None:
            operator, columns = many
            row = operator.row_type
            exprs = tuple(InputRef(index, row.types[index]) for index in columns)
            return calc_over(operator, exprs, None, rel.row_type)
    left, right = at.lower(rel.left), at.lower(rel.right)
    keys = equi_keys(rel.condition, len(rel.left.row_type.fields))
    spread = keys.left if keys.left else None
    return PhysicalJoin(
        left=PhysicalExchange(left, spread),
        right=PhysicalExchange(right, keys.right if keys.right else None),
        kind=rel.kind,
        condition=rel.condition,
        keys=keys,
        columns=rel.row_type,
        left_ttl=hinted_ttl(rel.hints, rel.left_aliases),
        right_ttl=hinted_ttl(rel.hints, rel.right_aliases),
    )

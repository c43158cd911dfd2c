"""Regular joins, with both sides in state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Join
from compiled_plan.planner.algebra.rows import join_row_type
from compiled_plan.planner.physical.base import NodeContext, OperatorPlanner, PhysicalOperator, lowers, make
from compiled_plan.planner.physical.calc import calc_over
from compiled_plan.planner.physical.describe import rex_text
from compiled_plan.planner.physical.hints import hinted_ttl, is_hinted
from compiled_plan.planner.physical.joining import JOIN_TITLES, TwoSided, equi_keys
from compiled_plan.planner.physical.multi_join import as_multi_join
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.python_conditions import python_above
from compiled_plan.planner.physical.traits import Key, Keys, ModifyKinds, Traits, UpdateKind, listed_keys
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.join import Join as JoinNode
from compiled_plan.plans.rex import InputRef, RexNode, calls_python


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalJoin(TwoSided):
    """A regular join; TTLs in milliseconds, None: that of the program."""

    condition: RexNode
    left_ttl: int | None
    right_ttl: int | None

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
        keys = {left_key | right_key for left_key in left for right_key in moved}
        # The padded side's key is null for unmatched rows, and so identifies no row.
        if self._is_unique(1, inputs) and self.kind in (JoinKind.INNER, JoinKind.LEFT):
            keys |= left
        if self._is_unique(0, inputs) and self.kind in (JoinKind.INNER, JoinKind.RIGHT):
            keys |= moved
        return frozenset(keys)

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
        sides = [listed_keys(item.local_keys) for item in at.inputs]
        left, right = _spec(self.keys.left, at.inputs[0]), _spec(self.keys.right, at.inputs[1])
        text = f"{self.title()[:-1]}, leftInputSpec=[{left}], rightInputSpec=[{right}])"
        return make(JoinNode)(
            **self.header(at, text),
            join_spec=self.spec,
            left_upsert_keys=sides[0],
            right_upsert_keys=sides[1],
            state=(at.entry("leftState", self.left_ttl), at.entry("rightState", self.right_ttl, 1)),
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
        many = as_multi_join(rel, at)
        if many is not None:
            operator, columns = many
            row = operator.row_type
            exprs = tuple(InputRef(index, row.types[index]) for index in columns)
            return calc_over(operator, exprs, None, rel.row_type)
    left, right = at.lower(rel.left), at.lower(rel.right)
    keys = equi_keys(rel.condition, len(rel.left.row_type.fields))
    return PhysicalJoin(
        left=PhysicalExchange(left, keys.left),
        right=PhysicalExchange(right, keys.right),
        kind=rel.kind,
        condition=rel.condition,
        keys=keys,
        columns=rel.row_type,
        left_ttl=hinted_ttl(rel.hints, rel.left_aliases),
        right_ttl=hinted_ttl(rel.hints, rel.right_aliases),
    )

"""Table functions applied to every row: UNNEST, user functions, and row replication."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.expressions import contains, is_true, shift
from compiled_plan.planner.algebra.kinds import JoinKind
from compiled_plan.planner.algebra.nodes import Correlate, TableFunctionScan
from compiled_plan.planner.algebra.rex import OuterRef
from compiled_plan.planner.algebra.rows import identity
from compiled_plan.planner.physical.base import (
    NewColumns,
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    lowers,
    make,
    unsupported,
)
from compiled_plan.planner.physical.calc import PhysicalCalc
from compiled_plan.planner.physical.describe import rex_text, type_text
from compiled_plan.planner.physical.requirements import require_deterministic_column, require_deterministic_condition
from compiled_plan.planner.physical.traits import Key, Traits
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.stateless import Correlate as CorrelateNode
from compiled_plan.plans.rex import Call, CorrelVariable, FieldAccess, InputRef, RexNode, calls_python, transform
from compiled_plan.plans.types import RowType

#: Repeats a row as often as its first argument says; Flink plans it over columns, without a correlation variable.
REPLICATE_ROWS = "$REPLICATE_ROWS$1"


@dataclass(frozen=True, slots=True)
class PhysicalCorrelate(NewColumns):
    """Every row with each row of its table function; `left` keeps rows without any."""

    call: RexNode
    left: bool
    condition: RexNode | None

    def deterministic_columns(self, columns: Key, inputs: tuple[Traits, ...]) -> Sequence[Iterable[int]]:
        width = len(self.input.row_type.fields)
        if columns and not inputs[0].modify_kinds.insert_only:
            require_deterministic_condition(self, self.condition)
            for column in sorted(column for column in columns if column >= width):
                require_deterministic_column(self, column, self.call)
        return [{column for column in columns if column < width}]

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(CorrelateNode)(
            **self.header(at),
            join_type="LEFT" if self.left else "INNER",
            function_call=self.call,
            condition=self.condition,
        )

    def title(self) -> str:
        names = self.row_type.names
        kind = "LEFT" if self.left else "INNER"
        rows = ", ".join(f"{type_text(item.type)} {item.name}" for item in self.columns.fields)
        return (
            f"Correlate(invocation=[{rex_text(self.call, ())}], correlate=[table({rex_text(self.call, names)})], "
            f"select=[{','.join(names)}], rowType=[RecordType({rows})], joinType=[{kind}])"
        )


@lowers(Correlate)
def _lower_correlate(rel: Correlate, at: OperatorPlanner) -> PhysicalOperator:
    if not isinstance(rel.right, TableFunctionScan):
        raise unsupported(
            "a correlated subquery of this form", remedy="join the tables with ON, or aggregate before joining"
        )
    if rel.kind not in (JoinKind.INNER, JoinKind.LEFT):
        raise unsupported(f"a {rel.kind.value} join with a table function")
    source = at.lower(rel.left)
    row = rel.row_type
    call = _with_correlation(rel.right.call, rel, source.row_type)
    condition = None if is_true(rel.condition) else rel.condition
    above: RexNode | None = None
    if condition is not None and rel.kind is JoinKind.INNER:
        condition, above = None, condition
    elif calls_python(condition):
        raise unsupported(
            "LEFT JOIN with a table function ON a Python function", remedy="use ON TRUE, and filter in a query above"
        )
    elif condition is not None and contains(
        condition, lambda rex: isinstance(rex, InputRef) and rex.index < len(source.row_type.fields)
    ):
        raise unsupported("LEFT JOIN with a table function ON a condition over the left side", remedy="use ON TRUE")
    elif condition is not None:
        condition = shift(condition, -len(source.row_type.fields))
    correlate = PhysicalCorrelate(source, call, rel.kind is JoinKind.LEFT, condition, columns=row)
    return correlate if above is None else PhysicalCalc(correlate, identity(row), above, columns=row)


def _with_correlation(call: RexNode, rel: Correlate, row: RowType) -> RexNode:
    """The call with references to the left row as fields of the correlation variable; as columns for REPLICATE_ROWS."""
    variable = CorrelVariable("$cor0", row.with_nullability(False))
    by_place = isinstance(call, Call) and call.name == REPLICATE_ROWS

    def change(node: RexNode) -> RexNode:
        if isinstance(node, OuterRef) and node.name == rel.name:
            reference = InputRef(node.index, row.types[node.index])
            return reference if by_place else FieldAccess(variable, row.names[node.index])
        return node

    return transform(call, change)

"""Pattern matching with MATCH_RECOGNIZE."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.timed import Match
from compiled_plan.planner.algebra.traverse import bare
from compiled_plan.planner.physical.base import NewRows, NodeContext, OperatorPlanner, PhysicalOperator, lowers, make
from compiled_plan.planner.physical.describe import names_text, order_text, rex_text
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.rank import sort_spec
from compiled_plan.planner.physical.requirements import require_insert_only
from compiled_plan.planner.physical.traits import ModifyKinds
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.match import Match as MatchNode
from compiled_plan.plans.nodes.match import MatchSpec
from compiled_plan.plans.nodes.specs import PartitionSpec
from compiled_plan.plans.types import RowType
from compiled_plan.plans.types.temporal import is_attribute, is_rowtime


@dataclass(frozen=True, slots=True)
class PhysicalMatch(NewRows):
    """A row for each match of a pattern in a partition's rows, ordered by time."""

    GIVES = ModifyKinds.INSERT

    spec: Match

    @property
    def row_type(self) -> RowType:
        return self.spec.columns

    @property
    def needs_watermark(self) -> bool:
        return is_rowtime(self.input.row_type.types[self.spec.order[0].index])

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(MatchNode)(
            **self.header(at),
            match_spec=make(MatchSpec)(
                pattern=self.spec.pattern,
                pattern_definitions=dict(self.spec.definitions),
                measures=dict(self.spec.measures),
                after=self.spec.after,
                subsets=dict(self.spec.subsets),
                all_rows=False,
                partition=make(PartitionSpec)(fields=self.spec.partition),
                order_by=sort_spec(self.spec.order),
                interval=self.spec.interval,
            ),
        )

    def title(self) -> str:
        names = self.input.row_type.names
        partition = f"partitionBy=[{names_text(self.spec.partition, names)}], " if self.spec.partition else ""
        measures = ", ".join(f"{rex_text(rex, names)} AS {name}" for name, rex in self.spec.measures)
        return (
            f"Match({partition}orderBy=[{order_text(self.spec.order, names)}], measures=[{measures}], "
            "rowsPerMatch=[ONE ROW PER MATCH])"
        )


@lowers(Match)
def _lower_match(rel: Match, at: OperatorPlanner) -> PhysicalOperator:
    source = PhysicalExchange(at.lower(rel.input), rel.partition)
    if not is_attribute(source.row_type.types[rel.order[0].index]):
        raise ProgramError(
            "MATCH_RECOGNIZE must be ordered by a rowtime or proctime attribute first",
            remedy="write ORDER BY with a time attribute; a regular join or an aggregate makes it a plain timestamp",
        )
    require_insert_only("Match Recognize", source, at)
    return PhysicalMatch(source, bare(rel))

"""MATCH_RECOGNIZE."""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.kinds import is_rowtime, is_time
from compiled_plan.planner.algebra.nodes import SortKey
from compiled_plan.planner.algebra.timed import Match
from compiled_plan.planner.physical.base import (
    NewColumns,
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    lowers,
    make,
)
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
from compiled_plan.plans.rex import Literal, RexNode


@dataclass(frozen=True, slots=True)
class PhysicalMatch(NewColumns):
    """A row for each match of a pattern in the rows of a partition, by time."""

    GIVES = ModifyKinds.INSERT

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    pattern: RexNode
    definitions: tuple[tuple[str, RexNode], ...]
    measures: tuple[tuple[str, RexNode], ...]
    after: RexNode
    subsets: tuple[tuple[str, tuple[str, ...]], ...]
    interval: Literal | None

    @property
    def needs_watermark(self) -> bool:
        return is_rowtime(self.input.row_type.types[self.order[0].index])

    def plan_node(self, at: NodeContext) -> PlanNode:
        return make(MatchNode)(
            **self.header(at),
            match_spec=make(MatchSpec)(
                pattern=self.pattern,
                pattern_definitions=dict(self.definitions),
                measures=dict(self.measures),
                after=self.after,
                subsets=dict(self.subsets),
                all_rows=False,
                partition=make(PartitionSpec)(fields=self.partition),
                order_by=sort_spec(self.order),
                interval=self.interval,
            ),
        )

    def title(self) -> str:
        names = self.input.row_type.names
        partition = f"partitionBy=[{names_text(self.partition, names)}], " if self.partition else ""
        measures = ", ".join(f"{rex_text(rex, names)} AS {name}" for name, rex in self.measures)
        return (
            f"Match({partition}orderBy=[{order_text(self.order, names)}], measures=[{measures}], "
            "rowsPerMatch=[ONE ROW PER MATCH])"
        )


@lowers(Match)
def _lower_match(rel: Match, at: OperatorPlanner) -> PhysicalOperator:
    source = PhysicalExchange(at.lower(rel.input), rel.partition)
    if not is_time(source.row_type.types[rel.order[0].index]):
        raise ProgramError(
            "MATCH_RECOGNIZE must be ordered by a rowtime or proctime attribute first",
            remedy="write ORDER BY with a time attribute; a regular join or an aggregate makes it a plain timestamp",
        )
    require_insert_only("Match Recognize", source, at)
    return PhysicalMatch(
        source,
        rel.partition,
        rel.order,
        rel.pattern,
        rel.definitions,
        rel.measures,
        rel.after,
        rel.subsets,
        rel.interval,
        columns=rel.columns,
    )

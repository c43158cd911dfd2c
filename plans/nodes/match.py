"""MATCH_RECOGNIZE."""

from __future__ import annotations

from plans.nodes.base import Bool, Enforcing, Nullable, PlanModel, PlanNode
from plans.nodes.fields import RexJson
from plans.nodes.specs import PartitionSpec, SortSpec


class MatchSpec(PlanModel):
    """A pattern over ordered rows."""

    pattern: RexJson
    pattern_definitions: dict[str, RexJson]
    measures: dict[str, RexJson]
    after: RexJson
    subsets: dict[str, tuple[str, ...]]
    all_rows: Bool
    partition: PartitionSpec
    order_by: SortSpec
    interval: Nullable[RexJson] = None


class Match(PlanNode):
    """Finds a pattern in each partition."""

    NAME = "stream-exec-match"
    KEEPS_STATE = True

    match_spec: Enforcing[MatchSpec]

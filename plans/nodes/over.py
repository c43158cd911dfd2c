"""OVER aggregates."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from plans.nodes.base import Always, Bool, Enforcing, Int, PlanModel, PlanNode
from plans.nodes.fields import RexJson
from plans.nodes.specs import AggregateCall, PartitionSpec, SortSpec


class CurrentRow(PlanModel):
    """`CURRENT ROW`."""

    kind: Always[Literal["CURRENT_ROW"]] = "CURRENT_ROW"


class UnboundedPreceding(PlanModel):
    """`UNBOUNDED PRECEDING`."""

    kind: Always[Literal["UNBOUNDED_PRECEDING"]] = "UNBOUNDED_PRECEDING"


class UnboundedFollowing(PlanModel):
    """`UNBOUNDED FOLLOWING`."""

    kind: Always[Literal["UNBOUNDED_FOLLOWING"]] = "UNBOUNDED_FOLLOWING"


class BoundedWindow(PlanModel):
    """`n PRECEDING` or `n FOLLOWING`; `offset` refers to a constant, after the input's columns."""

    kind: Always[Literal["BOUNDED_WINDOW"]] = "BOUNDED_WINDOW"
    is_preceding: Bool | None = None
    is_following: Bool | None = None
    offset: RexJson


Bound = Annotated[CurrentRow | UnboundedPreceding | UnboundedFollowing | BoundedWindow, Field(discriminator="kind")]


class OverGroup(PlanModel):
    """Aggregates over one window of rows or of time."""

    order_by: SortSpec
    is_rows: Bool
    lower_bound: Bound
    upper_bound: Bound
    agg_calls: tuple[AggregateCall, ...]


class OverSpec(PlanModel):
    """All OVER windows of one node. Columns from `original_input_fields` on stand for `constants`."""

    partition: PartitionSpec
    groups: tuple[OverGroup, ...]
    constants: tuple[RexJson, ...]
    original_input_fields: Int


class OverAggregate(PlanNode):
    """Adds aggregates over earlier rows to each row."""

    NAME = "stream-exec-over-aggregate"
    KEEPS_STATE = True
    TAIL: ClassVar[tuple[str, ...]] = ("unbounded_over_version",)

    over_spec: Enforcing[OverSpec]
    unbounded_over_version: Enforcing[Int] = Field(default=1)

    @property
    def forgets_idle_keys(self) -> bool:
        """All but windows of the last interval of time: those clean up by time alone, in Flink 2.3, too."""
        group = self.over_spec.groups[0]
        return group.is_rows or isinstance(group.lower_bound, UnboundedPreceding)

"""Window operators. Watermarks clean their state: they have no `state` array, hence no TTL."""

from __future__ import annotations

from typing import ClassVar

from plans.nodes.base import TWO_INPUTS, Bool, Enforcing, Int, PlanNode
from plans.nodes.fields import RowTypeJson
from plans.nodes.ranks import RankRange, RankType
from plans.nodes.specs import AggregateCall, JoinSpec, PartitionSpec, SortSpec
from plans.nodes.windows import GroupWindow, NamedWindowProperty, SessionWindow, Windowing

#: Why there are no entries to edit.
CLEANED = "watermarks (or the clock) end windows, and what was kept for a window goes with it"


class WindowTableFunction(PlanNode):
    """TUMBLE, HOP, CUMULATE or SESSION over a table: adds the window's columns."""

    NAME = "stream-exec-window-table-function"
    WITHOUT_ENTRIES = CLEANED
    KEEPS_STATE = True

    windowing: Enforcing[Windowing]

    @property
    def keeps_state(self) -> bool:
        """Sessions hold their rows until they are complete; other windows follow from a row alone."""
        return isinstance(self.windowing.window, SessionWindow)


class WindowAggregate(PlanNode):
    """Aggregates by window and columns, in one phase."""

    NAME = "stream-exec-window-aggregate"
    WITHOUT_ENTRIES = CLEANED
    KEEPS_STATE = True

    grouping: Enforcing[tuple[Int, ...]]
    agg_calls: Enforcing[tuple[AggregateCall, ...]]
    windowing: Enforcing[Windowing]
    named_window_properties: tuple[NamedWindowProperty, ...]
    need_retraction: Enforcing[Bool]


class LocalWindowAggregate(PlanNode):
    """The first phase of a window aggregate, before the exchange."""

    NAME = "stream-exec-local-window-aggregate"
    WITHOUT_ENTRIES = CLEANED

    grouping: tuple[Int, ...]
    agg_calls: tuple[AggregateCall, ...]
    windowing: Windowing
    need_retraction: Bool


class GlobalWindowAggregate(PlanNode):
    """The second phase of a window aggregate."""

    NAME = "stream-exec-global-window-aggregate"
    WITHOUT_ENTRIES = CLEANED
    KEEPS_STATE = True
    PLACED_AFTER: ClassVar[dict[str, str]] = {"local_agg_input_row_type": "input_properties"}

    grouping: Enforcing[tuple[Int, ...]]
    agg_calls: Enforcing[tuple[AggregateCall, ...]]
    windowing: Enforcing[Windowing]
    named_window_properties: tuple[NamedWindowProperty, ...]
    need_retraction: Enforcing[Bool]
    local_agg_input_row_type: Enforcing[RowTypeJson]


class GroupWindowAggregate(PlanNode):
    """Aggregates by a window in GROUP BY, the older syntax."""

    NAME = "stream-exec-group-window-aggregate"
    WITHOUT_ENTRIES = CLEANED
    KEEPS_STATE = True

    grouping: Enforcing[tuple[Int, ...]]
    agg_calls: Enforcing[tuple[AggregateCall, ...]]
    window: Enforcing[GroupWindow]
    named_window_properties: tuple[NamedWindowProperty, ...]
    need_retraction: Enforcing[Bool]


class WindowJoin(PlanNode):
    """Joins the rows of one window."""

    NAME = "stream-exec-window-join"
    WITHOUT_ENTRIES = CLEANED
    INPUTS = TWO_INPUTS
    KEEPS_STATE = True

    join_spec: Enforcing[JoinSpec]
    left_windowing: Enforcing[Windowing]
    right_windowing: Enforcing[Windowing]


class WindowRank(PlanNode):
    """The first rows of each window and partition."""

    NAME = "stream-exec-window-rank"
    WITHOUT_ENTRIES = CLEANED
    KEEPS_STATE = True

    rank_type: RankType
    partition_spec: Enforcing[PartitionSpec]
    sort_spec: Enforcing[SortSpec]
    rank_range: Enforcing[RankRange]
    output_row_number: Bool
    windowing: Enforcing[Windowing]


class WindowDeduplicate(PlanNode):
    """The first or last row of each window and key."""

    NAME = "stream-exec-window-deduplicate"
    WITHOUT_ENTRIES = CLEANED
    KEEPS_STATE = True

    partition_keys: Enforcing[tuple[Int, ...]]
    order_key: Enforcing[Int]
    keep_last_row: Enforcing[Bool]
    windowing: Enforcing[Windowing]

"""Legacy group windows: `GROUP BY TUMBLE(ts, ...)`.

Source: Flink's page "Group Window Aggregation"; Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.windows import ByTime, GroupWindowAggregate, Property, WindowKind
from compiled_plan.planner.physical.aggregate import check_distinct, group_text, plan_call
from compiled_plan.planner.physical.base import (
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    lowers,
    make,
)
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.traits import Key, Keys, MiniBatchMode, Traits
from compiled_plan.planner.physical.window_aggregate import Calls, PerWindow
from compiled_plan.planner.physical.windowing import ALIAS, check_emission, plan_properties
from compiled_plan.plans.nodes import windows as w
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.window import GroupWindowAggregate as GroupWindowAggregateNode
from compiled_plan.plans.text.durations import format_iso_duration

_GROUP_WINDOW_OPTIONS = (
    "table.exec.mini-batch.enabled",
    "table.exec.mini-batch.size",
    "table.local-time-zone",
)


@dataclass(frozen=True, slots=True)
class PhysicalGroupWindowAggregate(PerWindow):
    """Aggregation by a legacy group window."""

    windowing: ByTime

    @property
    def batches(self) -> MiniBatchMode | None:
        return MiniBatchMode.NONE

    def plan_node(self, at: NodeContext) -> PlanNode:
        self.check_methods(self.windowing, not at.inputs[0].modify_kinds.insert_only)
        return make(GroupWindowAggregateNode)(
            **self.header(at),
            configuration=at.settings.subset(*_GROUP_WINDOW_OPTIONS),
            grouping=self.spec.grouping,
            agg_calls=tuple(map(plan_call, self.spec.calls)),
            window=_group_window(self.windowing, self.input.row_type.names),
            named_window_properties=plan_properties(self.spec.properties, self.windowing.time),
            need_retraction=not at.inputs[0].modify_kinds.insert_only,
        )

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        """The grouping with any column that identifies the window."""
        groups = range(len(self.spec.grouping))
        first = len(self.spec.grouping) + len(self.spec.calls)
        return frozenset(
            Key((*groups, first + at))
            for at, (_, kind) in enumerate(self.spec.properties)
            if kind is not Property.PROCTIME
        )

    def title(self) -> str:
        names = self.input.row_type.names
        window, time = self.windowing.window, names[self.windowing.index]
        lengths = ", ".join(str(length) for length in (window.size, window.step) if length is not None)
        kind = {WindowKind.TUMBLE: "Tumbling", WindowKind.HOP: "Sliding"}.get(window.kind, "Session")
        group = group_text(self.spec.grouping, names)
        shown = ", ".join(name for name, _ in self.spec.properties)
        properties = f"properties=[{shown}], " if shown else ""
        return (
            f"GroupWindowAggregate({group}window=[{kind}GroupWindow('{ALIAS}, {time}, {lengths})], {properties}"
            f"select=[{self.spec.select_text(names, False)}])"
        )


def _group_window(windowing: ByTime, names: Sequence[str]) -> w.GroupWindow:
    window, time = windowing.window, windowing.time
    alias = make(w.WindowReference)(name=ALIAS, type=time)
    field = make(w.TimeField)(
        field_name=names[windowing.index], field_index=windowing.index, input_index=0, field_type=time
    )
    size = format_iso_duration(window.size)
    if window.kind is WindowKind.SESSION:
        return make(w.SessionGroupWindow)(alias=alias, time_field=field, gap=size)
    if window.kind is WindowKind.HOP:
        slide = format_iso_duration(window.step or 0)
        return make(w.SlidingGroupWindow)(alias=alias, time_field=field, is_time_window=True, size=size, slide=slide)
    return make(w.TumblingGroupWindow)(alias=alias, time_field=field, is_time_window=True, size=size)


@lowers(GroupWindowAggregate)
def _lower_group_window(rel: GroupWindowAggregate, at: OperatorPlanner) -> PhysicalOperator:
    check_emission(at.settings)
    source = PhysicalExchange(at.lower(rel.input), rel.grouping)
    check_distinct(rel.calls, source.row_type)
    spec = Calls(rel.grouping, rel.calls, rel.properties, rel.columns)
    return PhysicalGroupWindowAggregate(source, spec, ByTime(rel.window, rel.time, rel.index))

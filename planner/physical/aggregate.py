"""Group aggregates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiled_plan.planner.algebra.nodes import Aggregate, AggregateCall, FunctionName
from compiled_plan.planner.physical.base import (
    NewColumns,
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    lowers,
    make,
    unsupported,
)
from compiled_plan.planner.physical.describe import names_text, plain_name
from compiled_plan.planner.physical.hints import hinted_ttl
from compiled_plan.planner.physical.plumbing import PhysicalExchange
from compiled_plan.planner.physical.traits import Key, Keys, ModifyKinds, Monotonicity, Traits, UpdateKind
from compiled_plan.planner.physical.user_functions import check_methods
from compiled_plan.plans.nodes.aggregate import GroupAggregate as GroupAggregateNode
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.specs import AggregateCall as PlanCall
from compiled_plan.plans.types import BytesType, FieldsType, MapType, MultisetType, RowType

#: Names of calls that are no column of the query.
_GENERATED = re.compile(r"\$f\d+|agg#\d+")
_GROWING = frozenset(("$COUNT$1", "$MAX$1"))
_SHRINKING = frozenset(("$MIN$1",))
#: Types that Flink cannot compare for a DISTINCT argument (AggregateUtil, "Distinct aggregate function").
_NOT_DISTINCT = (BytesType, FieldsType, MapType, MultisetType)


@dataclass(frozen=True, slots=True)
class PhysicalGroupAggregate(NewColumns):
    """Group aggregation by `grouping` that emits every change immediately.

    `ttl` in milliseconds, None: the program's. `split`: one half of a split DISTINCT aggregate.
    """

    NEEDS = UpdateKind.BOTH
    BY_WHOLE_ROW = True

    grouping: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    ttl: int | None
    split: bool = False
    update_before: bool = False

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        return ModifyKinds.INSERT | ModifyKinds.UPDATE if inputs[0].modify_kinds.insert_only else ModifyKinds.ALL

    def upsert_keys(self, inputs: tuple[Traits, ...]) -> Keys:
        return frozenset({Key(range(len(self.grouping)))})

    def monotonicity(self, inputs: tuple[Traits, ...]) -> tuple[Monotonicity, ...]:
        moving = tuple(_trend(call, inputs[0]) for call in self.calls)
        return (Monotonicity.CONSTANT,) * len(self.grouping) + moving

    def sending(self, wanted: UpdateKind) -> PhysicalOperator:
        return replace(self, update_before=wanted is UpdateKind.BOTH)

    def plan_node(self, at: NodeContext) -> PlanNode:
        retractions = self.retractions(at.inputs[0])
        check_methods(zip(self.calls, retractions, strict=True), "retract", "its input has updates or deletes")
        return make(GroupAggregateNode)(
            **self.header(at, self._text(retractions)),
            configuration=at.settings.mini_batch,
            grouping=self.grouping,
            agg_calls=tuple(map(plan_call, self.calls)),
            agg_call_need_retractions=retractions,
            generate_update_before=self.update_before,
            need_retraction=not at.inputs[0].modify_kinds.insert_only,
            state=(at.entry("groupAggregateState", self.ttl),),
        )

    def retractions(self, input_traits: Traits) -> tuple[bool, ...]:
        """Per call, True if it must support retraction: False if its values only move in the aggregate's direction."""
        if input_traits.modify_kinds.insert_only:
            return (False,) * len(self.calls)
        if any(input_traits.monotonicity[index] is not Monotonicity.CONSTANT for index in self.grouping):
            # an updated row may leave its group, which then retracts its values
            return (True,) * len(self.calls)
        return tuple(not _moves_along(call, input_traits) for call in self.calls)

    def title(self) -> str:
        return self._text((False,) * len(self.calls))

    def _text(self, retractions: tuple[bool, ...]) -> str:
        names = self.input.row_type.names
        own = self.columns.names
        group = group_text(self.grouping, names)
        parts = list(own[: len(self.grouping)])
        for call, name, retract in zip(self.calls, own[len(self.grouping) :], retractions, strict=True):
            parts.append(f"{call_text(call, names, retract)} AS {name}")
        return f"GroupAggregate({group}select=[{', '.join(parts)}])"


def group_text(grouping: Sequence[int], names: Sequence[str]) -> str:
    """The grouping columns as a text prefix; empty without grouping."""
    return f"groupBy=[{names_text(grouping, names)}], " if grouping else ""


def call_text(call: AggregateCall, names: tuple[str, ...], retract: bool = False) -> str:
    """An aggregate call as text, `SUM_RETRACT(DISTINCT a) FILTER b`."""
    args = ", ".join(names[index] for index in call.args) or "*"
    distinct = "DISTINCT " if call.distinct else ""
    where = "" if call.filter is None else f" FILTER {names[call.filter]}"
    return f"{plain_name(call.name)}{'_RETRACT' if retract else ''}({distinct}{args}){where}"


def plan_call(call: AggregateCall) -> PlanCall:
    """An aggregate call in the form of plans."""
    extra = dict(call.name.extra) if isinstance(call.name, FunctionName) else {}
    return make(PlanCall)(
        name=None if not call.column or _GENERATED.fullmatch(call.column) else call.column,
        syntax=call.syntax,
        internal_name=None if extra else call.name,
        system_name=extra.get("systemName"),
        catalog_name=extra.get("catalogName"),
        **({"class": extra["class"]} if "class" in extra else {}),
        python=extra.get("python"),
        java=extra.get("java"),
        arg_list=call.args,
        filter_arg=-1 if call.filter is None else call.filter,
        distinct=call.distinct,
        approximate=call.approximate,
        ignore_nulls=call.ignore_nulls,
        type=call.type,
    )


def _trend(call: AggregateCall, input_traits: Traits) -> Monotonicity:
    if not input_traits.modify_kinds.insert_only:
        return Monotonicity.UNKNOWN
    if call.name in _GROWING:
        return Monotonicity.INCREASING
    return Monotonicity.DECREASING if call.name in _SHRINKING else Monotonicity.UNKNOWN


def _moves_along(call: AggregateCall, input_traits: Traits) -> bool:
    """Return True for MAX over increasing and MIN over decreasing values, without deletions."""
    if ModifyKinds.DELETE in input_traits.modify_kinds or call.filter is not None or len(call.args) != 1:
        return False
    trend = input_traits.monotonicity[call.args[0]]
    return (call.name == "$MAX$1" and trend in (Monotonicity.INCREASING, Monotonicity.CONSTANT)) or (
        call.name == "$MIN$1" and trend in (Monotonicity.DECREASING, Monotonicity.CONSTANT)
    )


@lowers(Aggregate)
def _lower_aggregate(rel: Aggregate, at: OperatorPlanner) -> PhysicalOperator:
    if len(rel.grouping_sets) > 1:
        raise unsupported("GROUPING SETS here")
    source = at.lower(rel.input)
    check_distinct(rel.calls, source.row_type)
    spread = PhysicalExchange(source, rel.grouping)
    return PhysicalGroupAggregate(
        spread, rel.grouping, rel.calls, hinted_ttl(rel.hints), rel.split, columns=rel.columns
    )


def check_distinct(calls: tuple[AggregateCall, ...], input_type: RowType) -> None:
    """Raise for DISTINCT over types that Flink cannot compare.

    Raises:
        UnsupportedError: names the type and the function.
    """
    for call in calls:
        if call.distinct and len(call.args) == 1 and isinstance(input_type.types[call.args[0]], _NOT_DISTINCT):
            construct = f"DISTINCT over {input_type.types[call.args[0]]} in {plain_name(call.name)}"
            raise unsupported(construct, remedy="group by the value in a subquery first")
